/*
 * Profiles: archives of `heddle record --profile`, which have sums in place of events. A row is a construct on a
 * thread; the self times of a thread's rows add up to its life. A metric counts other things: created tasks, chunks and
 * iterations of loops, locks and monitors by name, and the program's own events and their values. It also counts
 * garbage collections, and the cost of measuring.
 */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_PROFILE_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_PROFILE_H

#include "analyzer/analyses/states/survey.h"
#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NO_MEMBER UINT32_MAX

enum profile_metric_kind {
  PROFILE_TASKS,  /* created at `region` */
  PROFILE_CHUNKS, /* chunks of the loop `region`; sum: iterations; last: chunks with unknown iterations */
  PROFILE_LOCK,   /* acquisitions at `region` */
  PROFILE_WAIT,   /* Java's waits for an object at `region` */
  PROFILE_EVENT,
  PROFILE_VALUE, /* values of an event's attribute: how many are known, their sum, and the last one */
  PROFILE_GC,    /* pauses for garbage collection; last: ticks of the last one */
  PROFILE_COST,  /* sums that were brought up to date, and the time of measuring; sum: events that came meanwhile and
                    are lost; last: metrics without room */
  PROFILE_ALLOCATED, /* bytes that the thread allocated, in `count`; only in readings */
  PROFILE_SAMPLES,   /* samples of the code `region`, a function; sum: including its callees; only in readings */
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
  wide_total ticks;   /* time of all waits, or pauses */
  wide_total waiting; /* of the contended ones */
  wide_total held;
  bool is_real; /* the sum and the last value are real numbers */
  int64_t sum, last;
  double real_sum, real_last;
};

/* The key of a kind, for programs; and the kind of a key, PROFILE_METRIC_OTHER of an unknown one. */
const char *profile_metric_key(enum profile_metric_kind kind);
enum profile_metric_kind profile_metric_kind(const char *key);

/* Sorts metrics and adds up equal ones. Returns the number of metrics that stay. */
size_t profile_metrics_merge_apart(struct profile_metric *metrics, size_t count);
/* The same, without numbers in teams. */
size_t profile_metrics_merge(struct profile_metric *metrics, size_t count);

/* Compares two struct profile_metric; 0: they count the same. */
int profile_metrics_compare(const void *a, const void *b);

/* Subtracts `before`; both are merged. Returns the number of metrics that are not 0, which stay. */
size_t profile_metrics_subtract(struct profile_metric *metrics, size_t count, const struct profile_metric *before,
                                size_t before_count);

enum profile_kind {
  PROFILE_CONSTRUCT,
  PROFILE_MEMBER,  /* a thread's parts of a parallel region, up to its last barrier */
  PROFILE_ACQUIRE, /* waits for locks */
  PROFILE_HOLD,    /* from acquisitions to releases; no self time */
  PROFILE_OUTSIDE, /* in no construct */
  PROFILE_OTHER,   /* constructs for which the recorder's table had no room */
  PROFILE_TOOL,    /* the measurement itself */
  PROFILE_NOT_MEASURED,
  PROFILE_KINDS
};

#define PROFILE_POWERS 64u

/* Times are ticks. */
struct profile_row {
  uint32_t location; /* TRACE_NONE: of all threads */
  uint32_t region;   /* TRACE_NONE: no construct */
  enum profile_kind kind;
  uint32_t member; /* number of the thread in its innermost team then; PROFILE_NO_MEMBER: none, several, or not known */
  uint64_t executions;
  uint64_t longest;
  uint64_t contended;                 /* executions that waited for longer than some microseconds */
  uint64_t joined;                    /* MEMBER: executions in regions that other threads encountered */
  wide_total inclusive;               /* outermost executions, where they are nested */
  wide_total self;                    /* without constructs inside */
  wide_total waiting;                 /* of the contended executions; MEMBER: at the region's last barrier, from sums */
  wide_total since_begin;             /* regions: times of their ends, MEMBER: times of arrivals at the last barrier */
  uint64_t durations[PROFILE_POWERS]; /* [k]: executions shorter than 2^k, but not than 2^(k - 1) */
};

struct profiled {
  struct profile_row *rows; /* by location, then region and kind; no two are alike */
  size_t count;
  struct profile_metric *metrics; /* no two are alike */
  size_t metric_count;
  struct profile_life {
    uint64_t first, last; /* both 0: the thread has no events */
  } *lives;               /* one a location */
};

/* True if the archive is a profile, without events; profiled_has(): if it has one beside events. */
bool profiled_is(const struct trace *trace);
bool profiled_has(const struct trace *trace);

/* False: an error. Free with profiled_free(), also then. */
bool profiled_read(const struct trace *trace, struct pool *pool, struct profiled *profile, struct error *error);
void profiled_free(struct profiled *profile);

/* Compares two struct profile_row, also by the number in a team. */
int profiled_compare_apart(const void *a, const void *b);

/* Sorts and adds up rows from other sources, in any order and perhaps several of a kind, and finds the members'
 * `joined` and `waiting`. False: out of memory. */
bool profiled_complete(const struct trace *trace, struct profiled *profile);

/* The same, but rows stay apart by the thread's number in its team, and no metrics are added up. Then call
 * profiled_merge. */
bool profiled_complete_apart(const struct trace *trace, struct profiled *profile);
/* Adds up rows and metrics that differ in the number in a team alone. */
void profiled_merge(struct profiled *profile);

/* Adds up the rows and metrics of all threads. False: out of memory. Free with profiled_free(). */
bool profiled_sum(const struct profiled *profile, struct profiled *sum);

/* The lives of all threads: the sum of self times. */
wide_total profiled_time(const struct profiled *profile);

/* The key of a kind, for programs; and the kind of a key, PROFILE_OTHER of an unknown one. */
const char *profiled_kind_key(enum profile_kind kind);
enum profile_kind profiled_kind(const char *key);

/* The name of a row's construct, for people; not escaped. */
const char *profiled_row_name(const struct trace *trace, const struct profile_row *row);

/* A bound that at least `share` (0 to 1) of a row's executions don't exceed, within a factor of 2; 0: none are known.
 */
uint64_t profiled_quantile(const struct profile_row *row, double share);

#endif
