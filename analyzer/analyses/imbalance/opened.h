/*
 * Private to imbalance/: what has begun on a thread and has not ended, with the thread's sums up to its begin: what it
 * contributes to an instance is the difference to those at its end.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_OPENED_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_OPENED_H

#include "analyzer/analyses/imbalance/gaps.h"
#include "analyzer/trace/states/machine.h"
#include "base/vector.h"

enum opened_kind { OPENED_PARALLEL, OPENED_TEAM, OPENED_CONSTRUCT, OPENED_BARRIER };

/* Sums of a thread; ticks. */
struct opened_sums {
  uint64_t run, overhead;
  uint64_t at_barrier;       /* SYNCH implicit barrier */
  uint64_t locked;           /* waiting for what another thread has, or for its turn */
  uint64_t waited;           /* waiting for others to come, or for something to do */
  uint64_t tasks, dependent; /* created; and those of them that have dependences */
  uint64_t skipped;          /* in stretches of instances that are not recorded */
};

struct opened {
  enum opened_kind kind;
  uint32_t region; /* TEAM: its parallel region, TRACE_NONE as long as it is unknown */
  size_t depth;    /* of the machine, with this open */
  uint64_t enter;  /* TEAM: of the fork, where this thread forked it; then it began later */
  struct opened_sums sums;
  struct gaps_before gaps; /* its time is when it began */
  uint64_t chunks, iterations;
  /* TEAM: its last implicit barrier so far. */
  uint64_t arrival, wait;
  bool has_barrier;
  uint32_t barrier_gaps; /* up to its end */
};

/* Zeroed: nothing is open. */
struct opened_list {
  VECTOR(struct opened) list;
  size_t depth; /* of the innermost one; 0: there is none */
};

/* The sums of a thread as the machine has them now; the tasks are left at 0. */
struct opened_sums opened_sums_now(const struct machine_view *view);

/* The innermost one; NULL: none. Valid until the next push. */
static inline struct opened *opened_top(const struct opened_list *opened)
{
  return opened->list.count ? &opened->list.items[opened->list.count - 1] : NULL;
}

/* One more. NULL: out of memory. */
struct opened *opened_push(struct opened_list *opened, const struct opened *one);
/* The innermost one is open no longer; valid until the next push. */
const struct opened *opened_pop(struct opened_list *opened);
void opened_free(struct opened_list *opened);

#endif
