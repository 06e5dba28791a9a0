/* Passes over a trace: all that their callers and their subscribers need. */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_PASS_H
#define HEDDLE_ANALYZER_TRACE_PASS_PASS_H

#include "analyzer/trace/pass/analysis.h"
#include "analyzer/trace/pass/lanes.h"
#include "analyzer/trace/pass/subscriber.h"

/*
 * A pass over all locations at once, in rounds. The workers read a batch of events of each location; then each
 * subscriber takes its items up to the time that all locations have reached. Memory depends on locations, not on
 * events.
 */

/* False: an error. Lanes are closed in any case. Locations without events have lanes, too. */
bool pass_in_order(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error);

/*
 * The same round by round, for callers that hand on what their subscribers take. The list of subscribers and the
 * subscribers outlive the pass. NULL: an error.
 */
struct ordered_pass;
struct ordered_pass *ordered_pass_open(const struct trace *trace, struct pool *pool,
                                       const struct subscriber *const *subscribers, unsigned count,
                                       struct error *error);
/* The next round. *more: it was not the last one. False: an error; the pass can only be closed then. */
bool ordered_pass_round(struct ordered_pass *pass, bool *more, struct error *error);
/* Closes all lanes. NULL is allowed. */
void ordered_pass_close(struct ordered_pass *pass);

/* A pass in which a worker reads each location from its begin to its end; a worker has one location in memory. */

/* False: an error. Lanes are closed in any case. */
bool pass_locations(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                    unsigned count, struct error *error);

/* The same for one location, by the calling thread as worker 0. */
bool pass_location(const struct trace *trace, uint32_t location, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error);

#endif
