#include "tests/unit/analyzer/locks_pass.h"

bool locks_find(const struct trace *trace, struct pool *pool, struct locks *locks, struct error *error)
{
  *locks = (struct locks){0};
  struct locks_finder *finder = locks_begin(trace, NULL, NULL, error);
  if (!finder)
    return false;
  const struct subscriber *subscribers[] = {locks_subscriber(finder)};
  if (pass_in_order(trace, pool, subscribers, 1, error))
    return locks_end(finder, locks, error);
  locks_drop(finder);
  return false;
}
