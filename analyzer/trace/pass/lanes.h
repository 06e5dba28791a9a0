/*
 * One location while it is read, with the lanes of all subscribers. Passes consist of these; a caller that needs one
 * location alone can use one.
 */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_LANES_H
#define HEDDLE_ANALYZER_TRACE_PASS_LANES_H

#include "analyzer/trace/pass/lane_set.h"

/* `rules`, those of machine_rules(), and `error` outlive the lanes, whose address must not change. `error` is empty.
 * False: an error; lanes_close() in any case. */
bool lanes_open(struct lanes *lanes, const struct trace *trace, const uint8_t *rules, uint32_t location,
                const struct subscriber *const *subscribers, unsigned count, struct error *error);
/* Reads up to `limit` events, as that worker of a pool; at the location's end it closes the stream and calls the
 * subscribers' end(). False: an error. */
bool lanes_read(struct lanes *lanes, unsigned worker, uint64_t limit);
void lanes_close(struct lanes *lanes);

#endif
