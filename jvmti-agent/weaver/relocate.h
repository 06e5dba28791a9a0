/*
 * A method's code with instructions put in: everything that names a place in the code (branches, exception table, line
 * numbers, variables, stack maps) is moved with it. What can't be moved makes relocate() say no, and the method stays
 * as it is.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H

#include "jvmti-agent/weaver/buffer.h"
#include "jvmti-agent/weaver/class_file.h"

#define INSERTION_MAX 12u

/*
 * Instructions put in at pc, a place between two instructions. Two may be at one pc: one of each kind. Ranges of the
 * exception table that begin or end at pc begin before and end before both.
 */
struct insertion {
  uint32_t pc;
  bool before; /* of the instruction at pc: who jumps there executes them. Else behind the one that ends at pc */
  uint8_t size;
  uint8_t bytes[INSERTION_MAX];
};

/* A handler of whatever is thrown in the method, put at its end. Its stack map has no locals but (maybe) `this`. */
struct last_handler {
  uint8_t size; /* 0: there is none */
  uint8_t bytes[INSERTION_MAX];
  uint16_t stack_map;             /* the constant "StackMapTable"; 0: the class has no stack maps */
  uint16_t this_class, throwable; /* class constants; 0: no `this` */
};

struct relocation {
  const struct class_file *file;
  const struct class_method *method;
  const struct insertion *insertions; /* in the order of their places, those behind first */
  size_t count;
  unsigned more_stack; /* words that they need beyond what the method needs */
  struct last_handler handler;
};

/* Appends the new Code attribute. False: the method can't be changed; then there is garbage behind. */
bool relocate(struct buffer *attribute, const struct relocation *relocation);

#endif
