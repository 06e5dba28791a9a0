/*
 * Which function one thread was in, state by state: the function that most of the samples were taken in. The samples of
 * all triggers count.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_STATES_FUNCTIONS_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_STATES_FUNCTIONS_H

#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"

/* `samples` outlives it. NULL: an error. `error` is filled in by later failures, too. */
struct states_functions;
struct states_functions *states_functions_open(const struct trace *trace, const struct samples *samples,
                                               uint32_t location, struct error *error);
/* The intervals of the thread in order of time. *function: TRACE_NONE without a sample. False: an error. */
bool states_functions_next(struct states_functions *functions, const struct state_interval *interval,
                           uint32_t *function);
/* Of all intervals so far that have the state. */
uint32_t states_functions_of(const struct states_functions *functions, enum state state);
void states_functions_close(struct states_functions *functions); /* NULL is allowed */

#endif
