/* What the kernel tells of a process' threads to anybody: /proc/PID/task. */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_TASKS_H
#define HEDDLE_ANALYZER_LIVE_READINGS_TASKS_H

#include <stdbool.h>
#include <stdint.h>

struct live_task {
  bool known;         /* the rest is */
  uint64_t on_ns;     /* on a processor, since the thread began */
  uint64_t queued_ns; /* able to run, without a processor */
  char state;         /* as ps prints it: R, S, D, ... */
};

/* Asks for one thread. */
struct live_task live_task_read(uint64_t pid, uint64_t tid);

/* What came between two looks at a thread; unknown if either is. own_ns of its time in a queue are due to the observer:
 * it would have been on a processor. */
struct live_task live_task_between(struct live_task from, struct live_task to, uint64_t own_ns);

/* Nanoseconds that all threads of a process have been on processors. False: there is no such process. */
bool live_process_time(uint64_t pid, uint64_t *ns);

#endif
