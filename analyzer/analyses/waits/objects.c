#include "analyzer/analyses/waits/objects.h"

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
