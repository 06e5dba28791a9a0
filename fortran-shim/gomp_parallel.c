/* Parallel regions, their implicit tasks, and teams. */
#include "fortran-shim/provider.h"
#include "fortran-shim/task_state.h"

#include <stdlib.h>

/*
 * Teams on the host: libgomp runs them one after the other on the thread that encounters the construct. Each is an
 * initial task of a league.
 */

static const int league = (int)(ompt_parallel_league | ompt_parallel_invoker_runtime);

static void run_team(void *argument)
{
  struct team *team = argument;
  unsigned index = (unsigned)gomp.omp_get_team_num();
  struct task task = {.team = team,
                      .parent = team->parent,
                      .parent_id = team->parent->id,
                      .id = unique_id(),
                      .flags = ompt_task_initial,
                      .index = index};
  self.task = &task;
  REPORT(implicit_task, ompt_scope_begin, &team->data, &task.data, team->size, index, ompt_task_initial);
  task.frame.exit_frame.ptr = FRAME;
  team->fn(team->argument);
  work_end_open_ended(&task, NULL);
  REPORT(implicit_task, ompt_scope_end, NULL, &task.data, 0, index, ompt_task_initial);
  self.task = team->parent;
}

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned thread_limit, unsigned flags)
{
  if (!provider_is_on()) {
    gomp.GOMP_teams_reg(fn, data, teams, thread_limit, flags);
    return;
  }
  struct task *task = current_task();
  /* 0 is for the runtime to choose, and libgomp chooses one. */
  struct team team = {.fn = fn, .argument = data, .code = CALLER, .parent = task, .size = teams ? teams : 1};
  REPORT_OUTLINED(fn, parallel_begin, &task->data, &task->frame, &team.data, teams ? teams : 1, league, CALLER);
  frame_enter(task, FRAME);
  gomp.GOMP_teams_reg(run_team, &team, teams, thread_limit, flags);
  frame_leave(task);
  REPORT(parallel_end, &team.data, &task->data, league, CALLER);
}

/*
 * Parallel regions. The outlined function is wrapped: what the wrapper does on each thread is the implicit task.
 *
 * A worker returns from the wrapper when its part is done. Then it waits inside libgomp until the region ends and,
 * without a visible border, until the next region begins or the thread ends. So the end of its last barrier is reported
 * when the thread next calls in, as libomp does. The converter ends the waiting at the last arrival of the team.
 */

static const int invoked = (int)(ompt_parallel_team | ompt_parallel_invoker_runtime);
static const int invoked_by_program = (int)(ompt_parallel_team | ompt_parallel_invoker_program);

/* Runs on each thread of the team in place of the outlined function. */
static void run_implicit(void *argument)
{
  struct team *team = argument;
  unsigned index = (unsigned)gomp.omp_get_thread_num();
  struct task *task = index == 0 ? team->primary : &self.implicit;
  if (index != 0) {
    if (!self.known)
      thread_begin(ompt_thread_worker);
    implicit_task_leave_region();
  }
  atomic_store_explicit(&team->size, (unsigned)gomp.omp_get_num_threads(), memory_order_relaxed);
  implicit_task_begin(task, team, index);
  task->frame.exit_frame.ptr = FRAME;
  team->fn(team->argument);
  implicit_task_arrive(task);
  self.leaving = index != 0;
}

static unsigned requested_size(unsigned threads)
{
  return threads ? threads : (unsigned)gomp.omp_get_max_threads();
}

/* The calling thread's task meets a parallel construct. */
static void begin_region(struct team *team, struct task *primary, unsigned threads, int flags)
{
  struct task *task = current_task();
  team->parent = task;
  team->primary = primary;
  REPORT_OUTLINED(team->fn, parallel_begin, &task->data, &task->frame, &team->data, requested_size(threads), flags,
                  team->code);
}

/* The team has left it, and the calling thread is back in its own task. */
static void end_region(struct team *team, int flags)
{
  implicit_task_end(team->primary, team->size > 1);
  struct task *task = team->parent;
  self.task = task;
  self.state = task->flags & (int)ompt_task_initial ? ompt_state_work_serial : ompt_state_work_parallel;
  REPORT(parallel_end, &team->data, &task->data, flags, team->code);
}

/*
 * A region is begun, run by a function of libgomp that does all of it, and ended. `call` is that function's call with
 * run_implicit and &team for the outlined function and its data.
 */
#define REGION(call, ...)                                                                                              \
  do {                                                                                                                 \
    struct team team = {.fn = fn, .argument = data, .code = CALLER, __VA_ARGS__};                                      \
    struct task primary;                                                                                               \
    begin_region(&team, &primary, threads, invoked);                                                                   \
    frame_enter(team.parent, FRAME);                                                                                   \
    call;                                                                                                              \
    frame_leave(team.parent);                                                                                          \
    end_region(&team, invoked);                                                                                        \
  } while (0)

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
  if (!provider_is_on())
    gomp.GOMP_parallel(fn, data, threads, flags);
  else
    REGION(gomp.GOMP_parallel(run_implicit, &team, threads, flags));
}

unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
  if (!provider_is_on())
    return gomp.GOMP_parallel_reductions(fn, data, threads, flags);
  unsigned size;
  REGION(size = gomp.GOMP_parallel_reductions(run_implicit, &team, threads, flags), .first_word = *(void **)data);
  return size;
}

#define LOOP_OF(kind, start, end, step) .combined = (kind), .count = loop_count(start, end, step), .step = (step)

