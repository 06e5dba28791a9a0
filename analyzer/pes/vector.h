/*
 * Private to pes/: what all threads do at a time, as a vector of components. Values get their number when they are
 * first seen, and keep it when the archive is read again.
 */
#ifndef HEDDLE_ANALYZER_PES_VECTOR_H
#define HEDDLE_ANALYZER_PES_VECTOR_H

#include "analyzer/pes/lane.h"

struct vector;

/* Components that are not known beforehand (COUNTS, locks, counters) are found by reading the archive. NULL: an error.
 */
struct vector *vector_create(const struct trace *trace, const struct pes_trace_options *options,
                             struct pes_program *program, struct trace_error *error);
void vector_free(struct vector *vector);

/* All threads as before their beginning. */
void vector_reset(struct vector *vector);

/* A thread changes. False: no memory. */
bool vector_change(struct vector *vector, uint32_t location, const struct lane_change *change);

/* The value of each component, valid until the next change. NULL: no memory. */
const uint32_t *vector_values(struct vector *vector);

#endif
