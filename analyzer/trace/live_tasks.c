#include "analyzer/trace/live_tasks.h"

static uint64_t key_of(const struct live_task *task)
{
  return live_tasks_key(task->team, task->creator, task->generation);
}

/* The task among those whose names have its key; `first` is the place of the first one, NULL: there is none. */
static struct live_task *find_named(const struct live_tasks *tasks, const uint64_t *first, uint32_t team,
                                    uint32_t creator, uint32_t generation)
{
  for (uint64_t at = first ? *first : 0; at > 0; at = tasks->places.items[at - 1].next) {
    struct live_task *task = &tasks->places.items[at - 1];
    if (task->team == team && task->creator == creator && task->generation == generation)
      return task;
  }
  return NULL;
}

struct live_task *live_tasks_find(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation)
{
  const uint64_t *first = hash_find(&tasks->first, live_tasks_key(team, creator, generation));
  return find_named(tasks, first, team, creator, generation);
}

/* A free place becomes the first one of a key, before `first`. NULL: no memory. */
static struct live_task *take_place(struct live_tasks *tasks, uint64_t key, uint64_t *first)
{
  if (tasks->free == 0) {
    if (!vector_push(&tasks->places, ((struct live_task){0})))
      return NULL;
    tasks->free = (uint32_t)tasks->places.count;
  }
  uint32_t at = tasks->free, second = first ? (uint32_t)*first : 0;
  if (first)
    *first = at;
  else if (!hash_add(&tasks->first, key, at))
    return NULL;
  struct live_task *place = &tasks->places.items[at - 1];
  tasks->free = place->next;
  place->next = second;
  tasks->count++;
  return place;
}

bool live_tasks_create(struct live_tasks *tasks, struct live_task task)
{
  uint64_t key = key_of(&task), *first = hash_find(&tasks->first, key);
  struct live_task *place = find_named(tasks, first, task.team, task.creator, task.generation);
  if (!place && !(place = take_place(tasks, key, first)))
    return false;
  task.next = place->next;
  task.number = ++tasks->last_number;
  *place = task;
  return true;
}

void live_tasks_end(struct live_tasks *tasks, struct live_task *task)
{
  uint32_t at = (uint32_t)(task - tasks->places.items) + 1;
  uint64_t key = key_of(task), *first = hash_find(&tasks->first, key);
  if (*first != at) {
    struct live_task *before = &tasks->places.items[*first - 1];
    while (before->next != at)
      before = &tasks->places.items[before->next - 1];
    before->next = task->next;
  } else if (task->next > 0) {
    *first = task->next;
  } else {
    hash_remove(&tasks->first, key);
  }
  task->next = tasks->free;
  tasks->free = at;
  tasks->count--;
}

void live_tasks_free(struct live_tasks *tasks)
{
  vector_free(&tasks->places);
  hash_free(&tasks->first);
  *tasks = (struct live_tasks){0};
}
