/*
 * Long-run figures of a model: its recurrent classes, shares of time, cycle times, first passages, and the same with
 * other occupancies. If a run may end up in several recurrent classes, figures of a class count by their probability.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CHAIN_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CHAIN_H

#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/solve.h"

/* Recurrent class: a run in it stays in it and visits each of its states again and again. */
struct markov_class {
  uint32_t states, period; /* period 0: a state that is never left */
  double probability;      /* of ending up in this class */
  uint32_t reference;      /* its state with the most time in the long run, the first of several */
  double cycle;            /* mean ticks from entering the reference to entering it again */
};

struct markov_chain {
  const struct markov_model *model; /* outlives the chain */
  struct markov_matrix
      p;              /* transition probabilities, including those from a run's end to the beginning of the next run */
  double *mean;       /* occupancy; 0 for states whose occupancy is unknown */
  uint32_t *class_of; /* recurrent class; UINT32_MAX: transient, or not used */
  struct markov_class *classes;
  uint32_t class_count;
  uint32_t used, transient; /* states */
  uint32_t restarts;        /* states that are never left, and so are followed by the next run's beginning */
  double *stationary;       /* part of the transitions within its class that enter the state; 0: transient */
  double *longrun;          /* part of the time in the state */
  double *recurrence;       /* mean ticks from entering the state to entering it again; INFINITY: transient */
  double *visits;           /* mean number of visits before a recurrent class is reached; 0 for recurrent ones */
  double lead;              /* mean ticks before a recurrent class is reached */
  uint32_t main_class;      /* the most probable class at the end of a run */
  struct markov_effort effort;
};

/* NULL: out of memory. */
struct markov_chain *markov_chain_solve(const struct markov_model *model);
void markov_chain_free(struct markov_chain *chain);

/*
 * Computes the mean first-passage time from each state to `target`, in ticks, from entry to entry. INFINITY: the target
 * is not reached with certainty. NAN: the state is not used. False: out of memory.
 */
bool markov_chain_passage(const struct markov_chain *chain, uint32_t target, double *ticks,
                          struct markov_effort *effort);

/* Figures of a model whose states take longer or shorter. Transition probabilities stay the same. */

struct markov_whatif {
  double *longrun; /* by state */
  double *cycles;  /* by class */
  double lead;     /* mean ticks before a recurrent class is reached */
};

/* Multiplies the mean occupancies by `factor`, one a state. NULL: out of memory. */
struct markov_whatif *markov_whatif(const struct markov_chain *chain, const double *factor);
void markov_whatif_free(struct markov_whatif *whatif);

/* Effect of halving the occupancies of one state. */
struct markov_bottleneck {
  uint32_t state;
  double saved;   /* part of the main class's cycle time that is saved */
  double cycle;   /* remaining cycle time in ticks */
  double longrun; /* the state's new part of the time */
};

/* Returns all states of the main class, the largest saving first; the caller frees them. NULL: out of memory. */
struct markov_bottleneck *markov_bottlenecks(const struct markov_chain *chain, uint32_t *count);

#endif
