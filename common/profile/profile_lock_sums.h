/*
 * Where the sums of a lock are that is acquired at one place, in one construct: looked up once, for it is acquired
 * again and again. The caller's memory, all zero at first.
 */
#ifndef HEDDLE_COMMON_PROFILE_PROFILE_LOCK_SUMS_H
#define HEDDLE_COMMON_PROFILE_PROFILE_LOCK_SUMS_H

#include "common/profile/profile_table.h"

struct profile_lock_sums {
  uint64_t wait, code;
  uint32_t begun;  /* they are of these rows (profile_table.h); 0: of none */
  uint16_t around; /* the row of the construct */
  struct profile_execution acquire, hold;
  uint64_t *metric; /* NULL: there is no room */
};
#define PROFILE_LOCK_SUMS 16u

/* The place, among so many, of what is known of a lock that is acquired there. */
static inline unsigned lock_sums_place(uint64_t wait, uint64_t code)
{
  return (unsigned)((wait >> 3 ^ wait >> 9 ^ code) % PROFILE_LOCK_SUMS);
}

/* Whether they are those of this lock, where the thread is now. kind: ompt_mutex_t; code: as the row has it. */
static inline bool lock_sums_match(const struct profile_lock_sums *sums, const struct profile_table *table,
                                   unsigned kind, uint64_t wait, uint64_t code)
{
  return sums->wait == wait && sums->code == code && sums->begun == table->begun &&
         sums->around == table->stack.open[table->stack.depth - 1].row && sums->acquire.number == kind;
}

/* Makes them those. */
void lock_sums_look_up(struct profile_table *table, struct profile_lock_sums *sums, unsigned kind, uint64_t wait,
                       uint64_t code, uint64_t now);

#endif
