/* Tracing on request of the screen of `heddle live`: the request names a construct, a thread, a construct on a thread,
 * or all. */
#ifndef HEDDLE_ANALYZER_LIVE_LIVE_TRACE_H
#define HEDDLE_ANALYZER_LIVE_LIVE_TRACE_H

#include "analyzer/live/readings/live.h"
#include "analyzer/live/readings/metric_focus.h"
#include "analyzer/record/launch/live_request.h"

/* Switches tracing on, for what the last reading of `live` has. False: others trace it, it can't be chosen, or the
 * program does not answer. */
bool live_trace_begin(const struct live *live, struct live_requests *requests, const struct live_focus *what,
                      const struct live_reading *now, struct error *error);
/* Switches it off. False: the program does not answer. */
bool live_trace_end(struct live_requests *requests, struct error *error);

#endif
