/* Explicit tasks: what task and taskloop have in common. All functions are for the calling thread. */
#ifndef HEDDLE_FORTRAN_SHIM_GOMP_TASK_H
#define HEDDLE_FORTRAN_SHIM_GOMP_TASK_H

#include "fortran-shim/provider.h"
#include "fortran-shim/task_state.h"

/* Bytes of a task's data that are assembled on the stack before libgomp copies them; more are allocated. */
#define TASK_BLOCK_ON_STACK 1024

#pragma GCC visibility push(hidden)

/* Returns OMPT's flags for the flags of GOMP_task. */
int task_flags(struct task *parent, unsigned flags, bool may_defer);
/* Runs a task, reports it, and frees it. chunk: a taskloop's, otherwise NULL. */
void task_run(struct task *task, void (*fn)(void *), void *argument, const ompt_dispatch_chunk_t *chunk);
/* Runs an omitted task (omitted.h). */
void task_run_omitted(void (*fn)(void *), void *argument);
/* True if OMP_CANCELLATION is on. */
bool cancellation_is_possible(void);
/* True if libgomp refuses new tasks, because the region or the taskgroup is cancelled. */
bool task_is_refused(void);
/* Reports that the wait at a taskgroup's end begins. */
void taskgroup_wait_begin(struct task *task, const void *code);

#pragma GCC visibility pop

#endif
