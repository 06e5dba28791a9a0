/* All states of one thread, in order, as they are read. */
#ifndef HEDDLE_ANALYZER_SURVEY_LIST_H
#define HEDDLE_ANALYZER_SURVEY_LIST_H

#include "analyzer/pass/pass.h"

/*
 * Calls `sink` for each interval in which the thread was in one state in one construct; neighbours differ in one of
 * the two. Their durations add up to the thread's lifetime, as far as it is looked at. False: an error.
 */
bool states_list(const struct trace *trace, uint32_t location, state_sink *sink, void *context, struct error *error);

#endif
