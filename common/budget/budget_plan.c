#include "common/budget/budget_plan.h"

#include <stdbool.h>

#define EVERY_MOST (1u << 20)
#define ROUNDS     20 /* of level_of: what is left then is little */

/* The most that a row of a class may take, where all of them may take `allowance` together. */
static double level_of(const struct budget_row *rows, const uint16_t *used, uint32_t used_count, unsigned class,
                       double allowance)
{
  double level = 0;
  for (int round = 0; round < ROUNDS; round++) { /* rows that need less than the level leave the rest to the others */
    double rest = allowance;
    uint32_t above = 0;
    for (uint32_t i = 0; i < used_count; i++) {
      const struct budget_row *row = &rows[used[i]];
      if (row->class != class)
        continue;
      if (row->demand <= level)
        rest -= row->demand;
      else
        above++;
    }
    if (above == 0 || rest / above <= level)
      break;
    level = rest / above;
  }
  return level;
}

static uint32_t every_of(double demand, double level)
{
  if (demand <= level)
    return 1;
  double every = level > 0 ? demand / level : EVERY_MOST;
  return every < EVERY_MOST ? (uint32_t)every + 1 : EVERY_MOST;
}

void budget_plan(struct budget_row *rows, const uint16_t *used, uint32_t used_count, double allowance)
{
  double demand[BUDGET_CLASSES] = {0}, reserved = 0;
  for (uint32_t i = 0; i < used_count; i++)
    demand[rows[used[i]].class] += rows[used[i]].demand;
  for (unsigned class = 0; class < BUDGET_CLASSES; class ++)
    if (demand[class] > 0)
      reserved += demand[class] < allowance * BUDGET_LEAST ? demand[class] : allowance * BUDGET_LEAST;
  double rest = allowance;
  for (unsigned class = BUDGET_CLASSES; class --> 0;) {
    double own = demand[class] < allowance * BUDGET_LEAST ? demand[class] : allowance * BUDGET_LEAST;
    reserved -= own;
    double most = rest - reserved;
    bool whole = demand[class] <= most;
    double level = whole ? 0 : level_of(rows, used, used_count, class, most);
    for (uint32_t i = 0; i < used_count; i++)
      if (rows[used[i]].class == class)
        rows[used[i]].every = whole ? 1 : every_of(rows[used[i]].demand, level);
    rest -= whole ? demand[class] : most;
  }
}
