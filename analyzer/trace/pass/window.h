/* Private to pass/: hands out the part of a location that lies in the stretch of time that is looked at. */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_WINDOW_H
#define HEDDLE_ANALYZER_TRACE_PASS_WINDOW_H

#include "analyzer/trace/pass/lane_set.h"

/* Handler of a stream and sink of a machine, where the trace is restricted in time; the context is struct lanes. */
bool pass_window_take_event(void *lanes, const struct trace_event *event);
void pass_window_take_interval(void *lanes, const struct state_interval *interval);

/* After the last interval, restricted or not: fills in the location's life. */
void pass_window_end(struct lanes *lanes);

#endif
