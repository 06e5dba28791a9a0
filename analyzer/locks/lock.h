/* A lock, what threads and places have to do with it, and one wait: what all parts of locks/ speak of (locks.h). */
#ifndef HEDDLE_ANALYZER_LOCKS_LOCK_H
#define HEDDLE_ANALYZER_LOCKS_LOCK_H

#include "base/totals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lock_kind { LOCK_CRITICAL, LOCK_ORDERED, LOCK_ATOMIC, LOCK_ROUTINE, LOCK_MONITOR, LOCK_JAVA, LOCK_KINDS };

/* All times are ticks. A lock is one process', so 64 bits are enough. */
struct lock_sums {
  uint64_t acquisitions; /* that are known */
  uint64_t waits;        /* of these */
  uint64_t wait, wait_max;
  uint64_t held;      /* where releases are known */
  uint64_t held_seen; /* Java: while others waited for it */
  uint64_t holds;     /* that held_seen consists of */
  uint64_t caused;    /* what others waited, for a holder (not of locks as a whole) */
};

struct lock {
  enum lock_kind kind;
  uint32_t process;
  const char *class_name; /* Java; "" unknown */
  uint64_t number;        /* OpenMP: of the lock in the archive; Java: identity hash, 0 unknown */
  uint64_t met;           /* when it was first heard of, ticks */
  struct lock_sums sums;
};

/* A thread's or a place's part in a lock. */
struct lock_party {
  uint32_t lock; /* index */
  uint32_t who;  /* location, or region; TRACE_NONE: no place known */
  struct lock_sums sums;
};

struct lock_parties {
  struct lock_party *list;
  size_t count;
};

/* All locks of a trace. */
struct locks {
  struct lock *list; /* in the order of their wait, longest first; then as they were met */
  size_t count;
  struct lock_parties threads, places; /* by lock in that order, then by what they waited and caused */
  wide_total wait;                     /* of all */
  wide_total lifetimes;                /* of all threads together, as far as they were measured */
  uint64_t open; /* locks asked for and not had where the stretch of time that is looked at ends; not counted */
};

/* One wait that is over. */
struct lock_wait {
  uint32_t waiter, holder; /* locations; holder TRACE_NONE: not known */
  uint32_t region;         /* where it was waited */
  uint64_t since, until;   /* ticks */
  uint64_t released;       /* when the holder gave it up, or let the waiter go on; `until` where that is not known */
};

/* Called for every wait, in the order of their ends. */
typedef void lock_sink(void *context, const struct lock_wait *wait);

/* "critical", "monitor", ...: for people and for programs. */
const char *lock_kind_name(enum lock_kind kind);

/* Java's tell how long they were held while somebody waited. */
static inline bool lock_is_java(const struct lock *lock)
{
  return lock->kind >= LOCK_MONITOR;
}

/* Whether acquisitions and releases are known, of Java at least some, so that these sums say something. */
static inline bool lock_is_followed(const struct lock *lock)
{
  return !lock_is_java(lock) || lock->sums.acquisitions > 0;
}

#endif
