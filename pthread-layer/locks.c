/* Locks: mutexes, rwlocks and spin locks. C11's mutexes are POSIX's, but libc's functions for them do not call those.
 */
#include "pthread-layer/wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The bits of a mutex's kind that say what locking it again does. */
enum { KIND_MASK = 3 };

static pid_t owner_of(const pthread_mutex_t *mutex)
{
  return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
}

/* True if to wait for this mutex would only return EDEADLK. */
static bool is_refused(const pthread_mutex_t *mutex)
{
  return (mutex->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ERRORCHECK_NP &&
         owner_of(mutex) == (pid_t)syscall(SYS_gettid);
}

static int next_mutex_lock(pthread_mutex_t *mutex, const struct patience *patience)
{
  return !patience->timed      ? next.pthread_mutex_lock(mutex)
         : patience->has_clock ? next.pthread_mutex_clocklock(mutex, patience->clock, patience->until)
                               : next.pthread_mutex_timedlock(mutex, patience->until);
}

/* After a try failed. */
LAYER_SLOWLY static int wait_for_mutex(pthread_mutex_t *mutex, const struct patience *patience, uintptr_t caller)
{
  if (is_refused(mutex))
    return next_mutex_lock(mutex, patience);
  struct wait wait;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, mutex, callers_code(caller), (uint64_t)owner_of(mutex));
  int result = next_mutex_lock(mutex, patience);
  wait_ends_with_lock(&wait, wait_how(result));
  return result;
}

/* If nothing is recorded yet: a process with one thread waits for other processes, or for ever. */
LAYER_SLOWLY static int lock_idly(pthread_mutex_t *mutex, const struct patience *patience, uintptr_t caller)
{
  layer_need_next();
  if (atomic_load(&layer_state) != LAYER_IDLE || __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0 ||
      patience_has_bad_clock(patience))
    return next_mutex_lock(mutex, patience);
  int result = next.pthread_mutex_trylock(mutex);
  if (result != EBUSY)
    return result;
  return layer_begin() ? wait_for_mutex(mutex, patience, caller) : next_mutex_lock(mutex, patience);
}

LAYER_WRAPPER int pthread_mutex_lock(pthread_mutex_t *mutex)
{
  if (!layer_records())
    return lock_idly(mutex, &PATIENCE_ENDLESS, LAYER_CALLER());
  int result = next.pthread_mutex_trylock(mutex);
  if (__builtin_expect(result == 0, 1))
    thread_self_count(RAW_PTHREAD_MUTEX, mutex, LAYER_CALLER());
  else if (result == EBUSY)
    return wait_for_mutex(mutex, &PATIENCE_ENDLESS, LAYER_CALLER());
  return result;
}

static int lock_mutex(pthread_mutex_t *mutex, const struct patience *patience, uintptr_t caller)
{
  if (!layer_records())
    return lock_idly(mutex, patience, caller);
  if (patience_has_bad_clock(patience))
    return next_mutex_lock(mutex, patience);
  int result = next.pthread_mutex_trylock(mutex);
  if (result == EBUSY)
    return wait_for_mutex(mutex, patience, caller);
  if (result == 0)
    thread_self_count(RAW_PTHREAD_MUTEX, mutex, caller);
  return result;
}

LAYER_WRAPPER int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
  return lock_mutex(mutex, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
  return lock_mutex(mutex, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

/* Counts a try of the program. */
static inline void count_try(const void *mutex, bool got, uintptr_t caller)
{
  if (layer_records())
    thread_self_count(layer_tried(RAW_PTHREAD_MUTEX, got), mutex, caller);
}

LAYER_WRAPPER int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
  layer_need_next();
  int result = next.pthread_mutex_trylock(mutex);
  if (result == 0 || result == EBUSY)
    count_try(mutex, result == 0, LAYER_CALLER());
  return result;
}

/* Before a mutex is unlocked: a recursive one may be had still. */
static inline void note_unlock(pthread_mutex_t *mutex, uintptr_t caller)
{
  if (wait_release_is_seen(mutex) &&
      !((mutex->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1))
    wait_release(RAW_PTHREAD_UNLOCK, mutex, caller);
}

LAYER_WRAPPER int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  layer_need_next();
  note_unlock(mutex, LAYER_CALLER());
  return next.pthread_mutex_unlock(mutex);
}

LAYER_WRAPPER int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_MUTEX, mutex, LAYER_CALLER());
  return next.pthread_mutex_init(mutex, attributes);
}

