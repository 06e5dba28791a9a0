/*
 * Private to export/: what one thread does because of another one, found in the order of time:
 *   FORK  from the fork of a team to each of its other threads' joining it
 *   LOCK  from the release of a lock to the next acquisition, if that one waited for it
 *   TASK  from the creation of a task to its start
 */
#ifndef HEDDLE_ANALYZER_EXPORT_ARROWS_H
#define HEDDLE_ANALYZER_EXPORT_ARROWS_H

#include "analyzer/export/items.h"
#include "analyzer/trace/live_tasks.h"

enum export_arrow_kind { EXPORT_ARROW_FORK, EXPORT_ARROW_LOCK, EXPORT_ARROW_TASK, EXPORT_ARROW_KINDS };

struct export_arrow {
  enum export_arrow_kind kind;
  uint32_t from;  /* location; it ends at the one of the item */
  uint64_t begin; /* ticks; it ends at the time of the item */
};

struct export_arrows;

/* NULL: no memory. */
struct export_arrows *export_arrows_create(const struct trace *trace);
void export_arrows_destroy(struct export_arrows *arrows);

/* Takes the next item of all. *found: an arrow ends with it. False: no memory. */
bool export_arrows_take(struct export_arrows *arrows, uint32_t location, const struct item *item,
                        struct export_arrow *arrow, bool *found);

/* The task that a location executes, as far as is known; 0: none. After export_arrows_take() of a TASK_SWITCH. */
uint64_t export_arrows_task(const struct export_arrows *arrows, uint32_t location);

/* "fork", "lock", "task". */
const char *export_arrow_name(enum export_arrow_kind kind);

#endif
