#include "analyzer/analyses/locks/lock.h"

const char *lock_kind_name(enum lock_kind kind)
{
  static const char *const names[LOCK_KINDS] = {
      [LOCK_CRITICAL] = "critical",   [LOCK_ORDERED] = "ordered",       [LOCK_ATOMIC] = "atomic",
      [LOCK_ROUTINE] = "lock",        [LOCK_MONITOR] = "monitor",       [LOCK_JAVA] = "Java lock",
      [LOCK_PTHREAD_MUTEX] = "mutex", [LOCK_PTHREAD_RWLOCK] = "rwlock", [LOCK_PTHREAD_SPIN] = "spin lock"};
  return names[kind];
}

struct lock_sums *party(struct parties *parties, uint32_t lock, uint32_t who)
{
  uint64_t key = (uint64_t)lock << 32 | who, *known = hash_find(&parties->index, key);
  if (known)
    return &parties->list.items[*known].sums;
  size_t at = parties->list.count;
  if (!vector_push(&parties->list, ((struct lock_party){.lock = lock, .who = who})) ||
      !hash_add(&parties->index, key, at))
    return NULL;
  return &parties->list.items[at].sums;
}

void parties_hand_over(struct parties *parties, struct lock_parties *result)
{
  *result = (struct lock_parties){parties->list.items, parties->list.count};
  parties->list.items = NULL;
}

void parties_free(struct parties *parties)
{
  vector_free(&parties->list);
  hash_free(&parties->index);
}
