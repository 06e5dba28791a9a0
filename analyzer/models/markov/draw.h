/* Private to markov/: draws states and occupancies, with integers alone, so that it is the same on every machine. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DRAW_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DRAW_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/random.h"

struct markov_drawer;

/* The model must outlive it. NULL: no memory. */
struct markov_drawer *markov_drawer_create(const struct markov_model *model);
void markov_drawer_free(struct markov_drawer *drawer);

/* The state that a run begins with; PES_NONE: the model has no run. */
uint32_t markov_draw_start(const struct markov_drawer *drawer, struct markov_random *random);

/* The next state; PES_NONE: none, because the state is never left, and runs end there. */
uint32_t markov_draw_next(const struct markov_drawer *drawer, uint32_t state, struct markov_random *random);

/* How long it lasts; 0: unknown. */
uint64_t markov_draw_ticks(const struct markov_drawer *drawer, uint32_t state, struct markov_random *random);

#endif
