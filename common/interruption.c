#include "common/interruption.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define UNKNOWN (-1)

/* A jump may leave the functions below anywhere: what the program has set is known from before it changes until it is
 * set again. */
static __thread struct {
  unsigned held;
  int state, type; /* held: the program's */
} own __attribute__((tls_model("initial-exec")));

void interruption_hold(void)
{
  if (own.held++)
    return;
  own.state = own.type = UNKNOWN;
  atomic_signal_fence(memory_order_seq_cst);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &own.state);
  /* A thread that is cancelled asynchronously as its state changes would end without PTHREAD_CANCELED. */
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &own.type);
}

static void restore(void)
{
  if (own.state != UNKNOWN)
    pthread_setcancelstate(own.state, NULL);
  int type = own.type;
  own.held = 0;
  atomic_signal_fence(memory_order_seq_cst);
  if (type != UNKNOWN && type != PTHREAD_CANCEL_DEFERRED)
    pthread_setcanceltype(type, NULL); /* the thread may end here */
}

void interruption_release(void)
{
  if (own.held > 1)
    own.held--;
  else if (own.held == 1)
    restore();
}

void interruption_forget(void)
{
  if (own.held)
    restore();
}

/* ThreadSanitizer's run time, where the program has it: it calls handlers itself, later, in system calls of ours, too.
 */
extern void __tsan_init(void) __attribute__((weak));

/*
 * Whether a signal's frame lies between two places of a stack, of a signal that came when the stack pointer was not
 * above `busy`. What a handler that was left by a jump had there may still be there, in a variable that was never set:
 * then the answer is yes, too.
 */
__attribute__((no_sanitize("address", "thread", "undefined"))) static bool has_signal_frame(uintptr_t here,
                                                                                            uintptr_t busy)
{
#if defined(__x86_64__)
  /* The kernel saves rsp, rip, flags, and these segments in a row. The frame begins below what we use of the stack. */
  const uint64_t segments = 0x002b000000000033, reach = 32768;
  const uint64_t *at = (const uint64_t *)((busy - here < reach ? here : busy - reach) & ~(uintptr_t)7);
  for (at += 3; (uintptr_t)at < busy; at++)
    if (*at == segments && at[-3] <= busy && at[-3] > (uintptr_t)at)
      return true;
  return false;
#else
  return here < busy;
#endif
}

bool interruption_is_below(uintptr_t here, uintptr_t busy)
{
  stack_t alternate;
  if (sigaltstack(NULL, &alternate) == 0 && !(alternate.ss_flags & SS_DISABLE)) {
    uintptr_t begin = (uintptr_t)alternate.ss_sp, end = begin + alternate.ss_size;
    bool here_on_it = here >= begin && here < end, busy_on_it = busy >= begin && busy < end;
    if (here_on_it != busy_on_it)
      return here_on_it;
  }
  return here < busy && (__tsan_init || has_signal_frame(here, busy));
}
