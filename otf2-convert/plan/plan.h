/*
 * Plan of a conversion: the processes and threads of a trace directory, in their order in the archive, and their common
 * clock.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PLAN_H
#define HEDDLE_OTF2_CONVERT_PLAN_PLAN_H

#include "base/error.h"
#include "base/vector.h"
#include "otf2-convert/plan/process.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAN_LOCATIONS_MAX (1u << 20)
#define PLAN_PROCESSES_MAX 65535u /* keys of regions and locks have 16 bits for them */

/*
 * One clock for the archive, in nanoseconds: CLOCK_MONOTONIC if all processes ran on one machine since its last start,
 * else each machine's CLOCK_REALTIME. All processes of a machine share the map of its counter. The map is made from the
 * anchors of these processes and of the logs of `heddle record`.
 */

/* A machine, from one start to the next. */
struct plan_clock {
  const char *boot_id;                /* of its first process; NULL: unknown, so it has one process only */
  uint64_t realtime_ns, monotonic_ns; /* at one moment; 0: unknown */
  bool has_counter;                   /* processes recorded its counter */
  struct clock_map map;
};

struct plan_clocks {
  VECTOR(struct plan_clock) list;
  bool one; /* all processes are of one machine */
};

struct plan {
  int raw_fd; /* the directory raw/ */
  VECTOR(struct process) processes;
  string_list unborn; /* directories of processes that were killed before they recorded */
  uint32_t location_count;
  struct plan_clocks clocks;
};

/* Action if a process is still running. */
enum plan_live {
  PLAN_LIVE_REFUSE,  /* an error if it is known to run; if that is unknown, convert what is recorded */
  PLAN_LIVE_LEAVE,   /* leave the trace to the process that ends last */
  PLAN_LIVE_CONVERT, /* convert what it has recorded so far */
};

enum plan_result {
  PLAN_READY,
  PLAN_FAULT,  /* the error says what is wrong */
  PLAN_RUNS,   /* a process is running, which the error names */
  PLAN_NO_RAW, /* there is no raw trace */
  PLAN_LEFT    /* a process is running, and the trace is left to it */
};

/* Makes the plan of the directory `trace` (open as trace_fd; the name is for messages). Call plan_close() in any case.
 */
enum plan_result plan_open(struct plan *plan, int trace_fd, const char *trace, enum plan_live live,
                           struct error *error);
void plan_close(struct plan *plan);

/* True if a process that is not in the plan has begun to record. */
bool plan_has_newcomer(const struct plan *plan);

/*
 * Removes the converted raw trace: the process directories, and raw/ if it is empty then. All or nothing: a later
 * conversion of a part would replace the archive of the whole. So raw/ is renamed to `meanwhile` first, and a converter
 * that finds this name removes it.
 */
void plan_remove_raw(const struct plan *plan, int trace_fd, const char *meanwhile);

/* Returns CLOCK_REALTIME at an archive time, in ns. */
uint64_t plan_realtime(const struct plan *plan, uint64_t time);

/* Sets the clocks of all processes. The processes must not move afterwards. False: out of memory. */
bool plan_clock_choose(struct plan_clocks *clocks, struct process *processes, size_t count, int trace_fd);
void plan_clock_free(struct plan_clocks *clocks);

/* Returns the archive time of a machine's CLOCK_MONOTONIC, in ns. */
uint64_t plan_clock_time(const struct plan_clocks *clocks, size_t machine, uint64_t ns);
/* Returns CLOCK_REALTIME at an archive time, in ns; 0: unknown. */
uint64_t plan_clock_realtime(const struct plan_clocks *clocks, uint64_t time);

#endif
