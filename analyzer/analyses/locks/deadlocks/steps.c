#include "analyzer/analyses/locks/deadlocks/steps.h"

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
    steps->left_out++;
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
  order->left_out = steps->left_out;
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
