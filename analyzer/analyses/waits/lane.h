/* Steps of one location: what it does, begins to wait for, and causes, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_LANE_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_LANE_H

#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/machine.h"
#include "base/vector.h"

/* Which regions are waits, and which end waits of other threads. */

enum wait_match {
  MATCH_NONE,
  /* Objects, which exist while a thread waits for them: */
  MATCH_QUEUE,   /* a signal for the same object, which one waiting thread takes, or all of them */
  MATCH_RELEASE, /* the last release of the same object */
  MATCH_ARRIVAL, /* the last arrival at the same barrier: the team's, or the object's */
  MATCH_OWNER,   /* the owner that the wait names, or the last thread that acquired the object meanwhile */
  /* Others: */
  MATCH_PERMIT, /* a signal for this thread */
  MATCH_IDLE,   /* the same, of a thread without work: it does not wait, but continues the path of who gives it some */
  MATCH_END,    /* the end of another thread */
  MATCH_CLOCK,  /* time itself */
  MATCH_IO,     /* something outside of the run */
  MATCH_TASKS,  /* the end of the last child task */
  MATCH_LOCK    /* the release of an OpenMP lock; the wait ends with its acquisition */
};

enum signal {
  SIGNAL_NONE,
  SIGNAL_ONE,
  SIGNAL_ALL,
  SIGNAL_RELEASE,
  SIGNAL_THREAD,
  SIGNAL_INTERRUPT,
  SIGNAL_START,
  SIGNAL_MOUNT
};

enum wait_domain {
  DOMAIN_TEAM,
  DOMAIN_JAVA,
  DOMAIN_MONITOR,
  DOMAIN_LOCK,
  DOMAIN_CONDITION,
  DOMAIN_ATOMIC,
  DOMAIN_SEMAPHORE,
  DOMAIN_BARRIER,
  DOMAIN_POSIX
};

struct wait_kind {
  uint8_t match;  /* enum wait_match */
  uint8_t signal; /* enum signal */
  uint8_t domain; /* objects of different domains differ; MATCH_END: who numbered the thread, enum wait_domain */
};

/* The kind of each region; the caller frees the array. NULL: no memory. */
struct wait_kind *wait_kinds(const struct trace *trace, const uint8_t *rules);

enum waker_step_kind {
  WAKER_BEGIN,    /* the location's first event */
  WAKER_DID,      /* `state` and `construct` up to now */
  WAKER_EDGE,     /* a step for edges/ */
  WAKER_WAIT,     /* a wait begins, or goes on after tasks */
  WAKER_WAIT_END, /* also of locks: the request ends without an acquisition */
  WAKER_SIGNAL,
  WAKER_CREATE,  /* it creates a POSIX thread */
  WAKER_MOUNTED, /* it runs the virtual thread `thread` from now on */
  WAKER_CREATED, /* it is a thread that a POSIX thread created */
  WAKER_STOP     /* the location's last event */
};

enum {
  WAIT_TIMED_OUT = 1,
  WAIT_INTERRUPTED = 2,
  WAIT_CUT = 4,
  WAIT_AGAIN = 8,
  TASK_DEPENDS = 16,
  WAIT_UNMOUNTED = 32 /* the virtual thread `thread` waits on, until it is mounted */
};

struct waker_step {
  uint64_t time;
  uint8_t kind;   /* enum waker_step_kind */
  uint8_t match;  /* WAIT, WAIT_END: enum wait_match */
  uint8_t signal; /* SIGNAL: enum signal */
  uint8_t domain;
  uint8_t flags;
  uint8_t state;      /* DID: done; else what follows, or STATES: unknown */
  uint32_t construct; /* of the state */
  uint32_t region;    /* that waits or signals; EDGE: the task's */
  uint64_t begin;     /* WAIT_END, EDGE: of the wait; UINT64_MAX: there is none */
  uint64_t since;     /* WAIT_END, EDGE: when the thread began to wait last, after its last task */
  uint64_t waited;    /* WAIT_END: ticks, without tasks */
  uint64_t weight;    /* WAIT_END: executions for which it stands */
  uint64_t number;    /* object, team, or id of a Java thread; 0: unknown */
  uint64_t owner;     /* id of a Java thread; 0: unknown */
  const char *class_name;
  const char *callers; /* WAIT, WAIT_END: of the region; NULL: unknown */
  uint64_t thread; /* CREATE, CREATED; WAIT_END: the joined one: number of a POSIX thread. MOUNTED, WAIT_UNMOUNTED: id
                      of a virtual thread. 0: unknown */
  uint32_t owner_place;
  uint32_t pinned; /* WAIT_END: region of what kept the virtual thread on its carrier, + 1; 0: nothing */
  struct edge_step edge;
};

/* A wait that is open, or a task inside of one. */
struct waker_open_wait {
  struct waker_step step;
  unsigned nested; /* further waits inside, which are only the way in which it waits */
  bool paused;     /* the thread executes a task meanwhile */
  bool is_task;
  bool over; /* the part that waits has ended */
};

/* A lane. */
struct waker_lane {
  const struct trace *trace;
  const struct pass_location *location;
  const uint8_t *rules;
  const struct wait_kind *kinds;
  struct edge_reader reader;
  VECTOR(struct waker_open_wait) waits;
  VECTOR(uint32_t) teams;
  VECTOR(struct waker_step) held_back; /* until their state is decided */
  size_t first_held_back;
  struct item_queue queue;
  uint64_t put_until; /* UINT64_MAX: nothing yet */
  uint32_t task_region;
  uint64_t mounted; /* id of the virtual thread that runs on it; 0: none */
  bool failed;      /* no memory */
  bool ended;
};

/* The arrays outlive the lane. */
void waker_lane_begin(struct waker_lane *lane, const struct trace *trace, const struct pass_location *location,
                      const uint8_t *rules, const struct wait_kind *kinds);
void waker_lane_close(struct waker_lane *lane);

/* Functions of the lane. Only threads of the program have steps (struct waker_step). */
bool waker_lane_is_thread(const void *lane);
bool waker_lane_event(void *lane, const struct trace_event *event);
void waker_lane_interval(void *lane, const struct state_interval *interval);
bool waker_lane_end(void *lane);
struct item_queue *waker_lane_queue(void *lane);
uint64_t waker_lane_reached(void *lane);

#endif
