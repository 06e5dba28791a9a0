#include "fortran-shim/omitted.h"

#include "fortran-shim/runtime.h"
#include "fortran-shim/task_state.h"

#include <string.h>

__thread struct omitted omitted;

bool omitted_holds(uintptr_t mutex)
{
  for (uint32_t i = omitted.held_count; i-- > 0;)
    if (omitted.held[i] == mutex)
      return true;
  return false;
}

bool omitted_release_slowly(uintptr_t mutex)
{
  for (uint32_t i = omitted.held_count; i-- > 0;) {
    if (omitted.held[i] != mutex)
      continue;
    for (omitted.held_count--; i < omitted.held_count; i++)
      omitted.held[i] = omitted.held[i + 1];
    return true;
  }
  return false;
}

void omitted_in_child(void)
{
  memset(omitted.places, 0, sizeof omitted.places);
  memset(omitted.tasks, 0, sizeof omitted.tasks);
  omitted.chunks = (struct extension_chunks){0};
}

struct extension_unreported *omitted_mutex_places(void)
{
  return omitted.places;
}

struct extension_chunks *omitted_chunks(void)
{
  return &omitted.chunks;
}

bool omitted_tasks_are_wanted;

struct extension_unreported *omitted_task_places(void)
{
  if (gomp.omp_get_cancellation())
    return NULL;
  omitted_tasks_are_wanted = true;
  return omitted.tasks;
}

void omitted_task_begin(void)
{
  struct task *below = self.task;
  bool already = !omitted_tasks_are_wanted || !below || below->omitted;
  struct task *task = already ? NULL : task_new(below, (int)ompt_task_explicit | (below->flags & (int)ompt_task_final));
  self.settled = true;
  if (!task)
    return; /* what the thread does now is done by the task below */
  task->omitted = true;
  task->index = below->index;
  task->data.value = EXTENSION_UNREPORTED_TASK | task->id;
  REPORT(task_schedule, &below->data, ompt_task_switch, &task->data);
  self.task = task;
}

void omitted_tasks_end(struct task *before)
{
  struct task *task = self.task;
  self.task = before;
  if (!task || !task->omitted)
    return;
  REPORT(task_schedule, &task->data, ompt_task_complete, &before->data);
  task_free(task);
}
