/* Steps of one location: what it makes, executes and waits for, in order of time. */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_LANE_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_LANE_H

#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/stream.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <stdbool.h>

/*
 * Waits of Java threads for what they gave to a pool: parks in get(), join(), invokeAll(), of FutureTask,
 * CompletableFuture and ForkJoinTask. Private to tasks/.
 */

enum await_kind {
  AWAIT_NOTHING,   /* it is another wait */
  AWAIT_SUBMITTED, /* for a task whose maker is known */
  AWAIT_FORKED     /* for a fork-join task */
};

/* What a location waits for that enters a region; in_join: it is in a join of a fork-join pool. */
enum await_kind await_kind(const struct trace *trace, const struct trace_event *enter, bool in_join);

enum task_step_kind {
  TASK_STEP_EDGE, /* a step for edges/, of teams */
  TASK_STEP_CREATE,
  TASK_STEP_DEPEND, /* of the task that the location made last */
  TASK_STEP_SWITCH,
  TASK_STEP_COMPLETE,
  TASK_STEP_SITE,    /* the task that it executes is of this region */
  TASK_STEP_ARRIVE,  /* at a barrier */
  TASK_STEP_PASS,    /* the barrier's end */
  TASK_STEP_JOIN,    /* it has waited for the tasks that its task made */
  TASK_STEP_GROUP,   /* a taskgroup begins */
  TASK_STEP_UNGROUP, /* it has waited for the tasks of the taskgroup */
  TASK_STEP_AWAITED, /* it has waited for what it gave to a pool of Java */
  TASK_STEP_START,   /* a virtual thread is started; its id is `data` in this step and the next two */
  TASK_STEP_MOUNT,   /* the location runs it from now on ... */
  TASK_STEP_UNMOUNT, /* ... until now */
  TASK_STEP_OMITTED, /* `weight` tasks of a region are not recorded */
  TASK_STEP_STOP     /* the location's last event */
};

/* What a task does with data that others depend on: DEPEND_IN, DEPEND_OUT, ... */
#define X(constant, name) DEPEND_##constant,
enum depend_kind { DEPEND_NAMES(X) DEPEND_KINDS };
#undef X

struct task_step {
  uint64_t time;
  uint64_t total, busy, blocked;      /* ticks since the location's last step: all, and as in tasks.h */
  uint64_t locked;                    /* ... of `blocked` in a wait for a lock of Java */
  uint64_t apart;                     /* CREATE: since the last one, with nothing between; 0: there was something */
  uint64_t data;                      /* DEPEND: address; START, MOUNT, UNMOUNT: id of the virtual thread */
  uint64_t waited;                    /* AWAITED: for so long */
  uint64_t weight;                    /* CREATE: tasks that it stands for */
  uint32_t team, creator, generation; /* the task's name */
  uint32_t region;
  struct edge_step edge;
  uint8_t kind;   /* enum task_step_kind */
  uint8_t depend; /* enum depend_kind */
  uint8_t await;  /* AWAITED: enum await_kind */
  bool at_once;   /* SWITCH: to the task that was made just before */
  bool ended;     /* UNMOUNT: the virtual thread has ended */
};

/* What a region means here; an array of them, one a region. */
enum task_region {
  TASK_REGION_OTHER,
  TASK_REGION_TASK,
  TASK_REGION_BARRIER,
  TASK_REGION_WAIT,
  TASK_REGION_GROUP,
  TASK_REGION_GROUP_WAIT,
  TASK_REGION_START,  /* of a thread of Java */
  TASK_REGION_VIRTUAL /* a virtual thread on its carrier */
};

/* The caller frees the array. NULL: no memory. */
uint8_t *task_regions(const struct trace *trace, const uint8_t *rules);

struct task_open_region {
  uint32_t region;
  bool counts; /* it is no part of the one around it */
};

/* A lane. */
struct task_lane {
  const struct trace *trace;
  const struct pass_location *location;
  const uint8_t *rules, *regions;
  struct edge_reader reader;
  VECTOR(struct task_open_region) open; /* barriers and waits */
  VECTOR(struct task_step) held_back;   /* until their state is decided */
  size_t first_held_back;
  struct item_queue queue;
  uint64_t until;                        /* what it did is known up to here; UINT64_MAX: there was nothing yet */
  uint64_t total, busy, blocked, locked; /* since the last step */
  uint64_t created;                      /* time of the last creation, if no other event came since; UINT64_MAX: else */
  uint32_t team, creator, generation;    /* of that task */
  enum await_kind await;                 /* of the wait that it is in ... */
  uint32_t awaits;                       /* ... its region ... */
  uint64_t awaits_since;                 /* ... and its begin */
  uint64_t mounted;                      /* id of the virtual thread that it runs; 0: none */
  bool java;
  bool failed; /* no memory */
  bool ended;
};

/* The arrays outlive the lane. */
void task_lane_begin(struct task_lane *lane, const struct trace *trace, const struct pass_location *location,
                     const uint8_t *rules, const uint8_t *regions);
void task_lane_close(struct task_lane *lane);

/* Functions of the lane. Only threads of the program have steps (struct task_step). */
bool task_lane_is_thread(const void *lane);
/* ... but what the budget omitted last a thread of the JVM may report. */
bool task_lane_wants_events(const void *lane);
bool task_lane_event(void *lane, const struct trace_event *event);
void task_lane_interval(void *lane, const struct state_interval *interval);
bool task_lane_end(void *lane);
struct item_queue *task_lane_queue(void *lane);
uint64_t task_lane_reached(void *lane);

#endif
