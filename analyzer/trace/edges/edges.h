/*
 * What one thread does because of another one: who woke whom. An ordered subscriber (pass/subscriber.h) gets the edges
 * of its trace so: its lanes read steps (reader.h) and put them into their queues; its take() hands each step on to
 * edges_take(), which calls the sink with each edge that is known then.
 *
 * The subscriber asks for events from before the stretch of time and of locations that are left out (`before`,
 * `others`): only these say who released a lock last. The sink gets edges whose both ends are looked at, no others.
 *
 * Memory depends on threads, teams, live tasks and locks. No edge connects two processes, so the edges of a trace are
 * those of its processes put together.
 *
 * A new kind needs a name, a comment here, steps (reader.c) and what they cause (edges.c). Ends are locations, which
 * may be threads or processors.
 */
#ifndef HEDDLE_ANALYZER_TRACE_EDGES_EDGES_H
#define HEDDLE_ANALYZER_TRACE_EDGES_EDGES_H

#include "analyzer/trace/edges/reader.h"

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
