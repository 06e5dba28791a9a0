/*
 * Loops whose iterations libgomp hands out. A chunk's first iteration is the value of the loop variable, if the
 * compiler did not normalize the loop.
 */
#include "fortran-shim/omitted.h"
#include "fortran-shim/provider.h"
#include "fortran-shim/task_state.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The next chunk of the thread's loop: whether there is one that need not be reported, which is counted. */
static inline bool is_omitted(bool got, const long *first, const long *past)
{
  if (!got || !first || !omitted_chunk())
    return false;
  int64_t step = self.task->work.step;
  /* the usual step needs no division */
  omitted_add_chunk((uint64_t)*first, step == 1 ? (uint64_t)(*past - *first) : loop_count(*first, *past, step));
  return true;
}

static inline bool is_omitted_ull(bool got, const gomp_ull *first, const gomp_ull *past)
{
  if (!got || !first || !omitted_chunk())
    return false;
  const struct work *work = &self.task->work;
  bool by_one = work->step == 1 && !work->down;
  omitted_add_chunk(*first, by_one ? *past - *first : loop_count_ull(!work->down, *first, *past, (gomp_ull)work->step));
  return true;
}

/* A start or next function gave a chunk, or says that there is none left. */
static __attribute__((noinline)) bool report_chunk(struct task *task, bool got, const long *first, const long *past)
{
  if (got && IS_REPORTED(dispatch) && first) {
    ompt_dispatch_chunk_t chunk = {(uint64_t)*first, loop_count(*first, *past, task->work.step)};
    ompt_data_t instance = {.ptr = &chunk};
    REPORT(dispatch, data_of(task->team), &task->data, ompt_dispatch_ws_loop_chunk, instance);
  }
  return got;
}

static __attribute__((noinline)) bool report_chunk_ull(struct task *task, bool got, const gomp_ull *first,
                                                       const gomp_ull *past)
{
  if (got && IS_REPORTED(dispatch) && first) {
    ompt_dispatch_chunk_t chunk = {*first, loop_count_ull(!task->work.down, *first, *past, (gomp_ull)task->work.step)};
    ompt_data_t instance = {.ptr = &chunk};
    REPORT(dispatch, data_of(task->team), &task->data, ompt_dispatch_ws_loop_chunk, instance);
  }
  return got;
}

static struct task *begin(ompt_work_t kind, long start, long end, long step, const void *code)
{
  struct task *task = current_task();
  work_begin(task, kind, loop_count(start, end, step), step, false, code);
  return task;
}

static struct task *begin_ull(ompt_work_t kind, bool up, gomp_ull start, gomp_ull end, gomp_ull step, const void *code)
{
  struct task *task = current_task();
  work_begin(task, kind, loop_count_ull(up, start, end, step), (int64_t)step, false, code);
  task->work.down = !up;
  return task;
}

/* In a doacross loop the outermost level is shared; it runs from 0. */
static struct task *begin_doacross(ompt_work_t kind, unsigned levels, uint64_t count, const void *code)
{
  struct task *task = current_task();
  work_begin(task, kind, count, 1, false, code);
  task->work.levels = levels;
  return task;
}

#define NEXT(kind)                                                                                                     \
  bool GOMP_loop_##kind##_next(long *first, long *past)                                                                \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_##kind##_next(first, past);                                                                \
    bool got = gomp.GOMP_loop_##kind##_next(first, past);                                                              \
    return is_omitted(got, first, past) || report_chunk(current_task(), got, first, past);                             \
  }                                                                                                                    \
  bool GOMP_loop_ull_##kind##_next(gomp_ull *first, gomp_ull *past)                                                    \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_ull_##kind##_next(first, past);                                                            \
    bool got = gomp.GOMP_loop_ull_##kind##_next(first, past);                                                          \
    return is_omitted_ull(got, first, past) || report_chunk_ull(current_task(), got, first, past);                     \
  }

