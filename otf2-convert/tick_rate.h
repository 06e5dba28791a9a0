/*
 * How fast a process' clock ticked, by its anchors: moments at which both the ticks and CLOCK_MONOTONIC were read.
 * Where a machine is suspended, CLOCK_MONOTONIC stands still; a TSC goes on, or begins anew, and jumps in this sense.
 */
#ifndef HEDDLE_OTF2_CONVERT_TICK_RATE_H
#define HEDDLE_OTF2_CONVERT_TICK_RATE_H

#include "otf2-convert/process_info.h"

#include <stdbool.h>

struct tick_rate {
  double frequency; /* ticks a second, jumps left out; 0: unknown */
  uint64_t span_ns; /* what it was measured over */
  unsigned jumps;   /* intervals between anchors with a jump in them */
  double jumped_ns; /* by how much ticks went ahead, in all */
  bool went_back;   /* a jump led to an earlier time: what follows it has no times that are right */
};

/*
 * Of n anchors, which are put in order and thinned out. known: the clock's frequency where it has been measured in
 * another way; 0: what most of the time between the anchors shows.
 */
struct tick_rate tick_rate_of(struct anchor *anchors, size_t n, double known);

#endif
