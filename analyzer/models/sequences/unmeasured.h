/* How much of the threads' time in a sequence is UNMEASURED. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_UNMEASURED_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_UNMEASURED_H

#include "analyzer/models/sequences/states.h"

/* The ticks that the sequence is in a program state. */
typedef uint64_t pes_ticks_of(const void *context, uint32_t state);

/*
 * As a percentage of the time of all threads that the components are, or count. 0 also if the components are something
 * else, as locks. Aggregates do not count: they do not say what their threads do.
 */
double pes_unmeasured_percent(const struct pes_program *program, const struct pes_states *states,
                              pes_ticks_of *ticks_of, const void *context);

#endif
