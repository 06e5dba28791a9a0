/* How long a call waits: for ever, or up to a time by a clock. */
#ifndef HEDDLE_PTHREAD_LAYER_PATIENCE_H
#define HEDDLE_PTHREAD_LAYER_PATIENCE_H

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

#endif
