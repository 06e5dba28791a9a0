#include "common/recorder/interruption.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* The kernel's frame of a signal, from where it saves the segments: they stand behind rsp, rip and flags. */
#define SEGMENTS    0x002b000000000033u
#define AT_RSP      (-3)
#define AT_BLOCKED  14     /* the signals that were blocked */
#define AT_NUMBER   15     /* the signal's number, 32 bits */
#define FRAME_REACH 32768u /* a frame begins below what we use of the stack */

/* True if a signal is blocked now that was not before: the handler's own, by default. The frame has its number only for
 * some handlers. */
static bool is_handled_now(uint64_t before)
{
  uint64_t now = 0;
  return syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, sizeof now) == 0 && (now & ~before) != 0;
}

/*
 * Looks for a signal's frame between two places of a stack, of a signal that came when the stack pointer was not above
 * `busy`. What a handler that was left by a jump had there may still be there, in a variable that was never set.
 */
__attribute__((no_sanitize("address", "thread", "undefined"))) static enum interruption find_frame(uintptr_t here,
                                                                                                   uintptr_t busy)
{
#if defined(__x86_64__)
  enum interruption found = INTERRUPTION_NONE;
  const uint64_t *at = (const uint64_t *)((busy - here < FRAME_REACH ? here : busy - FRAME_REACH) & ~(uintptr_t)7);
  for (at -= AT_RSP; (uintptr_t)at < busy; at++) {
    if (*at != SEGMENTS || at[AT_RSP] > busy || at[AT_RSP] <= (uintptr_t)at)
      continue;
    found = INTERRUPTION_DOUBTFUL;
    if ((uintptr_t)(at + AT_BLOCKED) < busy && is_handled_now(at[AT_BLOCKED]))
      return INTERRUPTION_LIKELY;
  }
  return found;
#else
  return here < busy ? INTERRUPTION_DOUBTFUL : INTERRUPTION_NONE;
#endif
}

enum interruption interruption_between(uintptr_t here, uintptr_t busy)
{
  stack_t alternate;
  if (sigaltstack(NULL, &alternate) == 0 && !(alternate.ss_flags & SS_DISABLE)) {
    uintptr_t begin = (uintptr_t)alternate.ss_sp, end = begin + alternate.ss_size;
    bool here_on_it = here >= begin && here < end, busy_on_it = busy >= begin && busy < end;
    if (here_on_it != busy_on_it)
      return here_on_it ? INTERRUPTION_LIKELY : INTERRUPTION_NONE;
  }
  if (here >= busy)
    return INTERRUPTION_NONE;
  return __tsan_init ? INTERRUPTION_DOUBTFUL : find_frame(here, busy);
}
