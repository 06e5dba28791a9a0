/*
 * Work of all threads together: forks, joins and tasks in order of time, their arrows on the timeline. Also the chunks
 * of the longest execution of each loop.
 */
#ifndef HEDDLE_ANALYZER_REPORT_TEAMWORK_H
#define HEDDLE_ANALYZER_REPORT_TEAMWORK_H

#include "analyzer/trace/edges/edges.h"
#include "analyzer/trace/pass/pass.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

#define ARROWS_OF_KIND 5000 /* the longest of each kind are kept, the others counted: memory is bounded */

enum arrow_kind {
  ARROW_LOCK, /* from the release of a lock to its acquisition */
  ARROW_FORK, /* from the fork of a team to each other thread's joining it */
  ARROW_JOIN, /* from each other thread's leaving it to the join */
  ARROW_TASK, /* from the creation of a task to its first execution, if that is on another thread */
  ARROW_KINDS
};

struct arrow {
  enum arrow_kind kind;
  uint32_t from, to;        /* locations */
  uint32_t region;          /* TRACE_NONE: none */
  uint64_t from_time, time; /* ticks of the trace */
  uint64_t weight;          /* the largest are kept: a lock's wait, else time - from_time */
};

/* The arrows of one kind. */
struct arrow_heap {
  struct arrow *list; /* a heap, the least weight first, until arrows_sort() */
  uint32_t count;
  uint64_t beyond_limit;
};

struct arrows {
  struct arrow_heap kinds[ARROW_KINDS];
};

/* False: out of memory. */
bool arrows_add(struct arrows *arrows, const struct arrow *arrow);

/* Adds arrows that `into` does not have; before arrows_sort() of `into`. False: out of memory. */
bool arrows_merge(struct arrows *into, const struct arrows *from);

/* Sorts each kind, the longest first. */
void arrows_sort(struct arrows *arrows);
void arrows_free(struct arrows *arrows);

/* "lock", "fork", "join", "task". */
const char *arrow_kind_name(enum arrow_kind kind);

/* The chunks of the longest execution of a loop. Memory is bounded: one execution a loop, and the running ones. */

#define CHUNKS_MAX 20000 /* of an execution */

/* Times are ticks of the trace. */
struct chunk {
  uint32_t location;
  uint64_t begin, end; /* equal if the times are unknown (derived chunks) */
  int64_t first;
  uint64_t iterations;
};

struct chunk_map {
  uint64_t begin, end; /* from the first thread's entering the loop to the last one's leaving it */
  uint64_t iterations;
  uint64_t beyond_limit; /* chunks beyond CHUNKS_MAX */
  VECTOR(struct chunk) chunks;
};

/* The least iteration of all chunks; 0 if there are none. */
int64_t chunk_map_first(const struct chunk_map *map);

struct teamwork {
  struct arrows arrows;     /* arrows without locks, which analyses/locks/ finds */
  struct chunk_map *chunks; /* one a region; empty: it has none */
  uint32_t regions;
};

/*
 * Finds teamwork in a pass in order of time; its result is a struct teamwork. Memory grows with threads, teams, live
 * tasks and loops, not with events. Merges the results of other locations, if all locations of a process are in one of
 * the two.
 */
extern const struct analysis teamwork_analysis;

#endif
