/* A row of a thread's budget: instances of the same kind at the same place. See budget.h. */
#ifndef HEDDLE_COMMON_BUDGET_BUDGET_ROW_H
#define HEDDLE_COMMON_BUDGET_BUDGET_ROW_H

#include "common/recorder/ompt_extension.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The class that is limited first comes first. */
enum budget_class {
  BUDGET_MUTEXES, /* locks, critical sections, atomic, ordered; in Java waits and what ends them */
  BUDGET_CHUNKS,
  BUDGET_TASKS,
  BUDGET_USER,       /* the program's own regions; the place is the number of the name */
  BUDGET_CONSTRUCTS, /* parallel regions and work-sharing constructs */
  BUDGET_CLASSES
};

/* What the threads of a process want of a construct. */
struct budget_shared {
  _Atomic uint64_t key;   /* as of a row; 0: free */
  _Atomic uint32_t every; /* the largest */
  _Atomic uint64_t since; /* ticks; when the thread said so that wants it */
};

/*
 * A borrower counts some instances of a row, without asking before each. `lent` is their number; `borrower->left` of
 * them are to come, as long as the row has the borrower.
 */
struct budget_row {
  uint64_t key; /* place and kind; 0: free */
  uintptr_t place;
  uint32_t until;    /* instances until one is recorded, that one counted */
  uint32_t gap;      /* `until` when the last one had been recorded: the next one's weight */
  uint32_t rest;     /* instances of the block behind the recorded one */
  uint32_t every;    /* instances of a block, from the next one on */
  uint32_t block;    /* instances of this block */
  uint32_t records;  /* of an instance */
  uint32_t cost;     /* ticks of an instance that is recorded */
  uint64_t executed; /* since the last plan, up to the last recorded one; less the instances of its gap before the
                        plan */
  uint64_t recorded; /* since the last plan */
  struct budget_shared *shared; /* BUDGET_CONSTRUCTS; NULL: none */
  double held;                  /* `every` of a while ago, which fades: a phase of the program may come again */
  double demand;                /* for the plan: ticks that recording all of them would take in a period */
  struct extension_unreported *borrower; /* NULL: none */
  uint32_t lent;
  uint8_t class; /* enum budget_class */
  bool kept;     /* HEDDLE_KEEP: all are recorded, whatever they take */
};

#endif
