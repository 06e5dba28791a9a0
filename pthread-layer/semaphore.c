/* Semaphores. Their waits may be cancelled, and interrupted by handlers. sem_post may be called in a handler. */
#include "pthread-layer/patience.h"
#include "pthread-layer/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

static int next_wait(sem_t *semaphore, const struct patience *patience)
{
  return !patience->timed      ? next.sem_wait(semaphore)
         : patience->has_clock ? next.sem_clockwait(semaphore, patience->clock, patience->until)
                               : next.sem_timedwait(semaphore, patience->until);
}

LAYER_SLOWLY static int wait_for(sem_t *semaphore, const struct patience *patience, uintptr_t caller)
{
  struct wait wait;
  int result;
  wait_begins(&wait, RAW_PTHREAD_SEMAPHORE, semaphore, callers_code(caller), 0);
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next_wait(semaphore, patience);
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

static int wait_patiently(sem_t *semaphore, const struct patience *patience, uintptr_t caller)
{
  layer_need_next();
  int state = atomic_load_explicit(&layer_state, memory_order_relaxed);
  if ((state != LAYER_RECORDS && state != LAYER_IDLE) || patience_is_bad(patience))
    return next_wait(semaphore, patience);
  if (try_first(semaphore) == 0) {
    if (layer_records())
      thread_self_count(RAW_PTHREAD_SEMAPHORE, semaphore, caller);
    return 0;
  }
  return layer_records_waits() ? wait_for(semaphore, patience, caller) : next_wait(semaphore, patience);
}

LAYER_WRAPPER int sem_wait(sem_t *semaphore)
{
  return wait_patiently(semaphore, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
  return wait_patiently(semaphore, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
  return wait_patiently(semaphore, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
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

/* One that is open already has the same address again: its life goes on. */
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
