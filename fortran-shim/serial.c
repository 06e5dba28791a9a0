/* Serial execution of regions, worksharing constructs and tasks, for processes without an OpenMP runtime. */
#include "fortran-shim/serial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The calling thread's worksharing construct that began with a region, for the next function to hand out. */
static __thread struct {
  bool loop;
  long first, past;
} ready __attribute__((tls_model("initial-exec")));

void serial_GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
  (void)threads;
  (void)flags;
  fn(data);
}

/* The memory of a reduction over tasks, as libgomp makes it: data[1] bytes for each thread, in data[2] and up to
 * data[6]. */
static void reserve(uintptr_t *data)
{
  for (; data; data = (uintptr_t *)data[4]) {
    data[2] = (uintptr_t)calloc(1, data[1] ? data[1] : 1);
    data[6] = data[2] + data[1];
  }
}

unsigned serial_GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
  reserve(*(uintptr_t **)data);
  serial_GOMP_parallel(fn, data, threads, flags);
  return 1;
}

void serial_GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned thread_limit, unsigned flags)
{
  (void)thread_limit;
  serial_GOMP_parallel(fn, data, teams, flags);
}

/* The interface of gcc before 4.9: the program calls the function itself. */
void serial_GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads)
{
  (void)fn;
  (void)data;
  (void)threads;
}

void serial_GOMP_parallel_end(void)
{
}

static void make_ready(long start, long end, long step)
{
  ready.loop = !range_is_empty(start, end, step);
  ready.first = start;
  ready.past = end;
}

static bool next(long *first, long *past)
{
  bool got = ready.loop;
  ready.loop = false;
  if (got) {
    *first = ready.first;
    *past = ready.past;
  }
  return got;
}

#define PARALLEL_LOOP(kind, ...)                                                                                       \
  void serial_GOMP_parallel_loop_##kind(void (*fn)(void *), void *data, unsigned threads, long start, long end,        \
                                        long step, __VA_ARGS__ unsigned flags)                                         \
  {                                                                                                                    \
    make_ready(start, end, step);                                                                                      \
    serial_GOMP_parallel(fn, data, threads, flags);                                                                    \
    ready.loop = false;                                                                                                \
  }
#define UNUSED_CHUNK __attribute__((unused)) long chunk,
PARALLEL_LOOP(static, UNUSED_CHUNK)
PARALLEL_LOOP(dynamic, UNUSED_CHUNK)
PARALLEL_LOOP(guided, UNUSED_CHUNK)
PARALLEL_LOOP(nonmonotonic_dynamic, UNUSED_CHUNK)
PARALLEL_LOOP(nonmonotonic_guided, UNUSED_CHUNK)
PARALLEL_LOOP(runtime, )
PARALLEL_LOOP(nonmonotonic_runtime, )
PARALLEL_LOOP(maybe_nonmonotonic_runtime, )

#define PARALLEL_LOOP_START(kind)                                                                                      \
  void serial_GOMP_parallel_loop_##kind##_start(void (*fn)(void *), void *data, unsigned threads, long start,          \
                                                long end, long step, long chunk)                                       \
  {                                                                                                                    \
    (void)chunk;                                                                                                       \
    serial_GOMP_parallel_start(fn, data, threads);                                                                     \
    make_ready(start, end, step);                                                                                      \
  }
PARALLEL_LOOP_START(static)
PARALLEL_LOOP_START(dynamic)
PARALLEL_LOOP_START(guided)

void serial_GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads, long start, long end,
                                             long step)
{
  serial_GOMP_parallel_loop_static_start(fn, data, threads, start, end, step, 0);
}

/* Loops: all iterations are one chunk. Loops whose chunks the program computes itself have no first. */
static bool all(long start, long end, long step, long *first, long *past)
{
  ready.loop = false;
  if (range_is_empty(start, end, step))
    return false;
  *first = start;
  *past = end;
  return true;
}

static bool all_ull(bool up, gomp_ull start, gomp_ull end, gomp_ull *first, gomp_ull *past)
{
  ready.loop = false;
  if (range_is_empty_ull(up, start, end))
    return false;
  *first = start;
  *past = end;
  return true;
}

