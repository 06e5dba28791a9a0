/* Where explicit tasks live. */
#ifndef HEDDLE_FORTRAN_SHIM_TASK_MEMORY_H
#define HEDDLE_FORTRAN_SHIM_TASK_MEMORY_H

#include "fortran-shim/state.h"

#pragma GCC visibility push(hidden)

/*
 * A task that parent creates; the tool is not told yet. NULL: no memory. A task's memory is only ever used for tasks
 * again, so that who looks for a task that is gone finds another id.
 */
struct task *task_new(struct task *parent, int flags);
void task_free(struct task *task);
/* A fork's child begins: what threads of the parent's shared is left alone. */
void task_memory_in_child(void);
/* The calling thread ends: what it has free is for others. */
void task_memory_give_back(void);

#pragma GCC visibility pop

#endif
