/* A pass over a whole trace: every location is read once, by the workers of a pool. */
#ifndef HEDDLE_ANALYZER_TRACE_SCAN_H
#define HEDDLE_ANALYZER_TRACE_SCAN_H

#include "analyzer/trace/stream.h"
#include "base/pool.h"

/* Works on one location, as pool_work. False: an error, and `error` is filled. */
typedef bool trace_scan_work(void *context, unsigned worker, uint32_t location, struct error *error);

/* Calls `work` for each location, those of most events first, so that no worker is left with a long one at the end. */
bool trace_scan(const struct trace *trace, struct pool *pool, trace_scan_work *work, void *context,
                struct error *error);

/* Delivers all events of a location. *events says how many there were, also after an error. */
bool trace_scan_location(const struct trace *trace, uint32_t location, trace_handler *handler, void *context,
                         uint64_t *events, struct error *error);

#endif
