/* The instructions that call hooks: what is put at the begin of a method, at its ends, and around calls. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CODE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_HOOK_CODE_H

#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/hook_class.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/relocate.h"

/* Words that these need beyond what is on the stack; the second where a hook gets fields. */
#define HOOK_STACK        5u
#define HOOK_STACK_FIELDS 16u

/* The hooks as constants of one class; zero at the begin, and added when they are needed. */
struct hook_constants {
  struct constants *constants;
  uint16_t methods[HOOK_METHODS][GUARDS];
};

/* One place that is hooked. */
struct hook_place {
  struct signature signature; /* of the method that is hooked or called */
  uint32_t site;
  unsigned hooks; /* enum hooks */
  enum hook_guard guard;
  uint16_t query;                  /* a static method ()I that gives the number in enter; 0: an argument does */
  unsigned kept;                   /* a call's arguments from this one on are kept in variables, for the hooks */
  const struct hook_field *fields; /* what the hook gets in place of objects; NULL: objects */
  uint16_t refs[HOOK_FIELDS];      /* ... as constants; 0: unknown */
};

/* At the begin of a method, where the arguments are in their variables. */
void hook_code_enter(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* In front of an instruction that returns: the result is on the stack, and stays there. */
void hook_code_exit(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* A handler of all exceptions in the method; the caller makes its stack map. */
struct last_handler hook_code_thrown(struct hook_constants *hooks, const struct hook_place *place);

/*
 * Gives the arguments that the hooks of a call need variables of their own, from `variable` on. Returns how many words
 * of variables that takes.
 */
unsigned hook_code_keep(struct hook_place *place, unsigned variable);
/* In front of the call and behind it. The variables are cleared afterwards: no object lives longer because of them. */
void hook_code_before_call(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
void hook_code_after_call(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* In front of a call of an object's method. The hook gets the object if the method has no argument, or one long. */
void hook_code_before_virtual(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* ... and what comes behind it: says that it has returned. */
void hook_code_after_virtual(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place);
/* The result of the call has been locked, or is about to be released. */
void hook_code_lock(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place, bool locked);

#endif
