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

struct lock_order_analysis {
  const struct trace *trace;
  uint8_t *rules;
  struct taken *taken; /* by location */
};

/* With each lock that the thread holds the next one makes a step; the others that it holds are its gates. */
static bool add_steps(void *context, const struct thread_end *held, const struct thread_hold *next)
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

static bool lock_order_begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct lock_order_analysis *analysis = context;
  struct taken *taken = &analysis->taken[location->number];
  taken->location = location->number;
  thread_lane_begin(lane, analysis->trace, location, analysis->rules, &taken->end);
  thread_lane_watch(lane, add_steps, taken);
  return true;
}

static bool lock_order_begin(void *state, const struct analysis_input *input)
{
  struct lock_order_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->rules = thread_rules(input->trace);
  analysis->taken = calloc((size_t)input->trace->location_count + 1, sizeof *analysis->taken);
  return analysis->rules && analysis->taken;
}

static bool lock_order_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct lock_order_analysis *analysis = state;
  struct steps all = {.left_out = 0};
  bool good = true;
  for (uint32_t i = 0; good && i < analysis->trace->location_count; i++) {
    const struct steps *steps = &analysis->taken[i].steps;
    all.left_out += steps->left_out;
    for (size_t k = 0; good && k < steps->list.count; k++)
      good = steps_add(&all, &steps->list.items[k]);
  }
  good = good && steps_find(&all, result);
  steps_free(&all);
  return good;
}

static void lock_order_drop(void *state)
{
  struct lock_order_analysis *analysis = state;
  for (uint32_t i = 0; analysis->taken && i < analysis->trace->location_count; i++) {
    thread_end_free(&analysis->taken[i].end);
    steps_free(&analysis->taken[i].steps);
  }
  free(analysis->taken);
  free(analysis->rules);
}

static void lock_order_free(void *result)
{
  struct lock_order *order = result;
  free(order->list);
  *order = (struct lock_order){0};
}

const struct analysis lock_order_analysis = {.name = "lock order",
                                             .state_size = sizeof(struct lock_order_analysis),
                                             .result_size = sizeof(struct lock_order),
                                             .begin = lock_order_begin,
                                             .lanes = {.stateless = true,
                                                       .before = true,
                                                       .lane_size = sizeof(struct thread_lane),
                                                       .begin = lock_order_begin_lane,
                                                       .event = thread_lane_event,
                                                       .close = thread_lane_close},
                                             .end = lock_order_end,
                                             .drop = lock_order_drop,
                                             .free = lock_order_free};
