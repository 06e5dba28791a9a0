/* How long a call waits: for ever, or up to a time by a clock. */
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

struct patience {
  const struct timespec *until; /* NULL, where `timed` is false; the program may also pass NULL */
  clockid_t clock;
  bool timed, has_clock; /* the call has a time; and a clock: it is that of pthread_..._clock... */
};

#define PATIENCE_ENDLESS         ((struct patience){.until = NULL})
#define PATIENCE_UNTIL(time)     ((struct patience){.until = (time), .timed = true})
#define PATIENCE_CLOCK(id, time) ((struct patience){.until = (time), .clock = (id), .timed = true, .has_clock = true})

/*
 * Whether libc would refuse the call although nobody has the lock: then there is no try first. Calls that look at their
 * time only before they wait refuse no more than the clock.
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

/* A call that waits: what is recorded before and after it. The calling thread's; errno is kept. */

struct wait {
  uintptr_t object;
  unsigned kind; /* enum raw_pthread; 0: it is not recorded */
};

/* code: of the program; 0: the wait is not its own. fourth: word 3 of RAW_PTHREAD_WAIT. */
void wait_begins(struct wait *wait, unsigned kind, const void *object, uintptr_t code, uint64_t fourth);
/* how: RAW_PTHREAD_TIMED_OUT, ...; 0: it has what it waited for. */
void wait_ends(struct wait *wait, unsigned how);
/* The same for a lock, which the thread has from now on, if it got it. */
void wait_ends_with_lock(struct wait *wait, unsigned how);
/* What pthread_cleanup_push takes: the thread is cancelled while it waits. */
void wait_cancelled(void *wait);

/* What the result of a wait says of it. */
static inline unsigned wait_how(int result)
{
  return result == 0            ? 0
         : result == EOWNERDEAD ? RAW_PTHREAD_OWNER_DIED
         : result == ETIMEDOUT  ? RAW_PTHREAD_TIMED_OUT
                                : RAW_PTHREAD_FAILED;
}

/*
 * Before an object is released: it may be gone after it. True: somebody waits for it, or the thread got it after a
 * wait.
 */
static inline bool wait_release_is_seen(const void *object)
{
  return layer_records() && __builtin_expect(waiting_for((uintptr_t)object) || thread_self_holds != 0, 0);
}

/* Then: what is recorded. */
void wait_release(unsigned how, const void *object, uintptr_t code);

#endif
