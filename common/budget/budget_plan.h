/* How recording time is divided among a thread's rows: arithmetic without state, for budget.c. */
#ifndef HEDDLE_COMMON_BUDGET_BUDGET_PLAN_H
#define HEDDLE_COMMON_BUDGET_BUDGET_PLAN_H

#include "common/budget/budget_row.h"

/*
 * Gives each row its `every`, so that the demands of all together are at most `allowance` (ticks in a period). Classes
 * are thinned in their order: a class gets what those behind it leave over, but at least a share of BUDGET_LEAST. In
 * a class all rows get the same at most: one that needs less stays whole, so what costs most is thinned most.
 *
 * used: indices of the rows that have a demand.
 */
#define BUDGET_LEAST (1.0 / 16)
void budget_plan(struct budget_row *rows, const uint16_t *used, uint32_t used_count, double allowance);

#endif
