#include "analyzer/analyses/waits/children.h"

#include "analyzer/trace/edges/edges.h"

#include <stdlib.h>

enum { TASKS_MAX = 1 << 20 }; /* live tasks; the parents of further ones are unknown */

static const struct waker children_nobody = {0, TRACE_NONE, TRACE_NONE};

bool children_init(struct task_children *children, const struct trace *trace)
{
  *children = (struct task_children){
      .current = calloc((size_t)trace->location_count + 1, sizeof *children->current),
      .of_thread = malloc(((size_t)trace->location_count + 1) * sizeof *children->of_thread),
      .of_team = malloc(((size_t)trace->team_count + 1) * sizeof *children->of_team),
  };
  if (!children->current || !children->of_thread || !children->of_team)
    return false;
  for (uint32_t i = 0; i < trace->location_count; i++)
    children->of_thread[i] = children_nobody;
  for (uint32_t i = 0; i < trace->team_count; i++)
    children->of_team[i] = children_nobody;
  return true;
}

void children_free(struct task_children *children)
{
  vector_free(&children->tasks);
  hash_free(&children->by_key);
  free(children->current);
  free(children->of_thread);
  free(children->of_team);
}

/* Never 0, the key of implicit tasks. */
static uint64_t children_key_of(const struct edge_step *step)
{
  return live_tasks_key(step->index, step->creator, step->generation) | 1ull << 63;
}

static struct child_task *find(struct task_children *children, uint64_t key)
{
  const uint64_t *at = key ? hash_find(&children->by_key, key) : NULL;
  return at ? &children->tasks.items[*at] : NULL;
}

static bool create(struct task_children *children, uint32_t location, const struct waker_step *step)
{
  uint64_t key = children_key_of(&step->edge);
  struct child_task *task = find(children, key), none = {0};
  if (!task && children->by_key.count >= TASKS_MAX)
    return true;
  if (!task) {
    if (children->free == 0 && !vector_push(&children->tasks, none))
      return false;
    uint64_t at = children->free ? children->free - 1 : children->tasks.count - 1;
    task = &children->tasks.items[at];
    if (!hash_add(&children->by_key, key, at))
      return false;
    children->free = children->free ? task->next : 0;
  }
  *task = (struct child_task){.parent = children->current[location],
                              .creator = location,
                              .last_child = children_nobody,
                              .depends = (step->flags & TASK_DEPENDS) != 0};
  return true;
}

static void complete(struct task_children *children, uint32_t location, const struct waker_step *step)
{
  uint64_t key = children_key_of(&step->edge);
  struct child_task *task = find(children, key);
  struct waker by = {step->time, location, step->region};
  if (children->current[location] == key)
    children->current[location] = 0;
  if (!task)
    return;
  if (step->edge.index != TRACE_NONE)
    children->of_team[step->edge.index] = by;
  struct child_task *parent = find(children, task->parent);
  if (parent)
    parent->last_child = by;
  else if (task->parent == 0)
    children->of_thread[task->creator] = by;
  task->next = children->free;
  children->free = (uint32_t)(task - children->tasks.items) + 1;
  hash_remove(&children->by_key, key);
}

bool children_take(struct task_children *children, uint32_t location, const struct waker_step *step, bool *depends)
{
  *depends = false;
  if (step->edge.kind == STEP_TASK_CREATE)
    return create(children, location, step);
  if (step->edge.kind == STEP_TASK_COMPLETE) {
    complete(children, location, step);
    return true;
  }
  uint64_t key = children_key_of(&step->edge);
  const struct child_task *task = find(children, key);
  children->current[location] = task ? key : 0;
  *depends = task && task->depends;
  return true;
}

struct waker children_last(struct task_children *children, uint32_t location)
{
  const struct child_task *task = find(children, children->current[location]);
  return task ? task->last_child : children->of_thread[location];
}
