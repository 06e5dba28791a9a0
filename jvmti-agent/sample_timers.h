/*
 * A timer a thread, of the thread's own processor time, that sends the thread a signal. The kernel's timers are used as
 * they are: nothing allocates, and ending one's own timer is allowed in the handler.
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
  _Atomic pid_t of; /* the thread; 0: the timer is nobody's */
  void *context;    /* the caller's; of the thread's own once it has begun */
};

/* Begins the timer of a thread of this process, which has none: no period is shorter than clock_kernel_tick_ns(). 0, or
 * an errno value. */
int sample_timers_begin(pid_t thread, int signal, uint64_t period_ns, void *context);
/* The thread has one. */
bool sample_timers_has(pid_t thread);
/* Ends it, if the thread has one; all: each thread may have another one afterwards. */
void sample_timers_end(pid_t thread);
void sample_timers_end_all(void);

/* In the handler: the timer of the calling thread that the signal is of. NULL: it is of none of ours, or of one that
 * has ended; *foreign says which. */
struct sample_timer *sample_timers_of(const siginfo_t *info, bool *foreign);
/* In the handler: ends it. */
void sample_timers_drop(struct sample_timer *timer);

#endif
