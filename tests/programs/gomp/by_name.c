/*
 * Entry points that today's gcc does not call. Before 4.9, the program called the outlined function itself, and some
 * schedules of loops had other entry points. Called by name, as old object files do.
 */
#include "fortran-shim/gomp_abi.h"
#include "tests/programs/program.h"

static atomic_long sum, members, sections;

static void plain(void *data)
{
  atomic_fetch_add(&members, *(int *)data);
}

/* The region began with a loop: the runtime has it ready. */
#define LOOP_BODY(kind)                                                                                                \
  static void loop_##kind(void *data)                                                                                  \
  {                                                                                                                    \
    long first, past;                                                                                                  \
    (void)data;                                                                                                        \
    atomic_fetch_add(&members, 1);                                                                                     \
    while (GOMP_loop_##kind##_next(&first, &past))                                                                     \
      for (long i = first; i < past; i++)                                                                              \
        atomic_fetch_add(&sum, i);                                                                                     \
    GOMP_loop_end_nowait();                                                                                            \
  }
LOOP_BODY(static)
LOOP_BODY(dynamic)
LOOP_BODY(guided)
LOOP_BODY(runtime)

static void in_sections(void *data)
{
  (void)data;
  atomic_fetch_add(&members, 1);
  for (unsigned n = GOMP_sections_next(); n; n = GOMP_sections_next())
    atomic_fetch_add(&sections, n);
  GOMP_sections_end_nowait();
}

/* Loops that the region's threads start themselves. */
#define START(ull, kind, ...)                                                                                          \
  if (GOMP_loop_##ull##kind##_start(__VA_ARGS__, &first, &past))                                                       \
    do                                                                                                                 \
      for (; first < past; first++)                                                                                    \
        atomic_fetch_add(&sum, (long)first);                                                                           \
    while (GOMP_loop_##ull##kind##_next(&first, &past));                                                               \
  GOMP_loop_end()

static void starts_loops(void *data)
{
  long first, past;
  (void)data;
  START(, static, 0, 10, 1, 2);
  START(, dynamic, 0, 10, 1, 2);
  START(, guided, 0, 10, 1, 1);
  START(, runtime, 0, 10, 1);
  START(, nonmonotonic_runtime, 0, 10, 1);
}

static void starts_wide_loops(void *data)
{
  gomp_ull first, past;
  (void)data;
  START(ull_, static, true, 0, 10, 1, 2);
  START(ull_, dynamic, true, 0, 10, 1, 2);
  START(ull_, guided, true, 0, 10, 1, 1);
  START(ull_, runtime, true, 0, 10, 1);
  START(ull_, nonmonotonic_runtime, true, 0, 10, 1);
}

/* A worker that calls a function of a region that ended would do so before the next one. */
#define OLD(start, fn, data)                                                                                           \
  do {                                                                                                                 \
    start;                                                                                                             \
    fn(data);                                                                                                          \
    GOMP_parallel_end();                                                                                               \
  } while (0)

int main(void)
{
  int one = 1;
  OLD(GOMP_parallel_start(plain, &one, 2), plain, &one);
  OLD(GOMP_parallel_start(plain, &one, 1), plain, &one);
  OLD(GOMP_parallel_loop_static_start(loop_static, NULL, 2, 0, 10, 1, 2), loop_static, NULL);
  OLD(GOMP_parallel_loop_dynamic_start(loop_dynamic, NULL, 2, 0, 10, 1, 2), loop_dynamic, NULL);
  OLD(GOMP_parallel_loop_guided_start(loop_guided, NULL, 2, 0, 10, 1, 1), loop_guided, NULL);
  OLD(GOMP_parallel_loop_runtime_start(loop_runtime, NULL, 2, 0, 10, 1), loop_runtime, NULL);
  OLD(GOMP_parallel_sections_start(in_sections, NULL, 2, 4), in_sections, NULL);
  GOMP_parallel_loop_static(loop_static, NULL, 2, 0, 10, 1, 2, 0);
  GOMP_parallel_loop_dynamic(loop_dynamic, NULL, 2, 0, 10, 1, 2, 0);
  GOMP_parallel_loop_guided(loop_guided, NULL, 2, 0, 10, 1, 1, 0);
  GOMP_parallel_loop_runtime(loop_runtime, NULL, 2, 0, 10, 1, 0);
  GOMP_parallel_sections(in_sections, NULL, 2, 4, 0);
  /* Loops, 2 members each: five of both widths. */
  GOMP_parallel(starts_loops, NULL, 2, 0);
  GOMP_parallel(starts_wide_loops, NULL, 2, 0);
  truth("parallel", 14);
  truth("members", 2 * 14 - 1);
  truth("loops", 2 * (8 + 10));
  truth("iterations", 10 * (8 + 10));
  truth("section", 8);
  return finish(sum == 45 * (8 + 10) && members == 2 * 12 - 1 && sections == 20);
}
