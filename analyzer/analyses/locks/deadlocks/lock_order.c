#include "analyzer/analyses/locks/deadlocks/lock_order.h"

#include "analyzer/analyses/locks/deadlocks/thread.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

/* Keeps the gates that both have. */
static void keep_gates(struct order_step *step, const struct order_step *other)
{
  unsigned kept = 0;
  for (unsigned i = 0; i < step->gate_count; i++)
    for (unsigned k = 0; k < other->gate_count; k++)
      if (step->gates[i] == other->gates[k]) {
        step->gates[kept++] = step->gates[i];
        break;
      }
  step->gate_count = kept;
}

bool steps_add(struct steps *steps, const struct order_step *step)
{
  uint64_t key = step->first << 32 | (uint32_t)step->second, *known = hash_find(&steps->at, key);
  if (!known && steps->list.count >= LOCK_ORDER_STEPS) {
    steps->beyond_limit++;
    return true;
  }
  if (!known)
    return hash_add(&steps->at, key, steps->list.count) && vector_push(&steps->list, *step);
  struct order_step *sum = &steps->list.items[*known];
  sum->count += step->count;
  sum->several |= step->several || sum->location != step->location;
  keep_gates(sum, step);
  return true;
}

void steps_free(struct steps *steps)
{
  vector_free(&steps->list);
  hash_free(&steps->at);
}

/* A search for the shortest way back from a step's second lock to its first one. */
struct search {
  const struct steps *steps;
  struct hash from;       /* lock -> 1 + the first step from it */
  uint32_t *next;         /* by step: 1 + the next one from the same lock; 0: none */
  uint32_t *queue, *came; /* steps; by step: from which one it was met, NOWHERE: not yet */
  bool *shown;            /* by step: it is in an inversion that was found before */
};

static bool prepare(struct search *search, size_t count)
{
  search->next = calloc(count + 1, sizeof *search->next);
  search->queue = calloc(count + 1, sizeof *search->queue);
  search->came = calloc(count + 1, sizeof *search->came);
  search->shown = calloc(count + 1, sizeof *search->shown);
  bool good = search->next && search->queue && search->came && search->shown;
  for (size_t i = 0; good && i < count; i++) {
    uint64_t first = search->steps->list.items[i].first, *known = hash_find(&search->from, first);
    search->next[i] = known ? (uint32_t)*known : 0;
    good = hash_put(&search->from, first, i + 1);
  }
  return good;
}

/* The last step of the shortest way, whose `came` leads back to `start`; NOWHERE: there is none. */
static uint32_t way_back(struct search *search, uint32_t start)
{
  const struct order_step *list = search->steps->list.items;
  size_t head = 0, tail = 0;
  for (size_t i = 0; i < search->steps->list.count; i++)
    search->came[i] = NOWHERE;
  search->queue[tail++] = start;
  search->came[start] = start;
  while (head < tail) {
    uint32_t at = search->queue[head++];
    if (list[at].second == list[start].first)
      return at;
    const uint64_t *from = hash_find(&search->from, list[at].second);
    for (uint32_t i = from ? (uint32_t)*from : 0; i != 0; i = search->next[i - 1])
      if (search->came[i - 1] == NOWHERE) {
        search->came[i - 1] = at;
        search->queue[tail++] = i - 1;
      }
  }
  return NOWHERE;
}

/* Adds the steps from `start` to `last`, if at least two threads made them. False: no memory. */
static bool steps_put(struct search *search, struct lock_order *order, uint32_t start, uint32_t last)
{
  const struct order_step *list = search->steps->list.items;
  struct order_step common = list[start];
  bool several = list[start].several;
  size_t length = 1;
  for (uint32_t at = last; at != start; at = search->came[at], length++) {
    several |= list[at].several || list[at].location != list[start].location;
    keep_gates(&common, &list[at]);
  }
  struct order_row *more = several ? reallocarray(order->list, order->count + length, sizeof *more) : NULL;
  if (!several || !more)
    return !several;
  order->list = more;
  order->inversions++;
  order->guarded += common.gate_count > 0;
  uint32_t at = last;
  for (size_t i = length; i-- > 0; at = search->came[at]) {
    order->list[order->count + i] = (struct order_row){.inversion = order->inversions,
                                                       .guarded = common.gate_count > 0,
                                                       .gate = common.gate_count > 0 ? common.gates[0] : 0,
                                                       .step = list[at]};
    search->shown[at] = true;
  }
  order->count += length;
  return true;
}

bool steps_find(const struct steps *steps, struct lock_order *order)
{
  struct search search = {.steps = steps};
  bool good = prepare(&search, steps->list.count);
  order->beyond_limit = steps->beyond_limit;
  for (uint32_t i = 0; good && i < steps->list.count; i++) {
    uint32_t last = search.shown[i] ? NOWHERE : way_back(&search, i);
    good = last == NOWHERE || steps_put(&search, order, i, last);
  }
  hash_free(&search.from);
  free(search.next);
  free(search.queue);
  free(search.came);
  free(search.shown);
  return good;
}

/* Locks of one location. */
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
  struct steps all = {.beyond_limit = 0};
  bool good = true;
  for (uint32_t i = 0; good && i < analysis->trace->location_count; i++) {
    const struct steps *steps = &analysis->taken[i].steps;
    all.beyond_limit += steps->beyond_limit;
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
