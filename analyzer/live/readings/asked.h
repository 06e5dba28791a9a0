/*
 * Pairs of a metric and a focus, as users write them: METRIC or METRIC@FOCUS, as in `lock-waiting@solver.c:120`. A
 * focus is a place as `heddle record --keep` takes it, a list of key=GLOB as in profile/focus.h, or both with a comma.
 * docs/heddle-live.1.md has the metrics. A pair says what the program has to measure for it.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_ASKED_H
#define HEDDLE_ANALYZER_LIVE_READINGS_ASKED_H

#include "analyzer/live/readings/reading.h"
#include "base/error.h"

enum live_asked_unit {
  LIVE_NUMBER,
  LIVE_TICKS,
  LIVE_SUM, /* of values of the program's own: whole or real, perhaps negative */
  LIVE_LAST /* of these values */
};

/* Which rows and metrics of a profile a metric is of. */
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

/* Which value of them. */
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
  bool by_object;              /* of the sums of locks and objects, which know what is around them */
  bool by_member;              /* of readings that live_keep_apart() has kept apart */
};

/* False: it is no pair, and the error says why. After success, and only then, live_asked_free(). */
bool live_asked_take(const char *text, struct live_asked *asked, struct error *error);
void live_asked_free(struct live_asked *asked);

/* A metric of threads, or of the process, has none. */
bool live_asked_takes_place(const struct live_asked_metric *metric);

/* What came of a pair. */
struct live_amount {
  wide_total total;    /* NUMBER, TICKS */
  bool known, is_real; /* SUM, LAST: whether there was a value; is it in `real`, else in `whole` */
  int64_t whole;
  double real;
};

/* In a reading. sums: profiled_states() of it. */
struct live_amount live_asked_value(const struct live_asked *asked, const struct live_reading *reading,
                                    const struct states_sums *sums);

/* Adds what came later; of the last value the later one is left. */
void live_amount_add(enum live_asked_unit unit, struct live_amount *sum, const struct live_amount *more);

#endif
