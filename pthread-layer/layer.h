/*
 * The functions that the layer stands before: those that the program would call without it, libc's or a sanitizer's.
 * They are found when the layer is loaded, or by the first call, which may come before: from the constructors of other
 * libraries, and from an allocator that the look-up itself calls.
 */
#ifndef HEDDLE_PTHREAD_LAYER_LAYER_H
#define HEDDLE_PTHREAD_LAYER_LAYER_H

#include "common/raw/raw_trace.h"
#include "common/recorder/returns.h"
#include "pthread-layer/recorder_calls.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

/* result, name, parameters */
/* clang-format off */
#define NEXT_FUNCTIONS(X)                                                                                              \
  X(int, pthread_mutex_lock, (pthread_mutex_t *))                                                                      \
  X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                                                   \
  X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                                        \
  X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                             \
  X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                                                    \
  X(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))                                         \
  X(int, pthread_mutex_destroy, (pthread_mutex_t *))                                                                   \
  X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                                                  \
  X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                                                  \
  X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                                               \
  X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                                               \
  X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))                                    \
  X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))                                    \
  X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                         \
  X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                         \
  X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                                                  \
  X(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))                                      \
  X(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                                                                 \
  X(int, pthread_spin_lock, (pthread_spinlock_t *))                                                                    \
  X(int, pthread_spin_trylock, (pthread_spinlock_t *))                                                                 \
  X(int, pthread_spin_unlock, (pthread_spinlock_t *))                                                                  \
  X(int, pthread_spin_init, (pthread_spinlock_t *, int))                                                               \
  X(int, pthread_spin_destroy, (pthread_spinlock_t *))                                                                 \
  X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                                                     \
  X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                       \
  X(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))            \
  X(int, pthread_cond_signal, (pthread_cond_t *))                                                                      \
  X(int, pthread_cond_broadcast, (pthread_cond_t *))                                                                   \
  X(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *))                                            \
  X(int, pthread_cond_destroy, (pthread_cond_t *))                                                                     \
  X(int, pthread_barrier_wait, (pthread_barrier_t *))                                                                  \
  X(int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))                         \
  X(int, pthread_barrier_destroy, (pthread_barrier_t *))                                                               \
  X(int, sem_wait, (sem_t *))                                                                                          \
  X(int, sem_trywait, (sem_t *))                                                                                       \
  X(int, sem_timedwait, (sem_t *, const struct timespec *))                                                            \
  X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                                                 \
  X(int, sem_post, (sem_t *))                                                                                          \
  X(int, sem_init, (sem_t *, int, unsigned))                                                                           \
  X(int, sem_destroy, (sem_t *))                                                                                       \
  X(sem_t *, sem_open, (const char *, int, ...))                                                                       \
  X(int, sem_close, (sem_t *))                                                                                         \
  X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                             \
  X(int, pthread_join, (pthread_t, void **))                                                                           \
  X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))                                          \
  X(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))                               \
  X(int, mtx_lock, (mtx_t *))                                                                                          \
  X(int, mtx_trylock, (mtx_t *))                                                                                       \
  X(int, mtx_timedlock, (mtx_t *, const struct timespec *))                                                            \
  X(int, mtx_unlock, (mtx_t *))                                                                                        \
  X(int, mtx_init, (mtx_t *, int))                                                                                     \
  X(void, mtx_destroy, (mtx_t *))                                                                                      \
  X(int, cnd_wait, (cnd_t *, mtx_t *))                                                                                 \
  X(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                                                   \
  X(int, cnd_signal, (cnd_t *))                                                                                        \
  X(int, cnd_broadcast, (cnd_t *))                                                                                     \
  X(int, cnd_init, (cnd_t *))                                                                                          \
  X(void, cnd_destroy, (cnd_t *))                                                                                      \
  X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                                                \
  X(int, thrd_join, (thrd_t, int *))
/* clang-format on */

/* NULL: libc has no such function, so no program calls it. */
struct next {
#define X(result, name, parameters) result(*name) parameters;
  NEXT_FUNCTIONS(X)
#undef X
};
extern struct next next;

/* Finds them, unless that was done. Any thread. */
void next_find(void);

/* What a function of the program's own runtime, like libstdc++'s, is before which the layer stands, too. caller: an
 * address in the module that called it, whose definition is taken where the program at large has none. NULL: none. */
void *next_of(const char *name, const void *caller);

/*
 * Whether the layer records, and what it knows of the calling thread.
 *
 * A process of one thread waits for nobody but other processes. So the layer does nothing until the program makes a
 * thread, or a call would wait: then it loads the recorder. Functions that are called before main, in handlers of
 * signals, in allocators and at the end of threads come through here: nothing allocates or locks but layer_begin.
 */

#define LAYER_WRAPPER  __attribute__((visibility("default")))
#define LAYER_SLOWLY   __attribute__((noinline))
#define LAYER_CALLER() returns_real(layer_returns, (uintptr_t)__builtin_return_address(0))

enum layer_state {
  LAYER_NEW,       /* the functions behind us are not known yet */
  LAYER_IDLE,      /* there was no thread but one so far */
  LAYER_BEGINNING, /* the recorder is being loaded */
  LAYER_RECORDS,
  LAYER_OFF /* for ever */
};
extern _Atomic int layer_state;

/* HEDDLE_PTHREAD=all: acquisitions that wait for nobody are recorded one by one, and so are their releases. */
extern bool layer_all;

/* The recorder. Only where layer_records(). */
extern const struct heddle_pthread_calls *layer_calls;

/* Return addresses that are not the caller's; NULL: there are none. */
extern const struct returns *layer_returns;

/* Whether calls are looked at. Nearly no time. */
static inline bool layer_records(void)
{
  return __builtin_expect(atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_RECORDS, 1);
}

/* The kind of what a try came to, where it is counted. */
static inline unsigned layer_tried(unsigned kind, bool got)
{
  return !got ? kind | RAW_PTHREAD_FAILED : layer_all ? kind | RAW_PTHREAD_TRIED : kind;
}

/* Loads the recorder, unless that was done. Whether the layer records. Allocates; errno is kept. */
bool layer_begin(void);

/* A call that is not looked at needs the functions behind us. */
static inline void layer_need_next(void)
{
  if (__builtin_expect(atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_NEW, 0))
    next_find();
}

/* Before a call that waits always, or that would wait: whether the layer records. */
static inline bool layer_records_waits(void)
{
  layer_need_next();
  return layer_records() || layer_begin();
}

#endif
