/* Conditions, semaphores and barriers. */
#include "pthread-layer/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

/*
 * Conditions. A wait for a condition releases its mutex first, which wakes a thread that waits for the mutex. A wait
 * may be cancelled; then the thread holds the mutex again.
 */

/* The thread holds the mutex again. */
static void end(struct wait *wait, const void *mutex, unsigned how, uintptr_t caller)
{
  wait_ends(wait, how);
  if (layer_all && wait->kind != 0)
    thread_self_count(RAW_PTHREAD_MUTEX | RAW_PTHREAD_AGAIN, mutex, caller);
}

/* The thread is about to wait at this place; its mutex is released. */
static void begin(struct wait *wait, const void *condition, const void *mutex, uintptr_t caller)
{
  uintptr_t code = callers_code(caller);
  if (wait_release_is_seen(mutex))
    wait_release(RAW_PTHREAD_UNLOCK, mutex, code != 0 ? code : caller);
  wait_begins(wait, RAW_PTHREAD_CONDITION, condition, code, (uintptr_t)mutex);
}

static int next_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct patience *patience)
{
  return !patience->timed      ? next.pthread_cond_wait(condition, mutex)
         : patience->has_clock ? next.pthread_cond_clockwait(condition, mutex, patience->clock, patience->until)
                               : next.pthread_cond_timedwait(condition, mutex, patience->until);
}

static int wait_for_condition(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct patience *patience,
                              uintptr_t caller)
{
  if (!layer_records_waits())
    return next_condition_wait(condition, mutex, patience);
  struct wait wait;
  int result;
  begin(&wait, condition, mutex, caller);
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next_condition_wait(condition, mutex, patience);
  pthread_cleanup_pop(0);
  end(&wait, mutex, wait_how(result), caller);
  return result;
}

LAYER_WRAPPER int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
  return wait_for_condition(condition, mutex, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                         const struct timespec *restrict until)
{
  return wait_for_condition(condition, mutex, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                         clockid_t clock, const struct timespec *restrict until)
{
  return wait_for_condition(condition, mutex, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

static inline void note_wake(unsigned how, const void *condition, uintptr_t caller)
{
  layer_need_next();
  if (layer_records() && waiting_for((uintptr_t)condition)) {
    uintptr_t code = callers_code(caller);
    if (code != 0)
      layer_calls->wake(how, code, (uintptr_t)condition);
  }
}

LAYER_WRAPPER int pthread_cond_signal(pthread_cond_t *condition)
{
  note_wake(RAW_PTHREAD_SIGNAL, condition, LAYER_CALLER());
  return next.pthread_cond_signal(condition);
}

LAYER_WRAPPER int pthread_cond_broadcast(pthread_cond_t *condition)
{
  note_wake(RAW_PTHREAD_BROADCAST, condition, LAYER_CALLER());
  return next.pthread_cond_broadcast(condition);
}

LAYER_WRAPPER int pthread_cond_init(pthread_cond_t *restrict condition, const pthread_condattr_t *restrict attributes)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_CONDITION, condition, LAYER_CALLER());
  return next.pthread_cond_init(condition, attributes);
}

/* libc waits here until nobody uses the condition any more. */
LAYER_WRAPPER int pthread_cond_destroy(pthread_cond_t *condition)
{
  layer_need_next();
  int result = next.pthread_cond_destroy(condition);
  objects_destroy(condition);
  return result;
}

static int cnd_wait_for(cnd_t *condition, mtx_t *mutex, const struct timespec *until, bool timed, uintptr_t caller)
{
  bool recorded = layer_records_waits();
  struct wait wait = {.kind = 0};
  int result;
  if (recorded)
    begin(&wait, condition, mutex, caller);
  pthread_cleanup_push(wait_cancelled, &wait);
  result = timed ? next.cnd_timedwait(condition, mutex, until) : next.cnd_wait(condition, mutex);
  pthread_cleanup_pop(0);
  if (recorded)
    end(&wait, mutex,
        result == thrd_success    ? 0
        : result == thrd_timedout ? RAW_PTHREAD_TIMED_OUT
                                  : RAW_PTHREAD_FAILED,
        caller);
  return result;
}

LAYER_WRAPPER int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
  return cnd_wait_for(condition, mutex, NULL, false, LAYER_CALLER());
}

LAYER_WRAPPER int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
  return cnd_wait_for(condition, mutex, until, true, LAYER_CALLER());
}

LAYER_WRAPPER int cnd_signal(cnd_t *condition)
{
  note_wake(RAW_PTHREAD_SIGNAL, condition, LAYER_CALLER());
  return next.cnd_signal(condition);
}

LAYER_WRAPPER int cnd_broadcast(cnd_t *condition)
{
  note_wake(RAW_PTHREAD_BROADCAST, condition, LAYER_CALLER());
  return next.cnd_broadcast(condition);
}

LAYER_WRAPPER int cnd_init(cnd_t *condition)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_CONDITION, condition, LAYER_CALLER());
  return next.cnd_init(condition);
}

LAYER_WRAPPER void cnd_destroy(cnd_t *condition)
{
  layer_need_next();
  next.cnd_destroy(condition);
  objects_destroy(condition);
}

