#include "analyzer/trace/live_tasks.h"

#include <stdlib.h>

static size_t place_of(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation)
{
  uint64_t hash = ((uint64_t)team << 32 | creator) * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ generation) * 0xbf58476d1ce4e5b9ull;
  return (size_t)(hash >> 24) & (tasks->capacity - 1);
}

/* The place of a task, or the free one where it would be. */
static struct live_task *look_up(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation)
{
  size_t at = place_of(tasks, team, creator, generation);
  for (;; at = (at + 1) & (tasks->capacity - 1)) {
    struct live_task *slot = &tasks->slots[at];
    if (slot->number == 0 || (slot->team == team && slot->creator == creator && slot->generation == generation))
      return slot;
  }
}

static bool grow(struct live_tasks *tasks)
{
  struct live_tasks bigger = *tasks;
  bigger.capacity = tasks->capacity ? 2 * tasks->capacity : 64;
  bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
  if (!bigger.slots)
    return false;
  for (size_t i = 0; i < tasks->capacity; i++) {
    const struct live_task *task = &tasks->slots[i];
    if (task->number != 0)
      *look_up(&bigger, task->team, task->creator, task->generation) = *task;
  }
  free(tasks->slots);
  *tasks = bigger;
  return true;
}

bool live_tasks_create(struct live_tasks *tasks, struct live_task task)
{
  if (2 * (tasks->count + 1) > tasks->capacity && !grow(tasks))
    return false;
  struct live_task *slot = look_up(tasks, task.team, task.creator, task.generation);
  if (slot->number == 0)
    tasks->count++;
  task.number = ++tasks->last_number;
  *slot = task;
  return true;
}

struct live_task *live_tasks_find(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation)
{
  if (tasks->capacity == 0)
    return NULL;
  struct live_task *slot = look_up(tasks, team, creator, generation);
  return slot->number != 0 ? slot : NULL;
}

/* What comes behind the place moves up, as far as it would be found there. */
void live_tasks_end(struct live_tasks *tasks, struct live_task *task)
{
  size_t mask = tasks->capacity - 1;
  size_t hole = (size_t)(task - tasks->slots);
  for (size_t at = (hole + 1) & mask; tasks->slots[at].number != 0; at = (at + 1) & mask) {
    const struct live_task *next = &tasks->slots[at];
    size_t home = place_of(tasks, next->team, next->creator, next->generation);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      tasks->slots[hole] = *next;
      hole = at;
    }
  }
  tasks->slots[hole].number = 0;
  tasks->count--;
}

void live_tasks_free(struct live_tasks *tasks)
{
  free(tasks->slots);
  *tasks = (struct live_tasks){0};
}
