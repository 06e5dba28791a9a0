/* Private to report/: tasks that were created and have not begun. */
#ifndef HEDDLE_ANALYZER_REPORT_CREATED_TASKS_H
#define HEDDLE_ANALYZER_REPORT_CREATED_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CREATED_TASKS_MAX (1u << 20) /* at a time; more are not followed */

struct created_task {
  uint32_t team, creator, generation; /* its name */
  uint32_t location;                  /* that created it */
  uint64_t time;
  bool used; /* the place has a task */
};

/* Open addressing, at most half full; {0} is an empty table. */
struct created_tasks {
  struct created_task *slots;
  size_t capacity, count;
};

/* A task of the same name is replaced. False: no memory. */
bool created_tasks_add(struct created_tasks *tasks, struct created_task task);
/* Takes a task out. False: it is not there. */
bool created_tasks_take(struct created_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation,
                        struct created_task *task);
void created_tasks_free(struct created_tasks *tasks);

#endif