#define WITH_CHUNK(kind, work)                                                                                         \
  bool GOMP_loop_##kind##_start(long start, long end, long step, long chunk, long *first, long *past)                  \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_##kind##_start(start, end, step, chunk, first, past);                                      \
    struct task *task = begin(work, start, end, step, CALLER);                                                         \
    return report_chunk(task, gomp.GOMP_loop_##kind##_start(start, end, step, chunk, first, past), first, past);       \
  }                                                                                                                    \
  bool GOMP_loop_ull_##kind##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, gomp_ull chunk,              \
                                    gomp_ull *first, gomp_ull *past)                                                   \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_ull_##kind##_start(up, start, end, step, chunk, first, past);                              \
    struct task *task = begin_ull(work, up, start, end, step, CALLER);                                                 \
    return report_chunk_ull(task, gomp.GOMP_loop_ull_##kind##_start(up, start, end, step, chunk, first, past), first,  \
                            past);                                                                                     \
  }                                                                                                                    \
  NEXT(kind)

#define RUNTIME(kind)                                                                                                  \
  bool GOMP_loop_##kind##_start(long start, long end, long step, long *first, long *past)                              \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_##kind##_start(start, end, step, first, past);                                             \
    struct task *task = begin(loop_kind(GOMP_SCHEDULE_RUNTIME), start, end, step, CALLER);                             \
    return report_chunk(task, gomp.GOMP_loop_##kind##_start(start, end, step, first, past), first, past);              \
  }                                                                                                                    \
  bool GOMP_loop_ull_##kind##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, gomp_ull *first,             \
                                    gomp_ull *past)                                                                    \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_ull_##kind##_start(up, start, end, step, first, past);                                     \
    struct task *task = begin_ull(loop_kind(GOMP_SCHEDULE_RUNTIME), up, start, end, step, CALLER);                     \
    return report_chunk_ull(task, gomp.GOMP_loop_ull_##kind##_start(up, start, end, step, first, past), first, past);  \
  }                                                                                                                    \
  NEXT(kind)

#define DOACROSS(kind, work)                                                                                           \
  bool GOMP_loop_##kind##_start(unsigned n, long *counts, long chunk, long *first, long *past)                         \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_##kind##_start(n, counts, chunk, first, past);                                             \
    struct task *task = begin_doacross(work, n, (uint64_t)counts[0], CALLER);                                          \
    return report_chunk(task, gomp.GOMP_loop_##kind##_start(n, counts, chunk, first, past), first, past);              \
  }                                                                                                                    \
  bool GOMP_loop_ull_##kind##_start(unsigned n, gomp_ull *counts, gomp_ull chunk, gomp_ull *first, gomp_ull *past)     \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.GOMP_loop_ull_##kind##_start(n, counts, chunk, first, past);                                         \
    struct task *task = begin_doacross(work, n, counts[0], CALLER);                                                    \
    return report_chunk_ull(task, gomp.GOMP_loop_ull_##kind##_start(n, counts, chunk, first, past), first, past);      \
  }

/* The two functions of each macro share nothing but their text: CALLER must be the wrapper's own return address. */
WITH_CHUNK(static, ompt_work_loop_static)
WITH_CHUNK(dynamic, ompt_work_loop_dynamic)
WITH_CHUNK(guided, ompt_work_loop_guided)
WITH_CHUNK(nonmonotonic_dynamic, ompt_work_loop_dynamic)
WITH_CHUNK(nonmonotonic_guided, ompt_work_loop_guided)
WITH_CHUNK(ordered_static, ompt_work_loop_static)
WITH_CHUNK(ordered_dynamic, ompt_work_loop_dynamic)
WITH_CHUNK(ordered_guided, ompt_work_loop_guided)
RUNTIME(runtime)
RUNTIME(nonmonotonic_runtime)
RUNTIME(maybe_nonmonotonic_runtime)
RUNTIME(ordered_runtime)
DOACROSS(doacross_static, ompt_work_loop_static)
DOACROSS(doacross_dynamic, ompt_work_loop_dynamic)
DOACROSS(doacross_guided, ompt_work_loop_guided)

