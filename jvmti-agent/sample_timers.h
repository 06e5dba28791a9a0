/*
 * Timers of threads' own processor time, one for each thread, which send the thread a signal. They are the kernel's
 * timers, without libc: nothing allocates, and a handler may end its thread's timer.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLE_TIMERS_H
#define HEDDLE_JVMTI_AGENT_SAMPLE_TIMERS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SAMPLE_TIMERS_MOST 16384u /* further threads have none */

struct sample_timer {
  atomic_int id;    /* the kernel's, + 1; 0: none */
  _Atomic pid_t of; /* the thread; 0: the timer is free */
  void *context;    /* the caller's; for the thread alone once the timer has begun */
};

/* Begins a timer for a thread of this process that has none; the shortest period is clock_kernel_tick_ns(). Returns 0
 * or an errno value. */
int sample_timers_begin(pid_t thread, int signal, uint64_t period_ns, void *context);
/* True if the thread has a timer. */
bool sample_timers_has(pid_t thread);
/* End the timer of a thread, if it has one; of all threads. Each thread may get another one afterwards. */
void sample_timers_end(pid_t thread);
void sample_timers_end_all(void);

/* In the handler: returns the calling thread's timer that sent the signal. NULL: a timer that has ended sent it, or
 * (*foreign) somebody else. */
struct sample_timer *sample_timers_of(const siginfo_t *info, bool *foreign);
/* In the handler: ends the timer. */
void sample_timers_drop(struct sample_timer *timer);

#endif
