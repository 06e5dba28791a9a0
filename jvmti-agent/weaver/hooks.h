/* Which hooks a method or a call gets. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOKS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOKS_H

/*
 * A hooked method reports its begin (HOOK_ENTER), and its end (HOOK_EXIT), by a return or by what it throws. A hooked
 * call reports both sides, but not what is thrown out of it.
 */
enum hooks {
  HOOK_ENTER = 1,
  HOOK_EXIT = 2,
  HOOK_BOTH = 3,
  HOOK_VALUES = 4 /* the hooks get arguments and results; a method's end has no arguments */
};

#endif
