/*
 * Teams and tasks that several threads share: parallel regions and their teams, which become OTF2 communicators, and
 * explicit tasks by their ids. The scan collects both one slice ahead of the conversion.
 *
 * A region has its code, the members of its team, and the time at which the last of them arrived at its final barrier.
 * It is dropped when all threads that saw it have finished it. One thread changes regions, in the pauses of the
 * conversion; any thread may call teams_find and read in between.
 */
#ifndef HEDDLE_OTF2_CONVERT_SCAN_TEAMS_H
#define HEDDLE_OTF2_CONVERT_SCAN_TEAMS_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/raw_trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TEAMS_LIVE_MAX (1u << 20) /* further regions have no code and no team; only a broken trace has so many */
#define COMM_NONE      UINT32_MAX

struct member {
  uint32_t index; /* thread number in the team */
  uint32_t location;
};

/* A team with a definition in OTF2. All regions with the same complete team share it. */
struct comm {
  uint32_t size;                 /* as the runtime reported it */
  VECTOR(struct member) members; /* complete: members[i].index is i */
  bool complete;
};

struct team {
  uint64_t key;
  uint64_t code; /* of the parallel or teams construct; 0 unknown */
  bool is_league;
  uint32_t size;
  uint32_t comm;    /* COMM_NONE until settled */
  uint32_t users;   /* threads that have seen its begin but not its end */
  uint32_t round;   /* of its first member */
  uint32_t arrived; /* members that arrived at an implicit barrier of its own; valid if there is one such barrier */
  uint64_t latest_arrival; /* at that barrier, archive time */
  uint64_t shape;          /* hash of the members */
  VECTOR(struct member) members;
};

struct teams {
  struct hash live; /* key -> struct team * */
  struct team *unused[64];
  size_t unused_count;
  VECTOR(struct comm) comms;
  struct hash by_shape;       /* shape -> comm */
  VECTOR(uint64_t) unsettled; /* keys */
};

/* Returns the key of a region in the table of all processes. */
static inline uint64_t team_key(uint32_t process, uint64_t id)
{
  return (uint64_t)process << 48 | id;
}

/* The following functions return false if memory is short. */
bool teams_add_region(struct teams *teams, uint64_t key, uint64_t code, bool is_league);
bool teams_add_member(struct teams *teams, uint64_t key, uint32_t size, struct member member, uint32_t round);
void teams_add_arrival(struct teams *teams, uint64_t key, uint64_t time);
/* Assigns communicators to complete teams, and to all teams whose first member was seen up to `round`. */
bool teams_settle(struct teams *teams, uint32_t round);
/* Reports that one of the region's threads has finished it. */
void teams_release(struct teams *teams, uint64_t key);
void teams_free(struct teams *teams);

static inline const struct team *teams_find(const struct teams *teams, uint64_t key)
{
  const uint64_t *team = hash_find(&teams->live, key);
  return team == NULL ? NULL : (const struct team *)(uintptr_t)*team;
}

/*
 * Tasks by id, from creation to end: one table per process, with pages for each block of ids. A page is freed when all
 * its tasks have ended.
 *
 * Threads: in the scan any thread may call task_table_open_block, and the thread that scans the owner of a block
 * task_table_add. In the conversion any thread may call task_table_find and task_table_end. One thread calls
 * task_table_free_page, in a pause between the two.
 */
#define TASKS_A_PAGE   1024u
#define TASK_PAGES_MAX 8192u /* at a time, 32 KiB each; further tasks are ignored, only a broken trace has so many */

struct task {
  uint64_t code : 48;
  uint64_t flags : 8; /* enum raw_task */
  uint64_t known : 8; /* 0: there is no such task */
  uint64_t parallel;  /* id of the region of its creation */
  uint32_t creator;   /* its creator's number in that region's team; without a team the creator's location */
  uint32_t generation;
  uint32_t weight; /* number of tasks that it represents, itself included */
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

/* Sets the owner of a block of ids, unless it has one. False: out of memory. */
bool task_table_open_block(struct task_table *table, uint64_t block, uint32_t owner);
/* Adds a task. Ids outside of the owner's blocks are ignored. *last_id: the owner's former task, at first 0; with it a
 * page is closed after its last task. False: out of memory. */
bool task_table_add(struct task_table *table, uint64_t id, uint32_t owner, struct task task, uint64_t *last_id);
const struct task *task_table_find(const struct task_table *table, uint64_t id);
/* Ends a task. True: its page may be freed now, by task_table_free_page(id). */
bool task_table_end(struct task_table *table, uint64_t id);
void task_table_free_page(struct task_table *table, uint64_t id);
void task_table_free(struct task_table *table);

#endif