#define NEXT(kind)                                                                                                     \
  bool serial_GOMP_loop_##kind##_next(long *first, long *past)                                                         \
  {                                                                                                                    \
    return next(first, past);                                                                                          \
  }                                                                                                                    \
  bool serial_GOMP_loop_ull_##kind##_next(gomp_ull *first, gomp_ull *past)                                             \
  {                                                                                                                    \
    (void)first;                                                                                                       \
    (void)past;                                                                                                        \
    return false;                                                                                                      \
  }
#define LOOP(kind, type, ...)                                                                                          \
  bool serial_GOMP_loop_##kind##_start(long start, long end, long step, __VA_ARGS__ long *first, long *past)           \
  {                                                                                                                    \
    return all(start, end, step, first, past);                                                                         \
  }                                                                                                                    \
  bool serial_GOMP_loop_ull_##kind##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, type gomp_ull *first, \
                                           gomp_ull *past)                                                             \
  {                                                                                                                    \
    (void)step;                                                                                                        \
    return all_ull(up, start, end, first, past);                                                                       \
  }                                                                                                                    \
  NEXT(kind)
#define UNUSED_ULL_CHUNK __attribute__((unused)) gomp_ull chunk,
#define NO_CHUNK
#define WITH_CHUNK(kind) LOOP(kind, UNUSED_ULL_CHUNK, UNUSED_CHUNK)
#define RUNTIME(kind)    LOOP(kind, NO_CHUNK, )
GOMP_FOR_EACH_LOOP_WITH_CHUNK(WITH_CHUNK)
GOMP_FOR_EACH_LOOP_RUNTIME(RUNTIME)

/* Doacross: iterations come in their order, so nobody waits. */
static bool all_levels(unsigned n, const long *counts, long *first, long *past)
{
  for (unsigned i = 1; i < n; i++)
    if (counts[i] <= 0)
      return false;
  return all(0, counts[0], 1, first, past);
}

static bool all_levels_ull(unsigned n, const gomp_ull *counts, gomp_ull *first, gomp_ull *past)
{
  for (unsigned i = 1; i < n; i++)
    if (counts[i] == 0)
      return false;
  return all_ull(true, 0, counts[0], first, past);
}

#define DOACROSS(kind)                                                                                                 \
  bool serial_GOMP_loop_##kind##_start(unsigned n, long *counts, long chunk, long *first, long *past)                  \
  {                                                                                                                    \
    (void)chunk;                                                                                                       \
    return all_levels(n, counts, first, past);                                                                         \
  }                                                                                                                    \
  bool serial_GOMP_loop_ull_##kind##_start(unsigned n, gomp_ull *counts, gomp_ull chunk, gomp_ull *first,              \
                                           gomp_ull *past)                                                             \
  {                                                                                                                    \
    (void)chunk;                                                                                                       \
    return all_levels_ull(n, counts, first, past);                                                                     \
  }
GOMP_FOR_EACH_DOACROSS_WITH_CHUNK(DOACROSS)

bool serial_GOMP_loop_doacross_runtime_start(unsigned n, long *counts, long *first, long *past)
{
  return all_levels(n, counts, first, past);
}

bool serial_GOMP_loop_ull_doacross_runtime_start(unsigned n, gomp_ull *counts, gomp_ull *first, gomp_ull *past)
{
  return all_levels_ull(n, counts, first, past);
}

/* Memory that the threads of a team would share: zeroed, of the size that the program asks for, until its next such
 * loop. */
static void share(uintptr_t *reductions, void **memory)
{
  static __thread void *shared __attribute__((tls_model("initial-exec")));
  if (reductions)
    reserve(reductions);
  if (!memory)
    return;
  free(shared);
  *memory = shared = calloc(1, (uintptr_t)*memory + 1);
}

#define GENERAL(name)                                                                                                  \
  bool serial_##name(long start, long end, long step, long schedule, long chunk, long *first, long *past,              \
                     uintptr_t *reductions, void **memory)                                                             \
  {                                                                                                                    \
    (void)schedule;                                                                                                    \
    (void)chunk;                                                                                                       \
    share(reductions, memory);                                                                                         \
    return !first || all(start, end, step, first, past);                                                               \
  }