bool GOMP_loop_doacross_runtime_start(unsigned n, long *counts, long *first, long *past)
{
  if (!provider_is_on())
    return gomp.GOMP_loop_doacross_runtime_start(n, counts, first, past);
  struct task *task = begin_doacross(loop_kind(GOMP_SCHEDULE_RUNTIME), n, (uint64_t)counts[0], CALLER);
  return report_chunk(task, gomp.GOMP_loop_doacross_runtime_start(n, counts, first, past), first, past);
}

bool GOMP_loop_ull_doacross_runtime_start(unsigned n, gomp_ull *counts, gomp_ull *first, gomp_ull *past)
{
  if (!provider_is_on())
    return gomp.GOMP_loop_ull_doacross_runtime_start(n, counts, first, past);
  struct task *task = begin_doacross(loop_kind(GOMP_SCHEDULE_RUNTIME), n, counts[0], CALLER);
  return report_chunk_ull(task, gomp.GOMP_loop_ull_doacross_runtime_start(n, counts, first, past), first, past);
}

/*
 * Loops with task reductions or storage that the threads share. Where first is NULL the program computes its static
 * chunks itself.
 */
#define GENERAL(name)                                                                                                  \
  bool name(long start, long end, long step, long schedule, long chunk, long *first, long *past,                       \
            uintptr_t *reductions, void **memory)                                                                      \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.name(start, end, step, schedule, chunk, first, past, reductions, memory);                            \
    struct task *task = begin(loop_kind(schedule), start, end, step, CALLER);                                          \
    return report_chunk(task, gomp.name(start, end, step, schedule, chunk, first, past, reductions, memory), first,    \
                        past);                                                                                         \
  }
#define GENERAL_ULL(name)                                                                                              \
  bool name(bool up, gomp_ull start, gomp_ull end, gomp_ull step, long schedule, gomp_ull chunk, gomp_ull *first,      \
            gomp_ull *past, uintptr_t *reductions, void **memory)                                                      \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      return gomp.name(up, start, end, step, schedule, chunk, first, past, reductions, memory);                        \
    struct task *task = begin_ull(loop_kind(schedule), up, start, end, step, CALLER);                                  \
    return report_chunk_ull(task, gomp.name(up, start, end, step, schedule, chunk, first, past, reductions, memory),   \
                            first, past);                                                                              \
  }
GENERAL(GOMP_loop_start)
GENERAL(GOMP_loop_ordered_start)
GENERAL_ULL(GOMP_loop_ull_start)
GENERAL_ULL(GOMP_loop_ull_ordered_start)

bool GOMP_loop_doacross_start(unsigned n, long *counts, long schedule, long chunk, long *first, long *past,
                              uintptr_t *reductions, void **memory)
{
  if (!provider_is_on())
    return gomp.GOMP_loop_doacross_start(n, counts, schedule, chunk, first, past, reductions, memory);
  struct task *task = begin_doacross(loop_kind(schedule), n, (uint64_t)counts[0], CALLER);
  return report_chunk(task, gomp.GOMP_loop_doacross_start(n, counts, schedule, chunk, first, past, reductions, memory),
                      first, past);
}

bool GOMP_loop_ull_doacross_start(unsigned n, gomp_ull *counts, long schedule, gomp_ull chunk, gomp_ull *first,
                                  gomp_ull *past, uintptr_t *reductions, void **memory)
{
  if (!provider_is_on())
    return gomp.GOMP_loop_ull_doacross_start(n, counts, schedule, chunk, first, past, reductions, memory);
  struct task *task = begin_doacross(loop_kind(schedule), n, counts[0], CALLER);
  return report_chunk_ull(
      task, gomp.GOMP_loop_ull_doacross_start(n, counts, schedule, chunk, first, past, reductions, memory), first,
      past);
}

void GOMP_loop_end(void)
{
  if (!provider_is_on()) {
    gomp.GOMP_loop_end();
    return;
  }
  struct task *task = current_task();
  work_end(task, CALLER);
  int before = sync_begin(task, ompt_sync_region_barrier_implicit_workshare, CALLER);
  gomp.GOMP_loop_end();
  sync_end(task, ompt_sync_region_barrier_implicit_workshare, before, CALLER);
}

