/*
 * In which order threads acquired locks. Where one thread acquired B while it held A, and another one A while it held
 * B, they may wait for each other for ever in another run: an inversion. More than two locks can make one, too. If a
 * thread held a further lock each time, the same in all steps, it is guarded: such a gate lets only one of them try.
 * Steps that only one and the same thread ever made are no inversion.
 */
#ifndef HEDDLE_ANALYZER_DEADLOCKS_LOCK_ORDER_H
#define HEDDLE_ANALYZER_DEADLOCKS_LOCK_ORDER_H

#include "analyzer/pass/pass.h"

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

/* As in deadlocks.h. */
struct lock_order_finder;
struct lock_order_finder *lock_order_begin(const struct trace *trace, struct error *error);
const struct subscriber *lock_order_subscriber(const struct lock_order_finder *finder);
bool lock_order_end(struct lock_order_finder *finder, struct lock_order *order, struct error *error);
void lock_order_drop(struct lock_order_finder *finder);

void lock_order_free(struct lock_order *order);

#endif
