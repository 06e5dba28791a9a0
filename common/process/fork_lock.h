/*
 * Lock for rare operations in programs that may fork at any time. A child of _Fork or a raw clone runs no handlers of
 * fork. So a lock of another thread of the parent would be held for ever. A waiter checks if the holder still exists,
 * and otherwise takes the lock over. The guarded data must allow this.
 *
 * Any thread may call these functions, also in a signal handler. All zero is a free lock.
 */
#ifndef HEDDLE_COMMON_PROCESS_FORK_LOCK_H
#define HEDDLE_COMMON_PROCESS_FORK_LOCK_H

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fork_lock {
  _Atomic int holder; /* the thread's number in the kernel; 0: nobody */
};

enum { FORK_LOCK_TURNS = 100 }; /* an existing holder is done within a few */

static inline bool fork_lock_is_held_by_nobody_here(int holder)
{
  int kept = errno;
  bool gone = syscall(SYS_tgkill, getpid(), holder, 0) != 0 && errno == ESRCH;
  errno = kept;
  return gone;
}

/* False: this thread holds it already; a signal handler has interrupted it. */
static inline bool fork_lock_take(struct fork_lock *lock)
{
  int me = (int)syscall(SYS_gettid), holder = 0;
  for (unsigned turn = 1; !atomic_compare_exchange_strong(&lock->holder, &holder, me); turn++) {
    if (holder == me)
      return false;
    if (turn % FORK_LOCK_TURNS != 0 || !fork_lock_is_held_by_nobody_here(holder)) {
      holder = 0;
      sched_yield();
    } /* else it is taken over from the holder that no longer exists */
  }
  return true;
}

static inline void fork_lock_give_back(struct fork_lock *lock)
{
  atomic_store(&lock->holder, 0);
}

#endif
