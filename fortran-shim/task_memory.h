/* Where explicit tasks live. */
#ifndef HEDDLE_FORTRAN_SHIM_TASK_MEMORY_H
#define HEDDLE_FORTRAN_SHIM_TASK_MEMORY_H

#include "fortran-shim/state.h"

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

#endif
