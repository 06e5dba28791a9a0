#include "analyzer/analyses/locks/locks.h"

#include "analyzer/analyses/locks/holders.h"
#include "analyzer/analyses/locks/lane.h"
#include "analyzer/analyses/locks/order.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"

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

struct locks_analysis {
  const struct trace *trace;
  uint8_t *rules;
  struct lock_holders *table;
  wide_total lifetimes;
  uint64_t open;
};

static bool begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  const struct locks_analysis *analysis = context;
  lock_lane_begin(lane, analysis->trace, location, analysis->rules, error);
  return true;
}

static void close_lane(void *context, void *opened)
{
  struct locks_analysis *analysis = context;
  struct lock_lane *lane = opened;
  if (trace_is_thread(analysis->trace, lane->location->number))
    analysis->lifetimes += pass_measured(lane->location);
  analysis->open += lock_lane_open_requests(lane);
  lock_lane_close(lane);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct locks_analysis *analysis = context;
  return lock_holders_take(analysis->table, location, item);
}

static bool locks_begin(void *state, const struct analysis_input *input)
{
  struct locks_analysis *analysis = state;
  const struct locks_options *options = input->options;
  analysis->trace = input->trace;
  analysis->rules = lock_rules(input->trace);
  analysis->table =
      lock_holders_create(input->trace, options ? options->sink : NULL, options ? options->context : NULL);
  return analysis->rules && analysis->table;
}

static bool locks_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct locks_analysis *analysis = state;
  struct locks *locks = result;
  bool good = lock_holders_finish(analysis->table, locks);
  locks->lifetimes = analysis->lifetimes + analysis->table->unmounted_ticks;
  locks->open = analysis->open;
  return good;
}

static void locks_drop(void *state)
{
  struct locks_analysis *analysis = state;
  lock_holders_destroy(analysis->table);
  free(analysis->rules);
}

static void locks_free(void *result)
{
  struct locks *locks = result;
  free(locks->list);
  free(locks->threads.list);
  free(locks->places.list);
  callers_free(&locks->callers);
  *locks = (struct locks){0};
}

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

static bool locks_merge(void *to, void *other)
{
  struct locks *into = to;
  const struct locks *from = other;
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

const struct analysis locks_analysis = {.name = "locks",
                                        .state_size = sizeof(struct locks_analysis),
                                        .result_size = sizeof(struct locks),
                                        .begin = locks_begin,
                                        .lanes = {.before = true,
                                                  .others = true,
                                                  .lane_size = sizeof(struct lock_lane),
                                                  .begin = begin_lane,
                                                  .event = lock_lane_event,
                                                  .close = close_lane,
                                                  .queue = lock_lane_queue,
                                                  .take = take_item},
                                        .end = locks_end,
                                        .drop = locks_drop,
                                        .merge = locks_merge,
                                        .free = locks_free};

struct estimate locks_more_wait(const struct locks *locks)
{
  struct estimate more = {0};
  for (size_t i = 0; i < locks->count; i++)
    estimate_add(&more, &locks->list[i].sums.more[LOCK_WAIT]);
  return more;
}
