/* Read-write locks: a reader waits for a writer, a writer for all. */
#include "pthread-layer/patience.h"
#include "pthread-layer/wait.h"

#include <errno.h>

static int next_lock(bool write, pthread_rwlock_t *lock, const struct patience *patience)
{
  if (!patience->timed)
    return write ? next.pthread_rwlock_wrlock(lock) : next.pthread_rwlock_rdlock(lock);
  if (patience->has_clock)
    return (write ? next.pthread_rwlock_clockwrlock : next.pthread_rwlock_clockrdlock)(lock, patience->clock,
                                                                                       patience->until);
  return (write ? next.pthread_rwlock_timedwrlock : next.pthread_rwlock_timedrdlock)(lock, patience->until);
}

static int next_try(bool write, pthread_rwlock_t *lock)
{
  return write ? next.pthread_rwlock_trywrlock(lock) : next.pthread_rwlock_tryrdlock(lock);
}

static unsigned kind_of(bool write)
{
  return write ? RAW_PTHREAD_WRITE : RAW_PTHREAD_READ;
}

LAYER_SLOWLY static int wait_for(bool write, pthread_rwlock_t *lock, const struct patience *patience, uintptr_t caller)
{
  struct wait wait;
  int writer = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
  wait_begins(&wait, kind_of(write), lock, callers_code(caller), (uint64_t)(unsigned)writer);
  int result = next_lock(write, lock, patience);
  if (result == EDEADLK) /* it has the lock itself, and did not wait */
    wait_ends(&wait, RAW_PTHREAD_FAILED);
  else
    wait_ends_with_lock(&wait, wait_how(result));
  return result;
}

static inline int lock_patiently(bool write, pthread_rwlock_t *lock, const struct patience *patience, uintptr_t caller)
{
  if (!layer_records()) {
    layer_need_next();
    return next_lock(write, lock, patience);
  }
  if (patience_is_bad(patience))
    return next_lock(write, lock, patience);
  int result = next_try(write, lock);
  if (result == EBUSY)
    return wait_for(write, lock, patience, caller);
  if (result == 0)
    thread_self_count(kind_of(write), lock, caller);
  return result;
}

LAYER_WRAPPER int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
  return lock_patiently(false, lock, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
  return lock_patiently(true, lock, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
  return lock_patiently(false, lock, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
  return lock_patiently(true, lock, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
  return lock_patiently(false, lock, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
  return lock_patiently(true, lock, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

static inline int try_lock(bool write, pthread_rwlock_t *lock, uintptr_t caller)
{
  layer_need_next();
  int result = next_try(write, lock);
  if (layer_records() && (result == 0 || result == EBUSY))
    thread_self_count(layer_tried(kind_of(write), result == 0), lock, caller);
  return result;
}

LAYER_WRAPPER int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
  return try_lock(false, lock, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
  return try_lock(true, lock, LAYER_CALLER());
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
