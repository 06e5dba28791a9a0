/*
 * A program without OpenMP that asks by weak symbols whether it is there, and then uses it: each entry point of
 * symbols.def that is wrapped. `serial` does so; `serial PLUGIN` then loads a plug-in that brings libgomp. Prints how
 * many entry points are there.
 */
#include "fortran-shim/gomp_abi.h"
#include "tests/programs/program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED(name, type)
#define PASSED(name, why)
#define WRAPPED(name) extern __typeof__(name) name __attribute__((weak));
#include "fortran-shim/symbols.def"
#undef WRAPPED

static bool right = true;
static const char *testing;

static void expect(bool holds, const char *what)
{
  if (!holds)
    printf("%s: not %s\n", testing, what);
  right = right && holds;
}
#define EXPECT(holds) expect(holds, #holds)

static long sum, calls;

static void body(void *data)
{
  calls++;
  sum += *(long *)data;
}

#define IS_CALLED_ONCE(call)                                                                                           \
  do {                                                                                                                 \
    long data = 5;                                                                                                     \
    sum = calls = 0;                                                                                                   \
    call;                                                                                                              \
    EXPECT(calls == 1 && sum == 5);                                                                                    \
  } while (0)

static void test_GOMP_parallel(void)
{
  IS_CALLED_ONCE(GOMP_parallel(body, &data, 4, 0));
}

static void test_GOMP_teams_reg(void)
{
  IS_CALLED_ONCE(GOMP_teams_reg(body, &data, 4, 0, 0));
}

static void test_GOMP_parallel_start(void)
{
  IS_CALLED_ONCE((GOMP_parallel_start(body, &data, 4), body(&data), GOMP_parallel_end()));
}

/* A reduction's data: no variables of 16 bytes in all. */
static void reduced(void *data)
{
  uintptr_t *reduction = *(uintptr_t **)data;
  calls++;
  EXPECT(reduction[2] && reduction[6] == reduction[2] + 16);
  EXPECT(*(char *)reduction[2] == 0);
}

static void test_GOMP_parallel_reductions(void)
{
  uintptr_t reduction[7] = {0, 16, 8, (uintptr_t)-1, 0, 0, 0}, *data = reduction;
  calls = 0;
  EXPECT(GOMP_parallel_reductions(reduced, &data, 4, 0) == 1);
  EXPECT(calls == 1);
}

/* Loops: all iterations from 3 to 9, 42 in sum, in whatever chunks. */
#define CHUNKS(next, first, past)                                                                                      \
  do                                                                                                                   \
    for (; first < past; first++)                                                                                      \
      sum += (long)first;                                                                                              \
  while (next(&first, &past))

