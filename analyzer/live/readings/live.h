/*
 * A process that records, watched from outside. It is not stopped and does not notice. heddle-convert reads its files
 * and writes lines, see docs/live.md. Also the kernel's figures of its threads. One thread at a time.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_LIVE_H
#define HEDDLE_ANALYZER_LIVE_READINGS_LIVE_H

#include "analyzer/live/readings/reading.h"

#include <stdbool.h>
#include <stdint.h>

/* The kernel's figures of a thread, /proc/PID/task, which anybody may read. */
struct live_task {
  bool known;         /* false: the members below are unknown */
  uint64_t on_ns;     /* on a processor, since the thread began */
  uint64_t queued_ns; /* able to run, without a processor */
  char state;         /* as ps prints it: R, S, D, ... */
};

/* Reads the figures of a thread. */
struct live_task live_task_read(uint64_t pid, uint64_t tid);

/* The difference of two figures of a thread; unknown if one is. The observer caused own_ns of its time in a queue: they
 * count as time on a processor. */
struct live_task live_task_between(struct live_task from, struct live_task to, uint64_t own_ns);

/* Processor time of all threads of a process, ns. False: there is no such process. */
bool live_process_time(uint64_t pid, uint64_t *ns);

struct live;

/* Begins to watch the process with this raw directory (launch/live_process.h). NULL: an error. */
struct live *live_open(const char *directory, struct error *error);
void live_close(struct live *live);

uint64_t live_pid(const struct live *live);
/* The program's name. */
const char *live_name(const struct live *live);

/* The codes of all regions of the readings so far. Valid until the next reading. */
const struct live_code *live_codes(const struct live *live, size_t *count);

/* Restricts later readings to a focus; NULL: all. The caller keeps it while `live` is open. */
void live_focus_on(struct live *live, const struct profile_focus *focus);

/* Later readings also have sums by number in a team. */
void live_keep_apart(struct live *live);

/* Reads. False: an error. After success, and only then, the caller frees the reading; before live_close(). */
bool live_read(struct live *live, struct live_reading *reading, struct error *error);

#endif
