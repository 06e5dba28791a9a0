/* Private to wakers/, whose users include wakers.h: who hears what is found when it is found. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_LISTENER_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_LISTENER_H

#include "analyzer/analyses/waits/results.h"
#include "analyzer/trace/states/machine.h"

/* A wait, or a part of it, that has ended. All times are ticks. */
struct wakers_woken {
  uint32_t location;    /* that waited */
  uint64_t since, time; /* after the last task that it executed meanwhile */
  enum wake_how how;
  uint32_t from;      /* BY_THREAD, AMBIGUOUS, INTERRUPTED: who ended it; else TRACE_NONE */
  uint64_t from_time; /* ... and when */
};

/*
 * A listener hears what is found when it is found, in order of time over all threads: when each thread begins, what it
 * did (never two times the same tick, and without a gap; `off` is 0), then which of its waits ended at that time.
 * Called by one thread at a time. False: no memory.
 */
struct wakers_listener {
  void *context;
  bool (*begins)(void *context, uint32_t location, uint64_t time);
  bool (*did)(void *context, uint32_t location, const struct state_interval *interval);
  bool (*woken)(void *context, const struct wakers_woken *woken);
  bool (*stops)(void *context, uint32_t location, uint64_t time);
};

#endif
