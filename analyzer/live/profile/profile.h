/*
 * Profiles: archives of `heddle record --profile`, which have sums in place of events. A row is a construct on a
 * thread; the self times of a thread's rows add up to its life.
 */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_PROFILE_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_PROFILE_H

#include "analyzer/analyses/states/survey.h"
#include "analyzer/live/profile/metrics.h"
#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

enum profile_kind {
  PROFILE_CONSTRUCT,
  PROFILE_MEMBER,  /* a thread's parts of a parallel region, up to its last barrier */
  PROFILE_ACQUIRE, /* waits for locks */
  PROFILE_HOLD,    /* from acquisitions to releases; no self time */
  PROFILE_OUTSIDE, /* in no construct */
  PROFILE_OTHER,   /* constructs for which the recorder's table had no room */
  PROFILE_TOOL,    /* the measurement itself */
  PROFILE_UNMEASURED,
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
  wide_total since_begin;             /* regions: of their ends, MEMBER: of arrivals at the last barrier */
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

/* Whether the archive is a profile, without events; whether it has one beside events. */
bool profiled_is(const struct trace *trace);
bool profiled_has(const struct trace *trace);

/* False: an error. Free with profiled_free(), also then. */
bool profiled_read(const struct trace *trace, struct pool *pool, struct profiled *profile, struct error *error);
void profiled_free(struct profiled *profile);

/* The order of rows: of two struct profile_row; those that differ in the number in a team alone come apart. */
int profiled_compare_apart(const void *a, const void *b);

/* Puts rows that came from elsewhere, in any order and perhaps several of a kind, into the form above, and finds the
 * members' `joined` and `waiting`. False: no memory. */
bool profiled_complete(const struct trace *trace, struct profiled *profile);

/* The same, but rows of one construct and thread stay apart where the thread had several numbers in teams, and no
 * metrics are added up. Then profiled_merge. */
bool profiled_complete_apart(const struct trace *trace, struct profiled *profile);
/* Adds up what is alike but for the number in a team. */
void profiled_merge(struct profiled *profile);

/* Adds up the rows and metrics of all threads. False: no memory. Free with profiled_free(). */
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

/* The barrier at the end of a parallel region; the region itself, where no thread reports it. */
uint32_t profiled_last_barrier(const struct trace *trace, uint32_t region);

/* The state that a row's self time has; of a worker's time in no construct IDLE. */
enum state profiled_row_state(const struct trace *trace, const struct profiled *profile, const struct profile_row *row);

/* The states of threads and constructs, as far as sums go. False: no memory. Free with states_sums_free(), also then.
 */
bool profiled_states(const struct trace *trace, const struct profiled *profile, struct states_sums *sums);

#endif
