/*
 * Private to export/. Feed of a format: the items of all locations in order of time, each event decoded once if
 * possible; and the clock of its times.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_H

#include "analyzer/exchange/export/items.h"
#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"

#include <stdint.h>

struct clock {
  uint64_t origin;           /* ticks; no item is earlier */
  uint64_t ticks_per_second; /* never 0 */
};

/* Returns ns since the origin, rounded down; monotonic. */
static inline uint64_t clock_ns(const struct clock *clock, uint64_t ticks)
{
  const uint64_t second = 1000000000;
  uint64_t since = ticks - clock->origin;
  uint64_t seconds = since / clock->ticks_per_second;
  uint64_t rest = since % clock->ticks_per_second;
  uint64_t part = clock->ticks_per_second <= UINT64_MAX / second
                      ? rest * second / clock->ticks_per_second
                      : (uint64_t)((unsigned __int128)rest * second / clock->ticks_per_second);
  return seconds * second + part;
}

struct feed;

/* Options and calls of a format. The calls come one at a time. */
struct feed_callbacks {
  enum state_kind kind;
  bool ends; /* STATEs have their ends, and so come late; else their `end` is meaningless */
  /* Called before the first item; then feed_clock() and feed_begin() are valid. False: as take(). */
  bool (*begin)(void *context, const struct feed *feed);
  /* Takes the next item. False: the format stops; it reports the reason itself. */
  bool (*take)(void *context, uint32_t location, const struct item *item);
  /* Takes a STEP outside of the restriction that may cause a step inside, also before begin(). NULL: not wanted. */
  bool (*take_outside)(void *context, uint32_t location, const struct item *step);
  /* Takes an edge of a lock of Java or POSIX threads, which no steps show, after the items of its end. NULL: not
   * wanted. */
  edge_sink *take_edge;
};

/*
 * Passes all items within the restriction (trace/restriction.h) to a format, in one pass over the trace. At equal
 * times, a thread's BEGIN and STATE come before its events, END after them. Events wait until the states that begin
 * before them are known. Beyond a limit, the states of that location are read once more, ahead of its events. False: an
 * error.
 */
bool feed_run(const struct trace *trace, const struct feed_callbacks *callbacks, void *context, struct error *error);

/* Sets the number of events of a location that may wait; SIZE_MAX: no limit. For tests. */
void feed_limit(size_t events);

/*
 * Returns the clock, by which all items of the trace, also those outside of the restriction, are at 0 or later. If the
 * archive has no unit of time, a tick counts as a nanosecond.
 */
struct clock feed_clock(const struct feed *feed);

/* Gets the begin of a location within the restriction, in ticks. False: it has none. */
bool feed_begin(const struct feed *feed, uint32_t location, uint64_t *time);

#endif
