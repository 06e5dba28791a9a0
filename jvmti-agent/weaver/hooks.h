/* Which hooks a method or a call gets. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOKS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOKS_H

#include <stdbool.h>

/*
 * A hooked method reports its begin (HOOK_ENTER), and its end (HOOK_EXIT), by a return or by what it throws. A hooked
 * call reports both sides, but not what is thrown out of it.
 */
enum hooks {
  HOOK_ENTER = 1,
  HOOK_EXIT = 2,
  HOOK_BOTH = 3,
  HOOK_VALUES = 4, /* the hooks get arguments and results; a method's end has no arguments */
  HOOK_THIS = 8,   /* HOOK_ENTER of a method of an object gets this object alone, in `first` */
  HOOK_HASH = 16,  /* HOOK_ENTER gets an identity hash as the number, and its object in `first`: of this object with
                      HOOK_THIS, of the last argument that is an object with HOOK_VALUES; 0: that is null */
  HOOK_CLASS_HASH = 32, /* with HOOK_HASH and HOOK_THIS: the identity hash of its class is in the number's upper half */
  HOOK_LOCK = 64 /* of a call: where a synchronized block locks its result at once, the lock and the release, too */
};

/*
 * Fields of a call's arguments whose values its HOOK_EXIT gets, in place of the objects: so many longs and a boolean,
 * in this order. A class file that does not refer to a field itself may not have it: then the hook gets 0 for it or,
 * if it is `needed`, the objects. The arguments are not null: the call has used them.
 */
enum { HOOK_LONGS = 6, HOOK_FIELDS = HOOK_LONGS + 1 };
struct hook_field {
  unsigned argument; /* 0: the first one that is an object, 1: the second */
  const char *name;
  bool needed;
};

#endif
