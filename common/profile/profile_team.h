/*
 * What constructs do to a profile's table (profile_table.h): parallel regions, their members and last barriers, waits,
 * locks and explicit tasks. Two feed it: callbacks where there are no events (ompt-tool/profiled*.c), and records
 * (profile_fold.h).
 *
 * Times are ticks and never decrease. Nothing here allocates or fails.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_TEAM_H
#define HEDDLE_COMMON_PROFILE_PROFILE_TEAM_H

#include "common/profile/profile_lock_sums.h"

/* ompt_sync_region_t */
enum profile_sync {
  PROFILE_BARRIER_IMPLICIT = 2,
  PROFILE_BARRIER_IMPLEMENTATION = 4,
  PROFILE_TASKWAIT = 5,
  PROFILE_TASKGROUP = 6,
  PROFILE_SYNC_REDUCTION = 7,
  PROFILE_BARRIER_PARALLEL = 9,
  PROFILE_BARRIER_TEAMS = 10
};

/* The innermost open construct of that kind in the thread's innermost team; 0: there is none. */
uint32_t profile_find(const struct profile_table *table, enum raw_row kind);
/* Ends it, and all inside it, which are no executions. */
void profile_end(struct profile_table *table, enum raw_row kind, uint64_t now);

/* The region whose frame is number `at` ends. */
void profile_end_region(struct profile_table *table, uint32_t at, uint64_t now);
/* The thread begins as a member of a region, with that number in its team of so many. */
void profile_begin_member(struct profile_table *table, uint64_t code, uint64_t begin, unsigned index, unsigned team,
                          uint64_t now);
/* ended: what profile_end_sync left to be told, or 0. */
void profile_end_member(struct profile_table *table, uint64_t now, uint64_t ended);

/* sync: enum profile_sync */
void profile_begin_sync(struct profile_table *table, unsigned sync, uint64_t code, uint64_t now);
/* False: it may be the region's last barrier, for older runtimes call all implicit ones the same. If the thread's next
 * call ends its member, that gets `now` as ended; else the innermost construct has ended at `now`. */
bool profile_end_sync(struct profile_table *table, unsigned sync, uint64_t now);

/* The thread leaves the task `prior`, which is complete or goes on later, for `next`. Keys: 0: no explicit task.
 * code: of `next`. */
void profile_switch_task(struct profile_table *table, uint64_t prior, bool complete, uint64_t next, uint64_t code,
                         uint64_t now);

/* The program leaves a region of its own, by the number of its name. Regions of others inside end with it; without a
 * region of that name in the innermost construct nothing happens. */
void profile_leave_user(struct profile_table *table, uint64_t name, uint64_t now);

#define PROFILE_HELD 32u

/* A lock that the thread holds. */
struct profile_held {
  uint64_t wait, code, since;
  uint64_t *metric; /* its words; NULL: there was no room */
  uint32_t begun;   /* they are of these rows (profile_table.h) */
  uint32_t weight;
};

struct profile_locks {
  uint64_t testing;                       /* code of the test for a lock that is under way */
  uint32_t count;                         /* may count beyond PROFILE_HELD */
  uint32_t weight;                        /* of the acquisition that begins next; 0: 1 */
  struct profile_held held[PROFILE_HELD]; /* the newest last */
  struct profile_lock_sums sums[PROFILE_LOCK_SUMS];
};

/* kind: ompt_mutex_t, wait: the lock's id */
void profile_acquire(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t code,
                     uint64_t now);
/* So many acquisitions that were counted, of whichever lock. */
void profile_count_locks(struct profile_table *table, unsigned kind, uint64_t code, uint64_t count, uint64_t now);
void profile_acquired(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t wait,
                      uint64_t now);
void profile_released(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t wait,
                      uint64_t now);
/* The three in one, for a lock that is requested, acquired and released with nothing in between, at these times; only
 * where profile_locks_at_once says that it can be. */
bool profile_locks_at_once(const struct profile_table *table, const struct profile_locks *locks, unsigned kind);
void profile_lock_at_once(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t code,
                          uint64_t wait, const uint64_t times[3]);
/* The thread holds the lock already, and acquires it once more. */
void profile_nest(struct profile_table *table, struct profile_locks *locks, uint64_t wait, uint64_t now);

#endif
