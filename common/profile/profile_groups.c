#include "common/profile/profile_groups.h"

#include "base/count_of.h"
#include "common/raw/live_control.h"

#include <stdbool.h>

uint32_t profile_group_of_record(unsigned kind, unsigned detail)
{
  static const uint16_t groups[128] = {
      [RAW_PARALLEL_BEGIN] = LIVE_NEED_REGIONS,
      [RAW_PARALLEL_END] = LIVE_NEED_REGIONS,
      [RAW_IMPLICIT_BEGIN] = LIVE_NEED_REGIONS,
      [RAW_IMPLICIT_END] = LIVE_NEED_REGIONS,
      [RAW_WORK_BEGIN] = LIVE_NEED_WORKS,
      [RAW_WORK_END] = LIVE_NEED_WORKS,
      [RAW_MASKED_BEGIN] = LIVE_NEED_WORKS,
      [RAW_MASKED_END] = LIVE_NEED_WORKS,
      [RAW_SYNC_BEGIN] = LIVE_NEED_SYNC,
      [RAW_SYNC_END] = LIVE_NEED_SYNC,
      [RAW_BARRIER_BEGIN] = LIVE_NEED_SYNC,
      [RAW_BARRIER_END] = LIVE_NEED_SYNC,
      [RAW_WAIT_BEGIN] = LIVE_NEED_SYNC,
      [RAW_WAIT_END] = LIVE_NEED_SYNC,
      [RAW_REDUCTION_BEGIN] = LIVE_NEED_SYNC,
      [RAW_REDUCTION_END] = LIVE_NEED_SYNC,
      [RAW_TASK_CREATE] = LIVE_NEED_TASKS,
      [RAW_TASK_SWITCH] = LIVE_NEED_TASKS,
      [RAW_TASK_STATUS] = LIVE_NEED_TASKS,
      [RAW_MUTEX_ACQUIRE] = LIVE_NEED_LOCKS,
      [RAW_MUTEX_ACQUIRED] = LIVE_NEED_LOCKS,
      [RAW_MUTEX_RELEASED] = LIVE_NEED_LOCKS,
      [RAW_NEST_BEGIN] = LIVE_NEED_LOCKS,
      [RAW_USER_ENTER] = LIVE_NEED_USER,
      [RAW_USER_LEAVE] = LIVE_NEED_USER,
      [RAW_GC_BEGIN] = LIVE_NEED_GC,
      [RAW_GC_END] = LIVE_NEED_GC,
  };
  bool monitor = (detail & RAW_BLOCK_KIND) == RAW_BLOCK_ENTER || (detail & RAW_BLOCK_KIND) == RAW_BLOCK_WAIT;
  if (kind == RAW_BLOCK_BEGIN || kind == RAW_BLOCK_END)
    return monitor ? LIVE_NEED_MONITORS : LIVE_NEED_PARKS;
  return kind < COUNT_OF(groups) ? groups[kind] : 0;
}

uint32_t profile_group_of_row(enum raw_row row, unsigned number)
{
  static const uint16_t kinds[] = {
      [RAW_ROW_REGION] = RAW_PARALLEL_BEGIN,     [RAW_ROW_MEMBER] = RAW_IMPLICIT_BEGIN,
      [RAW_ROW_WORK] = RAW_WORK_BEGIN,           [RAW_ROW_SYNC] = RAW_SYNC_BEGIN,
      [RAW_ROW_SYNC_WAIT] = RAW_WAIT_BEGIN,      [RAW_ROW_ACQUIRE] = RAW_MUTEX_ACQUIRE,
      [RAW_ROW_HOLD] = RAW_MUTEX_ACQUIRE,        [RAW_ROW_TASK] = RAW_TASK_SWITCH,
      [RAW_ROW_MASKED] = RAW_MASKED_BEGIN,       [RAW_ROW_USER] = RAW_USER_ENTER,
      [RAW_ROW_REDUCTION] = RAW_REDUCTION_BEGIN, [RAW_ROW_BLOCK] = RAW_BLOCK_BEGIN,
  };
  return row < COUNT_OF(kinds) ? profile_group_of_record(kinds[row], number) : 0;
}
