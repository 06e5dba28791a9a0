/* The types of lock_order.h: a step from one lock to the next, and inversions made of steps. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_ORDER_STEP_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_ORDER_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK_ORDER_GATES 8     /* that are kept of a step */
#define LOCK_ORDER_STEPS 65536 /* pairs of locks that are looked at; further ones are counted */

/* A thread held `first` and acquired `second`. */
struct order_step {
  uint64_t first, second;               /* numbers of locks */
  uint32_t location;                    /* the first thread that did so */
  bool several;                         /* other threads did, too */
  uint32_t first_region, second_region; /* where it acquired them, the first time; TRACE_NONE: unknown */
  uint64_t count;
  uint64_t gates[LOCK_ORDER_GATES]; /* locks that were held, too, each time */
  unsigned gate_count;
};

/* Of an inversion: a step, whose second lock is the first one of the next step, and of the last step that of the first.
 */
struct order_row {
  uint32_t inversion; /* 1, 2, ... */
  bool guarded;
  uint64_t gate; /* if it is guarded */
  struct order_step step;
};

struct lock_order {
  struct order_row *list;
  size_t count;
  uint32_t inversions, guarded;
  uint64_t left_out; /* pairs of locks beyond LOCK_ORDER_STEPS */
};

#endif
