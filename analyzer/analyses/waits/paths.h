/*
 * The longest way to each thread's present, computed forward. A thread's own activity extends its path; a thread that
 * another one woke continues the waker's path. A path is as long as the time since its process began.
 *
 * Paths share their common begin: a path is a chain of nodes, and a node has sums, no events. A node with one successor
 * merges with it. So memory depends on threads, on the moments that are kept of each thread (PATHS_KEPT), and on
 * distinct parts, never on events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_WAITS_PATHS_H
#define HEDDLE_ANALYZER_ANALYSES_WAITS_PATHS_H

#include "analyzer/analyses/waits/results.h"
#include "analyzer/trace/states/machine.h"

#define PATHS_KEPT 64 /* latest moments of a thread from which others can continue */

struct paths;

/* What a thread does. */
struct path_part {
  uint32_t location;
  uint32_t construct; /* TRACE_NONE: none */
  uint32_t state;     /* enum state, PATH_BEFORE or PATH_AFTER */
};

#define PATH_BEFORE STATES       /* not a state: before the thread's first event */
#define PATH_AFTER  (STATES + 1) /* nor this: after its last event, and after all others' work */

typedef bool path_visitor(void *context, struct path_part part, uint64_t ticks);

/* NULL: no memory. */
struct paths *paths_create(const struct trace *trace);
void paths_destroy(struct paths *paths);

/* All times in order over all threads. False: no memory. */

/* A thread's first event. */
bool paths_begin(struct paths *paths, uint32_t location, uint64_t time);
/* The thread did this up to `time`, since its last call. */
bool paths_extend(struct paths *paths, struct path_part part, uint64_t time);
/* What the thread does from now on, as far as this is known. */
void paths_turn(struct paths *paths, struct path_part next);
/* Others may continue from here, the time that the thread has reached. */
bool paths_keep(struct paths *paths, uint32_t location);
/*
 * A thread continues the path that `from` had at `from_time`; from then to `time` it did `part`. Without effect if
 * that moment is not kept any more, or if both are of different processes: *taken is false.
 */
bool paths_continue(struct paths *paths, uint32_t from, uint64_t from_time, struct path_part part, uint64_t time,
                    bool *taken);

/* The time that a thread's path has reached; 0: it has not begun. */
uint64_t paths_reached(const struct paths *paths, uint32_t location);
/* When the process of a thread began: the time of its first event. */
uint64_t paths_origin(const struct paths *paths, uint32_t location);
/* Calls `visit` for each part of a thread's path; a part may come more than once. */
bool paths_visit(const struct paths *paths, uint32_t location, path_visitor *visit, void *context);
/* Where a thread's path was, for the caller to free, also then. False: no memory. */
bool paths_line(const struct paths *paths, uint32_t location, struct path_line *line);
/* Nodes that exist, for tests of memory. */
size_t paths_nodes(const struct paths *paths);

#endif
