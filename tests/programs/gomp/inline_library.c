/*
 * Stands beside libgomp for entries that only gcc's development tree has. Like libgomp's own they answer, and report to
 * no tool.
 */
#include "tests/programs/gomp/inline_entries.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>

/* A function of libgomp's own, past libraries that stand before it. */
static void *libgomps(const char *name)
{
  void *function = dlsym(RTLD_NEXT, name);
  if (!function)
    abort();
  return function;
}

#define LIBGOMP(type, name, ...)                                                                                       \
  type (*next)(__VA_ARGS__);                                                                                           \
  *(void **)&next = libgomps(name)

/* By other calls than omp_get_num_threads and omp_get_thread_num, which look like a static loop of an earlier gcc. */
static int thread(void)
{
  return omp_get_ancestor_thread_num(omp_get_level());
}

static _Complex int in_team(void)
{
  return PACKED(omp_get_team_size(omp_get_level()), thread());
}

static _Complex int in_league(void)
{
  return PACKED(omp_get_num_teams(), omp_get_team_num());
}

_Complex int GOMP_loop_static_worksharing(unsigned long long count)
{
  (void)count;
  return in_team();
}

_Complex int GOMP_loop_static_worksharing_start(unsigned long long count)
{
  (void)count;
  return in_team();
}

void GOMP_loop_static_worksharing_dispatch(unsigned long long start, unsigned long long iterations)
{
  (void)start, (void)iterations;
}

void GOMP_loop_static_worksharing_end(void)
{
}

_Complex int GOMP_distribute_static_worksharing(unsigned long long count)
{
  (void)count;
  return in_league();
}

_Complex int GOMP_distribute_static_worksharing_start(unsigned long long count)
{
  (void)count;
  return in_league();
}

void GOMP_distribute_static_worksharing_dispatch(unsigned long long start, unsigned long long iterations)
{
  (void)start, (void)iterations;
}

void GOMP_distribute_static_worksharing_end(void)
{
}

bool GOMP_has_masked_thread_num(int wanted)
{
  return wanted == thread();
}

bool GOMP_has_masked_thread_num_with_end(int wanted)
{
  return wanted == MASKED_ARGUMENT(thread());
}

void GOMP_masked_end(void)
{
}

bool GOMP_single_start_with_end(void)
{
  LIBGOMP(bool, "GOMP_single_start", void);
  return next();
}

void GOMP_single_end(void)
{
}

void GOMP_scope_start_with_end(void *reductions)
{
  LIBGOMP(void, "GOMP_scope_start", void *);
  if (reductions)
    next(reductions);
}

void GOMP_scope_end(void)
{
}

void GOMP_barrier_ext(int kind)
{
  LIBGOMP(void, "GOMP_barrier", void);
  (void)kind;
  next();
}

bool GOMP_barrier_cancel_ext(int kind)
{
  LIBGOMP(bool, "GOMP_barrier_cancel", void);
  (void)kind;
  return next();
}

void GOMP_reduction_start(void)
{
  LIBGOMP(void, "GOMP_atomic_start", void);
  next();
}

void GOMP_reduction_end(void)
{
  LIBGOMP(void, "GOMP_atomic_end", void);
  next();
}
