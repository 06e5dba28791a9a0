/*
 * One clock for the archive, in nanoseconds: CLOCK_MONOTONIC where all processes ran on one machine since it was
 * started, else CLOCK_REALTIME, as each machine had it. The counter of a machine has one map for all of its processes,
 * from the anchors of all of them and of the logs of `heddle record`.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PLAN_CLOCK_H
#define HEDDLE_OTF2_CONVERT_PLAN_PLAN_CLOCK_H

#include "otf2-convert/plan/process.h"

/* A machine since one start. */
struct plan_clock {
  const char *boot_id;                /* of its first process; NULL: unknown, so it has one process alone */
  uint64_t realtime_ns, monotonic_ns; /* of one moment; 0: unknown */
  bool has_counter;                   /* processes recorded its counter */
  struct clock_map map;
};

struct plan_clocks {
  VECTOR(struct plan_clock) list;
  bool one; /* all processes are of one machine */
};

/* Fills the clock members of all processes, which stay where they are. False: memory is short. */
bool plan_clock_choose(struct plan_clocks *clocks, struct process *processes, size_t count, int trace_fd);
void plan_clock_free(struct plan_clocks *clocks);

/* The archive time of a moment of a machine's CLOCK_MONOTONIC, in ns. */
uint64_t plan_clock_time(const struct plan_clocks *clocks, size_t machine, uint64_t ns);
/* CLOCK_REALTIME at an archive time, in ns; 0: it has no such time. */
uint64_t plan_clock_realtime(const struct plan_clocks *clocks, uint64_t time);

#endif
