/*
 * One method that is added to a class: it takes the arguments of another one, calls the hooks around it, and returns
 * what that returns or throws what it throws.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_WRAPPER_H
#define HEDDLE_JVMTI_AGENT_WEAVER_WRAPPER_H

#include "jvmti-agent/weaver/constants.h"

enum hooks { HOOK_ENTER = 1, HOOK_EXIT = 2, HOOK_BOTH = 3 };

struct wrapper {
  uint16_t access;           /* of the new method; ACC_STATIC says that the one it calls is static, too */
  uint16_t name, descriptor; /* of the new method; constants */
  struct span signature;     /* the descriptor's text */
  uint16_t target;           /* the method that it calls; a constant */
  uint16_t query;            /* a static method ()I that gives the number in enter; 0: an argument does */
  uint32_t site;             /* what the hooks are told */
  unsigned hooks;            /* enum hooks */
};

/* What the wrappers of one class share. Zero at the begin; the constants are added when they are needed. */
struct wrapper_class {
  struct constants *constants;
  uint16_t this_class;
  bool frames; /* the class has stack maps (version 50 and up) */
  uint16_t enter, exit, thrown, code, stack_map, throwable;
};

/* Appends the method_info. False: the descriptor is damaged or has too many arguments; then methods may have garbage.
 */
bool wrapper_add(struct buffer *methods, struct wrapper_class *shared, const struct wrapper *wrapper);

#endif
