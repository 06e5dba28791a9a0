/* One process of the trace: what its file says, its raw trace, whether it has ended, and its clock. */
#ifndef HEDDLE_OTF2_CONVERT_PROCESS_H
#define HEDDLE_OTF2_CONVERT_PROCESS_H

#include "common/raw_reader.h"
#include "otf2-convert/process_info.h"
#include "otf2-convert/process_life.h"

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
  /* Ticks to archive time; ticks are kept where all processes share a clock. */
  bool keep_ticks;
  uint64_t ticks_zero, time_zero, multiplier; /* time = time_zero + (ticks - ticks_zero) * multiplier / 2^32 */
};

/* The archive time of a process' ticks. */
static inline uint64_t process_time(const struct process *process, uint64_t ticks)
{
  if (__builtin_expect(process->keep_ticks, 1))
    return ticks;
  __int128 delta = (__int128)((int64_t)(ticks - process->ticks_zero)) * (__int128)process->multiplier;
  __int128 time = (__int128)process->time_zero + (delta >> 32);
  return time < 0 ? 0 : time > INT64_MAX ? INT64_MAX : (uint64_t)time;
}

#endif
