/*
 * What a profile counts besides constructs: tasks that are made, chunks and iterations of loops, locks and monitors by
 * name, the program's own events and their values, garbage collection, and what measuring took.
 */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_METRICS_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_METRICS_H

#include "base/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NO_MEMBER UINT32_MAX

enum profile_metric_kind {
  PROFILE_TASKS,  /* made at `region` */
  PROFILE_CHUNKS, /* of the loop `region`; sum: iterations; last: chunks of which the iterations are not known */
  PROFILE_LOCK,   /* acquisitions at `region` */
  PROFILE_WAIT,   /* Java's waits for an object at `region` */
  PROFILE_EVENT,
  PROFILE_VALUE, /* values of an event's attribute: how many are known, their sum, and the last one */
  PROFILE_GC,    /* pauses for garbage collection; last: ticks of the last one */
  PROFILE_COST,  /* sums that were brought up to date, and the time of measuring; sum: events that came meanwhile and
                    are lost; last: metrics without room */
  PROFILE_ALLOCATED, /* bytes that the thread allocated, in `count`; only in readings */
  PROFILE_SAMPLES,   /* of the code `region`, a function; sum: of what it called, too; only in readings */
  PROFILE_METRIC_OTHER,
  PROFILE_METRICS
};

/* Times are ticks. */
struct profile_metric {
  enum profile_metric_kind kind;
  uint32_t location;     /* TRACE_NONE: of all threads */
  uint32_t region;       /* TRACE_NONE: no construct */
  uint32_t around;       /* region of the innermost construct in which it was; TRACE_NONE: none */
  uint32_t member;       /* as in a row */
  const char *object;    /* name of the lock, object or event; "": none. Valid as long as the trace */
  const char *attribute; /* likewise */
  uint64_t count;
  uint64_t contended; /* waits for longer than some microseconds */
  uint64_t longest;   /* wait or pause */
  wide_total ticks;   /* of all waits, or pauses */
  wide_total waiting; /* of the contended ones */
  wide_total held;
  bool is_real; /* the sum and the last value are real numbers */
  int64_t sum, last;
  double real_sum, real_last;
};

/* The key of a kind, for programs; and the kind of a key, PROFILE_METRIC_OTHER of an unknown one. */
const char *profile_metric_key(enum profile_metric_kind kind);
enum profile_metric_kind profile_metric_kind(const char *key);

/* Sorts metrics and makes one of those that are alike. Returns how many are left. */
size_t profile_metrics_merge_apart(struct profile_metric *metrics, size_t count);
/* The same, without numbers in teams. */
size_t profile_metrics_merge(struct profile_metric *metrics, size_t count);

/* Their order: of two struct profile_metric; 0: they count the same. */
int profile_metrics_compare(const void *a, const void *b);

/* Leaves what came since `before`; both are merged. Returns how many are left: those to which something came. */
size_t profile_metrics_subtract(struct profile_metric *metrics, size_t count, const struct profile_metric *before,
                                size_t before_count);

#endif
