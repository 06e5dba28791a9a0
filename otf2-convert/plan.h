/*
 * What is to be converted: the processes and threads of a trace directory, in the order they get in the archive, and
 * the clock that all of them are put on.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_H
#define HEDDLE_OTF2_CONVERT_PLAN_H

#include "common/raw_reader.h"
#include "otf2-convert/process_info.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAN_LOCATIONS_MAX (1u << 20)
#define PLAN_PROCESSES_MAX 65535u /* keys of regions and locks have 16 bits for them */

enum process_life {
  LIFE_OVER,    /* it does not record any more */
  LIFE_GOES_ON, /* it still records */
  LIFE_UNKNOWN, /* nobody here can tell: it may record on another machine */
};

struct process {
  uint32_t index;
  char *directory; /* its name in raw/ */
  struct process_info info;
  struct raw_dir raw;
  uint32_t first_location; /* number of its first thread in the archive */
  uint32_t machine;        /* node of the system tree, once described */
  bool same_boot;          /* recorded on this machine since it was started */
  enum process_life life;
  double frequency; /* of its ticks, a second; 0 unknown */
  /* Ticks to archive time; ticks are kept where all processes share a clock. */
  bool keep_ticks;
  uint64_t ticks_zero, time_zero, multiplier; /* time = time_zero + (ticks - ticks_zero) * multiplier / 2^32 */
};

struct plan {
  int raw_fd; /* the directory raw/ */
  struct process *processes;
  string_list unborn; /* directories of processes that were killed before they recorded */
  uint32_t process_count;
  uint32_t location_count;
  uint64_t resolution; /* archive ticks a second */
};

/* What to do about a process that is still running. */
enum plan_live {
  PLAN_LIVE_REFUSE,  /* that is an error; where nobody can tell, what has been recorded is converted */
  PLAN_LIVE_LEAVE,   /* leave the trace to the one that ends last */
  PLAN_LIVE_CONVERT, /* convert what it has recorded so far */
};

enum plan_result {
  PLAN_READY,
  PLAN_FAULT,  /* what is wrong was said on stderr */
  PLAN_NO_RAW, /* there is no raw trace */
  PLAN_LEFT    /* a process is running, and the trace is left to it */
};

/* Reads the plan of directory `trace` (open as trace_fd; the name is for messages). */
enum plan_result plan_open(struct plan *plan, int trace_fd, const char *trace, enum plan_live live);
void plan_close(struct plan *plan);

/* Whether a process has begun to record that is not in the plan. */
bool plan_has_newcomer(const struct plan *plan);

/*
 * Removes what was converted: the files of the process directories and these, then raw/ if nothing else is in it. All
 * or nothing: a later conversion of a part would replace the archive of the whole. So raw/ has another name meanwhile,
 * and whoever finds that knows that it can go.
 */
void plan_remove_raw(const struct plan *plan, int trace_fd, const char *meanwhile);

/* CLOCK_REALTIME at an archive time, in ns. */
uint64_t plan_realtime(const struct plan *plan, uint64_t time);

static inline uint64_t process_time(const struct process *process, uint64_t ticks)
{
  if (__builtin_expect(process->keep_ticks, 1))
    return ticks;
  __int128 delta = (__int128)((int64_t)(ticks - process->ticks_zero)) * (__int128)process->multiplier;
  __int128 time = (__int128)process->time_zero + (delta >> 32);
  return time < 0 ? 0 : time > INT64_MAX ? INT64_MAX : (uint64_t)time;
}

#endif
