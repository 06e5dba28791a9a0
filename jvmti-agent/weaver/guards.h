/*
 * What stands in woven code before the hooks of constructs are called: guards, which leave instances out. They read and
 * write the table of their thread, in the process' memory: of each site, how many instances are left to be left out.
 * Nobody else writes there while the thread runs Java.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_GUARDS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_GUARDS_H

#include "jvmti-agent/weaver/class_output.h"

#include <stdbool.h>
#include <stdint.h>

enum hook_guard {
  GUARD_NONE,
  GUARD_SWITCH,  /* the hook is called while its site's switch is on */
  GUARD_QUIET,   /* ... and the thread is in no region that is left out; behind a call also: it is not alone */
  GUARD_BARRIER, /* ... and the barrier is not that of a construct that was left out; as GUARD_QUIET else */
  GUARD_LOOP,    /* ... and the loop's instance is not left out */
  GUARD_CALL,    /* a region is about to be called: its site is noted, and no hook called */
  GUARD_REGION,  /* a region begins or ends: called unless it is left out, which it can be where it has one thread */
  GUARD_BODY,    /* as GUARD_QUIET; what a region that is left out has of another thread ends with it */
  GUARD_LOCK,    /* ... and the lock's acquisition is not left out */
  GUARDS
};

/* A site of a thread. */
struct guard_site {
  uint32_t left;   /* instances that are left out before the next one that is recorded */
  uint32_t inside; /* instances in constructs that are left out, so far */
  uint32_t held;   /* locks: acquisitions that are left out, and not released yet */
};

/* The thread itself. */
struct guard_thread {
  uint32_t quiet;  /* regions that it is in and that are left out */
  uint32_t muted;  /* the loop that it is in is left out, wherever it asks for chunks */
  uint32_t after;  /* what it did last is a construct that is left out */
  uint32_t call;   /* the site of the region that is called, + 1; 0: unknown */
  uint32_t open;   /* the site of a loop that is left out and gives chunks still, + 1; 0: none */
  uint32_t busy;   /* what was recorded last has no end yet: hooks of loops are called */
  uint32_t member; /* it came into the left-out region as another one than its first thread */
  uint32_t alone;  /* its recorded region has no other thread: hooks of bodies and those behind waits are not called */
  uint32_t asks;   /* the site of a lock that it is about to acquire, + 1; 0: none */
};

/* Threads' tables, by Thread.tid modulo the number of slots. */
struct guard_slot {
  int64_t tid;
  uint64_t table; /* address of a guard_thread */
};
#define GUARD_SLOTS 1024u /* a power of two */

/* Where things are in a table: sites are guard_sites at a distance of 2^GUARD_SITE_SHIFT, from GUARD_SITES_AT on. */
#define GUARD_SITES_AT   64u
#define GUARD_SITE_SHIFT 6u
#define GUARD_SITES      4096u /* others leave nothing out */

/* What the hook class needs of the process. slots NULL: no thread has a table. */
struct hook_memory {
  const uint8_t *switches;
  const struct guard_slot *slots;
  int64_t tid_offset; /* of Thread.tid in its object */
  bool omits;         /* instances may be left out; else the tables serve for GUARD_CALL alone */
};

/* The methods of the hook class that guard hooks (hook_guards.h), as Java code. */

#define GUARD_STACK  16u /* beyond the arguments */
#define GUARD_LOCALS 6u

/* What the code refers to, as constants of the hook class. */
struct guard_constants {
  struct constants *constants;
  uint16_t unsafe, get_byte, get_int, put_int, get_long, get_long_of, current_thread, table;
};

struct guard_constants guard_constants(struct constants *constants, uint16_t table);

/* When a hook is called. */
enum guard_moment {
  GUARD_BEFORE,
  GUARD_BEHIND,  /* with GUARD_LOCK: the thread is about to acquire the lock */
  GUARD_LOCKED,  /* it has acquired it */
  GUARD_UNLOCKED /* it is about to release it, or has released it */
};

/* Code that calls `hook`, a static method with this signature whose last argument is the site, unless the guard knows
 * better. */
void guard_code(struct buffer *code, const struct guard_constants *of, enum hook_guard guard, enum guard_moment moment,
                const struct signature *signature, uint16_t hook, const struct hook_memory *memory);

/* Code of the method ()J that gives the calling thread's table, or 0. */
void guard_code_of_table(struct buffer *code, const struct guard_constants *of, const struct hook_memory *memory);

#endif
