/* The types of deadlocks/: a thread that waits, and will for ever. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_WAIT_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_WAIT_H

#include "analyzer/trace/definitions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEADLOCK_NO_LOCK   UINT64_MAX
#define DEADLOCK_NAME_SIZE 512

enum deadlock_kind { DEADLOCK_LOCK, DEADLOCK_BARRIER, DEADLOCK_JOIN, DEADLOCK_OTHER };

/* A thread that waits when the run ends. */
struct deadlock_wait {
  enum deadlock_kind kind;
  uint32_t location;
  uint32_t region;        /* in which it waits */
  uint64_t since;         /* ticks */
  uint64_t lock;          /* number; DEADLOCK_NO_LOCK: none */
  const char *class_name; /* Java: of the object; NULL: none */
  uint64_t object;        /* Java: identity hash */
  uint32_t holder;        /* the thread that it waits for; of several that cannot go on, the first */
  uint32_t holder_region; /* where that one acquired the lock; TRACE_NONE: unknown */
  uint64_t acquired;      /* when, ticks; UINT64_MAX: unknown */
  bool ended;             /* the holder has ended */
  uint32_t cycle;         /* 1, 2, ...: of the threads that wait for each other in turn; 0: it waits behind one */
};

struct deadlocks {
  struct deadlock_wait *list; /* cycle by cycle, each in turn: a wait's holder has the next; then those behind them */
  size_t count;
  uint32_t cycles;
  /* Of a run that was killed: further threads that waited then, the longest wait first. */
  struct deadlock_wait *others;
  size_t other_count;
};

#endif
