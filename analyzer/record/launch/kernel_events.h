/*
 * Context switches of a program's threads, as the kernel reports them (perf events): when each thread had a processor,
 * and which one. If requested, also samples of their code. They are read in this process by a thread of its own;
 * nothing runs in the program.
 *
 * The calls are for one thread.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_EVENTS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_EVENTS_H

#include "analyzer/record/launch/kernel_samples.h"

#include <sys/types.h>

struct kernel_events;

#define KERNEL_EVENTS_PAGES  128u  /* of a processor's buffer: as much as users may lock by default */
#define KERNEL_SAMPLES_PAGES 1024u /* the same with samples, as far as a user may lock so much */

struct kernel_wants {
  unsigned pages;                   /* size of each processor's buffer, at most; a power of two */
  struct kernel_sampling *sampling; /* NULL: no samples. Triggers that the kernel refuses are marked, and not
                                     * recorded */
  bool alone; /* samples and no switches, for observers, too. If the kernel refuses all triggers, nothing begins */
};

/*
 * Begins to record the switches of a process that has not executed its program yet, and of all its descendants. The new
 * log (common/raw/kernel_log.h) is below `trace`, the descriptor of the trace's directory. NULL: not possible, errno
 * says why; EACCES and EPERM: the machine does not allow it.
 */
struct kernel_events *kernel_events_begin(int trace, pid_t pid, const struct kernel_wants *wants);

/*
 * The same for a process that runs already: for its threads, and for all their descendants. NULL: not possible, also
 * because it has more threads than this process may open files for.
 */
struct kernel_events *kernel_events_join(int trace, pid_t pid, const struct kernel_wants *wants);

/* 0: the kernel lets this user record switches; else the errno value with which it refuses. */
int kernel_events_refusal(void);

/* Takes what is still in the buffers, and ends. Returns 0 or the errno value with which writing the log failed.
 * *lost: what the log had no room for. */
int kernel_events_end(struct kernel_events *events, uint64_t *lost);

#endif
