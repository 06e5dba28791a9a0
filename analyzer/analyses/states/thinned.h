/*
 * Private to survey/: the exclusive time of the executions of thinned constructs on one thread, where archives have
 * weights. Memory grows with the thread's constructs and its nesting depth.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_THINNED_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_THINNED_H

#include "analyzer/analyses/states/states_thinned.h"
#include "analyzer/analyses/unrecorded/estimates/sampling.h"
#include "analyzer/trace/stream.h"
#include "base/hash.h"
#include "base/vector.h"

struct thinned_lane {
  VECTOR(struct thinned_open {
    uint32_t region;
    bool part;       /* it counts for the construct around it */
    uint64_t weight; /* executions that it stands for */
    uint64_t own;    /* exclusive ticks so far, without those in state UNMEASURED */
  })
  open;
  uint64_t since; /* measured ticks up to the last Enter or Leave */
  VECTOR(struct thinned_place {
    uint32_t region;
    uint64_t after; /* executions after the last recorded one */
    struct sampling sampling;
    struct estimate more;
  })
  places;
  struct hash index; /* region -> place */
};

struct thinned_list {
  VECTOR(struct states_thinned) items;
};

/* Takes an Enter or Leave; `measured`: ticks up to it that were measured; `part`: the region that is entered is a part
 * of a construct. False: no memory. */
bool thinned_take(struct thinned_lane *lane, const struct trace *trace, const struct trace_event *event,
                  uint64_t measured, bool part);

/* Adds what is known at the thread's end to a list. False: no memory. */
bool thinned_end(struct thinned_lane *lane, uint32_t location, struct thinned_list *list);

void thinned_free(struct thinned_lane *lane);

#endif
