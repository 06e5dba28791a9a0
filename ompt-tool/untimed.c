#include "ompt-tool/untimed.h"

/* One part of so many of a thread's time may be spent on reading the clock. */
#define SHARE 256
/* What reading it for a region costs, in records. */
#define COST 2
/* So many readings a thread may save, while it has no such regions. */
#define SAVED 4096
/* Where none is left, so many regions are untimed in a row, at most. */
#define ROW 31u

/* From 1 to n. */
static uint32_t choose(struct omission *omission, uint32_t n)
{
  omission->random = omission->random * 0x5851f42d4c957f2dull + 0x14057b7ef767814full;
  return 1 + (uint32_t)((omission->random >> 32) * n >> 32);
}

void untimed_decide(struct omission *omission, uint64_t now)
{
  int64_t cost = COST * budget_price(), saved = SAVED * cost;
  uint64_t since = now > omission->decided_at ? now - omission->decided_at : 0, regions = omission->untimed + 1;
  bool often = since < regions * budget_ticks(RAW_UNTIMED_NS);
  int64_t earned = since / SHARE < (uint64_t)saved ? (int64_t)(since / SHARE) : saved;
  omission->readings += earned - cost;
  if (omission->readings > saved)
    omission->readings = saved;
  omission->untimed_most = 0;
  if (omission->readings < 0) {
    omission->readings = 0;
    omission->untimed_most = often && clock_is_tsc ? choose(omission, ROW) : 0;
  }
  omission->untimed = 0;
  omission->decided_at = now;
}
