/* Kinds of guards (guards.h), and the tables that they read and write. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_GUARD_TABLE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_GUARD_TABLE_H

#include "jvmti-agent/weaver/class_output.h"

#include <stdbool.h>
#include <stdint.h>

enum hook_guard {
  GUARD_NONE,
  GUARD_SWITCH,     /* the hook is called while its site's switch is on */
  GUARD_QUIET,      /* ... and the thread is in no omitted region; behind a call also: the team has another thread */
  GUARD_BARRIER,    /* as GUARD_QUIET, and the barrier does not belong to an omitted construct */
  GUARD_LOOP,       /* as GUARD_QUIET, and the loop's instance is not omitted */
  GUARD_CALL,       /* a region is about to be called: the guard notes its site and calls no hook */
  GUARD_REGION,     /* a region begins or ends: the hook is called unless it is omitted; it has one thread then */
  GUARD_BODY,       /* as GUARD_QUIET; ends what another thread of an omitted region has open */
  GUARD_LOCK,       /* as GUARD_QUIET, and the lock's acquisition is not omitted */
  GUARD_FORK,       /* a task is forked: the hook is called unless it is omitted */
  GUARD_EXEC,       /* a pool is about to compute a task, or its invoker is; calls no hook */
  GUARD_TASK,       /* a task is computed: the hook is called unless it is omitted */
  GUARD_TASK_BELOW, /* ... if the site's switch is on */
  GUARD_WAIT,   /* a thread waits for a task: the hook is called unless the thread is in an omitted task, or omits it */
  GUARD_INVOKE, /* ... and may compute it first */
  GUARDS
};

/* A site of a thread. */
struct guard_site {
  uint32_t left;   /* instances to omit before the next recorded one */
  uint32_t inside; /* instances inside omitted constructs, so far */
  uint32_t held;   /* locks: omitted acquisitions that are not released yet */
};

/* A class of tasks that a thread forks. */
struct guard_fork {
  uint32_t left;  /* as in guard_site */
  uint32_t class; /* the identity hash of the class; 0: free */
  uint32_t lent;  /* the last three are C's own: `left` as C set it */
  uint32_t rest;
  uint64_t code;
  uint64_t unused;
};

/* The thread itself. */
struct guard_thread {
  uint32_t quiet;        /* omitted regions that it is in */
  uint32_t loop_omitted; /* the loop that it is in is omitted, wherever it asks for chunks */
  uint32_t after;        /* its last construct was omitted */
  uint32_t call;         /* the site of the region that is called, + 1; 0: unknown */
  uint32_t open;         /* the site of an omitted loop that still gives out chunks, + 1; 0: none */
  uint32_t busy;         /* its last record has no end yet: hooks of loops are called */
  uint32_t member;       /* it is not the first thread of the omitted region */
  uint32_t alone;  /* its recorded region has no other thread: hooks of bodies and those behind waits are not called */
  uint32_t tasks;  /* omitted tasks that it is in, inside the innermost recorded one */
  uint32_t waits;  /* omitted waits for tasks that it is in, likewise */
  uint32_t pooled; /* the pool runs the task that is computed next */
  uint32_t runs_own; /* it is about to run a task that it invokes */
  uint32_t timed;    /* the hook of the next omitted task is called nevertheless: C wants to know the time */
  uint32_t counted;  /* ... which is counted already */
  uint32_t ends;     /* C wants to know when the outermost omitted task ends */
  uint32_t asks;     /* the site of a lock that it is about to acquire, + 1; 0: none */
};

/* Threads' tables, by Thread.tid modulo the number of slots. */
struct guard_slot {
  int64_t tid;
  uint64_t table; /* address of a guard_thread */
};
#define GUARD_SLOTS 1024u /* a power of two */

/* Layout of a table: guard_forks, by the hash of the class, from GUARD_FORKS_AT on; guard_sites at distances of
 * 2^GUARD_SITE_SHIFT bytes, from GUARD_SITES_AT on. */
#define GUARD_FORKS      64u /* a power of two */
#define GUARD_FORKS_AT   128u
#define GUARD_SITES_AT   2176u
#define GUARD_SITE_SHIFT 6u
#define GUARD_SITES      4096u /* further sites omit nothing */

/* Memory of the process that the hook class uses. slots NULL: no thread has a table. */
struct hook_memory {
  const uint8_t *switches;
  const struct guard_slot *slots;
  int64_t tid_offset; /* of Thread.tid in its object */
  uint64_t hash_bits; /* of an object's first word: all are 0 while nobody has asked for its hash. 0: unknown, tasks are
                         not omitted */
  bool omits;         /* instances may be omitted; otherwise the tables serve for GUARD_CALL alone */
};

/* Constants of the hook class to which the guards' code refers. */
struct guard_constants {
  struct constants *constants;
  uint16_t unsafe, get_byte, get_int, put_int, get_long, get_long_of, current_thread, table, get_class, identity_hash;
};

struct guard_constants guard_constants(struct constants *constants, uint16_t table);

#endif
