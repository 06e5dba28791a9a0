/*
 * Private to markov/: what is counted of runs to compare them. All of it is ratios of sums: time in a state by time,
 * transitions to a state by those out of the one before, time in a state by its visits, visits that are long by visits.
 * So a run may be cut into blocks, whose sums add up.
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
  struct markov_blocks chosen;      /* which states and transitions have a place */
  struct markov_durations durations;
  uint32_t columns;
  struct markov_ratio *ratios; /* of what can differ in both groups */
  uint32_t count;
};

/* Sums by block, then column. */
struct markov_sums {
  uint64_t length; /* records of a block */
  uint32_t count;
  double *blocks, *all; /* all: of the whole run; blocks of a long run are a sample of its stretches */
};

/* False: no memory; to be freed also then. */
bool markov_ratio_table_begin(struct markov_ratio_table *table, const struct markov_model *model);
void markov_ratio_table_free(struct markov_ratio_table *table);

/* A run, whose states have these numbers in the model, and whose ticks are multiplied by num / den. */
struct markov_compared_run {
  struct pes_stream *stream;
  uint32_t *map;
  uint64_t num, den, records;
};

/*
 * Reads a run into blocks of `length` records, at most MARKOV_BLOCKS_MOST; what does not fill the last block is in
 * `all` only. False: an error; the sums are to be freed also then.
 */
bool markov_sums_read(const struct markov_ratio_table *table, const struct markov_compared_run *run, uint64_t length,
                      struct markov_sums *sums, struct error *error);
void markov_sums_free(struct markov_sums *sums);

/* NAN: the run has nothing of it. */
double markov_ratio_of(const struct markov_ratio *ratio, const double *sums);

/*
 * What each of the blocks, joined so many at a time, has more than by this ratio; `values` has room for all. Returns
 * the number of joined blocks.
 */
uint32_t markov_residuals(const struct markov_ratio_table *table, const struct markov_sums *sums, uint32_t joined,
                          const struct markov_ratio *ratio, double expected, double *values);

#endif
