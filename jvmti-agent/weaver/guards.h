/*
 * Guards: Java code before the calls of hooks, which omits instances of constructs without a call. Guards read and
 * write the thread's table in the process' memory: it has, for each site, how many instances are still to be omitted.
 * Only the thread itself writes there while it runs Java.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_GUARDS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_GUARDS_H

#include "jvmti-agent/weaver/class_output.h"

#include <stdbool.h>
#include <stdint.h>

enum hook_guard {
  GUARD_NONE,
  GUARD_SWITCH,  /* the hook is called while its site's switch is on */
  GUARD_QUIET,   /* ... and the thread is in no omitted region; behind a call also: the team has another thread */
  GUARD_BARRIER, /* as GUARD_QUIET, and the barrier does not belong to an omitted construct */
  GUARD_LOOP,    /* as GUARD_QUIET, and the loop's instance is not omitted */
  GUARD_CALL,    /* a region is about to be called: the guard notes its site and calls no hook */
  GUARD_REGION,  /* a region begins or ends: the hook is called unless it is omitted; it has one thread then */
  GUARD_BODY,    /* as GUARD_QUIET; ends what another thread of an omitted region has open */
  GUARD_LOCK,    /* as GUARD_QUIET, and the lock's acquisition is not omitted */
  GUARDS
};

/* A site of a thread. */
struct guard_site {
  uint32_t left;   /* instances to omit before the next recorded one */
  uint32_t inside; /* instances inside omitted constructs, so far */
  uint32_t held;   /* locks: omitted acquisitions that are not released yet */
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
  uint32_t alone; /* its recorded region has no other thread: hooks of bodies and those behind waits are not called */
  uint32_t asks;  /* the site of a lock that it is about to acquire, + 1; 0: none */
};

/* Threads' tables, by Thread.tid modulo the number of slots. */
struct guard_slot {
  int64_t tid;
  uint64_t table; /* address of a guard_thread */
};
#define GUARD_SLOTS 1024u /* a power of two */

/* Layout of a table: guard_sites at distances of 2^GUARD_SITE_SHIFT bytes, from GUARD_SITES_AT on. */
#define GUARD_SITES_AT   64u
#define GUARD_SITE_SHIFT 6u
#define GUARD_SITES      4096u /* further sites omit nothing */

/* Memory of the process that the hook class uses. slots NULL: no thread has a table. */
struct hook_memory {
  const uint8_t *switches;
  const struct guard_slot *slots;
  int64_t tid_offset; /* of Thread.tid in its object */
  bool omits;         /* instances may be omitted; otherwise the tables serve for GUARD_CALL alone */
};

/* Words of stack and variables that guards need. */
#define GUARD_STACK  16u /* beyond the arguments */
#define GUARD_LOCALS 6u

/* Constants of the hook class to which the guards' code refers. */
struct guard_constants {
  struct constants *constants;
  uint16_t unsafe, get_byte, get_int, put_int, get_long, get_long_of, current_thread, table;
};

struct guard_constants guard_constants(struct constants *constants, uint16_t table);

/* The moment of a hook. */
enum guard_moment {
  GUARD_BEFORE,
  GUARD_BEHIND,  /* with GUARD_LOCK: the thread is about to acquire the lock */
  GUARD_LOCKED,  /* it has acquired it */
  GUARD_UNLOCKED /* it is about to release it, or has released it */
};

/* Adds code that calls `hook` if the guard allows: a static method with this signature, whose last argument is the
 * site. */
void guard_code(struct buffer *code, const struct guard_constants *of, enum hook_guard guard, enum guard_moment moment,
                const struct signature *signature, uint16_t hook, const struct hook_memory *memory);

/* Adds code of the method ()J that returns the calling thread's table, or 0. */
void guard_code_of_table(struct buffer *code, const struct guard_constants *of, const struct hook_memory *memory);

#endif
