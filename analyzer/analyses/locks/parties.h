/* Private to locks/: the sums of threads, or of places, at each lock. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_PARTIES_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_PARTIES_H

#include "analyzer/analyses/locks/lock.h"
#include "base/hash.h"
#include "base/vector.h"

struct parties {
  VECTOR(struct lock_party) list;
  struct hash index; /* lock << 32 | who -> place in the list */
};

/* The sums of a thread or place. Valid until the next call; NULL: no memory. */
struct lock_sums *party(struct parties *parties, uint32_t lock, uint32_t who);

static inline void add_wait(struct lock_sums *sums, uint64_t wait)
{
  sums->waits++;
  sums->wait += wait;
  if (wait > sums->wait_max)
    sums->wait_max = wait;
}

/* Moves the list into the result. */
void parties_hand_over(struct parties *parties, struct lock_parties *result);

void parties_free(struct parties *parties);

#endif
