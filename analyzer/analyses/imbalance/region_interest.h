/* Private to imbalance/: what entering each region means to a follower, worked out once for all locations of a trace.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_REGION_INTEREST_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_REGION_INTEREST_H

#include "analyzer/trace/definitions.h"

/* What a region is, unless it is a part of the construct around it. */
enum region_interest {
  INTEREST_NONE,
  INTEREST_PASSING,         /* may stand between a construct and its barrier: the tool's own, reductions */
  INTEREST_MEASUREMENT_OFF, /* likewise; measurement is off in it */
  INTEREST_SKIPPED,         /* a stretch of instances that are not recorded */
  INTEREST_BARRIER,
  INTEREST_PARALLEL,
  INTEREST_CONSTRUCT, /* work-sharing */
  INTEREST_CHUNK      /* only as a part: a chunk or section of the construct */
};

/* One enum region_interest a region; the caller frees them. NULL: out of memory. */
uint8_t *region_interests_make(const struct trace *trace);

static inline enum region_interest region_interest(const uint8_t *interests, uint32_t region)
{
  return region == TRACE_NONE ? INTEREST_NONE : (enum region_interest)interests[region];
}

#endif
