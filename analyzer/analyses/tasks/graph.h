/*
 * The tasks that are alive, and the longest chain of work up to each moment. Private to tasks/. It takes the steps of
 * all locations in order of time; of one tick, what ends waits comes first (tasks.c).
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_GRAPH_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_GRAPH_H

#include "analyzer/analyses/tasks/depend.h"
#include "analyzer/analyses/tasks/pools.h"
#include "analyzer/analyses/tasks/sums.h"
#include "analyzer/trace/edges/edges.h"

/* A chain of work: what a task, a member of a team or a thread outside of teams has done and waited for. */
struct chain {
  uint64_t path;     /* the longest one up to now */
  uint64_t children; /* up to the ends of the tasks that it made */
  uint64_t id;       /* from 1 */
  uint64_t barriers; /* that it has passed */
  uint32_t team;     /* TRACE_NONE: none */
  uint32_t group;    /* the innermost taskgroup; 0: none */
  uint32_t data;     /* what its tasks depend on */
  bool follows;      /* what its first tick comes after is known */
};

/* Where a chain is: that of a task that is alive, or one of a thread. */
struct chain_at {
  uint64_t id; /* 0: of none */
  uint32_t location;
  uint32_t at; /* place of the task, from 1, or index of the thread's chain */
  bool of_task;
};

struct live {
  struct chain chain;
  struct chain_at maker;
  uint64_t created, ready, started; /* NEVER: not seen, or not yet */
  uint64_t busy, total, blocked, locked, apart, weight;
  uint32_t runner;     /* location of its first run */
  uint32_t site;       /* place in the sums; TRACE_NONE: it is not known */
  uint32_t taskgroup;  /* that it belongs to */
  uint32_t membership; /* the first one */
  bool at_once;
};

/* A task's part in a group of depend.h. */
struct membership {
  uint32_t group;
  uint32_t next; /* of the same task, or the next free one; 0: none */
};

struct taskgroup {
  uint64_t path;
  uint32_t outer;
  uint32_t users; /* tasks in it, and who opened it */
  uint32_t next;  /* the next free one */
};

struct graph_thread {
  VECTOR(struct chain) chains; /* [0]: outside of teams; then a team each */
  uint64_t ended;              /* path where it left the last team */
  uint64_t forked;             /* path of its last fork ... */
  bool forks;                  /* ... whose team it has not joined yet */
  struct chain_at current;     /* the task that it executes */
  struct chain_at made;        /* the task that it made last */
  uint64_t task_ended;         /* when it last ended one */
};

struct graph_team {
  uint64_t forked;     /* path of the fork */
  uint64_t arrived[2]; /* up to a barrier: of even and of odd ones, so that fast threads do not disturb slow ones */
};

/* Of a process: by the place of a task. */
struct process_tasks {
  struct live_tasks names;
  VECTOR(struct live) lives;
};

struct graph {
  const struct trace *trace;
  struct task_sums *sums;
  struct edges *edges;
  struct graph_thread *threads; /* by location */
  struct graph_team *teams;
  struct process_tasks *processes; /* the last one is of threads that are in none */
  VECTOR(struct membership) memberships;
  VECTOR(struct taskgroup) taskgroups;
  struct depends depends;
  uint32_t free_membership, free_taskgroup;
  uint64_t last_id;
  uint64_t waiting;        /* tasks that have not begun */
  bool java;               /* a task that begins as it is made is one whose submission was not seen */
  struct task_pools pools; /* ... and there are pools */
};

/* graph_free() in any case. False: no memory. */
bool graph_init(struct graph *graph, const struct trace *trace, struct task_sums *sums);
/* False: no memory. */
bool graph_take(struct graph *graph, uint32_t location, const struct task_step *step);
/* Takes the tasks that never ended. False: no memory. */
bool graph_finish(struct graph *graph);
void graph_free(struct graph *graph);

#endif
