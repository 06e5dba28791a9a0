/* Private to markov/: the questions that need the run alone: memory, durations, tails, phases. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_WATCH_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_WATCH_H

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/validation.h"

/* What a second reading of the run counts. */
struct markov_watch {
  const struct markov_model *run;
  struct markov_histories histories;
  struct markov_durations durations;
  struct markov_blocks blocks;
  size_t edge;    /* the last transition; SIZE_MAX: none yet */
  unsigned class; /* of the visit before it */
};

/* The run, as a model, outlives it. False: no memory; to be freed also then. */
bool markov_watch_begin(struct markov_watch *watch, const struct markov_model *run);
void markov_watch_free(struct markov_watch *watch);

/* The next record, with the state after it, or PES_NONE. False: no memory. */
bool markov_watch_add(struct markov_watch *watch, uint32_t state, uint64_t ticks, uint32_t next);

/* Fills the tests and what is behind them, without outcomes. False: no memory. */
bool markov_watch_test(const struct markov_watch *watch, const struct markov_validate_options *options,
                       struct markov_validation *result);

#endif
