/*
 * Operations of constructs on a profile's table (profile_table.h): parallel regions, their members and last barriers,
 * waits, locks, explicit tasks; and metrics beside constructs. Two callers: callbacks where there are no events
 * (ompt-tool/profiled.c), and records (profile_fold.h).
 *
 * Times are ticks and never decrease. Nothing here allocates or fails.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_TEAM_H
#define HEDDLE_COMMON_PROFILE_PROFILE_TEAM_H

#include "common/profile/profile_table.h"

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

/* Returns the number of the innermost open construct of that kind in the thread's innermost team; 0: none. */
uint32_t profile_find(const struct profile_table *table, enum raw_row kind);
/* Ends it, and all inside it, which are no executions. */
void profile_end(struct profile_table *table, enum raw_row kind, uint64_t now);

/* The region whose frame is number `at` ends. */
void profile_end_region(struct profile_table *table, uint32_t at, uint64_t now);
/* The thread begins as a member of a region, with that number in its team of so many. */
void profile_begin_member(struct profile_table *table, uint64_t code, uint64_t begin, unsigned index, unsigned team,
                          uint64_t now);
/* ended: the end that profile_end_sync left to be reported, or 0. */
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

/* Cached place of a lock's sums, by where it is acquired and in which construct: a lock is acquired again and again.
 * The caller's memory, all zero at first. */
struct profile_lock_sums {
  uint64_t wait, code;
  uint32_t begun;  /* they are of these rows (profile_table.h); 0: of none */
  uint16_t around; /* the row of the construct */
  struct profile_execution acquire, hold;
  uint64_t *metric; /* NULL: there is no room */
};
#define PROFILE_LOCK_SUMS 16u

/* Returns the entry of PROFILE_LOCK_SUMS for a lock that is acquired at that code. */
static inline unsigned lock_sums_place(uint64_t wait, uint64_t code)
{
  return (unsigned)((wait >> 3 ^ wait >> 9 ^ code) % PROFILE_LOCK_SUMS);
}

/* True if `sums` caches this lock at the current construct. kind: ompt_mutex_t; code: as the row has it. */
static inline bool lock_sums_match(const struct profile_lock_sums *sums, const struct profile_table *table,
                                   unsigned kind, uint64_t wait, uint64_t code)
{
  return sums->wait == wait && sums->code == code && sums->begun == table->begun &&
         sums->around == table->stack.open[table->stack.depth - 1].row && sums->acquire.number == kind;
}

/* Looks the sums up and caches them. */
void lock_sums_look_up(struct profile_table *table, struct profile_lock_sums *sums, unsigned kind, uint64_t wait,
                       uint64_t code, uint64_t now);

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
/* The three in one, for a lock that is requested, acquired and released at these times with nothing in between. Only
 * where profile_locks_at_once allows it. */
bool profile_locks_at_once(const struct profile_table *table, const struct profile_locks *locks, unsigned kind);
void profile_lock_at_once(struct profile_table *table, struct profile_locks *locks, unsigned kind, uint64_t code,
                          uint64_t wait, const uint64_t times[3]);
/* The thread holds the lock already, and acquires it once more. */
void profile_nest(struct profile_table *table, struct profile_locks *locks, uint64_t wait, uint64_t now);

/* Metrics (raw_trace.h, enum raw_metric): tasks that are made, chunks and iterations of loops, locks by object. Also
 * the program's events and their values, and pauses for garbage collection. A metric without room is counted. */

/* The construct at that code makes so many tasks; code 0: the innermost one's. */
void profile_make_tasks(struct profile_table *table, uint64_t code, uint64_t tasks, uint64_t now);

/* A work-sharing construct begins, of so many iterations in all; type: ompt_work_t. */
void profile_begin_work(struct profile_table *table, unsigned type, uint64_t code, uint64_t count, uint64_t now);
/* The innermost one goes on with so many chunks that have so many iterations; one of these is `first`. `told`: the
 * runtime reported them one by one, and as chunks of a loop. */
void profile_take_chunks(struct profile_table *table, uint64_t first, uint64_t iterations, uint64_t chunks, bool told,
                         uint64_t now);
/* Chunks with no more than a known number, of a loop that is not open. */
void profile_count_chunks(struct profile_table *table, unsigned type, uint64_t code, uint64_t chunks, uint64_t now);
/* It ends, if one is open. What follows from the schedule counts as well: all of a static loop of libomp's. */
void profile_end_work(struct profile_table *table, bool libomp, uint64_t now);

/* An event of the program's, which stands for so many; and each of its values: element: as in RAW_USER_EVENT. */
void profile_take_event(struct profile_table *table, uint64_t name, uint64_t weight, uint64_t now);
void profile_take_value(struct profile_table *table, uint64_t name, const uint64_t element[RAW_EXTRA], uint64_t now);

/* A wait of Java's for an object has ended after so long; kind: enum raw_block. */
void profile_take_block(struct profile_table *table, unsigned kind, uint64_t code, uint64_t object, uint64_t ticks,
                        uint64_t now);
void profile_take_pause(struct profile_table *table, uint64_t ticks, uint64_t now);

/* Adds one wait that took so long, for `weight` acquisitions. */
static inline void profile_count_wait(uint64_t *words, uint64_t weight, uint64_t ticks)
{
  profile_count(&words[RAW_METRIC_COUNT], weight);
  profile_count(&words[RAW_METRIC_TICKS], ticks);
  if (ticks > words[RAW_METRIC_LONGEST])
    __atomic_store_n(&words[RAW_METRIC_LONGEST], ticks, __ATOMIC_RELAXED);
  if (ticks > RAW_CONTENDED) {
    profile_count(&words[RAW_METRIC_CONTENDED], 1);
    profile_count(&words[RAW_METRIC_WAITING], ticks);
  }
}

#endif
