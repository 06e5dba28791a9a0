/*
 * Stack of the constructs that a thread is in, the innermost last. Three parts keep one, because they look at different
 * times. The budget looks as callbacks come (ompt-tool). The profile's table (profile_table.h) and the filter of chosen
 * constructs (construct_filter.h) look as records are read, which may be a window later. Each has fields of its own in
 * a construct.
 *
 * A stack is its owner's alone, zero at first. Nothing here allocates, locks or fails: a construct that is nested too
 * deep has no entry.
 */
#ifndef HEDDLE_COMMON_RECORDER_CONSTRUCT_STACK_H
#define HEDDLE_COMMON_RECORDER_CONSTRUCT_STACK_H

#include "common/raw/raw_trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSTRUCTS_MOST 128u

/* Kinds beside enum raw_row, for the budget. */
enum construct_kind {
  CONSTRUCT_AFTER = 16, /* a work-sharing construct that was omitted has ended, but its barrier may follow */
  CONSTRUCT_TASKS = 17  /* tasks that are omitted, one after the other; with what the thread does between them */
};

/* What the thread is in its innermost team. */
struct profile_member {
  uint32_t number; /* its number + 1; 0: it is in none */
  uint32_t team;   /* number of members; 0: not known */
};

/* The part of a loop that the thread executes. */
struct profile_loop {
  uint64_t count;             /* iterations of the whole loop, as the runtime reports */
  uint64_t first, iterations; /* of the thread's first chunk */
  uint32_t chunks;            /* reported so far; 2: or more */
  uint32_t begun;             /* `begun` of the table that has `metric` (profile_table.h) */
  uint64_t *metric;           /* words of its chunks; NULL: none yet */
};

struct budget_row;

/* An open construct; what every event looks at is in its first half. In a profile, other threads read `code` and
 * `begin` of a region while it is open. */
struct construct {
  uint8_t kind;   /* enum raw_row or enum construct_kind */
  uint8_t number; /* OMPT's number of that kind; budget: enum raw_omitted */
  union {
    struct {           /* budget */
      uint8_t mute;    /* enum omission_mute */
      bool omitted;    /* it is an instance that is not recorded */
      bool untimed;    /* ... and the clock was not read at its begin */
      bool over;       /* it is left with the next event. AFTER: not in the barrier; TASKS: between them */
      bool at_barrier; /* MEMBER: at the last one */
      bool alone;      /* REGION: the team has one thread */
    };
    struct {                /* filter */
      bool chosen, written; /* it is kept; its begin was written */
      bool waits;           /* a lock that is not acquired, so far */
    };
  };
  uint64_t begin; /* ticks. Budget: what was before is noted; not there, if it is untimed */
  uint64_t code;  /* profile: its own, or the enclosing construct's */
  uint64_t key;   /* what its end or its members name: team, task, lock, or name of a region of the program's own */
  union {
    struct {                     /* budget */
      struct budget_row *chunks; /* WORK: NULL: all are recorded */
      uint64_t end;              /* TASKS: ticks; when the newest of them had ended that was looked at. MEMBER: when the
                                  * task ended before this one, if the runtime did not report those between; else 0 */
      uint32_t works;            /* REGION, MEMBER, OUTSIDE: work-sharing constructs begun */
      uint32_t parts;            /* WORK: chunks and sections omitted; TASKS: tasks that ended */
    };
    struct {           /* profile */
      uint64_t inner;  /* ticks of the constructs that were directly inside */
      uint32_t weight; /* executions that it stands for */
      uint16_t row;
      uint16_t arrived; /* row + 1 of the member that waits in this construct at its region's last barrier; 0: none */
      struct profile_member member;
      struct profile_loop loop; /* WORK */
    };
    struct {               /* filter */
      uint64_t head, word; /* of the record of its begin */
    };
  };
};

struct construct_stack {
  uint32_t depth; /* of `open`; at least 1 once it is in use: 0 is the thread itself */
  uint32_t over;  /* constructs that are nested too deep, if the owner counts them */
  struct construct open[CONSTRUCTS_MOST] __attribute__((aligned(32)));
};

static inline struct construct *construct_top(struct construct_stack *stack)
{
  return &stack->open[stack->depth - 1];
}

/* Sets the depth. A handler of a signal that comes before sees the entries of before, one that comes after whole ones.
 */
static inline void construct_set_depth(struct construct_stack *stack, uint32_t depth)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *(volatile uint32_t *)&stack->depth = depth;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define CONSTRUCT_BIT(kind) (1u << (kind))
/* Where a team begins: what is further out belongs to others. */
#define CONSTRUCT_TEAM (CONSTRUCT_BIT(RAW_ROW_REGION) | CONSTRUCT_BIT(RAW_ROW_MEMBER))

/* Returns the number of the innermost construct of one of the kinds, with that key (0: any), or 0 if there is none.
 * Looks no further out than the innermost one of the kinds `stops`. */
static inline uint32_t construct_find(const struct construct_stack *stack, uint32_t kinds, uint64_t key, uint32_t stops)
{
  for (uint32_t i = stack->depth - 1; i > 0; i--) {
    const struct construct *open = &stack->open[i];
    if ((CONSTRUCT_BIT(open->kind) & kinds) != 0 && (key == 0 || open->key == key))
      return i;
    if ((CONSTRUCT_BIT(open->kind) & stops) != 0)
      return 0;
  }
  return 0;
}

#endif
