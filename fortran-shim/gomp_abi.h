/*
 * The entry points of libgomp that this library stands in front of, as compilers call them (gcc 9 to 17, x86_64). It
 * has their types, which no public header has. A wrapper here and the runtime's own function have the same name and
 * type.
 *
 * Loops exist four times: over long and, as ull, over unsigned long long, which the macros below write out.
 */
#ifndef HEDDLE_FORTRAN_SHIM_GOMP_ABI_H
#define HEDDLE_FORTRAN_SHIM_GOMP_ABI_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long gomp_ull;

/* Bits of a task's flags. */
enum {
  GOMP_TASK_UNTIED = 1,
  GOMP_TASK_FINAL = 2,
  GOMP_TASK_MERGEABLE = 4,
  GOMP_TASK_DEPEND = 8,
  GOMP_TASK_UP = 1 << 8,
  GOMP_TASK_GRAINSIZE = 1 << 9,
  GOMP_TASK_IF = 1 << 10, /* of taskloop; a task has an argument for it */
  GOMP_TASK_NOGROUP = 1 << 11,
  GOMP_TASK_REDUCTION = 1 << 12,
  GOMP_TASK_DETACH = 1 << 13,
  GOMP_TASK_STRICT = 1 << 14,
};

/* Constructs for GOMP_cancel and GOMP_cancellation_point. */
enum { GOMP_CANCEL_PARALLEL = 1, GOMP_CANCEL_LOOP = 2, GOMP_CANCEL_SECTIONS = 4, GOMP_CANCEL_TASKGROUP = 8 };

/* The schedule in the general start functions; the monotonic bit may be set beside it. */
enum { GOMP_SCHEDULE_RUNTIME, GOMP_SCHEDULE_STATIC, GOMP_SCHEDULE_DYNAMIC, GOMP_SCHEDULE_GUIDED, GOMP_SCHEDULE_AUTO };

/* gomp_parallel.c */
void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);
void GOMP_parallel_end(void);
#define GOMP_PARALLEL_LOOP(kind)                                                                                       \
  void GOMP_parallel_loop_##kind(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,    \
                                 long chunk, unsigned flags);
#define GOMP_PARALLEL_LOOP_START(kind)                                                                                 \
  void GOMP_parallel_loop_##kind##_start(void (*fn)(void *), void *data, unsigned threads, long start, long end,       \
                                         long step, long chunk);
#define GOMP_PARALLEL_LOOP_RUNTIME(kind)                                                                               \
  void GOMP_parallel_loop_##kind(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,    \
                                 unsigned flags);
GOMP_PARALLEL_LOOP(static)
GOMP_PARALLEL_LOOP(dynamic)
GOMP_PARALLEL_LOOP(guided)
GOMP_PARALLEL_LOOP(nonmonotonic_dynamic)
GOMP_PARALLEL_LOOP(nonmonotonic_guided)
GOMP_PARALLEL_LOOP_RUNTIME(runtime)
GOMP_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
GOMP_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)
GOMP_PARALLEL_LOOP_START(static)
GOMP_PARALLEL_LOOP_START(dynamic)
GOMP_PARALLEL_LOOP_START(guided)
void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads, long start, long end,
                                      long step);
void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags);
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned count);
void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned thread_limit, unsigned flags);

/* gomp_loop.c: the start functions by the arguments that they take, for each kind and both widths */
#define GOMP_FOR_EACH_LOOP_WITH_CHUNK(X)                                                                               \
  X(static)                                                                                                            \
  X(dynamic)                                                                                                           \
  X(guided) X(nonmonotonic_dynamic) X(nonmonotonic_guided) X(ordered_static) X(ordered_dynamic) X(ordered_guided)
#define GOMP_FOR_EACH_LOOP_RUNTIME(X)                                                                                  \
  X(runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime) X(ordered_runtime)
#define GOMP_FOR_EACH_DOACROSS_WITH_CHUNK(X) X(doacross_static) X(doacross_dynamic) X(doacross_guided)

