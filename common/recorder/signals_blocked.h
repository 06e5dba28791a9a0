/* Blocks signals and cancellation while a thread holds one of Heddle's locks. Keeps errno. */
#ifndef HEDDLE_COMMON_RECORDER_SIGNALS_BLOCKED_H
#define HEDDLE_COMMON_RECORDER_SIGNALS_BLOCKED_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>

/* How it was before. */
struct signals_blocked {
  int kept_errno, cancel;
  sigset_t signals;
};

static inline struct signals_blocked signals_block(void)
{
  struct signals_blocked blocked = {.kept_errno = errno};
  sigset_t all;
  sigfillset(&all);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &blocked.cancel);
  pthread_sigmask(SIG_SETMASK, &all, &blocked.signals);
  return blocked;
}

static inline void signals_unblock(const struct signals_blocked *blocked)
{
  pthread_sigmask(SIG_SETMASK, &blocked->signals, NULL);
  pthread_setcancelstate(blocked->cancel, NULL);
  errno = blocked->kept_errno;
}

#endif
