/* Barriers. The thread that libc calls the serial one came last. */
#include "pthread-layer/wait.h"

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
