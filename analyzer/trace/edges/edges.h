/*
 * Edges: actions of one thread because of another one, such as a thread that woke another. An ordered subscriber
 * (pass/subscriber.h) gets the edges of its trace in two steps. Its lanes read steps (reader.h) and put them into their
 * queues. Its take() hands each step on to edges_take(), which calls the sink with each edge that is known then.
 *
 * The subscriber asks for events of excluded times and locations (`before`, `others`): only these say which thread
 * released a lock last. The sink gets edges whose both ends are looked at, no others.
 *
 * Memory depends on threads, teams, live tasks and locks. No edge connects two processes, so the edges of a trace are
 * the edges of all its processes.
 *
 * A new kind needs a name, a comment here, steps (reader.c) and what they cause (edges.c). Ends are locations, which
 * may be threads or processors.
 */
#ifndef HEDDLE_ANALYZER_TRACE_EDGES_EDGES_H
#define HEDDLE_ANALYZER_TRACE_EDGES_EDGES_H

#include "analyzer/trace/states/machine.h"
#include "base/hash.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tasks that were created and have not ended, by the names that OTF2 gives them. */
struct live_task {
  uint32_t team, creator, generation; /* the name */
  uint32_t location;                  /* that created it */
  uint64_t created;                   /* ticks */
  uint64_t number;                    /* from 1, in the order of creation */
  uint32_t next; /* private: place of the next task whose name has the same key, or of the next free place; 0: none */
  bool started;
};

/* {0} is empty. Places count from 1. */
struct live_tasks {
  VECTOR(struct live_task) places;
  struct hash first; /* key of a name -> place of the first task whose name has this key */
  uint32_t free;     /* place; 0: none */
  size_t count;
  uint64_t last_number;
};

/* False: no memory. A task of the same name that never ended is replaced. */
bool live_tasks_create(struct live_tasks *tasks, struct live_task task);
/* NULL: unknown. Valid until the next creation or end. */
struct live_task *live_tasks_find(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation);
void live_tasks_end(struct live_tasks *tasks, struct live_task *task);
void live_tasks_free(struct live_tasks *tasks);

/* A name has 96 bits, so several names can have the same key. Tests find such names. */
static inline uint64_t live_tasks_key(uint32_t team, uint32_t creator, uint32_t generation)
{
  return hash_upper((uint64_t)team << 32 | creator) ^ generation; /* the table mixes it once more */
}

/* The steps of one location: what may cause something on another one, or be caused there. */

enum edge_kind {
  EDGE_FORK, /* from the fork of a team to each other thread's joining it */
  EDGE_LOCK, /* from the release of a lock to the next acquisition, if that one waited for it */
  EDGE_TASK, /* from the creation of a task to its first execution, which may be on the same thread */
  EDGE_JOIN, /* from each other thread's leaving a team to the join */
  EDGE_KINDS
};

#define EDGE_BIT(kind) (1U << (kind))

enum edge_step_kind {
  STEP_FORK,
  STEP_JOIN,       /* of the innermost fork */
  STEP_TEAM_BEGIN, /* the thread joins a team */
  STEP_TEAM_END,
  STEP_ACQUIRE,
  STEP_RELEASE,
  STEP_TASK_CREATE,
  STEP_TASK_SWITCH, /* to this task */
  STEP_TASK_COMPLETE
};

struct edge_step {
  union {
    uint64_t since; /* ACQUIRE: when it was asked for, ticks; its own time: it did not wait */
    struct {
      uint32_t creator, generation; /* TASK_... */
    };
  };
  uint32_t index;  /* TEAM_..., TASK_...: team; ACQUIRE, RELEASE: number of the lock */
  uint32_t region; /* FORK: the innermost parallel region; ACQUIRE: what asked; TRACE_NONE: unknown */
  uint8_t kind;    /* enum edge_step_kind */
};

/* A parallel region or something that asks for a lock, as long as it is open. */
struct edge_region {
  uint64_t since;
  uint32_t region;
  bool asks, acquired;
};

/* Memory depends on the nesting depth. */
struct edge_reader {
  const uint8_t *rules;
  unsigned kinds;
  VECTOR(struct edge_region) open;
  struct edge_region routine; /* the lock routine that was left last: its acquisition may follow */
  uint64_t routine_left;
};

/* `rules`, from machine_rules(), outlive it; `kinds` as in edges_create(). edge_reader_free() at the end. */
static inline struct edge_reader edge_reader_of(const uint8_t *rules, unsigned kinds)
{
  return (struct edge_reader){.rules = rules, .kinds = kinds, .routine = {.acquired = true}};
}

/* Takes the location's next event. *found: it is a step, which is filled in. False: no memory. */
bool edge_reader_take(struct edge_reader *reader, const struct trace_event *event, struct edge_step *step, bool *found);
void edge_reader_free(struct edge_reader *reader);

struct edge {
  enum edge_kind kind;
  uint32_t from, to;        /* locations, which differ, except for TASK */
  uint64_t from_time, time; /* ticks of the trace; from_time <= time */
  uint32_t region;          /* FORK, JOIN: the parallel region; LOCK: where it was asked for; TRACE_NONE: unknown */
  uint64_t object;          /* FORK, JOIN: team; LOCK: its number; TASK: creator << 32 | generation */
};

/*
 * Edges come in order of their ends, each when its end is taken. One exception: where a fork has the same time as a
 * thread's joining the team, their edge may come when the thread that forked joins. False: no memory.
 */
typedef bool edge_sink(void *context, const struct edge *edge);

struct edges;

/* `kinds`: of EDGE_BIT(). NULL: no memory. */
struct edges *edges_create(const struct trace *trace, unsigned kinds, edge_sink *sink, void *context);
void edges_destroy(struct edges *edges);

/* Takes the next step of all, at its time. False: no memory, or the sink said so. */
bool edges_take(struct edges *edges, uint32_t location, uint64_t time, const struct edge_step *step);

/* The team that the last step, a JOIN, ended; TRACE_NONE: it is unknown, or the step was none. */
uint32_t edges_ended_team(const struct edges *edges);

/* The task that a location executes, by its number in the order of creation, from 1; 0: none that is known. Only with
 * EDGE_BIT(EDGE_TASK). */
uint64_t edges_task(const struct edges *edges, uint32_t location);

/* "fork", "lock", "task", "join". */
const char *edge_kind_name(enum edge_kind kind);

#endif
