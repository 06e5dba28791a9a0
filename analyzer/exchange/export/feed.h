/* Private to export/: a trace's ticks as nanoseconds since its begin. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_H

#include "analyzer/exchange/export/items.h"
#include "analyzer/trace/pass/pass.h"

#include <stdint.h>

struct clock {
  uint64_t origin;           /* ticks; nothing is before it */
  uint64_t ticks_per_second; /* never 0 */
};

/* Rounded down; never less for a later tick. */
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

/*
 * Private to export/: one location in a pass, as items in order of time. Its queue has the items that no later item can
 * precede; events behind the last known state wait before they get there.
 */

/* What all lanes have in common. */
struct feed_lane_kind {
  const struct trace *trace;
  const uint8_t *rules; /* machine_rules() */
  enum state_kind kind;
  bool ends;    /* of states, as in struct feed_taker */
  size_t limit; /* of events that wait, from which on the states are read ahead */
};

struct feed_lane;

/* All of them outlive it. NULL: an error. */
struct feed_lane *feed_lane_open(const struct feed_lane_kind *kind, const struct pass_location *location,
                                 struct error *error);
void feed_lane_close(struct feed_lane *lane);

/* The calls of a subscriber (subscriber.h). */
bool feed_lane_event(void *lane, const struct trace_event *event);
void feed_lane_interval(void *lane, const struct state_interval *interval);
bool feed_lane_end(void *lane);
struct item_queue *feed_lane_queue(void *lane);
uint64_t feed_lane_reached(void *lane);

/* When the location's life begins, as far as that is looked at; false: it does not, or not yet. */
bool feed_lane_begin(const struct feed_lane *lane, uint64_t *time);
/* Its first event, which may be before what is looked at; false: it has none so far. */
bool feed_lane_first(const struct feed_lane *lane, uint64_t *time);

/* Private to export/: the items of all locations, in order of time, each event decoded once if possible. */

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
