/* What a tool may ask the provider: the entry points of OMPT. */
#ifndef HEDDLE_FORTRAN_SHIM_PROVIDER_H
#define HEDDLE_FORTRAN_SHIM_PROVIDER_H

#include "fortran-shim/runtime.h"
#include "fortran-shim/state.h"

#include <omp-tools.h>

/* For the lookup function that a tool's initialize gets; NULL: it is none of these. */
__attribute__((visibility("hidden"))) ompt_interface_fn_t inquiry_lookup(const char *name);

/*
 * Whether a tool listens, and the threads that are reported to it.
 *
 * A wrapper begins with `if (!provider_is_on()) return gomp.<the function>(...)`.
 */

#pragma GCC visibility push(hidden)

/* Finds libgomp and the tool; once a process. */
bool provider_start(void);
/* At the tool's request or the end of the process: no callback is called from now on. */
void provider_finalize(void);
/* Reports the begin of this thread to the tool. */
void thread_begin(ompt_thread_t type);
/* The thread ends, or the process does and this is the thread that ends it. */
void thread_end(void);

/* The calling thread's program calls something, and the tool does not know the thread, or the task that it executes. */
void provider_settle(void);

/* Whether there is a tool, for a wrapper that leaves no trace in the thread. */
static inline bool provider_is_on(void)
{
  int state = atomic_load_explicit(&provider_state, memory_order_acquire);
  return __builtin_expect(state == PROVIDER_ON, 1) || (state == PROVIDER_UNKNOWN && provider_start());
}

/* The calling thread's task. A thread that the tool does not know yet is one that the program made. */
static inline struct task *current_task(void)
{
  if (__builtin_expect(!self.settled, 0))
    provider_settle();
  return self.task;
}

#pragma GCC visibility pop

#endif
