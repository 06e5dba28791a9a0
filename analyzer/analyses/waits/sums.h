/* Sums of waits by place and by what ended them. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_SUMS_H

#include "analyzer/analyses/waits/objects.h"
#include "base/hash.h"

/* A wait that ended, with what its waker had waited for during it. */
struct ended_wait {
  const struct waker_step *step;
  struct wake wake;
  uint64_t meanwhile;
  uint32_t meanwhile_region;
};

struct wait_sums {
  VECTOR(struct waits_place) places;
  VECTOR(struct cause_sums {
    struct waits_cause cause;
    uint64_t lead; /* of meanwhile_region over the other regions */
  })
  causes;
  struct hash place_of, cause_of;
  struct callers callers, pinned;
  wide_total ticks;
  uint64_t beyond_limit;
};

/* False: no memory. */
bool wait_sums_add(struct wait_sums *sums, const struct ended_wait *wait);
/* The result, sorted. False: no memory. */
bool wait_sums_finish(struct wait_sums *sums, struct waits *waits);
void wait_sums_free(struct wait_sums *sums);

#endif
