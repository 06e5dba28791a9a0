/*
 * Private to sequences/. State of the whole program as a vector of components. Components that are not known beforehand
 * (COUNTS, locks, counters) are added at their first change. A value gets its number at its first occurrence and keeps
 * it when the archive is read again.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_VECTOR_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_VECTOR_H

#include "analyzer/models/sequences/lane.h"
#include "analyzer/models/sequences/program.h"

struct state_vector;

/* True if components are added while the archive is read. */
bool state_vector_grows(const struct pes_trace_options *options);

/*
 * Makes a vector that adds components and values to the program. Program and options outlive it. NULL: out of memory.
 */
struct state_vector *state_vector_create(const struct trace *trace, const struct pes_trace_options *options,
                                         struct pes_program *program);
void state_vector_free(struct state_vector *vector);

/* Resets all threads to the state before their begin. */
void state_vector_reset(struct state_vector *vector);

/* Applies a change of a thread. False: out of memory. */
bool state_vector_change(struct state_vector *vector, uint32_t location, const struct lane_change *change);

/* Returns the value of each component, then zeros up to the width. Valid until the next change. */
const uint32_t *state_vector_values(const struct state_vector *vector);
uint32_t state_vector_width(const struct state_vector *vector);

/*
 * After the last change: orders the added components independently of the run. `from` has room for a number a component
 * and gets its previous index. Then the vector can only be freed. False: out of memory.
 */
bool state_vector_arrange(struct state_vector *vector, uint32_t *from);

#endif
