/*
 * State of tasks: their numbers and memory, the worksharing construct that a task is in, and implicit tasks. For the
 * calling thread, unless stated otherwise.
 */
#ifndef HEDDLE_FORTRAN_SHIM_TASK_STATE_H
#define HEDDLE_FORTRAN_SHIM_TASK_STATE_H

#include "fortran-shim/gomp_abi.h"
#include "fortran-shim/state.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Returns a number that is unique in the process. Any thread. */
uint64_t unique_id(void);

/*
 * Makes an explicit task, which is not reported yet. NULL: out of memory. Memory of tasks is reused for tasks only, so
 * that a search for a task that has ended finds another id.
 */
struct task *task_new(struct task *parent, int flags);
void task_free(struct task *task);
/* A child of fork begins: it does not use the memory that the parent's threads shared. */
void task_memory_in_child(void);
/* Gives the free memory of the calling thread, which ends, to other threads. */
void task_memory_give_back(void);

/* Return the number of a loop's iterations. An unsigned loop that counts down has a step in two's complement. */
uint64_t loop_count(long start, long end, long step);
uint64_t loop_count_ull(bool up, gomp_ull start, gomp_ull end, gomp_ull step);
/* Returns the kind of a loop's schedule; the runtime's own for schedule(runtime). */
ompt_work_t loop_kind(long schedule);
/* Begins a worksharing construct. Ends an open one before, if the compiler does not report its end. */
void work_begin(struct task *task, ompt_work_t kind, uint64_t count, int64_t step, bool open_ended, const void *code);
void work_end(struct task *task, const void *code);
/* Ends a construct whose end the compiler does not report: the task encountered something that cannot be inside. */
static inline void work_end_open_ended(struct task *task, const void *code)
{
  if (__builtin_expect(task->work.open_ended, 0))
    work_end(task, code);
}
/* Begins a single construct. mine: the thread executes it. */
void single_begin(struct task *task, bool mine, const void *code);
/* Begins and ends a masked region. Without a begin there is no end. */
void masked_begin(struct task *task, const void *code);
void masked_end(struct task *task, const void *code);

/* Begins an implicit task, and the worksharing construct that begins with the region, if there is one. */
void implicit_task_begin(struct task *task, struct team *team, unsigned index);
/* The thread arrives at the barrier at the region's end. A team of one has no such barrier. */
void implicit_task_arrive(struct task *task);
/* Ends an implicit task. waited: after that barrier. */
void implicit_task_end(struct task *task, bool waited);
/* Reports that a worker has left the last barrier of its region. The next call of the worker shows that. */
void implicit_task_leave_region(void);

#pragma GCC visibility pop

#endif
