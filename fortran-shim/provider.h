/*
 * OMPT provider: finds, starts and ends the tool, answers its inquiries, and reports threads to it.
 *
 * A wrapper begins with `if (!provider_is_on()) return gomp.<the function>(...)`.
 */
#ifndef HEDDLE_FORTRAN_SHIM_PROVIDER_H
#define HEDDLE_FORTRAN_SHIM_PROVIDER_H

#include "fortran-shim/runtime.h"
#include "fortran-shim/state.h"

#include <omp-tools.h>

#pragma GCC visibility push(hidden)

/* Finds libgomp and starts the tool, once a process. True: there is a tool. */
bool provider_start(void);
/* Ends the tool: no callback is called afterwards. At the tool's request, or at the end of the process. */
void provider_finalize(void);
/* Reports the begin of this thread to the tool. */
void thread_begin(ompt_thread_t type);
/* Reports the end of this thread: it ends, or it ends the process. */
void thread_end(void);

/* Reports the calling thread, and the task that it executes, if the tool does not know them yet. */
void provider_settle(void);

/* True if there is a tool. */
static inline bool provider_is_on(void)
{
  int state = atomic_load_explicit(&provider_state, memory_order_acquire);
  return __builtin_expect(state == PROVIDER_ON, 1) || (state == PROVIDER_UNKNOWN && provider_start());
}

/* Returns the calling thread's task; reports it first, if the tool does not know it yet. */
static inline struct task *current_task(void)
{
  if (__builtin_expect(!self.settled, 0))
    provider_settle();
  return self.task;
}

#pragma GCC visibility pop

#endif
