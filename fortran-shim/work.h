/* The work-sharing construct that a task is in, and the iterations of loops. */
#ifndef HEDDLE_FORTRAN_SHIM_WORK_H
#define HEDDLE_FORTRAN_SHIM_WORK_H

#include "fortran-shim/gomp_abi.h"
#include "fortran-shim/state.h"

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

#endif
