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

/* Whether nobody counts executions of a region in unseen ones: the runtime reports them, and not the program or POSIX
 * threads. */
static inline bool unseen_regions_miss(const struct trace *trace, uint32_t region)
{
  switch (trace->regions[region].role) {
  case OTF2_REGION_ROLE_LOOP:
  case OTF2_REGION_ROLE_SECTIONS:
  case OTF2_REGION_ROLE_SINGLE:
  case OTF2_REGION_ROLE_WORKSHARE:
  case OTF2_REGION_ROLE_CRITICAL:
  case OTF2_REGION_ROLE_ORDERED:
  case OTF2_REGION_ROLE_TASK:
  case OTF2_REGION_ROLE_TASK_UNTIED:
  case OTF2_REGION_ROLE_WRAPPER: /* of locks */
    return trace->regions[region].paradigm == OTF2_PARADIGM_OPENMP;
  default:
    return false;
  }
}

#endif
