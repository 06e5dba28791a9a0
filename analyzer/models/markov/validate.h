/*
 * Does a run look like one of the model's? Nine questions, each with a test against chance, with how large the
 * difference is (with enough data any model is wrong by a little), and with the smallest difference that would have
 * been found (with little data any model looks right).
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_VALIDATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_VALIDATE_H

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"

enum markov_question {
  MARKOV_SHARES,      /* the parts of the time that states have; difference: half of the sum of differences */
  MARKOV_CYCLE,       /* the mean cycle time; difference: relative to the model's */
  MARKOV_TRANSITIONS, /* what follows each state; difference: as for shares, mean over the run's transitions */
  MARKOV_OCCUPANCIES, /* how long visits last; difference: largest between distribution functions, mean over the time */
  MARKOV_ORDER,       /* does what follows a state depend on states before it? difference: as for transitions */
  MARKOV_CONSECUTIVE, /* does a visit's duration depend on that of the visit before? as above, of classes of durations
                       */
  MARKOV_NEXT,        /* does the next state depend on the visit's duration? as above */
  MARKOV_TAILS,       /* are there visits so long that they decide the mean? difference: 1 / the index of the tail */
  MARKOV_PHASES,      /* does the run change on its way? difference: between the parts before and behind the change */
  MARKOV_QUESTIONS
};

enum markov_method {
  MARKOV_NO_METHOD,   /* there is too little to compare */
  MARKOV_CHI_SQUARE,  /* cells with few observations are pooled */
  MARKOV_KOLMOGOROV,  /* Kolmogorov and Smirnov's, each state's; times the number of states (Bonferroni) */
  MARKOV_REPLICATION, /* simulated pairs of runs of the model, and how often they differ by as much */
  MARKOV_SPACINGS,    /* Gnedenko's, each state's; times the number of states */
  MARKOV_PERMUTATION  /* of blocks of the run */
};

enum markov_outcome {
  MARKOV_UNTESTED,
  MARKOV_UNSEEN,         /* no more difference than chance makes, but a large one could have gone unseen */
  MARKOV_HOLDS,          /* no more difference than chance makes */
  MARKOV_DIFFERS_LITTLE, /* more than chance makes, but within the tolerance */
  MARKOV_DIFFERS
};

struct markov_test {
  enum markov_method method;
  enum markov_outcome outcome;
  double statistic, freedom; /* freedom: of chi-square */
  double p;                  /* the probability of at least this difference, were there none */
  double difference;         /* 0 to 1; of the cycle 0 and up */
  double smallest; /* the smallest difference that is found with MARKOV_POWER (power.h); INFINITY: none; NAN: no test */
};

struct markov_tail_of_state {
  uint32_t state;
  struct markov_tail tail;
};

struct markov_occupancy_test {
  uint32_t state;
  uint64_t model, run; /* visits */
  double distance, p;  /* of this state alone */
};

struct markov_validation {
  struct markov_test tests[MARKOV_QUESTIONS];
  struct markov_model *run;      /* the run as a model, with the other one's numbers; its states may be more */
  uint32_t reference;            /* the state whose cycle is compared */
  double model_cycle, run_cycle; /* as observed, mean ticks; NAN: too few */
  double unknown;                /* part of the run's time that is spent in states which the model does not know */
  uint64_t new_transitions;      /* of the run, that the model says never happen */
  bool same_run;                 /* the model has exactly the counts of this run: it was made of it */
  bool shortened;                /* replications were shorter than the runs, and scaled */
  struct markov_occupancy_test *states; /* those that both have visited, the least probable first */
  uint32_t state_count;
  struct markov_memory memory;
  struct markov_tail_of_state *tails; /* those that could be tested, the least probable first */
  uint32_t tail_count;
  struct markov_changes changes;
};

struct markov_validate_options {
  double level;          /* error of the first kind of all tests together, 0.05 */
  double tolerance;      /* differences up to it are little, 0.05 */
  double unseen;         /* nothing holds if a larger difference could have gone unseen, 0.25 */
  uint64_t seed;         /* of the replications and permutations */
  unsigned replications; /* 199; more if the level asks for it */
};

/* Private to markov/: the questions that need the run alone: memory, durations, tails, phases. */

/* What a second reading of the run counts. */
struct markov_run_tests {
  const struct markov_model *run;
  struct markov_histories histories;
  struct markov_durations durations;
  struct markov_blocks blocks;
  size_t edge;    /* the last transition; SIZE_MAX: none yet */
  unsigned class; /* of the visit before it */
};

/* The run, as a model, outlives it. False: no memory; to be freed also then. */
bool markov_run_tests_begin(struct markov_run_tests *run_tests, const struct markov_model *run);
void markov_run_tests_free(struct markov_run_tests *run_tests);

/* The next record, with the state after it, or PES_NONE. False: no memory. */
bool markov_run_tests_add(struct markov_run_tests *run_tests, uint32_t state, uint64_t ticks, uint32_t next);

/* Fills the tests and what is behind them, without outcomes. False: no memory. */
bool markov_run_tests_finish(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                             struct markov_validation *result);

/* Compares a run with a model. */

/* The model's program and table of states get what the run has and they lack. NULL: an error. */
struct markov_validation *markov_validate(struct markov_model *model, struct pes_stream *run,
                                          const struct markov_validate_options *options, struct error *error);
/* The same for a run whose states carry their history already, if the model's do. */
struct markov_validation *markov_validate_expanded(struct markov_model *model, struct pes_stream *run,
                                                   const struct markov_validate_options *options, struct error *error);
void markov_validation_free(struct markov_validation *validation);

#endif
