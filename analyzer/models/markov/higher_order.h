/*
 * Models of higher order, whose next state depends on more than the present one. They have counts of histories, tests
 * of the order, and sequences whose states stand for histories.
 *
 * Private to markov/: counts of all sequences of up to MARKOV_HISTORY_MOST states. A history is a node of a tree: its
 * parent lacks the last state, its suffix the first one. Memory is bounded: if a length has more than
 * MARKOV_HISTORIES_MOST different histories, this length and longer ones are no longer counted.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_HIGHER_ORDER_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_HIGHER_ORDER_H

#include "analyzer/models/markov/model.h"
#include "base/hash.h"
#include "base/vector.h"

enum { MARKOV_HISTORY_MOST = 7, MARKOV_HISTORIES_MOST = 1 << 17 };

struct markov_history {
  uint32_t parent;             /* of the length before; 0 for length 1 */
  uint32_t suffix;             /* of the length before; 0 for length 1 */
  uint32_t state;              /* the last one */
  uint32_t child_state, child; /* the child that was entered last; UINT32_MAX: none */
  uint64_t count;
};

struct markov_history_level {
  VECTOR(struct markov_history) nodes;
  struct hash index; /* parent << 32 | state -> node */
};

struct markov_histories {
  struct markov_history_level levels[MARKOV_HISTORY_MOST + 1]; /* by length; 0 has the root alone */
  uint32_t current[MARKOV_HISTORY_MOST + 1];                   /* the histories that end with the last state */
  unsigned most;                                               /* lengths up to it are counted */
  unsigned seen;                                               /* states so far, at most `most` */
};

/* Counts lengths up to `most`. False: out of memory; free it also then. */
bool markov_histories_begin(struct markov_histories *histories, unsigned most);
void markov_histories_free(struct markov_histories *histories);

/* Adds the next state. False: out of memory. */
bool markov_histories_add(struct markov_histories *histories, uint32_t state);

/* Fills in the states of a history, the first one first. `states` has room for `length`. */
void markov_history_states(const struct markov_histories *histories, unsigned length, uint32_t history,
                           uint32_t *states);

/*
 * Tests of the order. For each k from 1 to MARKOV_ORDERS: after the same last k states, does the next state depend on
 * the state before them?
 */

enum { MARKOV_ORDERS = 5 };

/* The test for one k. */
struct markov_order_test {
  bool is_tested;
  double chi_square, g, freedom;
  double p;                    /* the larger p of chi-square and G */
  double difference, smallest; /* difference: half of the sum of differences between probabilities; smallest: found with
                                  MARKOV_POWER */
  double open, tested; /* open: transitions where a dependence is possible; tested: those in tables that were tested */
  double
      determined; /* part of the transitions that go to the most frequent successor of their k states; NAN: too few */
};

struct markov_memory {
  struct markov_order_test orders[MARKOV_ORDERS]; /* tests of order k = 1, 2, ... */
  unsigned order;     /* states that the next one depends on, by these tests; MARKOV_ORDERS + 1: more than tested */
  bool is_determined; /* these states determine the next one */
};

/* `level` is of all orders together. Differences up to the tolerance do not count. False: out of memory. */
bool markov_memory_test(const struct markov_histories *histories, uint32_t states, double level, double tolerance,
                        struct markov_memory *memory);

/*
 * Expanded sequences: each state stands for its history. A state of order k is a pattern aggregate of the last k
 * states, named as "B.D.A", the present one last. The first records of a run have a shorter history, whose name begins
 * with "^". All other functions for models work with expanded states.
 */

enum { MARKOV_ORDER_MOST = 5, MARKOV_EXPANDED_MOST = 20000 }; /* EXPANDED_MOST: states that an expansion adds */

/*
 * Returns the expanded sequence of a source, which is read once here and outlives the result. The result has its own
 * table, in which the source's states keep their numbers. `order`: 1 to MARKOV_ORDER_MOST. NULL: an error.
 */
struct pes_stream *markov_expand(struct pes_stream *source, unsigned order, struct error *error);

/* Returns the last state of an expanded state, and any other state unchanged. */
uint32_t markov_present_state(const struct markov_model *model, uint32_t state);

/* Bayes' information criterion of each order, as sums over sequences. All zeros: no sequence. */
struct markov_criterion {
  double log_likelihood[MARKOV_ORDER_MOST]; /* models of order 1, 2, ... */
  double parameters[MARKOV_ORDER_MOST];     /* histories times (successors of their last state - 1) */
  double transitions;
  unsigned most; /* orders up to it are known, others have too many histories; 0: no sequence yet */
};

/* Reads the whole stream and adds it. False: an error. */
bool markov_criterion_add(struct markov_criterion *criterion, struct pes_stream *stream, struct error *error);

/*
 * Returns -2 log likelihood + parameters log transitions; markov_criterion_best() returns the order with the least
 * value.
 */
double markov_criterion_value(const struct markov_criterion *criterion, unsigned order);
unsigned markov_criterion_best(const struct markov_criterion *criterion);

#endif