LAYER_WRAPPER int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
  layer_need_next();
  int result = next.pthread_mutex_destroy(mutex);
  if (result == 0)
    objects_destroy(mutex);
  return result;
}

/* C11: as its functions say how a wait ended. */
static unsigned how_of(int result)
{
  return result == thrd_success ? 0 : result == thrd_timedout ? RAW_PTHREAD_TIMED_OUT : RAW_PTHREAD_FAILED;
}

static int next_mtx_lock(mtx_t *mutex, const struct timespec *until)
{
  return until ? next.mtx_timedlock(mutex, until) : next.mtx_lock(mutex);
}

LAYER_SLOWLY static int mtx_wait_for(mtx_t *mutex, const struct timespec *until, uintptr_t caller)
{
  struct wait wait;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, mutex, callers_code(caller), (uint64_t)owner_of((pthread_mutex_t *)mutex));
  int result = next_mtx_lock(mutex, until);
  wait_ends_with_lock(&wait, how_of(result));
  return result;
}

static int mtx_lock_until(mtx_t *mutex, const struct timespec *until, uintptr_t caller)
{
  if (!layer_records()) {
    layer_need_next();
    return next_mtx_lock(mutex, until);
  }
  int result = next.mtx_trylock(mutex);
  if (result == thrd_busy)
    return mtx_wait_for(mutex, until, caller);
  if (result == thrd_success)
    thread_self_count(RAW_PTHREAD_MUTEX, mutex, caller);
  return result;
}

LAYER_WRAPPER int mtx_lock(mtx_t *mutex)
{
  return mtx_lock_until(mutex, NULL, LAYER_CALLER());
}

LAYER_WRAPPER int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
  return mtx_lock_until(mutex, until, LAYER_CALLER());
}

LAYER_WRAPPER int mtx_trylock(mtx_t *mutex)
{
  layer_need_next();
  int result = next.mtx_trylock(mutex);
  if (result == thrd_success || result == thrd_busy)
    count_try(mutex, result == thrd_success, LAYER_CALLER());
  return result;
}

LAYER_WRAPPER int mtx_unlock(mtx_t *mutex)
{
  layer_need_next();
  note_unlock((pthread_mutex_t *)mutex, LAYER_CALLER());
  return next.mtx_unlock(mutex);
}

LAYER_WRAPPER int mtx_init(mtx_t *mutex, int type)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_MUTEX, mutex, LAYER_CALLER());
  return next.mtx_init(mutex, type);
}

LAYER_WRAPPER void mtx_destroy(mtx_t *mutex)
{
  layer_need_next();
  objects_destroy(mutex);
  next.mtx_destroy(mutex);
}

/* Read-write locks: a reader waits for a writer, a writer for all. */

static int next_rwlock_lock(bool write, pthread_rwlock_t *lock, const struct patience *patience)
{
  if (!patience->timed)
    return write ? next.pthread_rwlock_wrlock(lock) : next.pthread_rwlock_rdlock(lock);
  if (patience->has_clock)
    return (write ? next.pthread_rwlock_clockwrlock : next.pthread_rwlock_clockrdlock)(lock, patience->clock,
                                                                                       patience->until);
  return (write ? next.pthread_rwlock_timedwrlock : next.pthread_rwlock_timedrdlock)(lock, patience->until);
}

static int next_rwlock_try(bool write, pthread_rwlock_t *lock)
{
  return write ? next.pthread_rwlock_trywrlock(lock) : next.pthread_rwlock_tryrdlock(lock);
}

static unsigned kind_of(bool write)
{
  return write ? RAW_PTHREAD_WRITE : RAW_PTHREAD_READ;
}

