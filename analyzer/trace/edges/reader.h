/* The steps of one location: what may cause something on another one, or be caused there. */
#ifndef HEDDLE_ANALYZER_TRACE_EDGES_READER_H
#define HEDDLE_ANALYZER_TRACE_EDGES_READER_H

#include "analyzer/trace/states/states.h"
#include "base/vector.h"

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

/* `rules`, those of machine_rules(), outlive it; `kinds` as in edges_create(). edge_reader_free() at the end. */
static inline struct edge_reader edge_reader_of(const uint8_t *rules, unsigned kinds)
{
  return (struct edge_reader){.rules = rules, .kinds = kinds, .routine = {.acquired = true}};
}

/* Takes the location's next event. *found: it is a step, which is filled in. False: no memory. */
bool edge_reader_take(struct edge_reader *reader, const struct trace_event *event, struct edge_step *step, bool *found);
void edge_reader_free(struct edge_reader *reader);

#endif