/* Semaphores. Their waits may be cancelled, and interrupted by handlers. sem_post may be called in a handler. */

static int next_semaphore_wait(sem_t *semaphore, const struct patience *patience)
{
  return !patience->timed      ? next.sem_wait(semaphore)
         : patience->has_clock ? next.sem_clockwait(semaphore, patience->clock, patience->until)
                               : next.sem_timedwait(semaphore, patience->until);
}

LAYER_SLOWLY static int wait_for_semaphore(sem_t *semaphore, const struct patience *patience, uintptr_t caller)
{
  struct wait wait;
  int result;
  wait_begins(&wait, RAW_PTHREAD_SEMAPHORE, semaphore, callers_code(caller), 0);
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next_semaphore_wait(semaphore, patience);
  pthread_cleanup_pop(0);
  wait_ends(&wait, result == 0 ? 0 : wait_how(errno));
  return result;
}

/* A thread that was cancelled is cancelled here, also where it need not wait. */
static int try_first(sem_t *semaphore)
{
  int kept = errno;
  pthread_testcancel();
  int result = next.sem_trywait(semaphore);
  if (result != 0)
    errno = kept;
  return result;
}

static int semaphore_wait(sem_t *semaphore, const struct patience *patience, uintptr_t caller)
{
  layer_need_next();
  int state = atomic_load_explicit(&layer_state, memory_order_relaxed);
  if ((state != LAYER_RECORDS && state != LAYER_IDLE) || patience_is_bad(patience))
    return next_semaphore_wait(semaphore, patience);
  if (try_first(semaphore) == 0) {
    if (layer_records())
      thread_self_count(RAW_PTHREAD_SEMAPHORE, semaphore, caller);
    return 0;
  }
  return layer_records_waits() ? wait_for_semaphore(semaphore, patience, caller)
                               : next_semaphore_wait(semaphore, patience);
}

LAYER_WRAPPER int sem_wait(sem_t *semaphore)
{
  return semaphore_wait(semaphore, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
  return semaphore_wait(semaphore, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
  return semaphore_wait(semaphore, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
}

LAYER_WRAPPER int sem_trywait(sem_t *semaphore)
{
  layer_need_next();
  int result = next.sem_trywait(semaphore);
  if (layer_records() && (result == 0 || errno == EAGAIN))
    thread_self_count(result == 0 ? RAW_PTHREAD_SEMAPHORE : RAW_PTHREAD_SEMAPHORE | RAW_PTHREAD_FAILED, semaphore,
                      LAYER_CALLER());
  return result;
}

LAYER_WRAPPER int sem_post(sem_t *semaphore)
{
  layer_need_next();
  if (wait_release_is_seen(semaphore))
    wait_release(RAW_PTHREAD_POST, semaphore, LAYER_CALLER());
  return next.sem_post(semaphore);
}

LAYER_WRAPPER int sem_init(sem_t *semaphore, int shared, unsigned value)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_SEMAPHORE, semaphore, LAYER_CALLER());
  return next.sem_init(semaphore, shared, value);
}

LAYER_WRAPPER int sem_destroy(sem_t *semaphore)
{
  layer_need_next();
  objects_destroy(semaphore);
  return next.sem_destroy(semaphore);
}

/* A semaphore that is open already gets the same address again: its life goes on. */
LAYER_WRAPPER sem_t *sem_open(const char *name, int flags, ...)
{
  layer_need_next();
  if ((flags & O_CREAT) == 0)
    return next.sem_open(name, flags);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  unsigned value = va_arg(rest, unsigned);
  va_end(rest);
  sem_t *semaphore = next.sem_open(name, flags, mode, value);
  if (semaphore != SEM_FAILED)
    objects_init_once(RAW_PTHREAD_SEMAPHORE, semaphore, LAYER_CALLER());
  return semaphore;
}

LAYER_WRAPPER int sem_close(sem_t *semaphore)
{
  layer_need_next();
  return next.sem_close(semaphore);
}

/* Barriers. The thread that libc calls the serial one came last. */

LAYER_WRAPPER int pthread_barrier_wait(pthread_barrier_t *barrier)
{
  if (!layer_records_waits())
    return next.pthread_barrier_wait(barrier);
  struct wait wait;
  uintptr_t code = callers_code(LAYER_CALLER());
  wait_begins(&wait, RAW_PTHREAD_BARRIER, barrier, code, 0);
  int result = next.pthread_barrier_wait(barrier);
  if (wait.kind != 0 && result == PTHREAD_BARRIER_SERIAL_THREAD)
    layer_calls->wake(RAW_PTHREAD_ARRIVAL, code, (uintptr_t)barrier);
  wait_ends(&wait, result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : wait_how(result));
  return result;
}

LAYER_WRAPPER int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                                       const pthread_barrierattr_t *restrict attributes, unsigned count)
{
  layer_need_next();
  objects_init(RAW_PTHREAD_BARRIER, barrier, LAYER_CALLER());
  return next.pthread_barrier_init(barrier, attributes, count);
}

/* libc waits here until all have left the barrier. */
LAYER_WRAPPER int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
  layer_need_next();
  int result = next.pthread_barrier_destroy(barrier);
  objects_destroy(barrier);
  return result;
}
