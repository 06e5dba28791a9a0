#include "analyzer/locks/order.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t left, uint64_t right)
{
  return (left > right) - (left < right);
}

/* Locks of one process with equal times keep their order. */
static int compare_locks(const void *a, const void *b, void *context)
{
  const struct lock *locks = context;
  uint32_t left_at = *(const uint32_t *)a, right_at = *(const uint32_t *)b;
  const struct lock *left = &locks[left_at], *right = &locks[right_at];
  int order = compare_numbers(right->sums.wait, left->sums.wait);
  if (!order)
    order = compare_numbers(left->met, right->met);
  if (!order)
    order = compare_numbers(left->process, right->process);
  return order ? order : compare_numbers(left_at, right_at);
}

static int compare_parties(const void *a, const void *b)
{
  const struct lock_party *left = a, *right = b;
  if (left->lock != right->lock)
    return left->lock < right->lock ? -1 : 1;
  uint64_t left_time = left->sums.wait + left->sums.caused, right_time = right->sums.wait + right->sums.caused;
  if (left_time != right_time)
    return left_time < right_time ? 1 : -1;
  return (left->who > right->who) - (left->who < right->who);
}

/* Gives the parties the locks' new numbers, and sorts them. */
static void order_parties(const struct lock_parties *parties, const uint32_t *rank)
{
  for (size_t i = 0; i < parties->count; i++)
    parties->list[i].lock = rank[parties->list[i].lock];
  if (parties->count > 0)
    qsort(parties->list, parties->count, sizeof *parties->list, compare_parties);
}

bool locks_order(struct locks *locks)
{
  size_t count = locks->count;
  uint32_t *order = malloc((count + 1) * sizeof *order), *rank = malloc((count + 1) * sizeof *rank);
  struct lock *sorted = malloc((count + 1) * sizeof *sorted);
  bool good = order && rank && sorted;
  for (size_t i = 0; good && i < count; i++)
    order[i] = (uint32_t)i;
  if (good && count > 0)
    qsort_r(order, count, sizeof *order, compare_locks, locks->list);
  for (size_t i = 0; good && i < count; i++) {
    rank[order[i]] = (uint32_t)i;
    sorted[i] = locks->list[order[i]];
  }
  if (good) {
    free(locks->list);
    locks->list = sorted;
    order_parties(&locks->threads, rank);
    order_parties(&locks->places, rank);
  } else {
    free(sorted);
  }
  free(order);
  free(rank);
  return good;
}
