/* End of one thread: what it waited for, and which locks it held, when the run ended. Private to deadlocks/. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_THREAD_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_THREAD_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "base/hash.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of deadlocks/: a thread that waits, and will for ever. */

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
  uint32_t holder;        /* the thread that it waits for; if several cannot go on, the first */
  uint32_t holder_region; /* where that one acquired the lock; TRACE_NONE: unknown */
  uint64_t acquired;      /* when, ticks; UINT64_MAX: unknown */
  bool ended;             /* the holder has ended */
  uint32_t cycle;         /* 1, 2, ...: of the threads that wait for each other in turn; 0: it waits behind one */
};

struct deadlocks {
  struct deadlock_wait *list; /* cycle by cycle, each in turn: a wait's holder has the next; then those behind them */
  size_t count;
  uint32_t cycles;
  /* For a killed run: further threads that waited then, the longest wait first. */
  struct deadlock_wait *others;
  size_t other_count;
};

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
  bool tried;             /* a try got the lock, which never waits */
  const char *class_name; /* Java's; else NULL */
  uint64_t object;        /* Java: identity hash */
  uint64_t lock;          /* POSIX threads: number of the mutex or rwlock */
  uint64_t owner;         /* as in thread_end */
  uint32_t owner_place;
};

struct thread_end {
  bool waits;                /* at the run's end, for something that only another thread can do, which may be known */
  bool killed;               /* the run was killed while it waited, perhaps for something else */
  bool ended;                /* by itself: its end was seen */
  struct deadlock_wait wait; /* without the holder */
  uint64_t owner;            /* id of the holder when the wait began, or of the thread that is joined; 0: unknown */
  bool by_kernel;            /* the id is the kernel's; else Java's Thread.getId() */
  uint32_t owner_place;      /* Java */
  struct hash unlocks;       /* POSIX threads: number of an object -> when the thread released it last, ticks */
  VECTOR(struct thread_hold) holds;
  VECTOR(uint32_t) teams; /* teams of the thread, the innermost last */
};

/* Called for each acquisition; `held`: what the thread holds then. False: no memory. */
typedef bool thread_acquires(void *context, const struct thread_end *held, const struct thread_hold *next);

/* A lane. */
struct thread_lane {
  const struct trace *trace;
  const struct pass_location *location;
  const uint8_t *rules;
  struct thread_end *end;
  VECTOR(struct thread_open) open;
  struct thread_open routine; /* the routine that ended last: the next event says whether it acquired its lock */
  uint64_t routine_end;
  struct thread_open monitor; /* the monitor that the next event acquires */
  thread_acquires *acquires;  /* NULL: nobody wants to know */
  void *context;
  bool closing; /* the run has ended: what follows only closes what was open */
};

/* All of these outlive the lane, which fills in `end`. */
void thread_lane_begin(struct thread_lane *lane, const struct trace *trace, const struct pass_location *location,
                       const uint8_t *rules, struct thread_end *end);
/* Before the first event: wants to know of acquisitions. Tries are none: they never wait. */
void thread_lane_watch(struct thread_lane *lane, thread_acquires *acquires, void *context);

/* Functions of the lane. */
bool thread_lane_event(void *lane, const struct trace_event *event);
void thread_lane_close(void *context, void *lane);

/* Frees what the lane filled in. */
void thread_end_free(struct thread_end *end);

/* What each region means, for all lanes. NULL: no memory. The caller frees it. */
uint8_t *thread_rules(const struct trace *trace);

#endif
