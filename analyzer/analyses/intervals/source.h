/*
 * Source of events: selects the events of a specification from a trace, and finds the values of their attributes. Any
 * thread may read it.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_SOURCE_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_SOURCE_H

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/analyses/intervals/spec.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/stream.h"
#include "base/hash.h"
#include "base/vector.h"

/* What an event is for an interval. In this order: a start must not find itself, nor end the event of its own time. */
enum source_role { SOURCE_END, SOURCE_BETWEEN, SOURCE_START };

struct source_use {
  uint32_t interval;
  enum source_role role;
  uint32_t at; /* BETWEEN: which one */
};

/* Events of a trace that are the same for the specification. */
struct source_class {
  struct source_use *uses;
  uint32_t use_count;
  uint32_t *types; /* indices of events of the specification, ascending */
  uint32_t type_count;
};

struct source {
  const struct trace *trace;
  const struct spec *spec;
  struct source_class *classes; /* number 0 is of events that nobody asks for */
  uint32_t class_count;
  uint32_t *begins, *ends;             /* by region: the class of its Enter, and of its Leave */
  uint32_t kinds[TRACE_KINDS];         /* the class of other events */
  uint32_t *slot_of;                   /* by attribute of the trace: the slot it fills, or SPEC_NONE */
  uint8_t *intrinsic_of;               /* by slot: enum intrinsic, or INTRINSICS */
  bool follows_regions, follows_teams; /* attributes need them */
  struct hash java, kernel;            /* threads by their ids */
  bool *found;                         /* by event of the specification: the trace may have some */
};

/* NULL: out of memory. Trace, specification and plan outlive it. */
struct source *source_create(const struct trace *trace, const struct spec *spec, const struct match_plan *plan);
void source_free(struct source *source);

/* The class of an event; 0: nobody asks for it. */
static inline uint32_t source_class_of(const struct source *source, const struct trace_event *event)
{
  if (event->kind == TRACE_Enter)
    return event->index == TRACE_NONE ? 0 : source->begins[event->index];
  if (event->kind == TRACE_Leave)
    return event->index == TRACE_NONE ? 0 : source->ends[event->index];
  return source->kinds[event->kind];
}

/* True if a specification's name of an attribute means one of the trace: `first_iteration` finds `first iteration`. */
bool source_is_attribute(const char *wanted, const char *name);

/* One location's events that a specification asks for, with the values of their attributes. */

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
