#include "common/process/file_limit.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

bool file_limit_allows(uint64_t size)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

void file_limit_guard_begin(struct file_limit_guard *guard)
{
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &one, &guard->before);
  guard->was_pending =
      sigismember(&guard->before, SIGXFSZ) && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
}

void file_limit_guard_end(const struct file_limit_guard *guard, bool exceeded)
{
  int kept = errno;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  if (exceeded && !guard->was_pending)
    sigtimedwait(&one, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
  errno = kept;
}
