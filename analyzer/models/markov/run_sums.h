/*
 * Private to markov/. Sums over runs and their blocks, for comparing runs. Each figure is a ratio of two sums. The
 * ratios: time in a state by time, transitions to a state by departures, time in a state by visits, and long visits by
 * visits. So the sums of blocks add up.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RUN_SUMS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RUN_SUMS_H

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/group_comparison.h"

struct markov_ratio {
  enum markov_aspect aspect;
  uint32_t state, to; /* to: of MARKOV_GOES_TO */
  uint64_t ticks;     /* of MARKOV_LONGER */
  uint32_t of, by;    /* columns */
};

struct markov_ratio_table {
  const struct markov_model *model; /* of all runs; outlives the table */
  struct markov_blocks chosen;      /* followed states and transitions */
  struct markov_durations durations;
  uint32_t columns;
  struct markov_ratio *ratios; /* ratios that can differ between groups */
  uint32_t count;
};

/* Sums by block, then column. */
struct markov_sums {
  uint64_t length; /* records of a block */
  uint32_t count;
  double *blocks, *all; /* all: of the whole run; blocks of a long run are a sample */
};

/* False: out of memory; free it also then. */
bool markov_ratio_table_begin(struct markov_ratio_table *table, const struct markov_model *model);
void markov_ratio_table_free(struct markov_ratio_table *table);

/* Run to compare. `map` has its states' numbers in the model; ticks are multiplied by num / den. */
struct markov_compared_run {
  struct pes_stream *stream;
  uint32_t *map;
  uint64_t num, den, records;
};

/*
 * Reads a run into blocks of `length` records, at most MARKOV_BLOCKS_MOST. Records after the last whole block are in
 * `all` only. False: an error; free the sums also then.
 */
bool markov_sums_read(const struct markov_ratio_table *table, const struct markov_compared_run *run, uint64_t length,
                      struct markov_sums *sums, struct error *error);
void markov_sums_free(struct markov_sums *sums);

/* Returns the ratio; NAN: the denominator is 0. */
double markov_ratio_of(const struct markov_ratio *ratio, const double *sums);

/*
 * Fills in the numerator of each joined block minus its expected value by the ratio `expected`; `values` has room for
 * all blocks. Returns the number of joined blocks.
 */
uint32_t markov_residuals(const struct markov_ratio_table *table, const struct markov_sums *sums, uint32_t joined,
                          const struct markov_ratio *ratio, double expected, double *values);

#endif
