/* Explicit tasks, as tasks and taskloops need them. All of the calling thread. */
#ifndef HEDDLE_FORTRAN_SHIM_GOMP_TASK_H
#define HEDDLE_FORTRAN_SHIM_GOMP_TASK_H

#include "fortran-shim/provider.h"
#include "fortran-shim/task_state.h"

/* A task's data up to so many bytes are put together on the stack before libgomp copies them. */
#define TASK_BLOCK_ON_STACK 1024

#pragma GCC visibility push(hidden)

/* OMPT's flags for those of GOMP_task. */
int task_flags(struct task *parent, unsigned flags, bool may_defer);
/* The task's turn and its end, after which it is gone; chunk: of a taskloop, else NULL. */
void task_run(struct task *task, void (*fn)(void *), void *argument, const ompt_dispatch_chunk_t *chunk);
/* The same for one that is not reported (omitted_task.h). */
void task_run_omitted(void (*fn)(void *), void *argument);
/* Whether anything can be cancelled in this process (OMP_CANCELLATION). */
bool cancellation_is_possible(void);
/* Whether libgomp refuses new tasks, because the region or the taskgroup is cancelled. */
bool task_is_refused(void);
/* The waiting at a taskgroup's end begins. */
void taskgroup_wait_begin(struct task *task, const void *code);

#pragma GCC visibility pop

#endif
