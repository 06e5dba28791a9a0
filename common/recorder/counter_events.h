/*
 * The counters of one thread: perf events, which are open at descriptors far above those that programs count on, and
 * sources that need none. Before each reading of a descriptor it is verified: the program may have closed it and opened
 * something else under its number.
 *
 * The calls are the thread's own; counter_events_close also those of a child of fork, for its parent's threads. No
 * allocation, no lock; no points of cancellation.
 */
#ifndef HEDDLE_COMMON_RECORDER_COUNTER_EVENTS_H
#define HEDDLE_COMMON_RECORDER_COUNTER_EVENTS_H

#include "common/recorder/counter_list.h"

/* In a share: the counter counted all the time; else it had a counter of the processor for so many of SHARES parts. */
#define COUNTER_WHOLE  0u
#define COUNTER_SHARES 1024u

/* Events that the processor counts together: one reading has them all. */
struct counter_group {
  uint64_t id;               /* the kernel's, of the first one */
  uint64_t enabled, running; /* ns at the last reading in which it was running */
  uint8_t member[COUNTERS_MOST];
  unsigned count;
};

struct counter_events {
  unsigned count, groups;
  struct counter_group group[COUNTERS_MOST];
  int fd[COUNTERS_MOST];         /* by counter; -1: none */
  uint64_t id[COUNTERS_MOST];    /* the kernel's */
  uint64_t last[COUNTERS_MOST];  /* as last read */
  uint64_t value[COUNTERS_MOST]; /* since the first reading; scaled where a counter did not count all the time */
  uint64_t share[COUNTERS_MOST]; /* of the last reading */
};

/* What would have been counted in all of the `enabled` ns, and the share of them that was counted. 0 < running <=
 * enabled.
 */
static inline uint64_t counter_scaled(uint64_t counted, uint64_t enabled, uint64_t running)
{
  unsigned __int128 scaled = (unsigned __int128)counted * enabled / running;
  return scaled < UINT64_MAX ? (uint64_t)scaled : UINT64_MAX;
}

static inline uint64_t counter_share(uint64_t enabled, uint64_t running)
{
  uint64_t share = (uint64_t)((unsigned __int128)running * COUNTER_SHARES / enabled);
  return share > 0 ? share : 1;
}

/* Opens what needs a descriptor for the calling thread. 0, or an errno value: then nothing is open. */
int counter_events_open(struct counter_events *events, const struct counter_list *counters);

/* Takes what is counted so far for zero. False: as below. */
bool counter_events_start(struct counter_events *events, const struct counter_list *counters);

/* Reads all of them into `value` and `share`. False: the program has closed a descriptor. */
bool counter_events_read(struct counter_events *events, const struct counter_list *counters);

void counter_events_close(struct counter_events *events);

#endif
