/* Points of all locations in order of time, in one pass (pass/pass.h). Memory depends on locations. */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_STREAM_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_STREAM_H

#include "analyzer/analyses/events/points.h"
#include "base/error.h"
#include "base/pool.h"

/* The next point; those of one time come in the order of their locations. False: no more; `error` may be filled in. */
typedef bool points_taker(void *context, const struct point *point);

/* False: an error, or the taker said so. */
bool points_in_order(const struct trace *trace, struct pool *pool, const struct point_selection *selection,
                     points_taker *take, void *context, struct error *error);

#endif
