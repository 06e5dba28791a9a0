/* Explicit tasks, as tasks and taskloops need them. All of the calling thread. */
#ifndef HEDDLE_FORTRAN_SHIM_GOMP_TASK_H
#define HEDDLE_FORTRAN_SHIM_GOMP_TASK_H

#include "fortran-shim/provider.h"

/* A task's data up to so many bytes are put together on the stack before libgomp copies them. */
#define TASK_BLOCK_ON_STACK 1024

#pragma GCC visibility push(hidden)

/*
 * A task that parent creates; the tool is not told yet. NULL: no memory. A task's memory is only ever used for tasks
 * again, so that who looks for a task that is gone finds another id.
 */
struct task *task_new(struct task *parent, int flags);
void task_free(struct task *task);
/* A fork's child begins: what threads of the parent's shared is left alone. */
void task_in_child(void);
/* The calling thread ends: what it has free is for others. */
void task_give_back_all(void);
/* OMPT's flags for those of GOMP_task. */
int task_flags(struct task *parent, unsigned flags, bool may_defer);
/* The task's turn and its end, after which it is gone; chunk: of a taskloop, else NULL. */
void task_run(struct task *task, void (*fn)(void *), void *argument, const ompt_dispatch_chunk_t *chunk);
/* Whether anything can be cancelled in this process (OMP_CANCELLATION). */
bool cancellation_is_possible(void);
/* Whether libgomp refuses new tasks, because the region or the taskgroup is cancelled. */
bool task_is_refused(void);
/* The waiting at a taskgroup's end begins. */
void taskgroup_wait_begin(struct task *task, const void *code);

#pragma GCC visibility pop

#endif
