#include "analyzer/analyses/locks/locks.h"
#include "analyzer/analyses/locks/order.h"

#include <stdlib.h>

/* Joins two lists of parties; the locks of `from` follow the `locks` ones of `into`. False: no memory. */
static bool join_parties(struct lock_parties *both, const struct lock_parties *into, const struct lock_parties *from,
                         size_t locks)
{
  both->list = malloc((into->count + from->count + 1) * sizeof *both->list);
  for (size_t i = 0; both->list && i < into->count; i++)
    both->list[both->count++] = into->list[i];
  for (size_t i = 0; both->list && i < from->count; i++) {
    both->list[both->count] = from->list[i];
    both->list[both->count++].lock += (uint32_t)locks;
  }
  return both->list != NULL;
}

bool locks_merge(struct locks *into, const struct locks *from)
{
  struct locks both = {.count = into->count + from->count,
                       .wait = into->wait + from->wait,
                       .lifetimes = into->lifetimes + from->lifetimes,
                       .unknown = into->unknown + from->unknown,
                       .open = into->open + from->open};
  both.list = malloc((both.count + 1) * sizeof *both.list);
  bool good = both.list && join_parties(&both.threads, &into->threads, &from->threads, into->count) &&
              join_parties(&both.places, &into->places, &from->places, into->count) &&
              callers_append(&both.callers, &into->callers, 0) &&
              callers_append(&both.callers, &from->callers, (uint32_t)into->count);
  for (size_t i = 0; good && i < both.count; i++)
    both.list[i] = i < into->count ? into->list[i] : from->list[i - into->count];
  good = good && locks_order(&both);
  locks_free(good ? into : &both);
  if (good)
    *into = both;
  return good;
}