#define GOMP_LOOP_WITH_CHUNK(kind)                                                                                     \
  bool GOMP_loop_##kind##_start(long start, long end, long step, long chunk, long *first, long *past);                 \
  bool GOMP_loop_ull_##kind##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, gomp_ull chunk,              \
                                    gomp_ull *first, gomp_ull *past);                                                  \
  GOMP_LOOP_NEXT(kind)
#define GOMP_LOOP_RUNTIME(kind)                                                                                        \
  bool GOMP_loop_##kind##_start(long start, long end, long step, long *first, long *past);                             \
  bool GOMP_loop_ull_##kind##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, gomp_ull *first,             \
                                    gomp_ull *past);                                                                   \
  GOMP_LOOP_NEXT(kind)
#define GOMP_LOOP_NEXT(kind)                                                                                           \
  bool GOMP_loop_##kind##_next(long *first, long *past);                                                               \
  bool GOMP_loop_ull_##kind##_next(gomp_ull *first, gomp_ull *past);
#define GOMP_DOACROSS_WITH_CHUNK(kind)                                                                                 \
  bool GOMP_loop_##kind##_start(unsigned n, long *counts, long chunk, long *first, long *past);                        \
  bool GOMP_loop_ull_##kind##_start(unsigned n, gomp_ull *counts, gomp_ull chunk, gomp_ull *first, gomp_ull *past);
GOMP_FOR_EACH_LOOP_WITH_CHUNK(GOMP_LOOP_WITH_CHUNK)
GOMP_FOR_EACH_LOOP_RUNTIME(GOMP_LOOP_RUNTIME)
GOMP_FOR_EACH_DOACROSS_WITH_CHUNK(GOMP_DOACROSS_WITH_CHUNK)
bool GOMP_loop_doacross_runtime_start(unsigned n, long *counts, long *first, long *past);
bool GOMP_loop_ull_doacross_runtime_start(unsigned n, gomp_ull *counts, gomp_ull *first, gomp_ull *past);
bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long *first, long *past,
                     uintptr_t *reductions, void **memory);
bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long *first, long *past,
                             uintptr_t *reductions, void **memory);
bool GOMP_loop_doacross_start(unsigned n, long *counts, long schedule, long chunk, long *first, long *past,
                              uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, long schedule, gomp_ull chunk,
                         gomp_ull *first, gomp_ull *past, uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_ordered_start(bool up, gomp_ull start, gomp_ull end, gomp_ull step, long schedule, gomp_ull chunk,
                                 gomp_ull *first, gomp_ull *past, uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_doacross_start(unsigned n, gomp_ull *counts, long schedule, gomp_ull chunk, gomp_ull *first,
                                  gomp_ull *past, uintptr_t *reductions, void **memory);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_loop_end_nowait(void);
void GOMP_doacross_post(long *counts);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_post(gomp_ull *counts);
void GOMP_doacross_ull_wait(gomp_ull first, ...);

/* gomp_work.c */
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void GOMP_sections_end_nowait(void);
bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);
void GOMP_scope_start(uintptr_t *reductions);

/* gomp_sync.c */
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
void GOMP_workshare_task_reduction_unregister(bool cancelled);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
bool GOMP_cancel(int which, bool really);
bool GOMP_cancellation_point(int which);
void GOMP_error(const char *message, uintptr_t length);
void GOMP_warning(const char *message, uintptr_t length);

/* gomp_task.c, gomp_taskloop.c */
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, bool may_defer,
               unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                   unsigned flags, unsigned long tasks, int priority, long start, long end, long step);
void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                       unsigned flags, unsigned long tasks, int priority, gomp_ull start, gomp_ull end, gomp_ull step);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void omp_fulfill_event(uintptr_t event);
void omp_fulfill_event_(uintptr_t event); /* by value, unlike all others that Fortran calls */

