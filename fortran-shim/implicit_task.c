#include "fortran-shim/implicit_task.h"

#include "fortran-shim/unique_id.h"
#include "fortran-shim/work.h"

#define LAST_BARRIER ompt_sync_region_barrier_implicit_parallel

void implicit_task_begin(struct task *task, struct team *team, unsigned index)
{
  *task = (struct task){.team = team,
                        .parent = team->parent,
                        .parent_id = team->parent->id,
                        .id = unique_id(),
                        .flags = ompt_task_implicit,
                        .index = index};
  self.task = task;
  self.state = ompt_state_work_parallel;
  self.at_once = 0;
  REPORT(implicit_task, ompt_scope_begin, &team->data, &task->data, team->size, index, ompt_task_implicit);
  if (team->combined) {
    self.outlined = team->fn;
    work_begin(task, team->combined, team->count, team->step, false, team->code);
    self.outlined = NULL;
  }
}

void implicit_task_arrive(struct task *task)
{
  if (task->work.kind)
    work_end(task, NULL);
  task->frame.exit_frame.ptr = NULL;
  if (task->team->size > 1)
    sync_begin(task, LAST_BARRIER, NULL);
  wait_for_tasks(); /* a team of one, too, may have deferred some */
}

void implicit_task_end(struct task *task, bool waited)
{
  tasks_ran((struct running){task, true});
  if (waited) {
    const void *code = task->index == 0 ? task->team->code : NULL; /* the others' end comes late */
    REPORT(sync_region_wait, LAST_BARRIER, ompt_scope_end, NULL, &task->data, code);
    REPORT(sync_region, LAST_BARRIER, ompt_scope_end, NULL, &task->data, NULL);
  }
  REPORT(implicit_task, ompt_scope_end, NULL, &task->data, 0, task->index, ompt_task_implicit);
}

void implicit_task_leave_region(void)
{
  if (!self.leaving)
    return;
  self.leaving = false;
  implicit_task_end(&self.implicit, true);
  self.task = NULL;
}
