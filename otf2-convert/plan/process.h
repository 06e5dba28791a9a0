/* One process of the trace: what its file says, its raw trace, whether it has ended, and its clock. */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PROCESS_H
#define HEDDLE_OTF2_CONVERT_PLAN_PROCESS_H

#include "common/raw/raw_reader.h"
#include "otf2-convert/plan/clock_map.h"
#include "otf2-convert/plan/process_info.h"
#include "otf2-convert/plan/process_life.h"

struct process {
  uint32_t index;
  char *directory; /* its name in raw/ */
  struct process_info info;
  struct raw_dir raw;
  uint32_t first_location; /* number of its first thread in the archive */
  uint32_t counter_class;  /* ref of its metric class; of processes with counters alone (counters.h) */
  uint32_t machine;        /* node of the system tree, once described */
  bool same_boot;          /* recorded on this machine since it was started */
  enum process_life life;
  double frequency; /* of its ticks, a second; 0 unknown */
  /* Archive time, in ns: that of the map, or the ticks themselves, and the shift. */
  const struct clock_map *clock; /* of the machine's counter; NULL: ticks are ns */
  int64_t shift;
};

#define PROCESS_TICKS_A_SECOND 1000000000u /* of the archive */

/* The archive time of a moment of CLOCK_MONOTONIC, in ns. */
static inline uint64_t process_time_of_ns(const struct process *process, uint64_t ns)
{
  if (__builtin_expect(process->shift == 0, 1))
    return ns;
  __int128 time = (__int128)ns + process->shift;
  return time < 0 ? 0 : time > INT64_MAX ? INT64_MAX : (uint64_t)time;
}

/* The archive time of a process' ticks; the first one, where its counter went back. */
static inline uint64_t process_time(const struct process *process, uint64_t ticks)
{
  return process_time_of_ns(process, process->clock != NULL ? clock_map_time(process->clock, ticks) : ticks);
}

/* The same of a thread's record, which is not before `since`, an archive time, ... */
uint64_t process_time_after(const struct process *process, uint64_t ticks, uint64_t since);
/* ... and of what was before `until`, as a record of that time says. */
uint64_t process_time_before(const struct process *process, uint64_t ticks, uint64_t until);
/* How long ticks are from `ticks` on, in ns. */
uint64_t process_duration(const struct process *process, uint64_t from, uint64_t ticks);
/* The ticks at an archive time; all of a thread's records from there on have as many at least. UINT64_MAX: not known.
 */
uint64_t process_ticks(const struct process *process, uint64_t time);

#endif
