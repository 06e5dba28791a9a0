/* What a model says if some states took longer or shorter. The routing is taken to stay what it is. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_WHATIF_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_WHATIF_H

#include "analyzer/models/markov/chain.h"

struct markov_whatif {
  double *longrun; /* by state */
  double *cycles;  /* by class */
  double lead;     /* mean ticks before a recurrent class is reached */
};

/* Mean occupancies are multiplied by `factor`, one a state. NULL: no memory. */
struct markov_whatif *markov_whatif(const struct markov_chain *chain, const double *factor);
void markov_whatif_free(struct markov_whatif *whatif);

/* One state takes half as long. */
struct markov_bottleneck {
  uint32_t state;
  double saved;   /* of the main class's cycle time, the part that this saves */
  double cycle;   /* ticks that are left of it */
  double longrun; /* the state's part of the time then */
};

/* All states of the main class, those that save most first; the caller frees them. NULL: no memory. */
struct markov_bottleneck *markov_bottlenecks(const struct markov_chain *chain, uint32_t *count);

#endif
