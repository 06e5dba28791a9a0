/*
 * What is to be converted: the processes and threads of a trace directory, in their order in the archive, and their
 * common clock.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PLAN_H
#define HEDDLE_OTF2_CONVERT_PLAN_PLAN_H

#include "base/error.h"
#include "base/vector.h"
#include "otf2-convert/plan/plan_clock.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAN_LOCATIONS_MAX (1u << 20)
#define PLAN_PROCESSES_MAX 65535u /* keys of regions and locks have 16 bits for them */

struct plan {
  int raw_fd; /* the directory raw/ */
  VECTOR(struct process) processes;
  string_list unborn; /* directories of processes that were killed before they recorded */
  uint32_t location_count;
  struct plan_clocks clocks;
};

/* What to do about a process that is still running. */
enum plan_live {
  PLAN_LIVE_REFUSE,  /* an error if it is known to run; if that is unknown, convert what is recorded */
  PLAN_LIVE_LEAVE,   /* leave the trace to the process that ends last */
  PLAN_LIVE_CONVERT, /* convert what it has recorded so far */
};

enum plan_result {
  PLAN_READY,
  PLAN_FAULT,  /* the error says what is wrong */
  PLAN_NO_RAW, /* there is no raw trace */
  PLAN_LEFT    /* a process is running, and the trace is left to it */
};

/* Reads the plan of directory `trace` (open as trace_fd; the name is for messages). plan_close() in any case. */
enum plan_result plan_open(struct plan *plan, int trace_fd, const char *trace, enum plan_live live,
                           struct error *error);
void plan_close(struct plan *plan);

/* Whether a process has begun to record that is not in the plan. */
bool plan_has_newcomer(const struct plan *plan);

/*
 * Removes what was converted: the files of the process directories and these, then raw/ if nothing else is in it. All
 * or nothing: a later conversion of a part would replace the archive of the whole. So raw/ has the name `meanwhile`
 * during the removal, and a converter that finds this name removes it.
 */
void plan_remove_raw(const struct plan *plan, int trace_fd, const char *meanwhile);

/* CLOCK_REALTIME at an archive time, in ns. */
uint64_t plan_realtime(const struct plan *plan, uint64_t time);

#endif
