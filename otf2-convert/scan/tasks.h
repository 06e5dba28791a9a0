/*
 * What a task id means, from the task's creation until its end: a table per id block, of pages that go when all their
 * tasks have ended. One table a process.
 *
 * Threads: in the scan, task_table_open_block by any thread and task_table_add by the thread that converts the block's
 * owner; in the conversion, task_table_find and task_table_end by any thread; task_table_free_page by one thread in a
 * pause between the two.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_TASKS_H
#define HEDDLE_OTF2_CONVERT_SCAN_TASKS_H

#include "base/hash.h"
#include "common/raw/raw_trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TASKS_A_PAGE 1024u
#define TASK_PAGES_MAX                                                                                                 \
  8192u /* at a time, 32 KiB each; only a broken trace has so many: further tasks are left out                         \
         */

struct task {
  uint64_t code : 48;
  uint64_t flags : 8; /* enum raw_task */
  uint64_t known : 8; /* else there is no such task */
  uint64_t parallel;  /* id of the region it was created in */
  uint32_t creator;   /* its creator's number in that team; without a team the creator's location */
  uint32_t generation;
  uint32_t weight; /* tasks that it stands for, with itself */
};

struct task_page {
  atomic_uint live;
  bool closed; /* no further task will come */
  struct task tasks[TASKS_A_PAGE];
};

struct task_block {
  uint32_t owner; /* location */
  struct hash pages;
};

struct task_table {
  _Atomic(struct task_blocks *) groups[4096];
  atomic_uint *page_count; /* of all tables together */
};

/* Notes whose ids the block's are. False when memory is short; a block that has an owner keeps it. */
bool task_table_open_block(struct task_table *table, uint64_t block, uint32_t owner);
/* Adds a task; false when memory is short. Ids that are not of a block of the owner's are left out. *last_id: 0 at
 * first; the owner's task before this one, so that a page is closed when its last task has come. */
bool task_table_add(struct task_table *table, uint64_t id, uint32_t owner, struct task task, uint64_t *last_id);
const struct task *task_table_find(const struct task_table *table, uint64_t id);
/* The task has ended. True: its page may be freed now, by task_table_free_page(id). */
bool task_table_end(struct task_table *table, uint64_t id);
void task_table_free_page(struct task_table *table, uint64_t id);
void task_table_free(struct task_table *table);

#endif
