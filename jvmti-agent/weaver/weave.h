/*
 * The weaver: class file in, class file out, with hooks in methods or around calls of methods. Calls of the hook class
 * are inserted between the instructions. No method is added, and all else in a class is unchanged. So reflection does
 * not show the hooks, and the class can be redefined as before. No state; any thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_WEAVE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_WEAVE_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/guards.h"
#include "jvmti-agent/weaver/hooks.h"

enum weave_where {
  WEAVE_METHOD,    /* the method, in its own class */
  WEAVE_INHERITED, /* the method of an object, in classes whose direct superclass is `owner` */
  WEAVE_BELOW,  /* ... in classes whose direct superclass is the program's: the JDK's class `owner` may be above it */
  WEAVE_CALLS,  /* calls of the static method, in the classes that call it */
  WEAVE_VIRTUAL /* calls of the method of an object, where the class file names `owner`; without values */
};

struct weave_target {
  enum weave_where where;
  const char *owner, *method; /* class names with '/' */
  const char *descriptor;     /* NULL: any; "()": no arguments, any result */
  const char *query;     /* WEAVE_METHOD: a static method ()I of the class whose result is the number in enter, where
                            the class has it; or NULL */
  unsigned hooks;        /* enum hooks */
  enum hook_guard guard; /* of its hooks that can have this guard; others have a switch or none */
  const struct hook_field *fields; /* WEAVE_CALLS: HOOK_FIELDS fields; NULL: none */
  const char *fields_of;           /* ... and the class that has them */
};

/* A method or a call that is about to be hooked. */
struct weave_match {
  const struct class_file *file;
  const struct class_method *method; /* that is hooked, or that has the call in it */
  uint32_t pc, next;                 /* of the call; behind it */
  bool locks;                        /* HOOK_LOCK: the result is locked, and the hooks of that are put in */
};

/* Returns the number of this match in hooks, from 0; negative: no hooks. */
typedef int32_t weave_site(void *context, const struct weave_target *target, const struct weave_match *match);

struct weave_plan {
  const struct weave_target *const *targets;
  size_t count;
  weave_site *site;
  void *context;
  bool plain_tasks; /* hooks of tasks have no guards that omit tasks: nearer to the stack's end they would fail first */
};

/*
 * Returns the class with hooks; the caller frees the bytes. Bytes NULL: the class stays as it is, because there is
 * nothing to hook, it is damaged, or a limit of class files is reached. *unchanged: methods to hook that cannot be
 * changed: they would become too long, or have an attribute that cannot be moved.
 */
struct buffer weave(const uint8_t *bytes, size_t size, const struct weave_plan *plan, unsigned *unchanged);

#endif
