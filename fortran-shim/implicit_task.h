/* The calling thread's part in a parallel region. */
#ifndef HEDDLE_FORTRAN_SHIM_IMPLICIT_TASK_H
#define HEDDLE_FORTRAN_SHIM_IMPLICIT_TASK_H

#include "fortran-shim/state.h"

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
