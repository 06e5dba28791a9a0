/* All states of one thread, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_LIST_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_LIST_H

#include "analyzer/trace/pass/pass.h"

/*
 * Calls `sink` for each interval of one state in one construct; neighbours differ in one of the two. Their durations
 * add up to the analyzed part of the thread's lifetime. False: an error.
 */
bool states_list(const struct trace *trace, uint32_t location, state_sink *sink, void *context, struct error *error);

#endif
