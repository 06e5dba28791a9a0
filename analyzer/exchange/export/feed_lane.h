/*
 * Private to export/: one location in a pass, as items in order of time. Its queue has the items that no later item can
 * precede; events behind the last known state wait before they get there.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_LANE_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FEED_LANE_H

#include "analyzer/exchange/export/items.h"
#include "analyzer/trace/pass/pass.h"

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

#endif
