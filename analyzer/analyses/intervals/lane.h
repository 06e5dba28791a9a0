/* Private to intervals/: one location's events that a specification asks for, with the values of their attributes. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_LANE_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_LANE_H

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/source.h"
#include "analyzer/trace/pass/pass.h"

/* An event; texts are the trace's. */
struct lane_item {
  uint64_t time;
  uint32_t class;
  struct spec_value values[]; /* by slot */
};

struct interval_lane;

/* NULL: out of memory, and `error` is filled in. */
struct interval_lane *interval_lane_open(const struct source *source, const struct pass_location *location,
                                         struct error *error);
void interval_lane_close(struct interval_lane *lane);

/* Takes the next event. False: an error. */
bool interval_lane_take(struct interval_lane *lane, const struct trace_event *event);

struct item_queue *interval_lane_queue(struct interval_lane *lane);
uint64_t interval_lane_reached(const struct interval_lane *lane);

#endif
