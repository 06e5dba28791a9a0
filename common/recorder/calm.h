/* What a thread does with a lock of ours must not be interrupted: neither by signals nor by cancellation. Keeps errno.
 */
#ifndef HEDDLE_COMMON_RECORDER_CALM_H
#define HEDDLE_COMMON_RECORDER_CALM_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>

/* How it was before. */
struct calm {
  int kept_errno, cancel;
  sigset_t signals;
};

static inline struct calm calm_begin(void)
{
  struct calm calm = {.kept_errno = errno};
  sigset_t all;
  sigfillset(&all);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &calm.cancel);
  pthread_sigmask(SIG_SETMASK, &all, &calm.signals);
  return calm;
}

static inline void calm_end(const struct calm *calm)
{
  pthread_sigmask(SIG_SETMASK, &calm->signals, NULL);
  pthread_setcancelstate(calm->cancel, NULL);
  errno = calm->kept_errno;
}

#endif
