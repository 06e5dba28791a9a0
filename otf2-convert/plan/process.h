/* Process of the trace: its process file, raw trace, life, name and clock. */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PROCESS_H
#define HEDDLE_OTF2_CONVERT_PLAN_PROCESS_H

#include "common/raw/raw_reader.h"
#include "otf2-convert/plan/clock_map.h"
#include "otf2-convert/plan/process_info.h"

/*
 * Life of a process: the files of a process that still records are not removed. It may run on this machine, in another
 * PID namespace (a container), or on another machine with the same directory.
 */
enum process_life {
  LIFE_OVER,    /* it no longer records */
  LIFE_GOES_ON, /* it still records */
  LIFE_UNKNOWN, /* it may record on another machine */
};

/* The machine and namespace of the converter. */
struct here {
  char boot_id[64]; /* "": unknown, as pid_namespace 0 */
  uint64_t pid_namespace;
};
struct here here_now(void);

/* True if the process ran on this machine since its last start. */
bool process_same_boot(const struct process_info *info, const struct here *here);

/* directory: the process' own. Leaves no lock. */
enum process_life process_life_of(const struct process_info *info, int directory, const struct here *here);

struct process {
  uint32_t index;
  char *directory; /* its name in raw/ */
  struct process_info info;
  struct raw_dir raw;
  uint32_t first_location; /* number of its first thread in the archive */
  uint32_t counter_class;  /* ref of its metric class, if it has counters (counters.h) */
  uint32_t machine;        /* node of the system tree; set by describe_archive() */
  bool same_boot;          /* recorded on this machine since it was started */
  enum process_life life;
  double frequency; /* ticks per second; 0: unknown */
  /* Archive time, in ns: the map's time of the ticks, or the ticks themselves, plus the shift. */
  const struct clock_map *clock; /* of the machine's counter; NULL: ticks are ns */
  int64_t shift;
};

#define PROCESS_TICKS_A_SECOND 1000000000u /* of the archive */

/* Returns the archive time of a CLOCK_MONOTONIC time, in ns. */
static inline uint64_t process_time_of_ns(const struct process *process, uint64_t ns)
{
  if (__builtin_expect(process->shift == 0, 1))
    return ns;
  __int128 time = (__int128)ns + process->shift;
  return time < 0 ? 0 : time > INT64_MAX ? INT64_MAX : (uint64_t)time;
}

/* Returns the archive time of a process' ticks; the first one if its counter went back. */
static inline uint64_t process_time(const struct process *process, uint64_t ticks)
{
  return process_time_of_ns(process, process->clock != NULL ? clock_map_time(process->clock, ticks) : ticks);
}

/* The same for a thread's record that is not before `since`, an archive time. */
uint64_t process_time_after(const struct process *process, uint64_t ticks, uint64_t since);
/* The same for a moment before `until`, an archive time. */
uint64_t process_time_before(const struct process *process, uint64_t ticks, uint64_t until);
/* Returns the duration of `ticks` ticks that begin at `from`, in ns. */
uint64_t process_duration(const struct process *process, uint64_t from, uint64_t ticks);
/* Returns the ticks at an archive time: a thread's later records have at least as many. UINT64_MAX: unknown. */
uint64_t process_ticks(const struct process *process, uint64_t time);

/*
 * Returns the name of a process in the archive: the executable without its folder. For java it is the main class
 * (com.acme.App), or the .jar or .java file of the command line. NULL: unknown. A part of the info's own strings.
 */
const char *process_name(const struct process_info *info);

/* The rank in its job, by the launcher's variables; PROCESS_NO_RANK: a launcher did not start it. */
uint64_t process_rank(const struct process_info *info);
#define PROCESS_NO_RANK UINT64_MAX

#endif
