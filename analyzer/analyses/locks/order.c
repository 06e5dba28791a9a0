#include "analyzer/analyses/locks/order.h"

#include "analyzer/trace/definitions.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(wide_total left, wide_total right)
{
  return (left > right) - (left < right);
}

/* Locks of one process with equal times keep their order. */
static int compare_locks(const void *a, const void *b, void *context)
{
  const struct lock *locks = context;
  uint32_t left_at = *(const uint32_t *)a, right_at = *(const uint32_t *)b;
  const struct lock *left = &locks[left_at], *right = &locks[right_at];
  int order = compare_numbers(lock_waiting(&right->sums), lock_waiting(&left->sums));
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
  wide_total left_time = lock_waiting(&left->sums) + left->sums.caused;
  wide_total right_time = lock_waiting(&right->sums) + right->sums.caused;
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
    callers_renumber(&locks->callers, rank);
    callers_order(&locks->callers);
  } else {
    free(sorted);
  }
  free(order);
  free(rank);
  return good;
}

/* Drops the parties of unlisted locks; the others get the new numbers of their locks. */
static void drop_parties(struct lock_parties *parties, const uint32_t *numbers)
{
  size_t kept = 0;
  for (size_t i = 0; i < parties->count; i++) {
    uint32_t lock = numbers[parties->list[i].lock];
    parties->list[kept] = parties->list[i];
    parties->list[kept].lock = lock;
    kept += lock != TRACE_NONE;
  }
  parties->count = kept;
}

bool locks_drop_unlisted(struct locks *locks)
{
  uint32_t *numbers = malloc((locks->count + 1) * sizeof *numbers);
  if (!numbers)
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < locks->count; i++) {
    const struct lock_sums *sums = &locks->list[i].sums;
    bool listed = sums->acquisitions || sums->waits || sums->wait || sums->held || sums->held_seen || sums->holds;
    numbers[i] = listed ? (uint32_t)kept : TRACE_NONE;
    locks->list[kept] = locks->list[i];
    kept += listed;
  }
  locks->count = kept;
  drop_parties(&locks->threads, numbers);
  drop_parties(&locks->places, numbers);
  callers_renumber(&locks->callers, numbers);
  free(numbers);
  return true;
}
