/* Mutexes. C11's are POSIX's, but libc's functions for them do not call those. */
#include "pthread-layer/patience.h"
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

/* Whether to wait for this mutex would only return EDEADLK. */
static bool is_refused(const pthread_mutex_t *mutex)
{
  return (mutex->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ERRORCHECK_NP &&
         owner_of(mutex) == (pid_t)syscall(SYS_gettid);
}

static int next_lock(pthread_mutex_t *mutex, const struct patience *patience)
{
  return !patience->timed      ? next.pthread_mutex_lock(mutex)
         : patience->has_clock ? next.pthread_mutex_clocklock(mutex, patience->clock, patience->until)
                               : next.pthread_mutex_timedlock(mutex, patience->until);
}

/* After a try failed. */
LAYER_SLOWLY static int wait_for(pthread_mutex_t *mutex, const struct patience *patience, uintptr_t caller)
{
  if (is_refused(mutex))
    return next_lock(mutex, patience);
  struct wait wait;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, mutex, callers_code(caller), (uint64_t)owner_of(mutex));
  int result = next_lock(mutex, patience);
  wait_ends_with_lock(&wait, wait_how(result));
  return result;
}

/* Where nothing is recorded up to now: a process of one thread waits for other processes, or for ever. */
LAYER_SLOWLY static int lock_idly(pthread_mutex_t *mutex, const struct patience *patience, uintptr_t caller)
{
  layer_need_next();
  if (atomic_load(&layer_state) != LAYER_IDLE || __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0 ||
      patience_has_bad_clock(patience))
    return next_lock(mutex, patience);
  int result = next.pthread_mutex_trylock(mutex);
  if (result != EBUSY)
    return result;
  return layer_begin() ? wait_for(mutex, patience, caller) : next_lock(mutex, patience);
}

LAYER_WRAPPER int pthread_mutex_lock(pthread_mutex_t *mutex)
{
  if (!layer_records())
    return lock_idly(mutex, &PATIENCE_ENDLESS, LAYER_CALLER());
  int result = next.pthread_mutex_trylock(mutex);
  if (__builtin_expect(result == 0, 1))
    thread_self_count(RAW_PTHREAD_MUTEX, mutex, LAYER_CALLER());
  else if (result == EBUSY)
    return wait_for(mutex, &PATIENCE_ENDLESS, LAYER_CALLER());
  return result;
}

static int lock_patiently(pthread_mutex_t *mutex, const struct patience *patience, uintptr_t caller)
{
  if (!layer_records())
    return lock_idly(mutex, patience, caller);
  if (patience_has_bad_clock(patience))
    return next_lock(mutex, patience);
  int result = next.pthread_mutex_trylock(mutex);
  if (result == EBUSY)
    return wait_for(mutex, patience, caller);
  if (result == 0)
    thread_self_count(RAW_PTHREAD_MUTEX, mutex, caller);
  return result;
}

LAYER_WRAPPER int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
  return lock_patiently(mutex, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
  return lock_patiently(mutex, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

/* What a try of the program's came to. */
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
