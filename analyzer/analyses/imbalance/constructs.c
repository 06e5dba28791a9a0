#include "analyzer/analyses/imbalance/constructs.h"

#include <stdlib.h>

uint32_t imbalance_forker(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t forker = TRACE_NONE;
  wide_total most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].lost_as_forker.parts > most) {
      most = construct->by_thread[i].lost_as_forker.parts;
      forker = i;
    }
  }
  return forker;
}

double imbalance_side_by_side(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t forker = imbalance_forker(construct, location_count);
  struct fine_total all = {0};
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++)
    fine_total_merge(&all, construct->by_thread[i].lost_as_forker);
  return forker == TRACE_NONE ? 1
                              : fine_total_ticks(construct->by_thread[forker].lost_as_forker) / fine_total_ticks(all);
}

uint32_t imbalance_slowest(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t slowest = TRACE_NONE;
  uint64_t most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].waited_for > most) {
      most = construct->by_thread[i].waited_for;
      slowest = i;
    }
  }
  return slowest;
}
