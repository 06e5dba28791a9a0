/*
 * Arrows of the timeline, from what one thread did to what another one does because of it. Memory is bounded: of each
 * kind only the longest are kept, and the others counted.
 */
#ifndef HEDDLE_ANALYZER_REPORT_ARROWS_H
#define HEDDLE_ANALYZER_REPORT_ARROWS_H

#include <stdbool.h>
#include <stdint.h>

#define ARROWS_OF_KIND 5000

enum arrow_kind {
  ARROW_LOCK, /* from who gives a lock up to who gets it */
  ARROW_FORK, /* from the fork of a team to each of its other threads' joining it */
  ARROW_JOIN, /* from each of them leaving it to the join */
  ARROW_TASK, /* from the creation of a task to its first execution, if that is on another thread */
  ARROW_KINDS
};

struct arrow {
  enum arrow_kind kind;
  uint32_t from, to;        /* locations */
  uint32_t region;          /* TRACE_NONE: none */
  uint64_t from_time, time; /* ticks of the trace */
  uint64_t weight;          /* what is kept first: a lock's wait, else time - from_time */
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

/* Adds others, none of which are in both; before arrows_sort() of `into`. False: no memory. */
bool arrows_merge(struct arrows *into, const struct arrows *from);

/* The longest first, of each kind. */
void arrows_sort(struct arrows *arrows);
void arrows_free(struct arrows *arrows);

/* "lock", "fork", "join", "task". */
const char *arrow_kind_name(enum arrow_kind kind);

#endif
