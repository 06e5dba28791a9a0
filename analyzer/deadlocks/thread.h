/* Private to deadlocks/: what one thread waited for, and which locks it held, when the run ended. */
#ifndef HEDDLE_ANALYZER_DEADLOCKS_THREAD_H
#define HEDDLE_ANALYZER_DEADLOCKS_THREAD_H

#include "analyzer/deadlocks/wait.h"
#include "analyzer/pass/pass.h"
#include "base/vector.h"

/* A lock that a thread holds. */
struct thread_hold {
  uint64_t lock;          /* number */
  uint32_t region;        /* where it was requested; TRACE_NONE: unknown */
  uint64_t since;         /* ticks */
  const char *class_name; /* Java's monitors; else NULL */
  uint64_t object;
};

struct thread_open {
  uint32_t region;
  uint64_t since;
  bool acquired;
  /* Java: */
  const char *class_name;
  uint64_t object, owner;
  uint32_t owner_place;
};

struct thread_end {
  bool waits;                /* at the run's end */
  bool ended;                /* it told its end, at `last` */
  uint64_t last;             /* ticks, of its last event */
  struct deadlock_wait wait; /* without the holder */
  uint64_t owner;            /* Java: Thread.getId(), of the holder; 0: unknown */
  uint32_t owner_place;
  VECTOR(struct thread_hold) holds;
  VECTOR(uint32_t) teams; /* those that it was in, the innermost last */
};

struct thread_lane;
/* `end` outlives the lane and is filled in by it. NULL: no memory. */
struct thread_lane *thread_lane_open(const struct trace *trace, const struct pass_location *location,
                                     const uint8_t *rules, struct thread_end *end, struct error *error);
bool thread_lane_take(struct thread_lane *lane, const struct trace_event *event);
void thread_lane_close(struct thread_lane *lane);

/* What each region means, for all lanes. NULL: no memory. The caller frees it. */
uint8_t *thread_rules(const struct trace *trace);

#endif
