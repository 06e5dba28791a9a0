/* Private to markov/: does the next state depend on the state before the present one? */
#ifndef HEDDLE_ANALYZER_MARKOV_ORDER_H
#define HEDDLE_ANALYZER_MARKOV_ORDER_H

#include "analyzer/markov/model.h"
#include "analyzer/markov/transition_counts.h"

struct markov_order {
  double chi_square, freedom;
  double tested, open; /* transitions in tables that could be tested; in all tables in which something could differ */
  double difference;   /* half of the sum of differences between what follows with and without the past, mean */
};

/* How often each pair of the model's edges is followed by each state: `from` is the index of the edge. */
bool markov_order_test(const struct markov_model *run, const struct markov_transition_counts *triples,
                       struct markov_order *order);

/* The index of an edge; SIZE_MAX: there is none. */
size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to);

#endif
