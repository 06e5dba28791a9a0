/*
 * Waits: their time limits, and the records before and after a call that waits. For the calling thread; errno is kept.
 */
#ifndef HEDDLE_PTHREAD_LAYER_WAIT_H
#define HEDDLE_PTHREAD_LAYER_WAIT_H

#include "pthread-layer/callers.h"
#include "pthread-layer/layer.h"
#include "pthread-layer/objects.h"
#include "pthread-layer/thread_self.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The time limit of a call: none, or a time by a clock. */
struct patience {
  const struct timespec *until; /* NULL if `timed` is false; the program may also pass NULL */
  clockid_t clock;
  bool timed, has_clock; /* the call has a time; a clock, as pthread_..._clock... */
};

#define PATIENCE_ENDLESS         ((struct patience){.until = NULL})
#define PATIENCE_UNTIL(time)     ((struct patience){.until = (time), .timed = true})
#define PATIENCE_CLOCK(id, time) ((struct patience){.until = (time), .clock = (id), .timed = true, .has_clock = true})

/*
 * True if libc refuses the call even if nobody holds the lock; then there is no try before the call. Calls that check
 * their time only before they wait refuse only a bad clock.
 */
static inline bool patience_has_bad_clock(const struct patience *patience)
{
  return patience->has_clock && patience->clock != CLOCK_REALTIME && patience->clock != CLOCK_MONOTONIC;
}

static inline bool patience_is_bad(const struct patience *patience)
{
  return patience_has_bad_clock(patience) ||
         (patience->timed && (unsigned long)patience->until->tv_nsec >= 1000000000ul);
}

struct wait {
  uintptr_t object;
  unsigned kind; /* enum raw_pthread; 0: it is not recorded */
};

/* Records the begin of a wait. code: in the program; 0: the wait is not the program's. fourth: word 3 of
 * RAW_PTHREAD_WAIT. */
void wait_begins(struct wait *wait, unsigned kind, const void *object, uintptr_t code, uint64_t fourth);
/* Records the end. how: RAW_PTHREAD_TIMED_OUT, ...; 0: the wait succeeded. */
void wait_ends(struct wait *wait, unsigned how);
/* The same for a lock, which the thread holds from now on if the wait succeeded. */
void wait_ends_with_lock(struct wait *wait, unsigned how);
/* Records the end if the thread is cancelled. For pthread_cleanup_push. */
void wait_cancelled(void *wait);

/* Returns `how` for the result of a call. */
static inline unsigned wait_how(int result)
{
  return result == 0            ? 0
         : result == EOWNERDEAD ? RAW_PTHREAD_OWNER_DIED
         : result == ETIMEDOUT  ? RAW_PTHREAD_TIMED_OUT
                                : RAW_PTHREAD_FAILED;
}

/*
 * True if the release of an object is to be recorded: a thread waits for it, or the calling thread acquired it after a
 * wait. Before the release, because the object may not exist afterwards.
 */
static inline bool wait_release_is_seen(const void *object)
{
  return layer_records() && __builtin_expect(waiting_for((uintptr_t)object) || thread_self_holds != 0, 0);
}

/* Records that release. */
void wait_release(unsigned how, const void *object, uintptr_t code);

#endif
