#include "analyzer/models/markov/watch.h"

#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>

bool markov_watch_begin(struct markov_watch *watch, const struct markov_model *run)
{
  watch->run = run;
  watch->edge = SIZE_MAX;
  bool good = markov_histories_begin(&watch->histories, MARKOV_HISTORY_MOST);
  good = markov_durations_begin(&watch->durations, run) && good;
  return markov_blocks_begin(&watch->blocks, run) && good;
}

void markov_watch_free(struct markov_watch *watch)
{
  markov_histories_free(&watch->histories);
  markov_durations_free(&watch->durations);
  markov_blocks_free(&watch->blocks);
}

bool markov_watch_add(struct markov_watch *watch, uint32_t state, uint64_t ticks, uint32_t next)
{
  size_t edge = next == PES_NONE ? SIZE_MAX : markov_edge_index(watch->run, state, next);
  unsigned class = markov_duration_class(&watch->durations, state, ticks);
  if (watch->edge != SIZE_MAX)
    markov_durations_add(&watch->durations, watch->edge, watch->class, class);
  markov_blocks_add(&watch->blocks, state, (double)ticks, edge);
  watch->edge = edge;
  watch->class = class;
  return markov_histories_add(&watch->histories, state);
}

static double question_level(const struct markov_validate_options *options)
{
  return options->level / MARKOV_QUESTIONS;
}

/* The order that differs most clearly; p for all orders together. */
static bool ask_memory(const struct markov_watch *watch, const struct markov_validate_options *options,
                       struct markov_validation *result)
{
  struct markov_test *test = &result->tests[MARKOV_ORDER];
  struct markov_memory *memory = &result->memory;
  if (!markov_memory_test(&watch->histories, watch->run->count, question_level(options), options->tolerance, memory))
    return false;
  for (unsigned i = 0; i < MARKOV_ORDERS; i++) {
    const struct markov_order_test *order = &memory->orders[i];
    if (!order->is_tested)
      continue;
    bool first = test->method == MARKOV_NO_METHOD;
    double p = fmin(1, MARKOV_ORDERS * order->p);
    test->smallest = first ? order->smallest : fmax(test->smallest, order->smallest);
    test->method = MARKOV_CHI_SQUARE;
    if (first || p < test->p || (p == test->p && order->difference > test->difference)) {
      test->p = p;
      test->statistic = order->chi_square;
      test->freedom = order->freedom;
      test->difference = order->difference;
    }
  }
  return true;
}

static void put_independence(struct markov_test *test, const struct markov_independence *result, double level)
{
  if (!markov_independence_is_tested(result))
    return;
  test->method = MARKOV_CHI_SQUARE;
  test->statistic = result->chi_square;
  test->freedom = result->freedom;
  test->p = markov_independence_p(result);
  test->difference = markov_independence_difference(result);
  test->smallest =
      markov_smallest_difference(level, result->freedom, result->freedom > 0 ? result->tested : result->all);
}

static bool ask_durations(const struct markov_watch *watch, const struct markov_validate_options *options,
                          struct markov_validation *result)
{
  struct markov_independence consecutive, next;
  if (!markov_durations_consecutive(&watch->durations, &consecutive) ||
      !markov_durations_next(&watch->durations, &next))
    return false;
  put_independence(&result->tests[MARKOV_CONSECUTIVE], &consecutive, question_level(options));
  put_independence(&result->tests[MARKOV_NEXT], &next, question_level(options));
  return true;
}

static int compare_tails(const void *left, const void *right)
{
  const struct markov_tail_of_state *a = left, *b = right;
  if (a->tail.p != b->tail.p)
    return a->tail.p < b->tail.p ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

/* A tail counts only where it decides the mean: 1 / index above 1/2, so that there is no variance. */
static bool ask_tails(const struct markov_watch *watch, const struct markov_validate_options *options,
                      struct markov_validation *result)
{
  struct markov_test *test = &result->tests[MARKOV_TAILS];
  uint64_t fewest = UINT64_MAX;
  double covered = 0, all = 0;
  result->tails = calloc((size_t)watch->run->count + 1, sizeof *result->tails);
  if (!result->tails)
    return false;
  for (uint32_t i = 0; i < watch->run->count; i++) {
    const struct markov_distribution *occupancy = &watch->run->list[i].occupancy;
    struct markov_tail_of_state *own = &result->tails[result->tail_count];
    *own = (struct markov_tail_of_state){.state = i};
    if (!markov_tail_test(occupancy, &own->tail))
      return false;
    all += (double)occupancy->total;
    if (!own->tail.is_tested)
      continue;
    covered += (double)occupancy->total;
    fewest = occupancy->count < fewest ? occupancy->count : fewest;
    result->tail_count++;
  }
  qsort(result->tails, result->tail_count, sizeof *result->tails, compare_tails);
  if (result->tail_count == 0 || covered < all / 2)
    return true;
  test->method = MARKOV_SPACINGS;
  test->p = fmin(1, result->tails[0].tail.p * result->tail_count);
  test->difference = 1 / result->tails[0].tail.index;
  test->smallest = markov_tail_smallest(question_level(options) / result->tail_count, fewest);
  return true;
}

static bool ask_phases(const struct markov_watch *watch, const struct markov_validate_options *options,
                       struct markov_validation *result)
{
  struct markov_test *test = &result->tests[MARKOV_PHASES];
  struct markov_change_options own = {question_level(options), options->tolerance, options->seed};
  if (!markov_changes_find(&watch->blocks, &own, &result->changes))
    return false;
  if (result->changes.is_tested) {
    test->method = MARKOV_PERMUTATION;
    test->p = result->changes.first.p;
    test->difference = result->changes.first.difference;
    test->smallest = result->changes.smallest;
  }
  return true;
}

bool markov_watch_test(const struct markov_watch *watch, const struct markov_validate_options *options,
                       struct markov_validation *result)
{
  return ask_memory(watch, options, result) && ask_durations(watch, options, result) &&
         ask_tails(watch, options, result) && ask_phases(watch, options, result);
}
