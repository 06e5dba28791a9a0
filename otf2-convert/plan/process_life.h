/*
 * Whether a process still records, so that its files are not removed. It may run on this machine, in another PID
 * namespace (a container), or on another machine with the same directory.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PROCESS_LIFE_H
#define HEDDLE_OTF2_CONVERT_PLAN_PROCESS_LIFE_H

#include "otf2-convert/plan/process_info.h"

enum process_life {
  LIFE_OVER,    /* it no longer records */
  LIFE_GOES_ON, /* it still records */
  LIFE_UNKNOWN, /* it may record on another machine */
};

/* Where the converter runs. */
struct here {
  char boot_id[64]; /* "": unknown, as pid_namespace 0 */
  uint64_t pid_namespace;
};
struct here here_now(void);

/* Whether the process ran, or runs, since this machine was started. */
bool process_same_boot(const struct process_info *info, const struct here *here);

/* directory: of the process. Leaves no lock. */
enum process_life process_life_of(const struct process_info *info, int directory, const struct here *here);

#endif
