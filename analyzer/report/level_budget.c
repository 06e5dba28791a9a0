#include "analyzer/report/level_budget.h"

#include "analyzer/report/base64.h"

void level_budget_add(struct level_budget *budget, unsigned level, uint64_t bytes)
{
  if (!budget)
    return;
  atomic_fetch_add_explicit(&budget->bytes[level], bytes, memory_order_relaxed);
  unsigned from = atomic_load_explicit(&budget->from, memory_order_relaxed);
  uint64_t total = 0;
  for (unsigned i = budget->levels; i-- > from;) {
    total += atomic_load_explicit(&budget->bytes[i], memory_order_relaxed);
    if (budget->limit == 0 || base64_size(total) <= budget->limit || i + 1 == budget->levels)
      continue;
    /* Level i cannot be in the file. */
    while (from <= i && !atomic_compare_exchange_weak_explicit(&budget->from, &from, i + 1, memory_order_relaxed,
                                                               memory_order_relaxed))
      ;
    return;
  }
}
