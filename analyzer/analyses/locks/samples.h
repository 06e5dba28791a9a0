/* Private to locks/: the recorded acquisitions of each place on each thread, where others are left out. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_SAMPLES_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_SAMPLES_H

#include "analyzer/analyses/locks/lock.h"
#include "analyzer/analyses/unrecorded/estimates/sampling.h"
#include "base/hash.h"
#include "base/vector.h"

/* Of one thread at one place; the domains are locks, TRACE_NONE for a test that failed. */
struct place_samples {
  uint32_t location, region;
  struct sampling figures[LOCK_FIGURES];
};

struct lock_samples {
  VECTOR(struct place_samples) list;
  struct hash index; /* location << 32 | region -> place in the list */
  size_t last;       /* the place in the list that was wanted last */
  bool thinned;      /* acquisitions were left out, so the last holder of a lock may be one that is not recorded */
};

/* Valid until the next call; NULL: no memory. */
struct place_samples *lock_samples_of(struct lock_samples *samples, uint32_t location, uint32_t region);

/* True if an acquisition without a recorded holder waited for a holder that is not recorded: if it took longer than
 * that of a free lock. Times are ticks. */
bool lock_samples_show_wait(const struct lock_samples *samples, uint64_t wait, uint64_t ticks_per_second);

void lock_samples_free(struct lock_samples *samples);

#endif
