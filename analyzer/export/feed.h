/* Private to export/: the items of all locations, in order of time. */
#ifndef HEDDLE_ANALYZER_EXPORT_FEED_H
#define HEDDLE_ANALYZER_EXPORT_FEED_H

#include "analyzer/export/clock.h"
#include "analyzer/export/items.h"

struct feed;

/*
 * `states` says which items the states are; events are there in any case. Of one time a thread's BEGIN and STATE
 * come before all events, END after them. `error` is where it reports, also later. NULL: an error.
 */
struct feed *feed_open(const struct trace *trace, enum items_kind states, struct trace_error *error);
void feed_close(struct feed *feed);

/* The next item, valid until the next call, and its location; NULL at the end, and if *good is false after an error. */
const struct item *feed_next(struct feed *feed, uint32_t *location, bool *good);

/*
 * The clock by which all items are at 0 or later. Where the archive does not say what a tick is, it is taken for a
 * nanosecond.
 */
struct clock feed_clock(const struct feed *feed);

/* The first event of a location, in ticks; false: it has none. Before the first feed_next() only. */
bool feed_begin(const struct feed *feed, uint32_t location, uint64_t *time);

#endif
