/* The parallel regions of a location, as estimates/unseen.h wants them. */
#ifndef HEDDLE_ANALYZER_PASS_UNSEEN_REGIONS_H
#define HEDDLE_ANALYZER_PASS_UNSEEN_REGIONS_H

#include "analyzer/estimates/unseen.h"
#include "analyzer/trace/stream.h"

/* Whether the trace may have regions in which nothing was seen. */
static inline bool unseen_regions_may_be(const struct trace *trace)
{
  return trace->weight != OTF2_UNDEFINED_ATTRIBUTE && trace->unseen != OTF2_UNDEFINED_ATTRIBUTE;
}

/* Takes a location's next event, whatever it is. False: no memory. */
static inline bool unseen_regions_take(struct unseen *unseen, const struct trace *trace,
                                       const struct trace_event *event)
{
  bool enter = event->kind == TRACE_Enter;
  if ((!enter && event->kind != TRACE_Leave) || event->index == TRACE_NONE)
    return true;
  struct trace_left_out skipped = enter ? trace_unseen_by(trace, event) : (struct trace_left_out){TRACE_NONE, 0};
  if (skipped.instances > 0)
    return unseen_skip(unseen, skipped.region, skipped.instances);
  if (trace->regions[event->index].role != OTF2_REGION_ROLE_PARALLEL)
    return true;
  if (enter)
    return unseen_enter(unseen, event->index);
  unseen_leave(unseen);
  return true;
}

/* Whether executions of a region, where the thread is now, stand for others that nobody counted. Those of locks and
 * tasks say so by their weights; work-sharing constructs have none. */
static inline bool unseen_regions_hide(const struct unseen *unseen, const struct trace *trace, uint32_t region)
{
  OTF2_RegionRole role = trace->regions[region].role;
  return unseen_stands(unseen) && (role == OTF2_REGION_ROLE_LOOP || role == OTF2_REGION_ROLE_SECTIONS ||
                                   role == OTF2_REGION_ROLE_SINGLE || role == OTF2_REGION_ROLE_WORKSHARE);
}

#endif
