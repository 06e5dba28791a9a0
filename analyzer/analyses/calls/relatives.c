#include "analyzer/analyses/calls/figures.h"

#include <stdlib.h>

/* Sums by the code of relatives, of which at most one a node is there. */
struct relatives_adder {
  struct calls_relatives *relatives;
  struct hash at; /* code -> index */
};

/* Adds a node's part of a relative, and its calls. */
static bool relatives_add(struct relatives_adder *adder, const struct calls_figures *figures, uint32_t node,
                          struct calls_relative part)
{
  struct calls_relatives *relatives = adder->relatives;
  const uint64_t *at = hash_find(&adder->at, part.code);
  size_t index = at ? *at : relatives->count;
  part.calls = figures->calls ? figures->calls[node] : 0;
  part.blocked = figures->blocked ? figures->blocked[node] : 0;
  if (part.self + part.below + part.calls == 0)
    return true;
  if (!at) {
    if (!array_make_room(relatives->list, relatives->count) || !hash_add(&adder->at, part.code, index))
      return false;
    relatives->list[relatives->count++] = (struct calls_relative){.code = part.code};
  }
  relatives->list[index].self += part.self;
  relatives->list[index].below += part.below;
  relatives->list[index].calls += part.calls;
  relatives->list[index].blocked += part.blocked;
  return true;
}

static int relatives_compare(const void *of_a, const void *of_b)
{
  const struct calls_relative *a = of_a, *b = of_b;
  wide_total all_a = a->self + a->below, all_b = b->self + b->below;
  if (all_a != all_b)
    return all_a < all_b ? 1 : -1;
  return (a->code > b->code) - (a->code < b->code);
}

static bool relatives_finish(struct relatives_adder *adder, bool good)
{
  hash_free(&adder->at);
  if (adder->relatives->count > 0)
    qsort(adder->relatives->list, adder->relatives->count, sizeof *adder->relatives->list, relatives_compare);
  return good;
}

bool calls_callers(const struct calls_figures *figures, uint32_t code, struct calls_relatives *callers)
{
  const struct calls_tree *tree = figures->tree;
  struct relatives_adder adder = {.relatives = callers};
  bool good = true;
  *callers = (struct calls_relatives){0};
  for (uint32_t i = 1; good && i < tree->node_count; i++)
    if (tree->nodes[i].code == code)
      good = relatives_add(&adder, figures, i,
                           (struct calls_relative){.code = tree->nodes[tree->nodes[i].parent].code,
                                                   .self = figures->own[i],
                                                   .below = figures->assigned[i] - figures->own[i]});
  return relatives_finish(&adder, good);
}

bool calls_callees(const struct calls_figures *figures, uint32_t code, struct calls_relatives *callees)
{
  const struct calls_tree *tree = figures->tree;
  struct relatives_adder adder = {.relatives = callees};
  bool good = true;
  *callees = (struct calls_relatives){0};
  for (uint32_t i = 1; good && i < tree->node_count; i++)
    if (tree->nodes[tree->nodes[i].parent].code == code && tree->nodes[i].code != code)
      good = relatives_add(&adder, figures, i,
                           (struct calls_relative){.code = tree->nodes[i].code,
                                                   .self = figures->own[i],
                                                   .below = figures->through[i] - figures->own[i]});
  return relatives_finish(&adder, good);
}
