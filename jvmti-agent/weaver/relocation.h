/* What is to be done to a method's code: the instructions that are put in, and the handler at its end. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_RELOCATION_H
#define HEDDLE_JVMTI_AGENT_WEAVER_RELOCATION_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/insertions.h"

#define HANDLER_MAX 12u

/*
 * A handler of all exceptions in the method, put at its end. Its stack map has no locals but (maybe) `this`. In a
 * constructor the code in front of its call of another one has a handler of its own, of the same bytes, where `this` is
 * not initialized. What that call throws has none: no stack map could say what `this` is then.
 */
struct last_handler {
  uint8_t size; /* 0: there is none */
  uint8_t bytes[HANDLER_MAX];
  uint16_t stack_map;                /* the constant "StackMapTable"; 0: the class has no stack maps */
  uint16_t this_class, throwable;    /* class constants; 0: no `this` */
  uint32_t initializes, initialized; /* old places of that call and behind it; 0: it is no constructor */
};

struct relocation {
  const struct class_file *file;
  const struct class_method *method;
  const struct insertions *insertions;
  unsigned more_stack, more_locals; /* words that they need beyond what the method needs */
  struct last_handler handler;
};

#endif
