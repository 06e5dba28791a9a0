/* Numbers for what a process makes. */
#ifndef HEDDLE_FORTRAN_SHIM_TASK_STATE_H
#define HEDDLE_FORTRAN_SHIM_TASK_STATE_H

#include "fortran-shim/gomp_abi.h"
#include "fortran-shim/state.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A number that no one else in the process gets. Any thread. */
uint64_t unique_id(void);

#pragma GCC visibility pop

/* Where explicit tasks live. */

#pragma GCC visibility push(hidden)

/*
 * A task that parent creates; it is not reported yet. NULL: out of memory. A task's memory is reused for tasks only, so
 * a search for a task that has ended finds another id.
 */
struct task *task_new(struct task *parent, int flags);
void task_free(struct task *task);
/* A fork's child begins: memory that the parent's threads shared is left alone. */
void task_memory_in_child(void);
/* The calling thread ends: other threads get its free memory. */
void task_memory_give_back(void);

#pragma GCC visibility pop

/* The work-sharing construct that a task is in, and the iterations of loops. */

#pragma GCC visibility push(hidden)

/* Iterations of a loop. Of an unsigned loop that counts down, the step is negative in two's complement. */
uint64_t loop_count(long start, long end, long step);
uint64_t loop_count_ull(bool up, gomp_ull start, gomp_ull end, gomp_ull step);
/* The kind of a loop's schedule; the runtime's own if the program leaves it to the environment. */
ompt_work_t loop_kind(long schedule);
/* Begins a construct, and ends an open one whose end the compiler does not report. */
void work_begin(struct task *task, ompt_work_t kind, uint64_t count, int64_t step, bool open_ended, const void *code);
void work_end(struct task *task, const void *code);
/* Ends a construct whose end the compiler does not report: the task encountered something that can't be inside it. */
static inline void work_end_open_ended(struct task *task, const void *code)
{
  if (__builtin_expect(task->work.open_ended, 0))
    work_end(task, code);
}

#pragma GCC visibility pop

/* The calling thread's part in a parallel region. */

#pragma GCC visibility push(hidden)

/* Begins in `task`, with the work-sharing construct that begins with the region, if one does. */
void implicit_task_begin(struct task *task, struct team *team, unsigned index);
/* The thread arrives at the barrier at the region's end, which a team of one does not have. */
void implicit_task_arrive(struct task *task);
/* waited: after that barrier. */
void implicit_task_end(struct task *task, bool waited);
/* A worker calls in again: the region in whose last barrier it was has ended. */
void implicit_task_leave_region(void);

#pragma GCC visibility pop

#endif
