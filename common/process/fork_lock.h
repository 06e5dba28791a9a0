/*
 * A lock for what is done once or seldom, in programs that fork as they like. In a child of _Fork or of a raw clone no
 * handler of fork has run, and a lock that another thread of the parent's held would be held for ever: who waits looks
 * whether the holder is still there, and takes the lock over if it is not. What the lock guards must bear that.
 *
 * Any thread may call these, also in a signal handler. All zero is a free lock.
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

enum { FORK_LOCK_TURNS = 100 }; /* a holder that is there is done within a few */

static inline bool fork_lock_is_held_by_nobody_here(int holder)
{
  int kept = errno;
  bool gone = syscall(SYS_tgkill, getpid(), holder, 0) != 0 && errno == ESRCH;
  errno = kept;
  return gone;
}

/* False: this thread holds it already, and a signal handler interrupts what it does. */
static inline bool fork_lock_take(struct fork_lock *lock)
{
  int me = (int)syscall(SYS_gettid), holder = 0;
  for (unsigned turn = 1; !atomic_compare_exchange_strong(&lock->holder, &holder, me); turn++) {
    if (holder == me)
      return false;
    if (turn % FORK_LOCK_TURNS != 0 || !fork_lock_is_held_by_nobody_here(holder)) {
      holder = 0;
      sched_yield();
    } /* else it is exchanged for the holder that is gone */
  }
  return true;
}

static inline void fork_lock_give_back(struct fork_lock *lock)
{
  atomic_store(&lock->holder, 0);
}

#endif
