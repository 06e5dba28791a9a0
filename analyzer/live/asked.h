/*
 * Pairs of a metric and a focus, as users write them: METRIC or METRIC@FOCUS, as in `lock-waiting@solver.c:120`. A
 * focus is a place as `heddle record --keep` takes it, `thread=GLOB`, or both with a comma. docs/heddle-live.1.md has
 * the metrics. A pair says what the program has to measure for it.
 */
#ifndef HEDDLE_ANALYZER_LIVE_ASKED_H
#define HEDDLE_ANALYZER_LIVE_ASKED_H

#include "analyzer/live/reading.h"
#include "base/error.h"

struct live_asked_metric {
  const char *name, *help;
  bool is_time;   /* ticks; else a number */
  uint32_t needs; /* LIVE_NEED_... */
};

/* All metrics. */
extern const struct live_asked_metric live_asked_metrics[];
extern const size_t live_asked_metric_count;

struct live_asked {
  const char *text; /* as it is written; the caller's */
  const struct live_asked_metric *metric;
  const char *place;  /* in text, ... */
  size_t place_size;  /* ... 0: any place */
  const char *thread; /* a pattern, in text, up to its end; NULL: any thread */
};

/* False: it is no pair, and the error says why. */
bool live_asked_take(const char *text, struct live_asked *asked, struct error *error);

/* A metric of threads has none. */
bool live_asked_takes_place(const struct live_asked_metric *metric);

/* The value of a pair in a reading. sums: profiled_states() of it. */
wide_total live_asked_value(const struct live_asked *asked, const struct live_reading *reading,
                            const struct states_sums *sums);

#endif
