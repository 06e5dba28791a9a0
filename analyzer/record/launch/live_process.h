/* Raw directory of a running process, found from outside: the process has its files mapped. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_PROCESS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_LIVE_PROCESS_H

#include "base/error.h"

#include <stdbool.h>

struct live_process {
  long pid;
  char *trace;     /* the trace directory */
  char *directory; /* raw/<host>.<pid>.<start> below it, whole path */
};

/*
 * Finds the raw directory of a process that records; pid: as the user wrote it. The paths may lead through
 * /proc/PID/root, where the process has another root. False: error says why: no such process, another user's, or one
 * that does not record. After success the caller calls live_process_free.
 */
bool live_process_find(const char *pid, struct live_process *process, struct error *error);
void live_process_free(struct live_process *process);

#endif
