/* A pass in which a worker reads each location from its begin to its end; a worker has one location in memory. */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_LOCATIONS_H
#define HEDDLE_ANALYZER_TRACE_PASS_LOCATIONS_H

#include "analyzer/trace/pass/subscriber.h"

/* False: an error. Lanes are closed in any case. */
bool pass_locations(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                    unsigned count, struct error *error);

/* The same for one location, by the calling thread as worker 0. */
bool pass_location(const struct trace *trace, uint32_t location, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error);

#endif
