/*
 * What gcc 17 calls where earlier versions have inline code: static loops, distribute, masked, reductions,
 * ends of single and scope, and barriers with their kind. The entries are of its development tree, and may change until
 * the release. So each call is passed on as it is. An entry that answers otherwise than expected is only passed on from
 * then on.
 *
 * A construct's end may come behind its barrier, which has ended it already. A cancelled loop has none. So these
 * constructs are open-ended, too.
 */
#include "fortran-shim/omitted.h"
#include "fortran-shim/provider.h"
#include "fortran-shim/serial.h"
#include "fortran-shim/task_state.h"

/* Calls the runtime's function. libomp lacks these, so a plug-in's calls go to its libgomp. */
#define PASS(name) (gomp.name == serial_##name ? runtime_find_missing() : (void)0, gomp.name(a, b, c, d, e, f))

/* What the process knows about some entries. */
enum { NOT_SEEN, AS_EXPECTED, STRANGE };
static atomic_int loops, distributes, masked;

static bool is_strange(atomic_int *entries)
{
  return atomic_load_explicit(entries, memory_order_relaxed) == STRANGE;
}

static bool is_expected(atomic_int *entries, bool expected)
{
  int known = atomic_load_explicit(entries, memory_order_relaxed), now = expected ? AS_EXPECTED : STRANGE;
  if (known != now && known != STRANGE)
    atomic_store_explicit(entries, now, memory_order_relaxed);
  return expected;
}

/* A boolean is in the last byte of the first word; the rest is undefined. */
static bool is_true(struct gomp_words answer)
{
  return (uint8_t)answer.first != 0;
}

/* The answer should be thread or team `number` of `size`. Inside a construct with an end of its own, the call is a part
 * of that: a loop with task reductions, or with a scan. */
static void begin_static(ompt_work_t kind, atomic_int *entries, struct gomp_words answer, int number, int size,
                         uint64_t count, const void *code)
{
  struct task *task = current_task();
  if (!is_strange(entries) && (!task->work.kind || task->work.open_ended) &&
      is_expected(entries, (int)(uint32_t)answer.first == size && (int)(uint32_t)(answer.first >> 32) == number))
    work_begin(task, kind, count, 1, true, code);
}

/*
 * A chunk that is not within its loop has arguments of another meaning. From -O1 on gcc takes the numbers once for all
 * loops of a function with as many iterations. Then the first chunk begins the other loops, and their number of
 * iterations is unknown, because the function may have called others meanwhile.
 */
static void report_chunk(ompt_work_t kind, atomic_int *entries, ompt_dispatch_t part, uint64_t start,
                         uint64_t iterations, const void *code)
{
  struct task *task = current_task();
  if (atomic_load_explicit(entries, memory_order_relaxed) != AS_EXPECTED)
    return;
  if (task->work.kind != kind) {
    if (task->work.kind && !task->work.open_ended)
      return;
    work_begin(task, kind, 0, 1, true, code);
  }
  uint64_t count = task->work.count;
  if (count && !is_expected(entries, start < count && iterations <= count - start))
    return;
  if (kind != ompt_work_distribute && omitted_chunk()) {
    omitted_add_chunk(start, iterations);
    return;
  }
  ompt_dispatch_chunk_t chunk = {start, iterations};
  ompt_data_t instance = {.ptr = &chunk};
  REPORT(dispatch, data_of(task->team), &task->data, part, instance);
}

static void end_of(ompt_work_t kind, const void *code)
{
  struct task *task = current_task();
  if (task->work.open_ended && task->work.kind == kind)
    work_end(task, code);
}

#define BEGIN(name, kind, entries, number, size)                                                                       \
  struct gomp_words name(GOMP_WORDS)                                                                                   \
  {                                                                                                                    \
    bool on = provider_is_on();                                                                                        \
    struct gomp_words answer = PASS(name);                                                                             \
    if (on)                                                                                                            \
      begin_static(kind, entries, answer, gomp.number(), gomp.size(), a, CALLER);                                      \
    return answer;                                                                                                     \
  }
#define DISPATCH(name, kind, entries, part)                                                                            \
  struct gomp_words name(GOMP_WORDS)                                                                                   \
  {                                                                                                                    \
    if (provider_is_on())                                                                                              \
      report_chunk(kind, entries, part, a, b, CALLER);                                                                 \
    return PASS(name);                                                                                                 \
  }
#define END(name, kind)                                                                                                \
  struct gomp_words name(GOMP_WORDS)                                                                                   \
  {                                                                                                                    \
    if (provider_is_on())                                                                                              \
      end_of(kind, CALLER);                                                                                            \
    return PASS(name);                                                                                                 \
  }

