/*
 * Private to pes/: the state of the whole program, as a vector of components. Components that are not known beforehand
 * (COUNTS, locks, counters) are added at their first change. Values get their number when they first occur, and keep it
 * when the archive is read again.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_VECTOR_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_VECTOR_H

#include "analyzer/models/sequences/lane.h"
#include "analyzer/models/sequences/program.h"

struct state_vector;

/* Are components added while the archive is read? */
bool state_vector_grows(const struct pes_trace_options *options);

/* Adds components and values to the program, which outlives it as the options do. NULL: no memory. */
struct state_vector *state_vector_create(const struct trace *trace, const struct pes_trace_options *options,
                                         struct pes_program *program);
void state_vector_free(struct state_vector *vector);

/* All threads as before their beginning. */
void state_vector_reset(struct state_vector *vector);

/* A thread changes. False: no memory. */
bool state_vector_change(struct state_vector *vector, uint32_t location, const struct lane_change *change);

/* The value of each component, then zeros up to the width. Valid until the next change. */
const uint32_t *state_vector_values(const struct state_vector *vector);
uint32_t state_vector_width(const struct state_vector *vector);

/*
 * After the last change: puts added components into an order that does not depend on the run. `from` has room for a
 * number a component, and gets the component's place before. After that the vector can only be freed. False: no memory.
 */
bool state_vector_arrange(struct state_vector *vector, uint32_t *from);

#endif
