/* Private to wakers/: which task ended last of those that a thread or a task created. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_CHILDREN_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_CHILDREN_H

#include "analyzer/analyses/waits/wake.h"
#include "base/hash.h"

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
