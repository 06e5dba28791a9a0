/* The steps of one location: what it does, begins to wait for, and causes, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_LANE_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_LANE_H

#include "analyzer/analyses/waits/kinds.h"
#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"

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

struct waker_lane;

/* NULL: no memory. The arrays outlive the lane. */
struct waker_lane *waker_lane_open(const struct trace *trace, const struct pass_location *location,
                                   const uint8_t *rules, const struct wait_kind *kinds);
void waker_lane_close(struct waker_lane *lane);
bool waker_lane_event(struct waker_lane *lane, const struct trace_event *event);
void waker_lane_interval(struct waker_lane *lane, const struct state_interval *interval);
bool waker_lane_end(struct waker_lane *lane);
bool waker_lane_is_thread(const struct waker_lane *lane);
struct item_queue *waker_lane_queue(struct waker_lane *lane);
uint64_t waker_lane_reached(const struct waker_lane *lane);

#endif
