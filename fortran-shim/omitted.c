#include "fortran-shim/omitted.h"

#include "fortran-shim/runtime.h"
#include "fortran-shim/task_state.h"

#include <string.h>

__thread struct unreported unreported;

bool unreported_holds(uintptr_t mutex)
{
  for (uint32_t i = unreported.held_count; i-- > 0;)
    if (unreported.held[i] == mutex)
      return true;
  return false;
}

bool unreported_release_slowly(uintptr_t mutex)
{
  for (uint32_t i = unreported.held_count; i-- > 0;) {
    if (unreported.held[i] != mutex)
      continue;
    for (unreported.held_count--; i < unreported.held_count; i++)
      unreported.held[i] = unreported.held[i + 1];
    return true;
  }
  return false;
}

void unreported_in_child(void)
{
  memset(unreported.places, 0, sizeof unreported.places);
  memset(unreported.tasks, 0, sizeof unreported.tasks);
  unreported.chunks = (struct extension_chunks){0};
}

struct extension_unreported *unreported_places(void)
{
  return unreported.places;
}

struct extension_chunks *unreported_chunks(void)
{
  return &unreported.chunks;
}

bool unreported_tasks_are_wanted;

struct extension_unreported *unreported_tasks(void)
{
  if (gomp.omp_get_cancellation())
    return NULL;
  unreported_tasks_are_wanted = true;
  return unreported.tasks;
}

void unreported_task_begin(void)
{
  struct task *below = self.task;
  bool already = !unreported_tasks_are_wanted || !below || below->unreported;
  struct task *task = already ? NULL : task_new(below, (int)ompt_task_explicit | (below->flags & (int)ompt_task_final));
  self.settled = true;
  if (!task)
    return; /* what the thread does now is done by the task below */
  task->unreported = true;
  task->index = below->index;
  task->data.value = EXTENSION_UNREPORTED_TASK | task->id;
  REPORT(task_schedule, &below->data, ompt_task_switch, &task->data);
  self.task = task;
}

void unreported_tasks_end(struct task *before)
{
  struct task *task = self.task;
  self.task = before;
  if (!task || !task->unreported)
    return;
  REPORT(task_schedule, &task->data, ompt_task_complete, &before->data);
  task_free(task);
}
