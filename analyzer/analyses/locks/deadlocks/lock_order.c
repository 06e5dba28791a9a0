#include "analyzer/analyses/locks/deadlocks/lock_order.h"

#include "analyzer/analyses/locks/deadlocks/steps.h"
#include "analyzer/analyses/locks/deadlocks/thread.h"

#include <stdlib.h>

/* Of one location. */
struct taken {
  uint32_t location;
  struct thread_end end;
  struct steps steps;
};

struct lock_order_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  uint8_t *rules;
  struct taken *taken; /* by location */
};

/* With each lock that the thread holds the next one makes a step; the others that it holds are its gates. */
static bool acquires(void *context, const struct thread_end *held, const struct thread_hold *next)
{
  struct taken *taken = context;
  bool good = true;
  for (size_t i = 0; good && i < held->holds.count; i++) {
    const struct thread_hold *hold = &held->holds.items[i];
    struct order_step step = {.first = hold->lock,
                              .second = next->lock,
                              .location = taken->location,
                              .first_region = hold->region,
                              .second_region = next->region,
                              .count = 1};
    for (size_t k = 0; k < held->holds.count && step.gate_count < LOCK_ORDER_GATES; k++)
      if (held->holds.items[k].lock != hold->lock)
        step.gates[step.gate_count++] = held->holds.items[k].lock;
    good = hold->lock == next->lock || steps_add(&taken->steps, &step);
  }
  return good;
}

static void *lock_order_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct lock_order_finder *finder = context;
  struct taken *taken = &finder->taken[location->number];
  taken->location = location->number;
  struct thread_lane *lane = thread_lane_open(finder->trace, location, finder->rules, &taken->end, error);
  if (lane)
    thread_lane_watch(lane, acquires, taken);
  return lane;
}

static bool lock_order_take_event(void *lane, const struct trace_event *event)
{
  return thread_lane_take(lane, event);
}

static void lock_order_close_lane(void *context, void *lane)
{
  (void)context;
  thread_lane_close(lane);
}

struct lock_order_finder *lock_order_begin(const struct trace *trace, struct error *error)
{
  struct lock_order_finder *finder = calloc(1, sizeof *finder);
  if (finder)
    *finder = (struct lock_order_finder){.trace = trace,
                                         .rules = thread_rules(trace),
                                         .taken = calloc((size_t)trace->location_count + 1, sizeof *finder->taken)};
  if (!finder || !finder->rules || !finder->taken) {
    error_set(error, "%s: out of memory", trace->anchor);
    lock_order_drop(finder);
    return NULL;
  }
  finder->subscriber = (struct subscriber){.context = finder,
                                           .stateless = true,
                                           .before = true,
                                           .open = lock_order_open_lane,
                                           .event = lock_order_take_event,
                                           .close = lock_order_close_lane};
  return finder;
}

const struct subscriber *lock_order_subscriber(const struct lock_order_finder *finder)
{
  return &finder->subscriber;
}

bool lock_order_end(struct lock_order_finder *finder, struct lock_order *order, struct error *error)
{
  struct steps all = {.left_out = 0};
  bool good = true;
  *order = (struct lock_order){0};
  for (uint32_t i = 0; good && i < finder->trace->location_count; i++) {
    const struct steps *steps = &finder->taken[i].steps;
    all.left_out += steps->left_out;
    for (size_t k = 0; good && k < steps->list.count; k++)
      good = steps_add(&all, &steps->list.items[k]);
  }
  good = (good && steps_find(&all, order)) || error_set(error, "%s: out of memory", finder->trace->anchor);
  steps_free(&all);
  lock_order_drop(finder);
  return good;
}

void lock_order_drop(struct lock_order_finder *finder)
{
  if (!finder)
    return;
  for (uint32_t i = 0; finder->taken && i < finder->trace->location_count; i++) {
    thread_end_free(&finder->taken[i].end);
    steps_free(&finder->taken[i].steps);
  }
  free(finder->taken);
  free(finder->rules);
  free(finder);
}

void lock_order_free(struct lock_order *order)
{
  free(order->list);
  *order = (struct lock_order){0};
}
