/* Private to export/: the items of all locations, in order of time, each event decoded once if possible. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_H

#include "analyzer/exchange/export/clock.h"
#include "analyzer/exchange/export/items.h"

struct feed;

/* What a format wants, and the calls by which it gets it: one at a time. */
struct feed_taker {
  enum state_kind kind;
  bool ends; /* STATEs come with their ends, and so late; else their `end` means nothing */
  /* Before the first item; from then on feed_clock() and feed_begin() can be called. False: as take(). */
  bool (*begin)(void *context, const struct feed *feed);
  /* The next item. False: the format wants no more; it reports the reason itself. */
  bool (*take)(void *context, uint32_t location, const struct item *item);
  /* Likewise a STEP that is not looked at, but may cause what is; also before begin(). NULL: not wanted. */
  bool (*take_unseen)(void *context, uint32_t location, const struct item *step);
};

/*
 * Hands out all items of what is looked at (trace/restriction.h), in a pass over the trace. Of one time a thread's
 * BEGIN and STATE come before all events, END after them. Events wait until it is known which states begin before them;
 * where that takes more than a limit, the states of that location are read once more, ahead of its events. False: an
 * error.
 */
bool feed_run(const struct trace *trace, const struct feed_taker *taker, void *context, struct error *error);

/* How many events of a location may wait from now on; SIZE_MAX: as many as memory bears. For tests. */
void feed_limit(size_t events);

/*
 * The clock by which all items of the trace, also those that are not looked at, are at 0 or later. Where the archive
 * does not say what a tick is, it is taken for a nanosecond.
 */
struct clock feed_clock(const struct feed *feed);

/* When the life of a location begins, as far as it is looked at, in ticks; false: it has none. */
bool feed_begin(const struct feed *feed, uint32_t location, uint64_t *time);

#endif
