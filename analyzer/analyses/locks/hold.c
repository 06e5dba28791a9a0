#include "analyzer/analyses/locks/hold.h"

void hold_requested(struct hold *hold, uint64_t time, uint32_t location, uint32_t region)
{
  hold->waiting++;
  if (!hold->open) {
    hold->open = true;
    hold->since = time;
    hold->location = hold->region = TRACE_NONE;
  }
  if (hold->location == TRACE_NONE && hold->region == TRACE_NONE) {
    hold->location = location;
    hold->region = region;
  }
}

void hold_wait_ended(struct hold *hold)
{
  if (hold->waiting > 0)
    hold->waiting--;
  if (hold->waiting == 0)
    hold->open = false;
}

bool hold_passed(struct hold *hold, uint64_t time, uint32_t location, uint32_t region, struct hold *before)
{
  bool was_open = hold->open;
  *before = *hold;
  hold->open = hold->waiting > 0 && location != TRACE_NONE;
  hold->since = time;
  hold->location = location;
  hold->region = region;
  return was_open;
}
