/*
 * Private to markov/: which states of different runs are the same. Basic states are pooled by the names of their
 * values, aggregates by what they stand for and not by their name, because T1 of one run may be T2 of the next.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_POOLING_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_POOLING_H

#include "analyzer/models/sequences/pes.h"

/* Adds what values the program lacks. False: their components differ, or no memory. */
bool markov_pool_program(struct pes_program *into, const struct pes_program *from, struct error *error);

/*
 * The number of each state of `from` in `into`, to which it is added if it was not there. The programs are pooled
 * already. The caller frees it. NULL: an error.
 */
uint32_t *markov_pool_states(const struct pes_program *program, struct pes_states *into,
                             const struct pes_program *from_program, const struct pes_states *from,
                             struct error *error);

/* The first `count` states, which stand for each other alone. NULL: no memory. */
struct pes_states *markov_copy_first_states(const struct pes_states *states, uint32_t count);

/* A copy with the same numbers. NULL: no memory. */
struct pes_states *markov_copy_states(const struct pes_states *states);

#endif
