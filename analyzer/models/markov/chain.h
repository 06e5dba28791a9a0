/*
 * What follows from a model in the long run. Where several recurrent classes can be reached, figures of a class count
 * by the probability that a run ends up in it.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CHAIN_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CHAIN_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/solve.h"

/* A recurrent class: once in it, a run stays in it, and comes to each of its states again and again. */
struct markov_class {
  uint32_t states, period; /* period 0: a state that is never left */
  double probability;      /* that a run ends up in it */
  uint32_t reference;      /* its state of most time in the long run, the first of several */
  double cycle;            /* mean ticks from entering the reference to entering it again */
};

struct markov_chain {
  const struct markov_model *model; /* outlives the chain */
  struct markov_matrix p; /* transition probabilities, with those from a run's end to the next one's beginning */
  double *mean;           /* occupancy; 0 for states whose occupancy is unknown */
  uint32_t *class_of;     /* its recurrent class; UINT32_MAX: transient, or not used */
  struct markov_class *classes;
  uint32_t class_count;
  uint32_t used, transient; /* states */
  uint32_t restarts;        /* states that are followed by the next run's beginning, because they are never left */
  double *stationary;       /* of the transitions within its class, the part that enters the state; 0: transient */
  double *longrun;          /* of the time, the part that is spent in it */
  double *recurrence;       /* mean ticks from entering the state to entering it again; INFINITY: transient */
  double *visits;           /* mean number of visits before a recurrent class is reached; 0 for recurrent ones */
  double lead;              /* mean ticks before a recurrent class is reached */
  uint32_t main_class;      /* the one that runs most probably end up in */
  struct markov_effort effort;
};

/* NULL: no memory. */
struct markov_chain *markov_chain_solve(const struct markov_model *model);
void markov_chain_free(struct markov_chain *chain);

/*
 * Long-run parts and cycle times of the classes, had the states these mean occupancies; the routing stays. `cycles` has
 * chain->class_count elements, each for the class's reference state.
 */
void markov_chain_times(const struct markov_chain *chain, const double *mean, double *longrun, double *cycles);

/*
 * Mean ticks from entering each state to entering `target` next; INFINITY: it is not certain that this happens. NAN:
 * the state is not used. False: no memory.
 */
bool markov_chain_passage(const struct markov_chain *chain, uint32_t target, double *ticks,
                          struct markov_effort *effort);

/* What a model says if some states took longer or shorter. The routing is taken to stay what it is. */

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
