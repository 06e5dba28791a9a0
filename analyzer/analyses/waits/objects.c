#include "analyzer/analyses/waits/objects.h"

#include "analyzer/trace/edges/edges.h"

#include <stdlib.h>
#include <string.h>

static const struct waker objects_nobody = {0, TRACE_NONE, TRACE_NONE};

void objects_free(struct waited_objects *objects)
{
  vector_free(&objects->items);
  hash_free(&objects->by_key);
}

struct waited_object *objects_find(struct waited_objects *objects, uint64_t key)
{
  const uint64_t *at = hash_find(&objects->by_key, key);
  return at ? &objects->items.items[*at] : NULL;
}

struct waited_object *objects_wait(struct waited_objects *objects, uint64_t key)
{
  struct waited_object *object = objects_find(objects, key);
  if (!object) {
    struct waited_object none = {0};
    if (objects->free == 0 && !vector_push(&objects->items, none))
      return NULL;
    uint64_t at = objects->free ? objects->free - 1 : objects->items.count - 1;
    object = &objects->items.items[at];
    if (!hash_add(&objects->by_key, key, at))
      return NULL;
    objects->free = objects->free ? object->next : 0;
    *object = (struct waited_object){.key = key, .last = {objects_nobody, objects_nobody}};
  }
  object->waiting++;
  return object;
}

void objects_wait_ends(struct waited_objects *objects, struct waited_object *object)
{
  if (object->waiting > 0 && --object->waiting > 0)
    return;
  hash_remove(&objects->by_key, object->key);
  object->next = objects->free;
  objects->free = (uint32_t)(object - objects->items.items) + 1;
}

static void drop_signal(struct waited_object *object, unsigned at)
{
  object->signal_count--;
  memmove(&object->signals[at], &object->signals[at + 1], (object->signal_count - at) * sizeof *object->signals);
}

/* A signal that finds all waiting threads woken already wakes nobody. */
void object_signal(struct waited_object *object, struct waker by, bool all)
{
  uint64_t taken = 0;
  for (unsigned i = 0; i < object->signal_count; i++)
    taken += object->signals[i].left;
  if (taken >= object->waiting)
    return;
  if (object->signal_count == SIGNALS_MAX)
    drop_signal(object, 0);
  uint32_t left = all ? object->waiting - (uint32_t)taken : 1;
  object->signals[object->signal_count++] = (struct wake_signal){by, objects_nobody, left};
}

static bool is_same(const struct waker *a, const struct waker *b)
{
  return a->location == b->location && a->region == b->region;
}

/* Where several could have ended the wait, the oldest counts, and all of them are doubtful from now on. */
struct wake object_take_signal(struct waited_object *object, uint64_t begin)
{
  struct wake wake = {WAKE_UNKNOWN, objects_nobody, objects_nobody};
  unsigned first = SIGNALS_MAX;
  for (unsigned i = 0; i < object->signal_count; i++) {
    struct wake_signal *signal = &object->signals[i];
    if (signal->by.time < begin)
      continue;
    if (first == SIGNALS_MAX) {
      first = i;
      wake = (struct wake){signal->also.location == TRACE_NONE ? WAKE_BY_THREAD : WAKE_AMBIGUOUS, signal->by,
                           signal->also};
    } else if (!is_same(&signal->by, &wake.by)) {
      wake.how = WAKE_AMBIGUOUS;
      wake.also = wake.also.location == TRACE_NONE ? signal->by : wake.also;
      signal->also = wake.by;
    }
  }
  if (first < SIGNALS_MAX && --object->signals[first].left == 0)
    drop_signal(object, first);
  return wake;
}

/* Now fewer wait than signals can wake: the newest ones wake nobody. */
void object_give_up(struct waited_object *object)
{
  uint64_t left = 0;
  for (unsigned i = 0; i < object->signal_count; i++)
    left += object->signals[i].left;
  while (object->signal_count > 0 && left >= object->waiting) {
    struct wake_signal *newest = &object->signals[object->signal_count - 1];
    left--;
    if (--newest->left == 0)
      object->signal_count--;
  }
}

uint32_t object_arrive(struct waited_object *object, struct waker who)
{
  if (object->left) {
    object->instance++;
    object->last[1] = object->last[0];
    object->left = false;
  }
  object->last[0] = who;
  return object->instance;
}

struct wake object_leave(struct waited_object *object, uint32_t instance, uint32_t location)
{
  uint32_t age = object->instance - instance;
  if (age > 1)
    return (struct wake){WAKE_UNKNOWN, objects_nobody, objects_nobody};
  if (age == 0)
    object->left = true;
  const struct waker *last = &object->last[age];
  if (last->location == location)
    return (struct wake){WAKE_ITSELF, objects_nobody, objects_nobody};
  return (struct wake){last->location == TRACE_NONE ? WAKE_UNKNOWN : WAKE_BY_THREAD, *last, objects_nobody};
}

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