#undef GOMP_PARALLEL_LOOP
#define GOMP_PARALLEL_LOOP(kind, work)                                                                                 \
  void GOMP_parallel_loop_##kind(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,    \
                                 long chunk, unsigned flags)                                                           \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      gomp.GOMP_parallel_loop_##kind(fn, data, threads, start, end, step, chunk, flags);                               \
    else                                                                                                               \
      REGION(gomp.GOMP_parallel_loop_##kind(run_implicit, &team, threads, start, end, step, chunk, flags),             \
             LOOP_OF(work, start, end, step));                                                                         \
  }
#undef GOMP_PARALLEL_LOOP_RUNTIME
#define GOMP_PARALLEL_LOOP_RUNTIME(kind)                                                                               \
  void GOMP_parallel_loop_##kind(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,    \
                                 unsigned flags)                                                                       \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      gomp.GOMP_parallel_loop_##kind(fn, data, threads, start, end, step, flags);                                      \
    else                                                                                                               \
      REGION(gomp.GOMP_parallel_loop_##kind(run_implicit, &team, threads, start, end, step, flags),                    \
             LOOP_OF(loop_kind(GOMP_SCHEDULE_RUNTIME), start, end, step));                                             \
  }
GOMP_PARALLEL_LOOP(static, ompt_work_loop_static)
GOMP_PARALLEL_LOOP(dynamic, ompt_work_loop_dynamic)
GOMP_PARALLEL_LOOP(guided, ompt_work_loop_guided)
GOMP_PARALLEL_LOOP(nonmonotonic_dynamic, ompt_work_loop_dynamic)
GOMP_PARALLEL_LOOP(nonmonotonic_guided, ompt_work_loop_guided)
GOMP_PARALLEL_LOOP_RUNTIME(runtime)
GOMP_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
GOMP_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags)
{
  if (!provider_is_on())
    gomp.GOMP_parallel_sections(fn, data, threads, count, flags);
  else
    REGION(gomp.GOMP_parallel_sections(run_implicit, &team, threads, count, flags), .combined = ompt_work_sections,
           .count = count);
}

/*
 * The interface of gcc before 4.9: the program itself calls the outlined function on the first thread, after a call
 * that begins the region. Another call ends the region. So the region outlives the call that began it.
 */
struct old_region {
  struct team team;
  struct task primary;
};

static struct team *begin_old_region(struct team made, unsigned threads)
{
  struct old_region *region = calloc(1, sizeof *region);
  if (!region)
    abort(); /* libgomp ends the program, too, when it has no memory for a team */
  region->team = made;
  begin_region(&region->team, &region->primary, threads, invoked_by_program);
  return &region->team;
}

static void begin_old_primary(struct team *team)
{
  atomic_store_explicit(&team->size, (unsigned)gomp.omp_get_num_threads(), memory_order_relaxed);
  implicit_task_begin(team->primary, team, 0);
}

#define OLD_REGION(call, ...)                                                                                          \
  do {                                                                                                                 \
    struct team *team =                                                                                                \
        begin_old_region((struct team){.fn = fn, .argument = data, .code = CALLER, __VA_ARGS__}, threads);             \
    call;                                                                                                              \
    begin_old_primary(team);                                                                                           \
  } while (0)

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads)
{
  if (!provider_is_on())
    gomp.GOMP_parallel_start(fn, data, threads);
  else
    OLD_REGION(gomp.GOMP_parallel_start(run_implicit, team, threads));
}

#undef GOMP_PARALLEL_LOOP_START
#define GOMP_PARALLEL_LOOP_START(kind)                                                                                 \
  void GOMP_parallel_loop_##kind##_start(void (*fn)(void *), void *data, unsigned threads, long start, long end,       \
                                         long step, long chunk)                                                        \
  {                                                                                                                    \
    if (!provider_is_on())                                                                                             \
      gomp.GOMP_parallel_loop_##kind##_start(fn, data, threads, start, end, step, chunk);                              \
    else                                                                                                               \
      OLD_REGION(gomp.GOMP_parallel_loop_##kind##_start(run_implicit, team, threads, start, end, step, chunk),         \
                 LOOP_OF(ompt_work_loop_##kind, start, end, step));                                                    \
  }
GOMP_PARALLEL_LOOP_START(static)
GOMP_PARALLEL_LOOP_START(dynamic)
GOMP_PARALLEL_LOOP_START(guided)

void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step)
{
  if (!provider_is_on())
    gomp.GOMP_parallel_loop_runtime_start(fn, data, threads, start, end, step);
  else
    OLD_REGION(gomp.GOMP_parallel_loop_runtime_start(run_implicit, team, threads, start, end, step),
               LOOP_OF(loop_kind(GOMP_SCHEDULE_RUNTIME), start, end, step));
}

void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned count)
{
  if (!provider_is_on())
    gomp.GOMP_parallel_sections_start(fn, data, threads, count);
  else
    OLD_REGION(gomp.GOMP_parallel_sections_start(run_implicit, team, threads, count), .combined = ompt_work_sections,
               .count = count);
}

void GOMP_parallel_end(void)
{
  /* A region that began before there was a provider has no task of ours. */
  struct task *task = provider_is_on() && self.known ? self.task : NULL;
  if (!task || !task->team || task->team->primary != task) {
    gomp.GOMP_parallel_end();
    return;
  }
  struct team *team = task->team;
  implicit_task_arrive(task);
  gomp.GOMP_parallel_end();
  end_region(team, invoked_by_program);
  free(team);
}
