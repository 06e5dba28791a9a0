/*
 * State of the layer, and the functions behind it, which the program would call without it: libc's or a sanitizer's.
 *
 * A process with one thread waits only for other processes. Therefore the layer does nothing until the program makes a
 * thread or a call would wait; then it loads the recorder. Its functions are called before main, in signal handlers, in
 * allocators and at the end of threads. Therefore nothing here allocates or locks, except layer_begin.
 *
 * The functions behind the layer are found when it is loaded, or by the first call. That call may be earlier: from
 * constructors of other libraries, or from an allocator that the look-up itself calls.
 */
#ifndef HEDDLE_PTHREAD_LAYER_LAYER_H
#define HEDDLE_PTHREAD_LAYER_LAYER_H

#include "common/raw/raw_trace.h"
#include "common/recorder/preloaded.h"
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
  X(int, thrd_join, (thrd_t, int *))                                                                                   \
  X(int, pthread_setname_np, (pthread_t, const char *))                                                                \
  X(int, sched_setaffinity, (pid_t, size_t, const cpu_set_t *))                                                        \
  X(int, pthread_setaffinity_np, (pthread_t, size_t, const cpu_set_t *))                                               \
  X(long, syscall, (long, ...))
/* clang-format on */

/* NULL: libc has no such function, so no program calls it. */
struct next {
#define X(result, name, parameters) result(*name) parameters;
  NEXT_FUNCTIONS(X)
#undef X
};
extern struct next next;

/* Finds the functions, once. Any thread. */
void next_find(void);

/* Returns a function behind the layer that belongs to another library, as libstdc++. caller: an address in the calling
 * module, whose definition is taken if the program has none. NULL: not found. */
void *next_of(const char *name, const void *caller);

#define LAYER_WRAPPER  __attribute__((visibility("default")))
#define LAYER_SLOWLY   __attribute__((noinline))
#define LAYER_CALLER() returns_real(layer_returns, (uintptr_t)__builtin_return_address(0))

enum layer_state {
  LAYER_NEW,       /* the functions behind the layer are not found yet */
  LAYER_IDLE,      /* the process has had one thread only */
  LAYER_BEGINNING, /* the recorder is being loaded */
  LAYER_RECORDS,
  LAYER_OFF /* for ever */
};
extern _Atomic int layer_state;

/* HEDDLE_PTHREAD=all: uncontended acquisitions and their releases are recorded one by one. */
extern bool layer_all;

/* The recorder; valid if layer_records(). */
extern const struct heddle_pthread_calls *layer_calls;

/* Return addresses that the calls layer has exchanged; NULL: none. */
extern const struct returns *layer_returns;

/* True if calls are recorded. Takes nearly no time. */
static inline bool layer_records(void)
{
  return __builtin_expect(atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_RECORDS, 1);
}

/* Returns the kind under which a try is counted. */
static inline unsigned layer_tried(unsigned kind, bool got)
{
  return !got ? kind | RAW_PTHREAD_FAILED : layer_all ? kind | RAW_PTHREAD_TRIED : kind;
}

/* Loads the recorder, once. True if the layer records. Allocates; errno is kept. */
bool layer_begin(void);

/* Finds the functions behind the layer, for a call that is not recorded. */
static inline void layer_need_next(void)
{
  if (__builtin_expect(atomic_load_explicit(&layer_state, memory_order_relaxed) == LAYER_NEW, 0))
    next_find();
}

/* True if the layer records; loads the recorder first. Before a call that waits. */
static inline bool layer_records_waits(void)
{
  layer_need_next();
  return layer_records() || layer_begin();
}

#endif