LAYER_SLOWLY static int wait_for_rwlock(bool write, pthread_rwlock_t *lock, const struct patience *patience,
                                        uintptr_t caller)
{
  struct wait wait;
  int writer = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
  wait_begins(&wait, kind_of(write), lock, callers_code(caller), (uint64_t)(unsigned)writer);
  int result = next_rwlock_lock(write, lock, patience);
  if (result == EDEADLK) /* it has the lock itself, and did not wait */
    wait_ends(&wait, RAW_PTHREAD_FAILED);
  else
    wait_ends_with_lock(&wait, wait_how(result));
  return result;
}

static inline int lock_rwlock(bool write, pthread_rwlock_t *lock, const struct patience *patience, uintptr_t caller)
{
  if (!layer_records()) {
    layer_need_next();
    return next_rwlock_lock(write, lock, patience);
  }
  if (patience_is_bad(patience))
    return next_rwlock_lock(write, lock, patience);
  int result = next_rwlock_try(write, lock);
  if (result == EBUSY)
    return wait_for_rwlock(write, lock, patience, caller);
  if (result == 0)
    thread_self_count(kind_of(write), lock, caller);
  return result;
}

LAYER_WRAPPER int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
  return lock_rwlock(false, lock, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
  return lock_rwlock(true, lock, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
  return lock_rwlock(false, lock, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
  return lock_rwlock(true, lock, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
  return lock_rwlock(false, lock, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
  return lock_rwlock(true, lock, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

static inline int try_rwlock(bool write, pthread_rwlock_t *lock, uintptr_t caller)
{
  layer_need_next();
  int result = next_rwlock_try(write, lock);
  if (layer_records() && (result == 0 || result == EBUSY))
    thread_self_count(layer_tried(kind_of(write), result == 0), lock, caller);
  return result;
}

LAYER_WRAPPER int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
  return try_rwlock(false, lock, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
  return try_rwlock(true, lock, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
  layer_need_next();
  if (wait_release_is_seen(lock))
    wait_release(RAW_PTHREAD_UNLOCK, lock, LAYER_CALLER());
  return next.pthread_rwlock_unlock(lock);
}

LAYER_WRAPPER int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attributes)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_WRITE, lock, LAYER_CALLER());
  return next.pthread_rwlock_init(lock, attributes);
}

LAYER_WRAPPER int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
  layer_need_next();
  int result = next.pthread_rwlock_destroy(lock);
  objects_destroy(lock);
  return result;
}

/* Spinlocks. */

LAYER_SLOWLY static int wait_for_spin_lock(pthread_spinlock_t *lock, uintptr_t caller)
{
  struct wait wait;
  wait_begins(&wait, RAW_PTHREAD_SPIN, (const void *)lock, callers_code(caller), 0);
  int result = next.pthread_spin_lock(lock);
  wait_ends_with_lock(&wait, wait_how(result));
  return result;
}

LAYER_WRAPPER int pthread_spin_lock(pthread_spinlock_t *lock)
{
  if (!layer_records()) {
    layer_need_next();
    return next.pthread_spin_lock(lock);
  }
  int result = next.pthread_spin_trylock(lock);
  if (result == EBUSY)
    return wait_for_spin_lock(lock, LAYER_CALLER());
  if (result == 0)
    thread_self_count(RAW_PTHREAD_SPIN, (const void *)lock, LAYER_CALLER());
  return result;
}

LAYER_WRAPPER int pthread_spin_trylock(pthread_spinlock_t *lock)
{
  layer_need_next();
  int result = next.pthread_spin_trylock(lock);
  if (layer_records() && (result == 0 || result == EBUSY))
    thread_self_count(layer_tried(RAW_PTHREAD_SPIN, result == 0), (const void *)lock, LAYER_CALLER());
  return result;
}

LAYER_WRAPPER int pthread_spin_unlock(pthread_spinlock_t *lock)
{
  layer_need_next();
  if (wait_release_is_seen((const void *)lock))
    wait_release(RAW_PTHREAD_UNLOCK, (const void *)lock, LAYER_CALLER());
  return next.pthread_spin_unlock(lock);
}

LAYER_WRAPPER int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_SPIN, (const void *)lock, LAYER_CALLER());
  return next.pthread_spin_init(lock, shared);
}

LAYER_WRAPPER int pthread_spin_destroy(pthread_spinlock_t *lock)
{
  layer_need_next();
  objects_destroy((const void *)lock);
  return next.pthread_spin_destroy(lock);
}
