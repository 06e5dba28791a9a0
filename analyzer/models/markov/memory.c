#include "analyzer/models/markov/memory.h"

#include "analyzer/models/markov/independence.h"
#include "analyzer/models/markov/power.h"

#include <math.h>
#include <stdlib.h>

#define VISITS_MIN 5 /* of a history, on average, before "always the same state follows" says anything */

/* A table for each history of `order` states; rows are the states before it, columns those after it. */
static bool test_order(const struct markov_histories *histories, unsigned order, uint32_t states,
                       struct markov_independence *result)
{
  const struct markov_history_level *level = &histories->levels[order + 2], *above = &histories->levels[order + 1];
  struct markov_table_cell *cells = calloc(level->nodes.count + 1, sizeof *cells);
  if (!cells)
    return false;
  for (size_t i = 0; i < level->nodes.count; i++) {
    const struct markov_history *node = &level->nodes.items[i];
    cells[i] = (struct markov_table_cell){.table = above->nodes.items[node->parent].suffix,
                                          .row = node->parent,
                                          .column = node->state,
                                          .count = node->count};
  }
  bool good = markov_independence_test(cells, level->nodes.count, states, result);
  free(cells);
  return good;
}

/* The part of the transitions that go where most go from the same `order` states; NAN: histories recur too rarely. */
static bool find_determined(const struct markov_histories *histories, unsigned order, double *determined)
{
  const struct markov_history_level *level = &histories->levels[order + 1];
  size_t above = histories->levels[order].nodes.count;
  uint64_t *most = calloc(above + 1, sizeof *most), all = 0, best = 0;
  if (!most)
    return false;
  for (size_t i = 0; i < level->nodes.count; i++) {
    const struct markov_history *node = &level->nodes.items[i];
    all += node->count;
    if (node->count > most[node->parent])
      most[node->parent] = node->count;
  }
  for (size_t i = 0; i < above; i++)
    best += most[i];
  free(most);
  *determined = (double)all >= VISITS_MIN * (double)above && all > 0 ? (double)best / (double)all : NAN;
  return true;
}

static bool memory_fill(const struct markov_histories *histories, unsigned order, uint32_t states, double level,
                        struct markov_order_test *test)
{
  struct markov_independence result;
  if (!test_order(histories, order, states, &result) || !find_determined(histories, order, &test->determined))
    return false;
  test->chi_square = result.chi_square;
  test->g = result.g;
  test->freedom = result.freedom;
  test->tested = result.tested;
  test->open = result.open;
  test->is_tested = markov_independence_is_tested(&result);
  if (test->is_tested) {
    test->p = markov_independence_p(&result);
    test->difference = markov_independence_difference(&result);
    test->smallest = markov_smallest_difference(level, result.freedom, result.freedom > 0 ? result.tested : result.all);
  }
  return true;
}

bool markov_memory_test(const struct markov_histories *histories, uint32_t states, double level, double tolerance,
                        struct markov_memory *memory)
{
  *memory = (struct markov_memory){.order = 1};
  for (unsigned i = 0; i < MARKOV_ORDERS; i++) {
    struct markov_order_test *test = &memory->orders[i];
    *test = (struct markov_order_test){.p = NAN, .difference = NAN, .determined = NAN, .smallest = NAN};
    if (i + 3 <= histories->most && !memory_fill(histories, i + 1, states, level / MARKOV_ORDERS, test))
      return false;
    if (test->is_tested && test->p < level / MARKOV_ORDERS && test->difference > tolerance)
      memory->order = i + 2;
  }
  memory->is_determined = memory->order <= MARKOV_ORDERS && memory->orders[memory->order - 1].determined == 1;
  return true;
}
