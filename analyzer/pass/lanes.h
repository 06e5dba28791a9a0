/*
 * One location as it is read, with the lanes of all subscribers: what passes are made of, and for those who need one
 * location alone.
 */
#ifndef HEDDLE_ANALYZER_PASS_LANES_H
#define HEDDLE_ANALYZER_PASS_LANES_H

#include "analyzer/pass/lane_set.h"

/* `rules`, those of machine_rules(), and `error` outlive them, and they stay in their place. False: an error;
 * lanes_close() in any case. */
bool lanes_open(struct lanes *lanes, const struct trace *trace, const uint8_t *rules, uint32_t location,
                const struct subscriber *const *subscribers, unsigned count, struct error *error);
/* Reads up to `limit` events, as that worker of a pool; at the location's end the stream is closed, and lanes are told.
 * False: an error. */
bool lanes_read(struct lanes *lanes, unsigned worker, uint64_t limit);
void lanes_close(struct lanes *lanes);

#endif
