/*
 * Without a runtime: what excludes the program's own threads from each other. A lock is an int, as in libgomp: 0 free.
 * A thread that waits yields: programs that call OpenMP's functions without OpenMP hardly wait.
 */
#include "fortran-shim/serial.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static bool try(void *lock)
{
  int is_free = 0;
  return atomic_compare_exchange_strong_explicit((atomic_int *)lock, &is_free, 1, memory_order_acquire,
                                                 memory_order_relaxed);
}

static void take(void *lock)
{
  while (!try(lock))
    sched_yield();
}

static void give(void *lock)
{
  atomic_store_explicit((atomic_int *)lock, 0, memory_order_release);
}

static atomic_int unnamed, atomically;

void serial_GOMP_critical_start(void)
{
  take(&unnamed);
}

void serial_GOMP_critical_end(void)
{
  give(&unnamed);
}

/* The variable of a named section is a pointer that is NULL at first. */
void serial_GOMP_critical_name_start(void **name)
{
  take(name);
}

void serial_GOMP_critical_name_end(void **name)
{
  give(name);
}

void serial_GOMP_atomic_start(void)
{
  take(&atomically);
}

void serial_GOMP_atomic_end(void)
{
  give(&atomically);
}

#define LOCK(suffix)                                                                                                   \
  void serial_omp_init_lock##suffix(void *lock)                                                                        \
  {                                                                                                                    \
    give(lock);                                                                                                        \
  }                                                                                                                    \
  void serial_omp_destroy_lock##suffix(void *lock)                                                                     \
  {                                                                                                                    \
    (void)lock;                                                                                                        \
  }                                                                                                                    \
  void serial_omp_set_lock##suffix(void *lock)                                                                         \
  {                                                                                                                    \
    take(lock);                                                                                                        \
  }                                                                                                                    \
  void serial_omp_unset_lock##suffix(void *lock)                                                                       \
  {                                                                                                                    \
    give(lock);                                                                                                        \
  }                                                                                                                    \
  int serial_omp_test_lock##suffix(void *lock)                                                                         \
  {                                                                                                                    \
    return try(lock);                                                                                                  \
  }
LOCK()
LOCK(_)

/* A nest lock is of 16 bytes in C; in Fortran its variable has a pointer to one. */
struct nest {
  atomic_int lock;
  int depth;             /* of the owner */
  _Atomic(void *) owner; /* a variable of that thread; NULL: none */
};

static int enter(struct nest *nest, bool wait)
{
  static __thread char self __attribute__((tls_model("initial-exec")));
  if (atomic_load_explicit(&nest->owner, memory_order_relaxed) != &self) {
    if (wait)
      take(&nest->lock);
    else if (!try(&nest->lock))
      return 0;
    atomic_store_explicit(&nest->owner, &self, memory_order_relaxed);
  }
  return ++nest->depth;
}

static void leave(struct nest *nest)
{
  if (--nest->depth > 0)
    return;
  atomic_store_explicit(&nest->owner, NULL, memory_order_relaxed);
  give(&nest->lock);
}

static void init(struct nest *nest)
{
  *nest = (struct nest){.depth = 0};
}

static struct nest *of_fortran(void *lock)
{
  return *(struct nest **)lock;
}

void serial_omp_init_nest_lock(void *lock)
{
  init(lock);
}

void serial_omp_init_nest_lock_(void *lock)
{
  struct nest *nest = malloc(sizeof *nest);
  if (!nest)
    abort(); /* as libgomp does */
  init(nest);
  *(struct nest **)lock = nest;
}

void serial_omp_destroy_nest_lock(void *lock)
{
  (void)lock;
}

void serial_omp_destroy_nest_lock_(void *lock)
{
  free(of_fortran(lock));
}

void serial_omp_set_nest_lock(void *lock)
{
  enter(lock, true);
}

void serial_omp_set_nest_lock_(void *lock)
{
  enter(of_fortran(lock), true);
}

void serial_omp_unset_nest_lock(void *lock)
{
  leave(lock);
}

void serial_omp_unset_nest_lock_(void *lock)
{
  leave(of_fortran(lock));
}

int serial_omp_test_nest_lock(void *lock)
{
  return enter(lock, false);
}

int serial_omp_test_nest_lock_(void *lock)
{
  return enter(of_fortran(lock), false);
}