#define GENERAL_ULL(name)                                                                                              \
  bool serial_##name(bool up, gomp_ull start, gomp_ull end, gomp_ull step, long schedule, gomp_ull chunk,              \
                     gomp_ull *first, gomp_ull *past, uintptr_t *reductions, void **memory)                            \
  {                                                                                                                    \
    (void)step;                                                                                                        \
    (void)schedule;                                                                                                    \
    (void)chunk;                                                                                                       \
    share(reductions, memory);                                                                                         \
    return !first || all_ull(up, start, end, first, past);                                                             \
  }
GENERAL(GOMP_loop_start)
GENERAL(GOMP_loop_ordered_start)
GENERAL_ULL(GOMP_loop_ull_start)
GENERAL_ULL(GOMP_loop_ull_ordered_start)

bool serial_GOMP_loop_doacross_start(unsigned n, long *counts, long schedule, long chunk, long *first, long *past,
                                     uintptr_t *reductions, void **memory)
{
  (void)schedule;
  (void)chunk;
  share(reductions, memory);
  return all_levels(n, counts, first, past);
}

bool serial_GOMP_loop_ull_doacross_start(unsigned n, gomp_ull *counts, long schedule, gomp_ull chunk, gomp_ull *first,
                                         gomp_ull *past, uintptr_t *reductions, void **memory)
{
  (void)schedule;
  (void)chunk;
  share(reductions, memory);
  return all_levels_ull(n, counts, first, past);
}

void serial_GOMP_loop_end(void)
{
}

bool serial_GOMP_loop_end_cancel(void)
{
  return false;
}

void serial_GOMP_loop_end_nowait(void)
{
}

void serial_GOMP_doacross_post(long *counts)
{
  (void)counts;
}

void serial_GOMP_doacross_ull_post(gomp_ull *counts)
{
  (void)counts;
}

void serial_GOMP_doacross_wait(long first, ...)
{
  (void)first;
}

void serial_GOMP_doacross_ull_wait(gomp_ull first, ...)
{
  (void)first;
}

/* Sections, in turn. In a section may be a region that has sections itself. */
#define NESTED_MOST 32u
static __thread struct {
  unsigned depth; /* may be more than are kept: these have no sections */
  struct {
    unsigned last, count; /* the section that was handed out last, and how many there are */
  } nested[NESTED_MOST];
} sections __attribute__((tls_model("initial-exec")));

static void sections_begin(unsigned count)
{
  if (sections.depth++ < NESTED_MOST) {
    sections.nested[sections.depth - 1].last = 0;
    sections.nested[sections.depth - 1].count = count;
  }
}

unsigned serial_GOMP_sections_next(void)
{
  unsigned i = sections.depth - 1;
  if (i >= NESTED_MOST || sections.nested[i].last == sections.nested[i].count)
    return 0;
  return ++sections.nested[i].last;
}

unsigned serial_GOMP_sections_start(unsigned count)
{
  sections_begin(count);
  return serial_GOMP_sections_next();
}

unsigned serial_GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
  share(reductions, memory);
  return serial_GOMP_sections_start(count);
}

void serial_GOMP_sections_end(void)
{
  sections.depth -= sections.depth > 0;
}

bool serial_GOMP_sections_end_cancel(void)
{
  serial_GOMP_sections_end();
  return false;
}

void serial_GOMP_sections_end_nowait(void)
{
  serial_GOMP_sections_end();
}

void serial_GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned count)
{
  serial_GOMP_parallel_start(fn, data, threads);
  sections_begin(count);
}

void serial_GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags)
{
  serial_GOMP_parallel_sections_start(fn, data, threads, count);
  serial_GOMP_parallel(fn, data, threads, flags);
}

bool serial_GOMP_single_start(void)
{
  return true;
}

void *serial_GOMP_single_copy_start(void)
{
  return NULL;
}

