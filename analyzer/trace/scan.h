/* All locations of a trace, one item of work each, for the workers of a pool. */
#ifndef HEDDLE_ANALYZER_TRACE_SCAN_H
#define HEDDLE_ANALYZER_TRACE_SCAN_H

#include "analyzer/trace/definitions.h"
#include "base/pool.h"

/* Works on one location, like pool_work (base/pool.h). False: an error, and `error` is filled. */
typedef bool trace_scan_work(void *context, unsigned worker, uint32_t location, struct error *error);

/* Calls `work` for each location, those with most events first, so that the workers end at about the same time. */
bool trace_scan(const struct trace *trace, struct pool *pool, trace_scan_work *work, void *context,
                struct error *error);

#endif
