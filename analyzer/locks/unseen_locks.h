/* Private to locks/: figures of locks in parallel regions, of which some were executed without being seen. */
#ifndef HEDDLE_ANALYZER_LOCKS_UNSEEN_LOCKS_H
#define HEDDLE_ANALYZER_LOCKS_UNSEEN_LOCKS_H

#include "analyzer/estimates/unseen.h"
#include "analyzer/locks/lane.h"

/* Of one location, for each figure; the keys are region << 32 | lock. */
struct unseen_locks {
  struct unseen figures[LOCK_FIGURES];
};

/* LOCK_ENTERED, LOCK_LEFT, LOCK_UNSEEN. False: no memory, here and below. */
bool unseen_locks_take(struct unseen_locks *unseen, const struct lock_event *event);

/* `instances` acquisitions with such a value, of a lock (TRACE_NONE: none) at a region; `late`: they were told of when
 * the thread had left its parallel region. */
bool unseen_locks_add(struct unseen_locks *unseen, enum lock_figure figure, uint32_t region, struct sample sample,
                      uint64_t instances, bool late);

void unseen_locks_free(struct unseen_locks *unseen);

#endif