/* gomp_sync.c: a Fortran program passes the address of its lock variable, as C does */
#define GOMP_FOR_EACH_LOCK_FUNCTION(X)                                                                                 \
  X(void, omp_init_lock)                                                                                               \
  X(void, omp_destroy_lock)                                                                                            \
  X(void, omp_set_lock)                                                                                                \
  X(void, omp_unset_lock)                                                                                              \
  X(int, omp_test_lock)                                                                                                \
  X(void, omp_init_nest_lock)                                                                                          \
  X(void, omp_destroy_nest_lock) X(void, omp_set_nest_lock) X(void, omp_unset_nest_lock) X(int, omp_test_nest_lock)
#define GOMP_LOCK_FUNCTION(type, name)                                                                                 \
  type name(void *lock);                                                                                               \
  type name##_(void *lock);
GOMP_FOR_EACH_LOCK_FUNCTION(GOMP_LOCK_FUNCTION)

/*
 * gomp_inline.c: entries of gcc's development tree (17), whose types may change until its release. The type here passes
 * on six words of arguments and two words of result, whatever their number in libgomp. As known on 20 October 2026:
 *
 *   _Complex int GOMP_loop_static_worksharing(gomp_ull count)            of thread i of n: n + i * 1I
 *   _Complex int GOMP_loop_static_worksharing_start(gomp_ull count)      the same, with -fopenmp-ompt; and then
 *   void GOMP_loop_static_worksharing_dispatch(gomp_ull start, gomp_ull iterations)    with -fopenmp-ompt=extended;
 * start counts the loop's iterations from 0 void GOMP_loop_static_worksharing_end(void)                          behind
 * the barrier, if there is one GOMP_distribute_static_worksharing...                                the same of team i
 * of n bool GOMP_has_masked_thread_num_with_end(int thread)                 true: it is the calling thread; and then
 *   void GOMP_masked_end(void)
 *   bool GOMP_single_start_with_end(void)                                as GOMP_single_start; and then, on all
 * threads, void GOMP_single_end(void)                                           behind the barrier, if there is one
 *   void GOMP_scope_start_with_end(uintptr_t *reductions)                NULL: none; and then
 *   void GOMP_scope_end(void)                                            before the barrier
 *   void GOMP_barrier_ext(int kind), bool GOMP_barrier_cancel_ext(int kind)
 *   void GOMP_reduction_start(void), void GOMP_reduction_end(void)       around the combining, with atomic's lock
 */
struct gomp_words {
  uint64_t first, second;
};
#define GOMP_WORDS         uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f
#define GOMP_INLINED(name) struct gomp_words name(GOMP_WORDS);
GOMP_INLINED(GOMP_loop_static_worksharing)
GOMP_INLINED(GOMP_loop_static_worksharing_start)
GOMP_INLINED(GOMP_loop_static_worksharing_dispatch)
GOMP_INLINED(GOMP_loop_static_worksharing_end)
GOMP_INLINED(GOMP_distribute_static_worksharing)
GOMP_INLINED(GOMP_distribute_static_worksharing_start)
GOMP_INLINED(GOMP_distribute_static_worksharing_dispatch)
GOMP_INLINED(GOMP_distribute_static_worksharing_end)
GOMP_INLINED(GOMP_has_masked_thread_num_with_end)
GOMP_INLINED(GOMP_masked_end)
GOMP_INLINED(GOMP_single_start_with_end)
GOMP_INLINED(GOMP_single_end)
GOMP_INLINED(GOMP_scope_start_with_end)
GOMP_INLINED(GOMP_scope_end)
GOMP_INLINED(GOMP_barrier_ext)
GOMP_INLINED(GOMP_barrier_cancel_ext)
GOMP_INLINED(GOMP_reduction_start)
GOMP_INLINED(GOMP_reduction_end)

/* Barriers: kinds of GOMP_barrier_ext. */
enum { GOMP_BARRIER_PARALLEL, GOMP_BARRIER_WORKSHARE, GOMP_BARRIER_EXPLICIT };

/* omp_inquiry.c */
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_control_tool(int command, int modifier, void *argument);
int omp_control_tool_(const int *command, const int *modifier);

#endif
