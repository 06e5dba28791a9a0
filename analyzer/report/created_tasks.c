#include "analyzer/report/created_tasks.h"

#include <stdlib.h>

static size_t home(const struct created_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation)
{
  uint64_t hash = ((uint64_t)team << 40 ^ (uint64_t)creator << 24 ^ generation) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(hash >> 20) & (tasks->capacity - 1);
}

/* The place of the task, or the free one where it belongs. */
static struct created_task *find(const struct created_tasks *tasks, uint32_t team, uint32_t creator,
                                 uint32_t generation)
{
  size_t at = home(tasks, team, creator, generation);
  while (tasks->slots[at].used && (tasks->slots[at].generation != generation || tasks->slots[at].creator != creator ||
                                   tasks->slots[at].team != team))
    at = (at + 1) & (tasks->capacity - 1);
  return &tasks->slots[at];
}

static bool grow(struct created_tasks *tasks)
{
  struct created_tasks larger = {.capacity = tasks->capacity ? 2 * tasks->capacity : 256, .count = tasks->count};
  larger.slots = calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; i < tasks->capacity; i++) {
    const struct created_task *task = &tasks->slots[i];
    if (task->used)
      *find(&larger, task->team, task->creator, task->generation) = *task;
  }
  free(tasks->slots);
  *tasks = larger;
  return true;
}

bool created_tasks_add(struct created_tasks *tasks, struct created_task task)
{
  if (tasks->count >= CREATED_TASKS_MAX)
    return true;
  if (2 * (tasks->count + 1) > tasks->capacity && !grow(tasks))
    return false;
  struct created_task *slot = find(tasks, task.team, task.creator, task.generation);
  tasks->count += !slot->used;
  *slot = task;
  slot->used = true;
  return true;
}

/* Those behind a place that has become free move up, so that a search never ends at it too early. */
static void free_slot(struct created_tasks *tasks, size_t hole)
{
  size_t mask = tasks->capacity - 1;
  for (size_t at = (hole + 1) & mask; tasks->slots[at].used; at = (at + 1) & mask) {
    const struct created_task *task = &tasks->slots[at];
    size_t from_home = (at - home(tasks, task->team, task->creator, task->generation)) & mask;
    if (from_home >= ((at - hole) & mask)) {
      tasks->slots[hole] = *task;
      hole = at;
    }
  }
  tasks->slots[hole].used = false;
}

bool created_tasks_take(struct created_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation,
                        struct created_task *task)
{
  if (tasks->count == 0)
    return false;
  struct created_task *slot = find(tasks, team, creator, generation);
  if (!slot->used)
    return false;
  *task = *slot;
  free_slot(tasks, (size_t)(slot - tasks->slots));
  tasks->count--;
  return true;
}

void created_tasks_free(struct created_tasks *tasks)
{
  free(tasks->slots);
  *tasks = (struct created_tasks){0};
}
