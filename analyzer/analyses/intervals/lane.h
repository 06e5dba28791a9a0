/* Private to intervals/: one location's events that a specification asks for, with the values of their attributes. */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_LANE_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_LANE_H

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/source.h"
#include "analyzer/trace/pass/pass.h"
#include "base/vector.h"

/* An event; texts are the trace's. */
struct lane_item {
  uint64_t time;
  uint32_t class;
  struct spec_value values[]; /* by slot */
};

/* A lane. */
struct interval_lane {
  const struct source *source;
  uint32_t location;
  uint64_t reached;
  struct error *error;
  VECTOR(uint32_t) regions; /* that are open, the outermost first; kept only if attributes ask for them, as are teams */
  VECTOR(uint32_t) teams;
  struct item_queue queue; /* of struct lane_item */
};

/* All of these outlive the lane. */
void interval_lane_begin(struct interval_lane *lane, const struct source *source, const struct pass_location *location,
                         struct error *error);

/* Functions of the lane. */
bool interval_lane_event(void *lane, const struct trace_event *event);
struct item_queue *interval_lane_queue(void *lane);
uint64_t interval_lane_reached(void *lane);
void interval_lane_close(void *context, void *lane);

#endif
