#include "analyzer/findings/try/sequential.h"

#include "base/rank_test.h"

#include <math.h>
#include <stdlib.h>

#define SLOWER_LEVEL 0.005 /* of a look: a change that is as slow is not tried further */
#define HOPELESS_P   0.25  /* from HOPELESS_FROM pairs on: a real gain of any use shows by then */

enum { HOPELESS_FROM = 11 };

static const unsigned usual_looks[] = {6, 8, 11, 15, 20, 26};

/* The smallest p of two groups of this size. */
static double least_p(unsigned size)
{
  double ways = 1;
  for (unsigned i = 1; i <= size; i++)
    ways *= (double)(size + i) / i;
  return 1 / ways;
}

unsigned sequential_needed(double level)
{
  return rank_test_needed(level);
}

bool sequential_plan(struct sequential_plan *plan, unsigned pairs, double level)
{
  *plan = (struct sequential_plan){.level = level};
  for (size_t i = 0; i < sizeof usual_looks / sizeof *usual_looks && usual_looks[i] < pairs; i++)
    plan->looks[plan->count++] = usual_looks[i];
  plan->looks[plan->count++] = pairs;
  return pairs <= SEQUENTIAL_MOST && pairs >= sequential_needed(level);
}

/* What this look may spend; 0: so few pairs prove nothing. */
static double allowance(const struct sequential_plan *plan, struct sequential *state, unsigned pairs)
{
  double until_now = plan->level * (state->look + 1) / plan->count, allowed = until_now - state->spent;
  if (least_p(pairs) > allowed)
    return 0;
  state->spent = until_now;
  return allowed;
}

/* Ratios of times, not differences: what slows the machine down slows both by a factor. False: out of memory. */
static bool test_logarithms(const double *without, const double *with, unsigned pairs, struct rank_test *test)
{
  double *logs = malloc(2 * pairs * sizeof *logs);
  for (unsigned i = 0; logs && i < pairs; i++) {
    logs[i] = log(without[i]);
    logs[pairs + i] = log(with[i]);
  }
  bool good = logs && rank_test(logs, pairs, logs + pairs, pairs, test);
  free(logs);
  return good;
}

static double gain_of_shift(double shift)
{
  return 100 * (1 - exp(shift));
}

static enum sequential_verdict judge(const struct sequential *state, const struct rank_test *test, double allowed,
                                     unsigned pairs)
{
  if (test->less <= allowed)
    return state->gain >= SEQUENTIAL_WORTH ? SEQUENTIAL_FASTER : SEQUENTIAL_NO_GAIN;
  if (test->greater <= SLOWER_LEVEL)
    return SEQUENTIAL_SLOWER;
  if (state->high < SEQUENTIAL_WORTH)
    return SEQUENTIAL_NO_GAIN;
  return pairs >= HOPELESS_FROM && test->less > HOPELESS_P ? SEQUENTIAL_HOPELESS : SEQUENTIAL_OPEN;
}

bool sequential_add(const struct sequential_plan *plan, struct sequential *state, const double *without,
                    const double *with, unsigned pairs)
{
  if (state->look == plan->count || pairs < plan->looks[state->look])
    return true;
  struct rank_test test;
  double allowed = allowance(plan, state, pairs);
  if (!test_logarithms(without, with, pairs, &test))
    return false;
  state->look++;
  state->p = test.less;
  state->gain = gain_of_shift(test.shift);
  state->low = gain_of_shift(test.high);
  state->high = gain_of_shift(test.low);
  state->verdict = judge(state, &test, allowed, pairs);
  return true;
}
