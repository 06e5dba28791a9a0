/*
 * The frequency of a process' clock, from its anchors: moments at which both the ticks and CLOCK_MONOTONIC were read.
 * While a machine is suspended, CLOCK_MONOTONIC stops; a TSC continues, or begins again, which is a jump.
 */
#ifndef HEDDLE_OTF2_CONVERT_TICK_RATE_H
#define HEDDLE_OTF2_CONVERT_TICK_RATE_H

#include "otf2-convert/process_info.h"

#include <stdbool.h>

struct tick_rate {
  double frequency; /* ticks a second, jumps left out; 0: unknown */
  uint64_t span_ns; /* what it was measured over */
  unsigned jumps;   /* intervals between anchors with a jump in them */
  double jumped_ns; /* sum of the jumps ahead */
  bool went_back;   /* a jump led to an earlier time: later times are wrong */
};

/*
 * From n anchors, which are sorted and thinned out. known: the clock's frequency if it was measured in another way; 0:
 * the frequency of most of the time between the anchors.
 */
struct tick_rate tick_rate_of(struct anchor *anchors, size_t n, double known);

#endif
