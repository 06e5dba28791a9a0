/*
 * How far back does the next state depend? For each k from 1 to MARKOV_ORDERS: among moments with
 * the same last k states, does the next state depend on the state before them?
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_MEMORY_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_MEMORY_H

#include "analyzer/models/markov/histories.h"

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

#endif
