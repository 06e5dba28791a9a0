/*
 * Conditions. A wait for one releases its mutex first: who waits for that is woken then. It may be cancelled, with the
 * mutex had again.
 */
#include "pthread-layer/patience.h"
#include "pthread-layer/wait.h"

#include <errno.h>

/* The mutex is had again. */
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

static int next_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct patience *patience)
{
  return !patience->timed      ? next.pthread_cond_wait(condition, mutex)
         : patience->has_clock ? next.pthread_cond_clockwait(condition, mutex, patience->clock, patience->until)
                               : next.pthread_cond_timedwait(condition, mutex, patience->until);
}

static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct patience *patience,
                    uintptr_t caller)
{
  if (!layer_records_waits())
    return next_wait(condition, mutex, patience);
  struct wait wait;
  int result;
  begin(&wait, condition, mutex, caller);
  pthread_cleanup_push(wait_cancelled, &wait);
  result = next_wait(condition, mutex, patience);
  pthread_cleanup_pop(0);
  end(&wait, mutex, wait_how(result), caller);
  return result;
}

LAYER_WRAPPER int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
  return wait_for(condition, mutex, &PATIENCE_ENDLESS, LAYER_CALLER());
}

LAYER_WRAPPER int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                         const struct timespec *restrict until)
{
  return wait_for(condition, mutex, &PATIENCE_UNTIL(until), LAYER_CALLER());
}

LAYER_WRAPPER int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                         clockid_t clock, const struct timespec *restrict until)
{
  return wait_for(condition, mutex, &PATIENCE_CLOCK(clock, until), LAYER_CALLER());
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
