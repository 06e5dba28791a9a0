/* Objects that threads wait for, as long as a thread waits, and the signals that are in flight. Private to waits/. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_OBJECTS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_OBJECTS_H

#include "analyzer/analyses/waits/lane.h"
#include "analyzer/analyses/waits/results.h"
#include "base/hash.h"

/* A wait that ended, and what ended it. */

struct waker {
  uint64_t time;
  uint32_t location; /* TRACE_NONE: unknown */
  uint32_t region;
};

struct wake {
  uint8_t how; /* enum wake_how */
  struct waker by, also;
};

enum { SIGNALS_MAX = 8 };

struct wake_signal {
  struct waker by;
  struct waker also; /* another signal that may have woken in its place; location TRACE_NONE: none */
  uint32_t left;     /* waits that it can still end */
};

struct waited_object {
  uint64_t key;
  uint32_t waiting;
  struct wake_signal signals[SIGNALS_MAX]; /* the oldest first */
  unsigned signal_count;
  struct waker last[2]; /* the last arrival, or release: for this instance, and for the one before */
  uint32_t instance;
  bool left;     /* a thread has left this instance: the next arrival is at another one */
  uint32_t next; /* index + 1 of the next free one */
};

struct waited_objects {
  VECTOR(struct waited_object) items;
  struct hash by_key;
  uint32_t free; /* index + 1; 0: none */
};

void objects_free(struct waited_objects *objects);
/* NULL: nobody waits for it. Valid until the next objects_wait(). */
struct waited_object *objects_find(struct waited_objects *objects, uint64_t key);
/* One more waits. NULL: no memory. */
struct waited_object *objects_wait(struct waited_objects *objects, uint64_t key);
/* One less; the object may be gone then. */
void objects_wait_ends(struct waited_objects *objects, struct waited_object *object);

void object_signal(struct waited_object *object, struct waker by, bool all);
/* What ended a wait that began then. */
struct wake object_take_signal(struct waited_object *object, uint64_t begin);
/* A wait ends without a signal. */
void object_give_up(struct waited_object *object);
/* Returns the instance of the barrier. */
uint32_t object_arrive(struct waited_object *object, struct waker who);
struct wake object_leave(struct waited_object *object, uint32_t instance, uint32_t location);

/* The task that ended last among the tasks that a thread or a task created. */

struct child_task {
  uint64_t parent; /* key; 0: the implicit task of `creator` */
  uint32_t creator;
  uint32_t next; /* index + 1 of the next free one */
  struct waker last_child;
  bool depends;
};

struct task_children {
  VECTOR(struct child_task) tasks; /* live ones */
  struct hash by_key;
  uint32_t free;
  uint64_t *current;       /* by location: the key of its task; 0: an implicit one */
  struct waker *of_thread; /* by location: the last child of its implicit task */
  struct waker *of_team;   /* by team: the task that ended last */
};

/* False: no memory. children_free() in any case. */
bool children_init(struct task_children *children, const struct trace *trace);
void children_free(struct task_children *children);
/* A step about a task. *depends: it switches to a task with dependences. False: no memory. */
bool children_take(struct task_children *children, uint32_t location, const struct waker_step *step, bool *depends);
/* The last child of the task that a location executes; location TRACE_NONE: none. */
struct waker children_last(struct task_children *children, uint32_t location);

#endif
