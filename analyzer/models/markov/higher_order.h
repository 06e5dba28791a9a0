/*
 * Private to markov/: how often each sequence of up to MARKOV_HISTORY_MOST states occurs. A history is a node of a
 * tree: its parent lacks the last state, its suffix the first one. Memory is bounded: a length with more than
 * MARKOV_HISTORIES_MOST different histories is given up, and longer ones with it.
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

/* Counts lengths up to `most`. False: no memory. */
bool markov_histories_begin(struct markov_histories *histories, unsigned most);
void markov_histories_free(struct markov_histories *histories);

/* The next state. False: no memory. */
bool markov_histories_add(struct markov_histories *histories, uint32_t state);

/* The states of a history, the first one first; `states` has room for `length`. */
void markov_history_states(const struct markov_histories *histories, unsigned length, uint32_t history,
                           uint32_t *states);

/*
 * How far back does the next state depend? For each k from 1 to MARKOV_ORDERS: among moments with
 * the same last k states, does the next state depend on the state before them?
 */

enum { MARKOV_ORDERS = 5 };

/* Among moments with the same last k states: does the next state depend on the state before them? */
struct markov_order_test {
  bool is_tested;
  double chi_square, g, freedom;
  double p;                    /* the larger one of both statistics' */
  double difference, smallest; /* as above */
  double open, tested;         /* transitions where it could depend; in tables that could be tested */
  double determined;           /* part of the transitions that go where most go from these k states; NAN: too few */
};

struct markov_memory {
  struct markov_order_test orders[MARKOV_ORDERS]; /* of k = 1, 2, ... */
  unsigned order; /* states that the next one depends on, as far as tests say; MARKOV_ORDERS + 1: more than tested */
  bool is_determined; /* ... and they determine it */
};

/* `level`: of all orders together; differences up to the tolerance do not count. False: no memory. */
bool markov_memory_test(const struct markov_histories *histories, uint32_t states, double level, double tolerance,
                        struct markov_memory *memory);

/*
 * Models of higher order: a sequence whose states carry their history. A state of order k is a pattern aggregate of the
 * last k states, named as "B.D.A", the present one last. In the first records of a run, which have less history, it
 * begins with "^". All else that works with models works with these.
 */

enum { MARKOV_ORDER_MOST = 5, MARKOV_EXPANDED_MOST = 20000 }; /* states that a stream adds */

/*
 * Reads the source once. The stream has a table of its own, in which the source's states keep their numbers; the
 * source outlives it. 1 <= order <= MARKOV_ORDER_MOST. NULL: an error.
 */
struct pes_stream *markov_expand(struct pes_stream *source, unsigned order, struct error *error);

/* The present state of a state of such a model. Of a model of first order, and of other states: the state itself. */
uint32_t markov_present_state(const struct markov_model *model, uint32_t state);

/* Which order do sequences have, by Bayes' information criterion? Sums over sequences; all zeros is an empty one. */
struct markov_criterion {
  double log_likelihood[MARKOV_ORDER_MOST]; /* of order 1, 2, ... */
  double parameters[MARKOV_ORDER_MOST]; /* histories times the states that can follow their present state, less one */
  double transitions;
  unsigned most; /* orders up to it are known: others have too many histories; 0: no sequence yet */
};

/* Reads the stream. False: an error. */
bool markov_criterion_add(struct markov_criterion *criterion, struct pes_stream *stream, struct error *error);

/* -2 log likelihood + parameters log transitions; the order where it is least is best. */
double markov_criterion_value(const struct markov_criterion *criterion, unsigned order);
unsigned markov_criterion_best(const struct markov_criterion *criterion);

#endif
