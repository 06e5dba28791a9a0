/*
 * Graph of the tasks that are alive, and the longest chain of work up to each moment. Private to tasks/. It takes the
 * steps of all locations in order of time. Within one tick, the steps that end waits come first (tasks.c).
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_GRAPH_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_GRAPH_H

#include "analyzer/analyses/tasks/lane.h"
#include "analyzer/analyses/tasks/pools.h"
#include "analyzer/analyses/tasks/sums.h"
#include "analyzer/trace/edges/edges.h"
#include "base/hash.h"
#include "base/vector.h"

/*
 * Which tasks of one parent come after which others, by the data that they depend on. Tasks that do the same with a
 * datum, one after the other, are a group. Its members need not wait for each other, but for the group before. (A task
 * that writes is a group of its own.)
 */

struct depend_group {
  uint64_t path;                    /* the longest chain of work up to the end of a member */
  uint64_t ended;                   /* when the last member ended, ticks */
  uint64_t after_path, after_ended; /* path and end of the group before, once all of its members have ended */
  uint32_t before;                  /* the group that its members come after; 0: none */
  uint32_t users;                   /* who still asks for it: members, groups behind, and the datum; 0: free */
  uint32_t next;                    /* the next free one */
  uint8_t kind;
};

struct depend_datum {
  uint64_t parent, data;
  uint32_t group; /* the last one */
  uint32_t next;  /* next group of the same parent, or the next free one; 0: none */
};

/* {0} is empty. Places count from 1. */
struct depends {
  VECTOR(struct depend_group) groups;
  VECTOR(struct depend_datum) data;
  struct hash by_key; /* of parent and address -> place in `data` */
  uint32_t free_group, free_datum;
};

/* A task with a parent does this with a datum. Returns the task's group, until depends_leave(); 0: no memory. *first:
 * the parent's data, which depends_forget() frees. */
uint32_t depends_join(struct depends *depends, uint64_t parent, uint32_t *first, uint64_t data, enum depend_kind kind);
/* A member can run: it comes after *path and *ended, which grow. */
void depends_after(const struct depends *depends, uint32_t group, uint64_t *path, uint64_t *ended);
/* A member has ended, or is not followed further. */
void depends_leave(struct depends *depends, uint32_t group, uint64_t path, uint64_t ended);
/* The parent makes no further tasks. */
void depends_forget(struct depends *depends, uint32_t *first);
void depends_free(struct depends *depends);

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

/* Owner of a chain: a task that is alive, or a thread. */
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

/* A task's part in a group. */
struct membership {
  uint32_t group;
  uint32_t next; /* next entry of the same task, or the next free one; 0: none */
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
  uint64_t arrived[2]; /* up to a barrier: even and odd barriers apart, so that fast threads do not disturb slow ones */
};

/* A process, by the place of a task. */
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
