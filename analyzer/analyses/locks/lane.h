/*
 * Lane: the actions of one location on locks, in order of time. Its trace events become a queue of lock events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_LANE_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_LANE_H

#include "analyzer/analyses/locks/lock.h"
#include "analyzer/trace/pass/pass.h"
#include "base/vector.h"

enum lock_event_kind {
  LOCK_ACQUIRED,
  LOCK_RELEASED,
  LOCK_REQUESTED,   /* Java: the location begins to wait; LOCK_WAITED or LOCK_CUT follows */
  LOCK_WAITED,      /* Java: the wait ends with the acquisition */
  LOCK_CUT,         /* Java: the trace does not have the end of the wait */
  LOCK_WAIT_BEGINS, /* Java: Object.wait releases a monitor, perhaps one that no thread ever waited for */
  LOCK_WAIT_ENDS,   /* Java: Object.wait has acquired the monitor again */
  LOCK_REACQUIRED,  /* Java: the same for a monitor whose acquisition was recorded; LOCK_RELEASED follows */
  LOCK_UNPARKED,    /* Java: the location lets the thread `owner` continue; the lock is unknown */
  LOCK_MOUNTED,     /* Java: the location runs the virtual thread `owner` from now on; there is no lock */
  LOCK_UNMOUNTED,   /* Java: the virtual thread `virtual_thread` waits on, without a location, until it is mounted */
  LOCK_FAILED,      /* a test in an archive with weights, at `region`; there is no lock */
  LOCK_COUNTED,     /* POSIX threads: `weight` acquisitions at `region` that have no event */
  LOCK_OMITTED      /* the last `weight` requests at `region`, which are not recorded; there is no lock */
};

struct lock_event {
  enum lock_event_kind kind;
  enum lock_kind lock_kind;
  uint64_t time;
  /* Time of the request (acquired, waited) or the acquisition (released), later by the time not measured since then. An
   * acquisition of Java's: the same as time. */
  uint64_t since;
  uint64_t number;        /* as in struct lock */
  uint32_t region;        /* where the lock was requested */
  uint64_t weight;        /* acquired, released, failed: the requests there since the recorded one before, with this */
  bool blocked;           /* acquired, released: the thread was blocked before; it stands for itself alone */
  const char *class_name; /* Java, "" unknown; else NULL */
  const char *callers;    /* of the place; NULL: unknown */
  /* Requested, waited, cut, Object.wait: */
  uint64_t owner;          /* Thread.getId() of the holder; POSIX threads: the kernel's id; 0: unknown */
  uint32_t owner_place;    /* region; TRACE_NONE: unknown */
  uint64_t virtual_thread; /* unmounted: its id */
};

/* As a kind of lock: there is none. */
#define NO_LOCK LOCK_KINDS

/* What each region means to locks, for all lanes of a trace. NULL: no memory. The caller frees it. */
uint8_t *lock_rules(const struct trace *trace);

/* A construct or routine that requests a lock, until it ends. */
struct lock_request {
  struct lock_event event;
  uint64_t not_measured; /* ticks of the location up to its begin */
  bool acquired;
  uint64_t index; /* POSIX threads: number in the archive of the lock that is acquired */
};

struct lock_held {
  uint64_t index;          /* of the lock in the archive */
  struct lock_event event; /* RELEASED, as far as it is known */
  uint64_t not_measured;   /* up to event.since */
  bool waits;              /* Java: Object.wait has released it for a time */
};

/* A lane. */
struct lock_lane {
  const struct trace *trace;
  const uint8_t *rules;
  const struct pass_location *location;
  struct error *error;
  VECTOR(struct lock_request) requests;
  VECTOR(struct lock_held) held;
  struct lock_event routine; /* the routine that ended last: the next event says whether it acquired its lock */
  struct lock_event monitor; /* the monitor that the next event acquires; NO_LOCK: none */
  uint64_t mounted;          /* Java: id of the virtual thread that runs on the location; 0: none */
  struct lock_event counted; /* acquisitions of POSIX threads that were counted last; likewise */
  struct item_queue queue;   /* of struct lock_event */
};

/* The location, `error` and the rules outlive the lane. */
void lock_lane_begin(struct lock_lane *lane, const struct trace *trace, const struct pass_location *location,
                     const uint8_t *rules, struct error *error);
void lock_lane_close(struct lock_lane *lane);

/* Functions of the lane. The queue has the location's lock events (struct lock_event). */
bool lock_lane_event(void *lane, const struct trace_event *event);
struct item_queue *lock_lane_queue(void *lane);

/* After the location's end: locks that it waits for where the analyzed stretch ends before the location does. */
uint64_t lock_lane_open_requests(const struct lock_lane *lane);

#endif
