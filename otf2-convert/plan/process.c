#include "otf2-convert/plan/process.h"

/* The shift is taken out before the map is asked, and added behind it. */
static uint64_t ns_of(const struct process *process, uint64_t time)
{
  __int128 ns = (__int128)time - process->shift;
  return ns < 0 ? 0 : ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

static bool is_broken(const struct process *process)
{
  return process->clock != NULL && clock_map_is_broken(process->clock);
}

uint64_t process_time_after(const struct process *process, uint64_t ticks, uint64_t since)
{
  if (!is_broken(process))
    return process_time(process, ticks);
  return process_time_of_ns(process, clock_map_time_after(process->clock, ticks, ns_of(process, since)));
}

uint64_t process_time_before(const struct process *process, uint64_t ticks, uint64_t until)
{
  if (!is_broken(process))
    return process_time(process, ticks);
  return process_time_of_ns(process, clock_map_time_before(process->clock, ticks, ns_of(process, until)));
}

uint64_t process_duration(const struct process *process, uint64_t from, uint64_t ticks)
{
  if (process->clock == NULL)
    return ticks;
  if (is_broken(process)) {
    double ns = (double)ticks / process->clock->rate;
    return ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
  }
  return process_time(process, from + ticks) - process_time(process, from);
}

uint64_t process_ticks(const struct process *process, uint64_t time)
{
  if (time == UINT64_MAX || is_broken(process))
    return UINT64_MAX;
  uint64_t ns = ns_of(process, time);
  return process->clock == NULL ? ns : clock_map_ticks(process->clock, ns);
}
