/*
 * Private to markov/. Pooling of the states of different runs. Basic states are the same if their values have the same
 * names. Aggregates are the same if they stand for the same, whatever their name: T1 of one run may be T2 of the next.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_POOLING_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_POOLING_H

#include "analyzer/models/sequences/pes.h"

/* Adds the values that the program `into` lacks. False: their components differ, or out of memory. */
bool markov_pool_program(struct pes_program *into, const struct pes_program *from, struct error *error);

/*
 * Returns the number in `into` of each state of `from`; states that `into` lacks are added. The programs are pooled
 * already. The caller frees the array. NULL: an error.
 */
uint32_t *markov_pool_states(const struct pes_program *program, struct pes_states *into,
                             const struct pes_program *from_program, const struct pes_states *from,
                             struct error *error);

/* Returns a copy of the first `count` states, whose aggregates contain only these. NULL: out of memory. */
struct pes_states *markov_copy_first_states(const struct pes_states *states, uint32_t count);

/* Returns a copy with the same numbers. NULL: out of memory. */
struct pes_states *markov_copy_states(const struct pes_states *states);

#endif
