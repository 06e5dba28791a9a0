#include "common/profile/profile_lock_sums.h"

void lock_sums_look_up(struct profile_table *table, struct profile_lock_sums *sums, unsigned kind, uint64_t wait,
                       uint64_t code, uint64_t now)
{
  uint64_t refused = table->refused;
  *sums = (struct profile_lock_sums){.wait = wait, .code = code, .around = profile_top(table)->row};
  sums->acquire = profile_execution_of(table, RAW_ROW_ACQUIRE, kind, code, now);
  sums->metric = profile_metric(table, RAW_METRIC_LOCK, kind, code, wait, table->stack.depth - 1, now);
  sums->hold = profile_execution_of(table, RAW_ROW_HOLD, kind, code, now);
  sums->begun = table->begun;
  table->refused = refused; /* each acquisition is one */
}
