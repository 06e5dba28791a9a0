/*
 * Whether a process whose raw trace is here still records, so that nobody takes its files away. It may run on this
 * machine, in another PID namespace (a container), or on another machine that has the same directory.
 */
#ifndef HEDDLE_OTF2_CONVERT_PROCESS_LIFE_H
#define HEDDLE_OTF2_CONVERT_PROCESS_LIFE_H

#include "otf2-convert/process_info.h"

enum process_life {
  LIFE_OVER,    /* it does not record any more */
  LIFE_GOES_ON, /* it still records */
  LIFE_UNKNOWN, /* nobody here can tell: it may record on another machine */
};

/* Where the converter runs. */
struct here {
  char boot_id[64]; /* "" not known, as pid_namespace 0 */
  uint64_t pid_namespace;
};
struct here here_now(void);

/* Whether the process ran, or runs, since this machine was started. */
bool process_same_boot(const struct process_info *info, const struct here *here);

/* directory: of the process. Locks nothing in the end. */
enum process_life process_life_of(const struct process_info *info, int directory, const struct here *here);

#endif
