/*
 * Arrows of the timeline, from what one thread did to what another one does because of it. Memory is bounded: the
 * longest of each kind are kept, the others counted.
 */
#ifndef HEDDLE_ANALYZER_REPORT_ARROWS_H
#define HEDDLE_ANALYZER_REPORT_ARROWS_H

#include <stdbool.h>
#include <stdint.h>

#define ARROWS_OF_KIND 5000

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

/* Those of one kind. */
struct arrow_heap {
  struct arrow *list; /* a heap, the least weight first, until arrows_sort() */
  uint32_t count;
  uint64_t left_out;
};

struct arrows {
  struct arrow_heap kinds[ARROW_KINDS];
};

/* False: no memory. */
bool arrows_add(struct arrows *arrows, const struct arrow *arrow);

/* Adds arrows that `into` does not have; before arrows_sort() of `into`. False: no memory. */
bool arrows_merge(struct arrows *into, const struct arrows *from);

/* The longest first, of each kind. */
void arrows_sort(struct arrows *arrows);
void arrows_free(struct arrows *arrows);

/* "lock", "fork", "join", "task". */
const char *arrow_kind_name(enum arrow_kind kind);

#endif
