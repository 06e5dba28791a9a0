/*
 * Pairs of a metric and a focus, as users write them: METRIC or METRIC@FOCUS, as in `lock-waiting@solver.c:120`. A
 * focus is a place as `heddle record --keep` takes it, a list of key=GLOB as in profile/focus.h, or both with a comma.
 * docs/heddle-live.1.md has the metrics. A pair has the groups that the program must measure for it.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_METRIC_REQUEST_H
#define HEDDLE_ANALYZER_LIVE_READINGS_METRIC_REQUEST_H

#include "analyzer/live/readings/reading.h"
#include "base/error.h"

/* Metrics of a construct or a thread on the screen. */
enum live_metric {
  /* Metrics of a construct. */
  LIVE_SELF,
  LIVE_EXECUTIONS,
  LIVE_WAITING, /* at the barrier, at the ends of the region, or for the lock */
  /* Metrics of threads. */
  LIVE_RUN,
  LIVE_SYNCH, /* and BLOCKED */
  LIVE_IDLE,
  LIVE_METRICS
};

/* "self time", "RUN", ... */
const char *live_metric_name(enum live_metric metric);

/* The number of executions of a row's construct. A single thread executes the regions that it joins. */
uint64_t live_executions(const struct profile_row *row, bool one_thread);

/* The time of a thread in the states of such a metric, LIVE_RUN or a later one. */
wide_total live_time_in(enum live_metric metric, const struct states_thread *thread);

enum live_asked_unit {
  LIVE_NUMBER,
  LIVE_TICKS,
  LIVE_SUM, /* of the program's own values: whole or real, perhaps negative */
  LIVE_LAST /* of these values */
};

/* The rows and metrics of a profile that a metric adds up. */
enum live_asked_of {
  LIVE_OF_REGIONS,
  LIVE_OF_WORKS,
  LIVE_OF_BARRIERS,
  LIVE_OF_LOCKS,
  LIVE_OF_TASKS,
  LIVE_OF_JAVA,
  LIVE_OF_USERS,
  LIVE_OF_ANY,
  LIVE_OF_THREADS,
  LIVE_OF_TASKS_MADE,
  LIVE_OF_CHUNKS,
  LIVE_OF_EVENTS,
  LIVE_OF_VALUES,
  LIVE_OF_GC,
  LIVE_OF_ALLOCATED,
  LIVE_OF_SAMPLES,
  LIVE_OF_MEASURING
};

/* The value to add up. */
enum live_asked_what {
  LIVE_HOW_MANY,
  LIVE_HOW_LONG, /* executions, waits, pauses */
  LIVE_HOW_CONTENDED,
  LIVE_HOW_HELD,
  LIVE_HOW_ITERATED,
  LIVE_HOW_RUN,
  LIVE_HOW_SYNCH,
  LIVE_HOW_IDLE,
  LIVE_HOW_VALUED
};

struct live_asked_metric {
  const char *name, *help;
  enum live_asked_unit unit;
  uint32_t needs; /* LIVE_NEED_... */
  enum live_asked_of of;
  enum live_asked_what what;
};

/* All metrics. */
extern const struct live_asked_metric live_asked_metrics[];
extern const size_t live_asked_metric_count;

struct live_asked {
  const char *text; /* as it is written; the caller's */
  const struct live_asked_metric *metric;
  const char *place;           /* in text, ... */
  size_t place_size;           /* ... 0: any place */
  struct profile_focus *focus; /* NULL: everything */
  uint32_t needs;              /* LIVE_NEED_...: the metric's, and the focus' */
  bool by_object;              /* uses the sums of locks and objects, which know the construct around them */
  bool by_member;              /* needs readings with sums by number in a team: live_keep_apart() */
};

/* False: it is no pair, and the error says why. After success, and only then, live_asked_free(). */
bool live_asked_take(const char *text, struct live_asked *asked, struct error *error);
void live_asked_free(struct live_asked *asked);

/* True if the metric takes a place: not a metric of threads, or of the process. */
bool live_asked_takes_place(const struct live_asked_metric *metric);

/* The amount of a pair. */
struct live_amount {
  wide_total total;    /* NUMBER, TICKS */
  bool known, is_real; /* SUM, LAST: there was a value, which is in `real`, else in `whole` */
  int64_t whole;
  double real;
};

/* The amount in a reading. sums: its profiled_states(). */
struct live_amount live_asked_value(const struct live_asked *asked, const struct live_reading *reading,
                                    const struct states_sums *sums);

/* Adds a later amount. For LIVE_LAST, the later one stays. */
void live_amount_add(enum live_asked_unit unit, struct live_amount *sum, const struct live_amount *more);

#endif
