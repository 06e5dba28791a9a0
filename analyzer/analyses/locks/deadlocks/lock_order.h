/*
 * Order in which threads acquired locks. An inversion: one thread acquired B while it held A, and another thread
 * acquired A while it held B. In another run they may wait for each other for ever. More than two locks can make one,
 * too. An inversion is guarded if a thread held the same further lock in all steps: such a gate lets only one of them
 * try. Steps that only one and the same thread ever made are no inversion.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_LOCK_ORDER_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_LOCK_ORDER_H

#include "analyzer/trace/pass/pass.h"
#include "base/hash.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of lock_order.h: a step from one lock to the next, and inversions made of steps. */

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

/* A step of an inversion. Its second lock is the first lock of the next step; the last step returns to the first step's
 * first lock. */
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
  uint64_t beyond_limit; /* pairs of locks beyond LOCK_ORDER_STEPS */
};

/* Pairs of locks: a thread acquired the second lock while it held the first. */

struct steps {
  VECTOR(struct order_step) list;
  struct hash at; /* first << 32 | second -> index */
  uint64_t beyond_limit;
};

/* Adds a step to the known steps. False: no memory. */
bool steps_add(struct steps *steps, const struct order_step *step);
void steps_free(struct steps *steps);

/* The inversions in them. False: no memory. */
bool steps_find(const struct steps *steps, struct lock_order *order);

/* Finds it in a pass of either kind; its result is a struct lock_order. */
extern const struct analysis lock_order_analysis;

#endif