void serial_GOMP_single_copy_end(void *data)
{
  (void)data;
}

void serial_GOMP_scope_start(uintptr_t *reductions)
{
  if (reductions)
    reserve(reductions);
}

/* Barriers, cancellation, messages */
void serial_GOMP_barrier(void)
{
}

bool serial_GOMP_barrier_cancel(void)
{
  return false;
}

void serial_GOMP_workshare_task_reduction_unregister(bool cancelled)
{
  (void)cancelled;
}

void serial_GOMP_ordered_start(void)
{
}

void serial_GOMP_ordered_end(void)
{
}

bool serial_GOMP_cancel(int which, bool really)
{
  (void)which;
  (void)really;
  return false;
}

bool serial_GOMP_cancellation_point(int which)
{
  (void)which;
  return false;
}

void serial_GOMP_warning(const char *message, uintptr_t length)
{
  if (message)
    fprintf(stderr, "error directive encountered: %.*s\n", (int)(length == UINTPTR_MAX ? strlen(message) : length),
            message);
  else
    fputs("error directive encountered\n", stderr);
}

void serial_GOMP_error(const char *message, uintptr_t length)
{
  serial_GOMP_warning(message, length);
  exit(EXIT_FAILURE); /* as the directive says */
}

int serial_omp_get_num_threads(void)
{
  return 1;
}

int serial_omp_get_thread_num(void)
{
  return 0;
}

/* Without a runtime: tasks. Each runs when it is made. */

/* A copy of a task's data, aligned as it is to be. NULL: no memory. Its allocation is *whole. */
static void *copy_of(void *data, void (*copy)(void *, void *), long size, long alignment, void **whole)
{
  uintptr_t align = alignment > 1 ? (uintptr_t)alignment : 1;
  *whole = malloc((size_t)size + align);
  if (!*whole)
    return NULL;
  void *to = (void *)(((uintptr_t)*whole + align - 1) / align * align);
  if (copy)
    copy(to, data);
  else if (size > 0)
    memcpy(to, data, (size_t)size);
  return to;
}

void serial_GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                      bool may_defer, unsigned flags, void **depend, int priority, void *detach)
{
  static char event;
  (void)may_defer;
  (void)depend;
  (void)priority;
  (void)detach;
  if (flags & GOMP_TASK_DETACH)
    *(void **)data = &event;
  void *whole = NULL, *argument = copy ? copy_of(data, copy, size, alignment, &whole) : data;
  if (copy && !argument)
    abort(); /* libgomp ends the program, too, when it has no memory for a task */
  fn(argument);
  free(whole);
}

/* One task has all iterations; its range is in the first two words of its data. */
static void run_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                         const uint64_t range[2])
{
  void *whole, *argument = copy_of(data, copy, size, alignment, &whole);
  if (!argument)
    abort();
  memcpy(argument, range, 2 * sizeof *range);
  fn(argument);
  free(whole);
}

void serial_GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                          unsigned flags, unsigned long tasks, int priority, long start, long end, long step)
{
  (void)flags;
  (void)tasks;
  (void)priority;
  const uint64_t range[2] = {(uint64_t)start, (uint64_t)end};
  if (!range_is_empty(start, end, step))
    run_taskloop(fn, data, copy, size, alignment, range);
}

void serial_GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                              unsigned flags, unsigned long tasks, int priority, gomp_ull start, gomp_ull end,
                              gomp_ull step)
{
  (void)tasks;
  (void)priority;
  (void)step;
  const uint64_t range[2] = {start, end};
  if (!range_is_empty_ull(flags & GOMP_TASK_UP, start, end))
    run_taskloop(fn, data, copy, size, alignment, range);
}

void serial_GOMP_taskwait(void)
{
}

void serial_GOMP_taskwait_depend(void **depend)
{
  (void)depend;
}

void serial_GOMP_taskgroup_start(void)
{
}

void serial_GOMP_taskgroup_end(void)
{
}

void serial_omp_fulfill_event(uintptr_t event)
{
  (void)event;
}

void serial_omp_fulfill_event_(uintptr_t event)
{
  (void)event;
}
