/*
 * Validation: does a run fit a model? Nine questions have a test against chance, the size of the difference, and the
 * smallest detectable difference. With enough data any model is wrong by a little; with little data any model appears
 * right.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_VALIDATE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_VALIDATE_H

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"

enum markov_question {
  MARKOV_SHARES,      /* the states' shares of the time; difference: half of the sum of differences */
  MARKOV_CYCLE,       /* the mean cycle time; difference: relative to the model's */
  MARKOV_TRANSITIONS, /* successors of each state; difference: as for shares, mean over the run's transitions */
  MARKOV_OCCUPANCIES, /* durations of visits; difference: largest between distribution functions, mean over the time */
  MARKOV_ORDER,       /* does the next state depend on earlier states? difference: as for transitions */
  MARKOV_CONSECUTIVE, /* does the duration of a visit depend on the duration before? difference: as for transitions, of
                         classes of durations */
  MARKOV_NEXT,        /* does the next state depend on the duration of the visit? difference: as for transitions */
  MARKOV_TAILS,       /* do a few long visits decide the mean? difference: 1 / the index of the tail */
  MARKOV_PHASES,      /* does the run change? difference: between the parts before and after the change */
  MARKOV_QUESTIONS
};

enum markov_method {
  MARKOV_NO_METHOD,   /* too few observations */
  MARKOV_CHI_SQUARE,  /* cells with few observations are pooled */
  MARKOV_KOLMOGOROV,  /* Kolmogorov and Smirnov's, each state's; times the number of states (Bonferroni) */
  MARKOV_REPLICATION, /* simulated pairs of runs of the model; p: how often they differ by as much */
  MARKOV_SPACINGS,    /* Gnedenko's, each state's; times the number of states */
  MARKOV_PERMUTATION  /* of blocks of the run */
};

enum markov_outcome {
  MARKOV_UNTESTED,
  MARKOV_UNSEEN,         /* no more difference than by chance, but a large one would not have been detected */
  MARKOV_HOLDS,          /* no more difference than by chance */
  MARKOV_DIFFERS_LITTLE, /* more than by chance, but within the tolerance */
  MARKOV_DIFFERS
};

struct markov_test {
  enum markov_method method;
  enum markov_outcome outcome;
  double statistic, freedom; /* freedom: of chi-square */
  double p;                  /* probability of at least this difference by chance */
  double difference;         /* 0 to 1; of the cycle 0 and up */
  double smallest; /* smallest difference that is detected with MARKOV_POWER (statistics.h); INFINITY: none; NAN: no
                      test */
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
  struct markov_model *run;      /* model of the run, with the numbers of the other model; it may have more states */
  uint32_t reference;            /* the state whose cycle is compared */
  double model_cycle, run_cycle; /* as observed, mean ticks; NAN: too few */
  double unknown;                /* part of the run's time in states that the model lacks */
  uint64_t new_transitions;      /* transitions of the run that the model lacks */
  bool same_run;                 /* the model has exactly the counts of this run, and so was made of it */
  bool shortened;                /* replications were shorter than the runs, and scaled */
  struct markov_occupancy_test *states; /* states with visits in both, the least probable first */
  uint32_t state_count;
  struct markov_memory memory;
  struct markov_tail_of_state *tails; /* tested ones, the least probable first */
  uint32_t tail_count;
  struct markov_changes changes;
};

struct markov_validate_options {
  double level;          /* probability of an error of the first kind in any test, 0.05 */
  double tolerance;      /* differences up to it are small, 0.05 */
  double unseen;         /* a question with a larger smallest difference has no result, 0.25 */
  uint64_t seed;         /* for replications and permutations */
  unsigned replications; /* 199; more if the level asks for it */
};

/* Private to markov/. Tests of the run alone: order, durations, tails, changes. */

/* Counts of the second reading of the run. */
struct markov_run_tests {
  const struct markov_model *run;
  struct markov_histories histories;
  struct markov_durations durations;
  struct markov_blocks blocks;
  size_t edge;    /* last transition; SIZE_MAX: none yet */
  unsigned class; /* class of the visit before that transition */
};

/* `run`, the model of the run, outlives it. False: out of memory; free it also then. */
bool markov_run_tests_begin(struct markov_run_tests *run_tests, const struct markov_model *run);
void markov_run_tests_free(struct markov_run_tests *run_tests);

/* Adds the next record with the state after it, or PES_NONE. False: out of memory. */
bool markov_run_tests_add(struct markov_run_tests *run_tests, uint32_t state, uint64_t ticks, uint32_t next);

/* Fills in the tests and their details, without outcomes. False: out of memory. */
bool markov_run_tests_finish(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                             struct markov_validation *result);

/* Compares a run with a model. */

/*
 * Compares a run with a model. States and values of the run that the model lacks are added to its program and table.
 * NULL: an error.
 */
struct markov_validation *markov_validate(struct markov_model *model, struct pes_stream *run,
                                          const struct markov_validate_options *options, struct error *error);
/* The same for a run that is expanded already if the model is of higher order (higher_order.h). */
struct markov_validation *markov_validate_expanded(struct markov_model *model, struct pes_stream *run,
                                                   const struct markov_validate_options *options, struct error *error);
void markov_validation_free(struct markov_validation *validation);

#endif