bool GOMP_loop_end_cancel(void)
{
  if (!provider_is_on())
    return gomp.GOMP_loop_end_cancel();
  struct task *task = current_task();
  work_end(task, CALLER);
  int before = sync_begin(task, ompt_sync_region_barrier_implicit_workshare, CALLER);
  bool cancelled = gomp.GOMP_loop_end_cancel();
  sync_end(task, ompt_sync_region_barrier_implicit_workshare, before, CALLER);
  return cancelled;
}

void GOMP_loop_end_nowait(void)
{
  if (provider_is_on())
    work_end(current_task(), CALLER);
  gomp.GOMP_loop_end_nowait();
}

/* Doacross: one dependence on, or from, an iteration vector of as many levels as the loop has. */
enum { LEVELS_MOST = 64 };

static void report_vector(struct task *task, ompt_dependence_type_t type, const uint64_t *vector)
{
  if (!IS_REPORTED(dependences))
    return;
  unsigned n = task->work.levels < LEVELS_MOST ? task->work.levels : LEVELS_MOST;
  ompt_dependence_t *dependences = alloca(n * sizeof *dependences);
  for (unsigned i = 0; i < n; i++)
    dependences[i] = (ompt_dependence_t){{.value = vector[i]}, type};
  REPORT(dependences, &task->data, dependences, (int)n);
}

void GOMP_doacross_post(long *counts)
{
  bool on = provider_is_on();
  gomp.GOMP_doacross_post(counts);
  if (on)
    report_vector(current_task(), ompt_dependence_type_source, (const uint64_t *)counts);
}

void GOMP_doacross_ull_post(gomp_ull *counts)
{
  bool on = provider_is_on();
  gomp.GOMP_doacross_ull_post(counts);
  if (on)
    report_vector(current_task(), ompt_dependence_type_source, (const uint64_t *)counts);
}

static int wait_begin(const void *code)
{
  int before = self.state;
  if (tool_doacross_wait)
    tool_doacross_wait(code);
  self.state = ompt_state_wait_ordered;
  return before;
}

static void wait_end(struct task *task, int before, const uint64_t *vector)
{
  self.state = before;
  report_vector(task, ompt_dependence_type_sink, vector);
}

static void too_many_levels(void)
{
  fputs(
      "heddle: a doacross loop has more than 64 levels: cannot record it; run the program without libheddle-gomp.so\n",
      stderr);
  abort();
}

/*
 * A variable argument list can't be passed on as it is: the runtime gets more arguments than it reads. The number is
 * known if the provider saw the loop's begin; else all are passed on.
 */
#define V(i)  vector[i]
#define V8(i) V(i), V(i + 1), V(i + 2), V(i + 3), V(i + 4), V(i + 5), V(i + 6), V(i + 7)
#define V64   V8(0), V8(8), V8(16), V8(24), V8(32), V8(40), V8(48), V8(56)

#define WAIT(name, type)                                                                                               \
  void name(type first, ...)                                                                                           \
  {                                                                                                                    \
    type vector[LEVELS_MOST] = {first};                                                                                \
    struct task *task = provider_is_on() ? current_task() : NULL;                                                      \
    unsigned levels = task && task->work.levels ? task->work.levels : LEVELS_MOST;                                     \
    if (levels > LEVELS_MOST)                                                                                          \
      too_many_levels();                                                                                               \
    va_list rest;                                                                                                      \
    va_start(rest, first);                                                                                             \
    for (unsigned i = 1; i < levels; i++)                                                                              \
      vector[i] = va_arg(rest, type);                                                                                  \
    va_end(rest);                                                                                                      \
    int before = task ? wait_begin(CALLER) : 0;                                                                        \
    gomp.name(V64);                                                                                                    \
    if (task)                                                                                                          \
      wait_end(task, before, (const uint64_t *)vector);                                                                \
  }

WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, gomp_ull)
