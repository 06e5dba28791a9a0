/*
 * Private to pes/: what all threads do at a time, as a vector of components. Components that are not known beforehand
 * (COUNTS, locks, counters) are added when they are first seen; values get their number when they are first seen, and
 * keep it when the archive is read again.
 */
#ifndef HEDDLE_ANALYZER_PES_STATE_VECTOR_H
#define HEDDLE_ANALYZER_PES_STATE_VECTOR_H

#include "analyzer/pes/lane.h"
#include "analyzer/pes/program.h"

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

/* The value of each component, valid until the next change; of those that there are not yet, 0, up to the width. */
const uint32_t *state_vector_values(const struct state_vector *vector);
uint32_t state_vector_width(const struct state_vector *vector);

/*
 * When all changes are there: puts added components into an order that does not depend on the run. `from` has room for
 * one number a component, and gets where each was before. The vector can only be freed then. False: no memory.
 */
bool state_vector_arrange(struct state_vector *vector, uint32_t *from);

#endif
