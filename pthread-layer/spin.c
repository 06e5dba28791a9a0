/* Spinlocks. */
#include "pthread-layer/wait.h"

#include <errno.h>

LAYER_SLOWLY static int wait_for(pthread_spinlock_t *lock, uintptr_t caller)
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
    return wait_for(lock, LAYER_CALLER());
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
