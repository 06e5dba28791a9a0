/*
 * Teams on the host: libgomp runs them one after the other on the thread that meets the construct. Each is an initial
 * task of a league.
 */
#include "fortran-shim/provider.h"
#include "fortran-shim/task_state.h"

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