BEGIN(GOMP_loop_static_worksharing, ompt_work_loop_static, &loops, omp_get_thread_num, omp_get_num_threads)
BEGIN(GOMP_loop_static_worksharing_start, ompt_work_loop_static, &loops, omp_get_thread_num, omp_get_num_threads)
DISPATCH(GOMP_loop_static_worksharing_dispatch, ompt_work_loop_static, &loops, ompt_dispatch_ws_loop_chunk)
END(GOMP_loop_static_worksharing_end, ompt_work_loop_static)

BEGIN(GOMP_distribute_static_worksharing, ompt_work_distribute, &distributes, omp_get_team_num, omp_get_num_teams)
BEGIN(GOMP_distribute_static_worksharing_start, ompt_work_distribute, &distributes, omp_get_team_num, omp_get_num_teams)
DISPATCH(GOMP_distribute_static_worksharing_dispatch, ompt_work_distribute, &distributes,
         ompt_dispatch_distribute_chunk)
END(GOMP_distribute_static_worksharing_end, ompt_work_distribute)

END(GOMP_single_end, ompt_work_single_executor)
END(GOMP_scope_end, ompt_work_scope)

struct gomp_words GOMP_single_start_with_end(GOMP_WORDS)
{
  bool on = provider_is_on();
  struct gomp_words answer = PASS(GOMP_single_start_with_end);
  if (on)
    single_begin(current_task(), is_true(answer), CALLER);
  return answer;
}

struct gomp_words GOMP_scope_start_with_end(GOMP_WORDS)
{
  bool on = provider_is_on();
  struct gomp_words answer = PASS(GOMP_scope_start_with_end);
  if (on)
    work_begin(current_task(), ompt_work_scope, 1, 0, true, CALLER);
  return answer;
}

struct gomp_words GOMP_has_masked_thread_num_with_end(GOMP_WORDS)
{
  bool on = provider_is_on();
  struct gomp_words answer = PASS(GOMP_has_masked_thread_num_with_end);
  if (!on || is_strange(&masked))
    return answer;
  struct task *task = current_task();
  bool mine = (int)(uint32_t)a == gomp.omp_get_thread_num();
  if (is_expected(&masked, is_true(answer) == mine) && mine)
    masked_begin(task, CALLER);
  return answer;
}

struct gomp_words GOMP_masked_end(GOMP_WORDS)
{
  if (provider_is_on())
    masked_end(current_task(), CALLER);
  return PASS(GOMP_masked_end);
}

/* Returns false for a kind that is not known: then the barrier is only passed on. */
static bool barrier_kind(uint64_t number, ompt_sync_region_t *kind)
{
  switch ((uint32_t)number) {
  case GOMP_BARRIER_PARALLEL:
    *kind = ompt_sync_region_barrier_implicit_parallel;
    return true;
  case GOMP_BARRIER_WORKSHARE:
    *kind = ompt_sync_region_barrier_implicit_workshare;
    return true;
  case GOMP_BARRIER_EXPLICIT:
    *kind = ompt_sync_region_barrier_explicit;
    return true;
  default:
    return false;
  }
}

#define BARRIER(name)                                                                                                  \
  struct gomp_words name(GOMP_WORDS)                                                                                   \
  {                                                                                                                    \
    ompt_sync_region_t kind;                                                                                           \
    if (!provider_is_on() || !barrier_kind(a, &kind))                                                                  \
      return PASS(name);                                                                                               \
    struct task *task = current_task();                                                                                \
    frame_enter(task, FRAME);                                                                                          \
    work_end_open_ended(task, CALLER);                                                                                 \
    task->copying = false;                                                                                             \
    int before = sync_begin(task, kind, CALLER);                                                                       \
    struct gomp_words answer = PASS(name);                                                                             \
    sync_end(task, kind, before, CALLER);                                                                              \
    frame_leave(task);                                                                                                 \
    return answer;                                                                                                     \
  }
BARRIER(GOMP_barrier_ext)
BARRIER(GOMP_barrier_cancel_ext)

/* The lock is acquired inside, so the region has the waiting for it. */
static void report_reduction(ompt_scope_endpoint_t endpoint, const void *code)
{
  struct task *task = current_task();
  REPORT(reduction, ompt_sync_region_reduction, endpoint, data_of(task->team), &task->data, code);
}

struct gomp_words GOMP_reduction_start(GOMP_WORDS)
{
  if (provider_is_on())
    report_reduction(ompt_scope_begin, CALLER);
  return PASS(GOMP_reduction_start);
}

struct gomp_words GOMP_reduction_end(GOMP_WORDS)
{
  bool on = provider_is_on();
  struct gomp_words answer = PASS(GOMP_reduction_end);
  if (on)
    report_reduction(ompt_scope_end, CALLER);
  return answer;
}
