/* Lock types: a lock, the part of a thread or place in it, and one wait. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_LOCK_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_LOCK_H

#include "analyzer/analyses/omitted/estimates/estimate.h"
#include "analyzer/analyses/waits/callers/callers.h"
#include "base/hash.h"
#include "base/statistics.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lock_kind {
  LOCK_CRITICAL,
  LOCK_ORDERED,
  LOCK_ATOMIC,
  LOCK_ROUTINE,
  LOCK_MONITOR,
  LOCK_JAVA,
  LOCK_PTHREAD_MUTEX,
  LOCK_PTHREAD_RWLOCK,
  LOCK_PTHREAD_SPIN,
  LOCK_KINDS
};

/* What acquisitions that are not recorded add to. */
enum lock_figure { LOCK_ACQUISITIONS, LOCK_WAITS, LOCK_WAIT, LOCK_HELD, LOCK_FIGURES };

/* All times are ticks. A lock belongs to one process, so 64 bits are enough. Numbers and times are recorded ones. */
struct lock_sums {
  uint64_t acquisitions;
  uint64_t waits; /* contended acquisitions */
  uint64_t wait, wait_max;
  uint64_t held;      /* where releases are recorded */
  uint64_t held_seen; /* Java: held while others waited */
  uint64_t holds;     /* Java: how many holds held_seen is the sum of */
  uint64_t caused;    /* recorded waits of others for this holder, if it is recorded, too; 0 for a lock as a whole */
  struct estimate more[LOCK_FIGURES]; /* add it to acquisitions, waits, wait and held */
};

struct lock {
  enum lock_kind kind;
  uint32_t process;
  const char *class_name; /* Java; POSIX threads: the lock's name; "": unknown */
  uint64_t number;        /* OpenMP, POSIX threads: of the lock in the archive; Java: identity hash, 0: unknown */
  uint64_t met;           /* time of its first event, ticks */
  struct lock_sums sums;
};

/* The part of a thread or place in a lock. */
struct lock_party {
  uint32_t lock; /* index */
  uint32_t who;  /* location, or region; TRACE_NONE: the place is unknown */
  struct lock_sums sums;
};

struct lock_parties {
  struct lock_party *list;
  size_t count;
};

/* All locks of a trace. */
struct locks {
  struct lock *list; /* the longest wait first, then by first event */
  size_t count;
  struct lock_parties threads, places; /* by lock in that order, then by wait + caused, longest first */
  struct callers callers;              /* of waits; the group is the lock */
  wide_total wait;                     /* recorded, of all */
  wide_total lifetimes;                /* measured time of all threads, and of virtual ones that wait */
  uint64_t unknown;                    /* recorded waits whose holder is not recorded: waits for locks with omitted
                                        * instances and for Java's locks */
  uint64_t open;                       /* waits that the analyzed stretch's end cuts; they count nowhere else */
};

/* One wait that has ended. */
struct lock_wait {
  uint32_t waiter, holder; /* locations; holder TRACE_NONE: unknown */
  uint32_t region;         /* where the waiter requested the lock */
  uint64_t since, until;   /* ticks */
  uint64_t released;       /* when the holder released the lock, or unparked the waiter; `until`: unknown */
  bool apart;              /* it is a region of its own: no edge shows it (trace/edges) */
};

/* Called for each wait, in the order of their ends. */
typedef void lock_sink(void *context, const struct lock_wait *wait);

/* "critical", "monitor", ...: for people and for programs. */
const char *lock_kind_name(enum lock_kind kind);

/* Locks of Java and of POSIX threads: waits are events of their own. They have held_seen and holds. */
static inline bool lock_is_java(const struct lock *lock)
{
  return lock->kind >= LOCK_MONITOR;
}

/* Locks of POSIX threads: all acquisitions are known; held is the time after contended ones. */
static inline bool lock_is_pthread(enum lock_kind kind)
{
  return kind >= LOCK_PTHREAD_MUTEX && kind < LOCK_KINDS;
}

/* Waits, recorded and estimated, in ticks. */
static inline wide_total lock_waiting(const struct lock_sums *sums)
{
  return sums->wait + estimate_more(&sums->more[LOCK_WAIT]);
}

/* True if acquisitions and releases are recorded (Java: some), so that their sums mean something. */
static inline bool lock_is_followed(const struct lock *lock)
{
  return !lock_is_java(lock) || lock->sums.acquisitions > 0;
}

/* The sums of threads, or of places, at each lock. */

struct parties {
  VECTOR(struct lock_party) list;
  struct hash index; /* lock << 32 | who -> place in the list */
};

/* The sums of a thread or place. Valid until the next call; NULL: no memory. */
struct lock_sums *party(struct parties *parties, uint32_t lock, uint32_t who);

static inline void add_wait(struct lock_sums *sums, uint64_t wait)
{
  sums->waits++;
  sums->wait += wait;
  if (wait > sums->wait_max)
    sums->wait_max = wait;
}

/* Moves the list into the result. */
void parties_hand_over(struct parties *parties, struct lock_parties *result);

void parties_free(struct parties *parties);

#endif