#define LOOP_BODY(kind)                                                                                                \
  static void loop_of_##kind(void *data)                                                                               \
  {                                                                                                                    \
    long first = 0, past = 0;                                                                                          \
    (void)data;                                                                                                        \
    CHUNKS(GOMP_loop_##kind##_next, first, past);                                                                      \
    GOMP_loop_end_nowait();                                                                                            \
  }
#define PARALLEL_LOOP(kind, next, ...)                                                                                 \
  LOOP_BODY_OF_##next static void test_GOMP_parallel_loop_##kind(void)                                                 \
  {                                                                                                                    \
    sum = 0;                                                                                                           \
    GOMP_parallel_loop_##kind(loop_of_##next, NULL, 4, 3, 10, 1, ##__VA_ARGS__, 0);                                    \
    EXPECT(sum == 42);                                                                                                 \
    GOMP_parallel_loop_##kind(loop_of_##next, NULL, 4, 3, 3, 1, ##__VA_ARGS__, 0);                                     \
    EXPECT(sum == 42);                                                                                                 \
  }
LOOP_BODY(static)
LOOP_BODY(dynamic)
LOOP_BODY(guided)
LOOP_BODY(runtime)
LOOP_BODY(nonmonotonic_dynamic)
LOOP_BODY(nonmonotonic_guided)
LOOP_BODY(nonmonotonic_runtime)
LOOP_BODY(maybe_nonmonotonic_runtime)
#define LOOP_BODY_OF_static
#define LOOP_BODY_OF_dynamic
#define LOOP_BODY_OF_guided
#define LOOP_BODY_OF_runtime
#define LOOP_BODY_OF_nonmonotonic_dynamic
#define LOOP_BODY_OF_nonmonotonic_guided
#define LOOP_BODY_OF_nonmonotonic_runtime
#define LOOP_BODY_OF_maybe_nonmonotonic_runtime
PARALLEL_LOOP(static, static, 2)
PARALLEL_LOOP(dynamic, dynamic, 2)
PARALLEL_LOOP(guided, guided, 2)
PARALLEL_LOOP(nonmonotonic_dynamic, nonmonotonic_dynamic, 2)
PARALLEL_LOOP(nonmonotonic_guided, nonmonotonic_guided, 2)
PARALLEL_LOOP(runtime, runtime)
PARALLEL_LOOP(nonmonotonic_runtime, nonmonotonic_runtime)
PARALLEL_LOOP(maybe_nonmonotonic_runtime, maybe_nonmonotonic_runtime)

#define PARALLEL_LOOP_START(kind, ...)                                                                                 \
  static void test_GOMP_parallel_loop_##kind##_start(void)                                                             \
  {                                                                                                                    \
    sum = 0;                                                                                                           \
    GOMP_parallel_loop_##kind##_start(loop_of_##kind, NULL, 4, 3, 10, 1, ##__VA_ARGS__);                               \
    loop_of_##kind(NULL);                                                                                              \
    GOMP_parallel_end();                                                                                               \
    EXPECT(sum == 42);                                                                                                 \
  }
PARALLEL_LOOP_START(static, 2)
PARALLEL_LOOP_START(dynamic, 2)
PARALLEL_LOOP_START(guided, 2)
PARALLEL_LOOP_START(runtime)

#define LOOP(kind, ...)                                                                                                \
  static void test_GOMP_loop_##kind(void)                                                                              \
  {                                                                                                                    \
    long first, past;                                                                                                  \
    sum = 0;                                                                                                           \
    EXPECT(!GOMP_loop_##kind##_start(3, 3, 1, ##__VA_ARGS__, &first, &past));                                          \
    EXPECT(GOMP_loop_##kind##_start(3, 10, 1, ##__VA_ARGS__, &first, &past));                                          \
    CHUNKS(GOMP_loop_##kind##_next, first, past);                                                                      \
    GOMP_loop_end();                                                                                                   \
    EXPECT(sum == 42);                                                                                                 \
    EXPECT(GOMP_loop_##kind##_start(10, 3, -1, ##__VA_ARGS__, &first, &past) && first == 10 && past == 3);             \
    EXPECT(!GOMP_loop_end_cancel());                                                                                   \
  }                                                                                                                    \
  static void test_GOMP_loop_ull_##kind(void)                                                                          \
  {                                                                                                                    \
    gomp_ull first, past;                                                                                              \
    sum = 0;                                                                                                           \
    EXPECT(!GOMP_loop_ull_##kind##_start(true, 3, 3, 1, ##__VA_ARGS__, &first, &past));                                \
    EXPECT(GOMP_loop_ull_##kind##_start(true, 3, 10, 1, ##__VA_ARGS__, &first, &past));                                \
    CHUNKS(GOMP_loop_ull_##kind##_next, first, past);                                                                  \
    GOMP_loop_end_nowait();                                                                                            \
    EXPECT(sum == 42);                                                                                                 \
  }
#define WITH_CHUNK(kind) LOOP(kind, 2)
#define RUNTIME(kind)    LOOP(kind)
GOMP_FOR_EACH_LOOP_WITH_CHUNK(WITH_CHUNK)
GOMP_FOR_EACH_LOOP_RUNTIME(RUNTIME)

#define GENERAL(name, type, ...)                                                                                       \
  static void test_##name(void)                                                                                        \
  {                                                                                                                    \
    type first, past;                                                                                                  \
    void *memory = (void *)32;                                                                                         \
    EXPECT(name(__VA_ARGS__ 3, 10, 1, 2, 2, &first, &past, NULL, &memory) && first == 3 && past == 10);                \
    EXPECT(memory && ((char *)memory)[31] == 0);                                                                       \
    EXPECT(name(__VA_ARGS__ 3, 10, 1, 1, 0, NULL, NULL, NULL, NULL));                                                  \
  }
#define UP true,
GENERAL(GOMP_loop_start, long, )
GENERAL(GOMP_loop_ordered_start, long, )
GENERAL(GOMP_loop_ull_start, gomp_ull, UP)
GENERAL(GOMP_loop_ull_ordered_start, gomp_ull, UP)

#define DOACROSS(name, type, ...)                                                                                      \
  static void test_##name(void)                                                                                        \
  {                                                                                                                    \
    type first, past, counts[2] = {7, 2};                                                                              \
    EXPECT(name(2, counts, __VA_ARGS__) && first == 0 && past == 7);                                                   \
    counts[1] = 0;                                                                                                     \
    EXPECT(!name(2, counts, __VA_ARGS__));                                                                             \
  }
DOACROSS(GOMP_loop_doacross_static_start, long, 1, &first, &past)
DOACROSS(GOMP_loop_doacross_dynamic_start, long, 1, &first, &past)
DOACROSS(GOMP_loop_doacross_guided_start, long, 1, &first, &past)
DOACROSS(GOMP_loop_doacross_runtime_start, long, &first, &past)
DOACROSS(GOMP_loop_doacross_start, long, 2, 1, &first, &past, NULL, NULL)
DOACROSS(GOMP_loop_ull_doacross_static_start, gomp_ull, 1, &first, &past)
DOACROSS(GOMP_loop_ull_doacross_dynamic_start, gomp_ull, 1, &first, &past)
DOACROSS(GOMP_loop_ull_doacross_guided_start, gomp_ull, 1, &first, &past)
DOACROSS(GOMP_loop_ull_doacross_runtime_start, gomp_ull, &first, &past)
DOACROSS(GOMP_loop_ull_doacross_start, gomp_ull, 2, 1, &first, &past, NULL, NULL)

static void test_GOMP_doacross(void)
{
  long counts[2] = {1, 2};
  GOMP_doacross_post(counts);
  GOMP_doacross_wait(0, 1l);
}

static void test_GOMP_doacross_ull(void)
{
  gomp_ull counts[2] = {1, 2};
  GOMP_doacross_ull_post(counts);
  GOMP_doacross_ull_wait(0, 1ull);
}

/* Sections 1, 2 and 3; in the second is a region that has two of its own. */
static void run_sections(unsigned n)
{
  for (; n; n = GOMP_sections_next()) {
    sum += n;
    if (n != 2)
      continue;
    for (unsigned inner = GOMP_sections_start(2); inner; inner = GOMP_sections_next())
      sum += 100 * inner;
    GOMP_sections_end();
  }
}

static void in_sections(void *data)
{
  (void)data;
  run_sections(GOMP_sections_next());
  GOMP_sections_end_nowait();
}

static void test_GOMP_sections(void)
{
  void *memory = (void *)8;
  sum = 0;
  run_sections(GOMP_sections_start(3));
  EXPECT(!GOMP_sections_end_cancel());
  EXPECT(sum == 306);
  EXPECT(GOMP_sections_start(0) == 0);
  GOMP_sections_end();
  run_sections(GOMP_sections2_start(3, NULL, &memory));
  GOMP_sections_end_nowait();
  EXPECT(sum == 612 && memory);
}

static void test_GOMP_parallel_sections(void)
{
  sum = 0;
  GOMP_parallel_sections(in_sections, NULL, 4, 3, 0);
  EXPECT(sum == 306);
}

static void test_GOMP_parallel_sections_start(void)
{
  sum = 0;
  GOMP_parallel_sections_start(in_sections, NULL, 4, 3);
  in_sections(NULL);
  GOMP_parallel_end();
  EXPECT(sum == 306);
}

static void test_GOMP_single(void)
{
  EXPECT(GOMP_single_start());
  EXPECT(!GOMP_single_copy_start());
  GOMP_single_copy_end(&sum);
  GOMP_scope_start(NULL);
}

static void test_barriers(void)
{
  GOMP_barrier();
  EXPECT(!GOMP_barrier_cancel());
  EXPECT(!GOMP_cancel(1, true));
  EXPECT(!GOMP_cancellation_point(1));
  GOMP_ordered_start();
  GOMP_ordered_end();
  GOMP_taskwait();
  GOMP_taskwait_depend(NULL);
  GOMP_taskgroup_start();
  GOMP_taskgroup_end();
  GOMP_workshare_task_reduction_unregister(false);
  GOMP_warning("a warning", 9);
}

/* A fatal error ends the program, as the directive says. */
static void test_GOMP_error(void)
{
  int status;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    GOMP_error("an error", 8);
    _exit(0);
  }
  EXPECT(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void copy_twice(void *to, void *from)
{
  *(long *)to = 2 * *(long *)from;
}

static void test_GOMP_task(void)
{
  long detached[2] = {0, 0};
  void *event = NULL;
  IS_CALLED_ONCE(GOMP_task(body, &data, NULL, sizeof data, 8, true, 0, NULL, 0, NULL));
  long data = 4;
  GOMP_task(body, &data, copy_twice, sizeof data, 64, true, 0, NULL, 0, NULL);
  EXPECT(sum == 13 && data == 4);
  GOMP_task(body, detached, NULL, sizeof detached, 8, true, GOMP_TASK_DETACH, NULL, 0, &event);
  EXPECT(detached[0] != 0);
  omp_fulfill_event((uintptr_t)detached[0]);
  omp_fulfill_event_((uintptr_t)detached[0]);
}

static void range(void *data)
{
  uint64_t *words = data;
  calls++;
  EXPECT(words[0] == 3 && words[1] == 10 && words[2] == 77);
}

static void test_GOMP_taskloop(void)
{
  uint64_t data[3] = {0, 0, 77};
  calls = 0;
  GOMP_taskloop(range, data, NULL, sizeof data, 8, GOMP_TASK_UP, 0, 0, 3, 10, 1);
  GOMP_taskloop(range, data, NULL, sizeof data, 8, GOMP_TASK_UP, 0, 0, 3, 3, 1);
  GOMP_taskloop_ull(range, data, NULL, sizeof data, 8, GOMP_TASK_UP, 0, 0, 3, 10, 1);
  GOMP_taskloop_ull(range, data, NULL, sizeof data, 8, GOMP_TASK_UP, 0, 0, 10, 3, 1);
  EXPECT(calls == 2);
}

static void test_inquiries(void)
{
  EXPECT(omp_get_num_threads() == 1);
  EXPECT(omp_get_thread_num() == 0);
}

/* What gcc 17 calls: the answer is thread, or team, 0 of 1. */
#define ANSWER(name, argument) ((uint32_t)name(argument, 0, 0, 0, 0, 0).first)
#define NO_ANSWER(name)        ((void)name(0, 0, 0, 0, 0, 0))

/* What excludes must do so for the program's own threads, too. */
enum { THREADS = 4, TIMES = 20000 };
static void *section, *fortran_nest;
static int lock, fortran_lock;
static void *nest[2]; /* 16 bytes */
static long counted[8];

static void *count(void *unused)
{
  for (int i = 0; i < TIMES; i++) {
    GOMP_critical_start(), counted[0]++, GOMP_critical_end();
    GOMP_critical_name_start(&section), counted[1]++, GOMP_critical_name_end(&section);
    GOMP_atomic_start(), counted[2]++, GOMP_atomic_end();
    omp_set_lock(&lock), counted[3]++, omp_unset_lock(&lock);
    NO_ANSWER(GOMP_reduction_start), counted[7]++, NO_ANSWER(GOMP_reduction_end);
    omp_set_lock_(&fortran_lock), counted[4]++, omp_unset_lock_(&fortran_lock);
    omp_set_nest_lock(nest), omp_set_nest_lock(nest), counted[5]++, omp_unset_nest_lock(nest),
        omp_unset_nest_lock(nest);
    omp_set_nest_lock_(&fortran_nest), counted[6]++, omp_unset_nest_lock_(&fortran_nest);
    if (omp_test_lock(&lock))
      omp_unset_lock(&lock);
  }
  return unused;
}

static void test_exclusion(void)
{
  pthread_t threads[THREADS];
  omp_init_lock(&lock), omp_init_lock_(&fortran_lock), omp_init_nest_lock(nest), omp_init_nest_lock_(&fortran_nest);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 8; i++)
    EXPECT(counted[i] == THREADS * TIMES);
  EXPECT(omp_test_lock(&lock) && !omp_test_lock(&lock));
  EXPECT(omp_test_lock_(&fortran_lock) && !omp_test_lock_(&fortran_lock));
  EXPECT(omp_test_nest_lock(nest) == 1 && omp_test_nest_lock(nest) == 2);
  EXPECT(omp_test_nest_lock_(&fortran_nest) == 1 && omp_test_nest_lock_(&fortran_nest) == 2);
  omp_destroy_lock(&lock), omp_destroy_lock_(&fortran_lock), omp_destroy_nest_lock(nest);
  omp_destroy_nest_lock_(&fortran_nest);
}

static void test_inline(void)
{
  uintptr_t reduction[7] = {0, 16, 8, (uintptr_t)-1, 0, 0, 0};
  EXPECT(GOMP_loop_static_worksharing(9, 0, 0, 0, 0, 0).first == 1);
  EXPECT(GOMP_loop_static_worksharing_start(9, 0, 0, 0, 0, 0).first == 1);
  EXPECT(GOMP_distribute_static_worksharing(9, 0, 0, 0, 0, 0).first == 1);
  EXPECT(GOMP_distribute_static_worksharing_start(9, 0, 0, 0, 0, 0).first == 1);
  EXPECT(ANSWER(GOMP_has_masked_thread_num_with_end, 0) == 1 && ANSWER(GOMP_has_masked_thread_num_with_end, 1) == 0);
  EXPECT(ANSWER(GOMP_single_start_with_end, 0) == 1 && ANSWER(GOMP_barrier_cancel_ext, 2) == 0);
  NO_ANSWER(GOMP_loop_static_worksharing_dispatch);
  NO_ANSWER(GOMP_loop_static_worksharing_end);
  NO_ANSWER(GOMP_distribute_static_worksharing_dispatch);
  NO_ANSWER(GOMP_distribute_static_worksharing_end);
  NO_ANSWER(GOMP_masked_end);
  NO_ANSWER(GOMP_single_end);
  NO_ANSWER(GOMP_scope_start_with_end);
  GOMP_scope_start_with_end((uintptr_t)reduction, 0, 0, 0, 0, 0);
  EXPECT(reduction[2] && reduction[6] == reduction[2] + 16);
  NO_ANSWER(GOMP_scope_end);
  NO_ANSWER(GOMP_barrier_ext);
}

/* Which test an entry point is in. One that has none is an entry point without a test, and found below. */
struct tests {
#define WRAPPED(name) void (*name)(void);
#include "fortran-shim/symbols.def"
#undef WRAPPED
};
#define OWN(name)      .name = test_##name
#define IN(test, name) .name = test
#define LOOP_KIND(kind)                                                                                                \
  IN(test_GOMP_loop_##kind, GOMP_loop_##kind##_start), IN(test_GOMP_loop_##kind, GOMP_loop_##kind##_next),             \
      IN(test_GOMP_loop_ull_##kind, GOMP_loop_ull_##kind##_start),                                                     \
      IN(test_GOMP_loop_ull_##kind, GOMP_loop_ull_##kind##_next),
#define LOCK_FUNCTION(type, name) IN(test_exclusion, name), IN(test_exclusion, name##_),
static const struct tests tests = {
    GOMP_FOR_EACH_LOOP_WITH_CHUNK(LOOP_KIND) GOMP_FOR_EACH_LOOP_RUNTIME(LOOP_KIND)
        GOMP_FOR_EACH_LOCK_FUNCTION(LOCK_FUNCTION) OWN(GOMP_parallel),
    OWN(GOMP_teams_reg),
    OWN(GOMP_parallel_start),
    OWN(GOMP_parallel_reductions),
    OWN(GOMP_parallel_loop_static),
    OWN(GOMP_parallel_loop_dynamic),
    OWN(GOMP_parallel_loop_guided),
    OWN(GOMP_parallel_loop_nonmonotonic_dynamic),
    OWN(GOMP_parallel_loop_nonmonotonic_guided),
    OWN(GOMP_parallel_loop_runtime),
    OWN(GOMP_parallel_loop_nonmonotonic_runtime),
    OWN(GOMP_parallel_loop_maybe_nonmonotonic_runtime),
    OWN(GOMP_parallel_loop_static_start),
    OWN(GOMP_parallel_loop_dynamic_start),
    OWN(GOMP_parallel_loop_guided_start),
    OWN(GOMP_parallel_loop_runtime_start),
    OWN(GOMP_parallel_sections),
    OWN(GOMP_parallel_sections_start),
    OWN(GOMP_loop_start),
    OWN(GOMP_loop_ordered_start),
    OWN(GOMP_loop_ull_start),
    OWN(GOMP_loop_ull_ordered_start),
    OWN(GOMP_loop_doacross_static_start),
    OWN(GOMP_loop_doacross_dynamic_start),
    OWN(GOMP_loop_doacross_guided_start),
    OWN(GOMP_loop_doacross_runtime_start),
    OWN(GOMP_loop_doacross_start),
    OWN(GOMP_loop_ull_doacross_static_start),
    OWN(GOMP_loop_ull_doacross_dynamic_start),
    OWN(GOMP_loop_ull_doacross_guided_start),
    OWN(GOMP_loop_ull_doacross_runtime_start),
    OWN(GOMP_loop_ull_doacross_start),
    OWN(GOMP_task),
    OWN(GOMP_taskloop),
    OWN(GOMP_error),
    IN(test_GOMP_parallel_start, GOMP_parallel_end),
    IN(test_GOMP_loop_static, GOMP_loop_end),
    IN(test_GOMP_loop_static, GOMP_loop_end_cancel),
    IN(test_GOMP_loop_static, GOMP_loop_end_nowait),
    IN(test_GOMP_doacross, GOMP_doacross_post),
    IN(test_GOMP_doacross, GOMP_doacross_wait),
    IN(test_GOMP_doacross_ull, GOMP_doacross_ull_post),
    IN(test_GOMP_doacross_ull, GOMP_doacross_ull_wait),
    IN(test_GOMP_sections, GOMP_sections_start),
    IN(test_GOMP_sections, GOMP_sections2_start),
    IN(test_GOMP_sections, GOMP_sections_next),
    IN(test_GOMP_sections, GOMP_sections_end),
    IN(test_GOMP_sections, GOMP_sections_end_cancel),
    IN(test_GOMP_sections, GOMP_sections_end_nowait),
    IN(test_GOMP_single, GOMP_single_start),
    IN(test_GOMP_single, GOMP_single_copy_start),
    IN(test_GOMP_single, GOMP_single_copy_end),
    IN(test_GOMP_single, GOMP_scope_start),
    IN(test_barriers, GOMP_barrier),
    IN(test_barriers, GOMP_barrier_cancel),
    IN(test_barriers, GOMP_cancel),
    IN(test_barriers, GOMP_cancellation_point),
    IN(test_barriers, GOMP_ordered_start),
    IN(test_barriers, GOMP_ordered_end),
    IN(test_barriers, GOMP_taskwait),
    IN(test_barriers, GOMP_taskwait_depend),
    IN(test_barriers, GOMP_taskgroup_start),
    IN(test_barriers, GOMP_taskgroup_end),
    IN(test_barriers, GOMP_workshare_task_reduction_unregister),
    IN(test_barriers, GOMP_warning),
    IN(test_exclusion, GOMP_critical_start),
    IN(test_exclusion, GOMP_critical_end),
    IN(test_exclusion, GOMP_critical_name_start),
    IN(test_exclusion, GOMP_critical_name_end),
    IN(test_exclusion, GOMP_atomic_start),
    IN(test_exclusion, GOMP_atomic_end),
    IN(test_GOMP_task, omp_fulfill_event),
    IN(test_GOMP_task, omp_fulfill_event_),
    IN(test_GOMP_taskloop, GOMP_taskloop_ull),
    IN(test_inquiries, omp_get_num_threads),
    IN(test_inquiries, omp_get_thread_num),
    IN(test_inline, GOMP_barrier_cancel_ext),
    IN(test_inline, GOMP_barrier_ext),
    IN(test_inline, GOMP_distribute_static_worksharing),
    IN(test_inline, GOMP_distribute_static_worksharing_dispatch),
    IN(test_inline, GOMP_distribute_static_worksharing_end),
    IN(test_inline, GOMP_distribute_static_worksharing_start),
    IN(test_inline, GOMP_has_masked_thread_num_with_end),
    IN(test_inline, GOMP_loop_static_worksharing),
    IN(test_inline, GOMP_loop_static_worksharing_dispatch),
    IN(test_inline, GOMP_loop_static_worksharing_end),
    IN(test_inline, GOMP_loop_static_worksharing_start),
    IN(test_inline, GOMP_masked_end),
    IN(test_inline, GOMP_scope_end),
    IN(test_inline, GOMP_scope_start_with_end),
    IN(test_inline, GOMP_single_end),
    IN(test_inline, GOMP_single_start_with_end),
    IN(test_exclusion, GOMP_reduction_start),
    IN(test_exclusion, GOMP_reduction_end),
};

/* Several entry points may share a test. */
static void once(void (*test)(void))
{
  static void (*done[256])(void);
  static unsigned count;
  for (unsigned i = 0; i < count; i++)
    if (done[i] == test)
      return;
  done[count++] = test;
  if (test)
    test();
}

static bool load(const char *path)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*work)(int) = NULL;
  if (library)
    *(void **)&work = dlsym(library, "plugin_work");
  return work && work(2) == 190;
}

int main(int argc, char **argv)
{
  int there = 0;
#define WRAPPED(name)                                                                                                  \
  if (name) {                                                                                                          \
    there++;                                                                                                           \
    testing = #name;                                                                                                   \
    expect(tests.name != NULL, "tested");                                                                              \
    once(tests.name);                                                                                                  \
  }
#include "fortran-shim/symbols.def"
#undef WRAPPED
  printf("there: %d\n", there);
  if (argc > 1) {
    testing = "plug-in";
    EXPECT(load(argv[1]));
    truth("parallel", 1);
    truth("members", 2);
  }
  return finish(right);
}
