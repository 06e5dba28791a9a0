/*
 * Which locks threads waited for: critical sections, locks, ordered and atomic constructs of OpenMP, monitors and locks
 * of Java; who waited and who had them, and where.
 *
 * An acquisition waited if another thread had the lock when it was asked for, or got it before the one that asked. Its
 * wait is the time from asking to getting it. What waits cost is put down to the thread that had the lock last before,
 * and to the place where that one got it. Java: to the one that had it when the wait began, where the trace says that;
 * else to the thread that unparked the one that waited, and the place where it did so; for a monitor to the last one
 * that waited for it, too, and got it meanwhile. A virtual thread counts as the thread that runs it. Of Java only
 * acquisitions that waited are in a trace, and no releases, but where the trace was recorded with hold=: how often and
 * how long it was held is unknown. But it was held as long as somebody waited (hold.h says by whom).
 */
#ifndef HEDDLE_ANALYZER_LOCKS_LOCKS_H
#define HEDDLE_ANALYZER_LOCKS_LOCKS_H

#include "analyzer/pass/pass.h"
#include "base/totals.h"

#include <stddef.h>

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

struct locks {
  struct lock *list; /* in the order of their wait, longest first; then as they were met */
  size_t count;
  struct lock_parties threads, places; /* by lock in that order, then by what they waited and caused */
  wide_total wait;                     /* of all */
  wide_total lifetimes;                /* of all threads together, as far as they were measured */
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

/*
 * Finds locks in a pass in order of time (pass.h); memory grows with locks, places and threads. The sink, if there is
 * one, is told of each wait. NULL: no memory. After the pass: locks_end(), or locks_drop() where it failed.
 */
struct locks_finder;
struct locks_finder *locks_begin(const struct trace *trace, lock_sink *sink, void *context, struct trace_error *error);
const struct subscriber *locks_subscriber(const struct locks_finder *finder);
/* False: an error. Free `locks` with locks_free(), also then. */
bool locks_end(struct locks_finder *finder, struct locks *locks, struct trace_error *error);
void locks_drop(struct locks_finder *finder);

/* All of it, in a pass of its own. */
bool locks_find(const struct trace *trace, struct pool *pool, struct locks *locks, struct trace_error *error);
void locks_free(struct locks *locks);

/*
 * Adds what was found at other locations of the same trace: each process' locations are in one of both. False: no
 * memory; `into` is as it was.
 */
bool locks_merge(struct locks *into, const struct locks *from);

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
