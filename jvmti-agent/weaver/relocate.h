/*
 * Code that is inserted into one method: pieces, each with its place. Their bytes follow each other in one buffer, in
 * the order in which they were begun, which is that of their places.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"

/*
 * How a piece belongs to its place, between two instructions. At one place there may be one of each kind, in this
 * order. Ranges of the exception table begin and end behind INSERT_WITH; jumps lead behind INSERT_BEHIND.
 */
enum insertion_side {
  INSERT_WITH,   /* a part of what ends there, as far as exceptions go */
  INSERT_BEHIND, /* behind what ends there; a range that begins there covers it, one that ends there does not */
  INSERT_BEFORE  /* a part of what begins there: who jumps there executes it */
};

struct insertion {
  uint32_t pc;
  enum insertion_side side;
  size_t at, size; /* in `code` */
};

struct insertions {
  struct insertion *list;
  size_t count, room;
  struct buffer code; /* failed: something did not fit into memory */
};

/* Begins a piece: everything that is added to the returned buffer belongs to it, up to the next begin. */
struct buffer *insertions_begin(struct insertions *insertions, uint32_t pc, enum insertion_side side);
/* After the last piece. False: no memory. */
bool insertions_end(struct insertions *insertions);
void insertions_free(struct insertions *insertions);

/* What is to be done to a method's code: the instructions that are put in, and the handler at its end. */

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

/* A method's code on its way: where each place of the old code is in the new one. */

/* Where a place of the old code is in the new one. */
struct place {
  uint32_t edge;   /* for ranges: behind what belongs to the instruction before */
  uint32_t target; /* for jumps: behind what was put behind that instruction */
  uint32_t moved;  /* the instruction itself */
};
#define NO_PLACE UINT32_MAX /* the middle of an instruction */

struct moving {
  const struct relocation *what;
  const uint8_t *old;   /* instructions */
  struct place *places; /* code_size + 1 of them */
  struct buffer *out;
  bool failed;
};

/* The new place of an old one; it fails where none is. */
struct place place_of(struct moving *moving, uint32_t pc);

/* Begins an attribute; returns where its length is to be written. */
size_t begin_attribute(struct moving *moving, uint16_t name);
void end_attribute(struct moving *moving, size_t length_at);

/* The attributes of a method's code, moved with it: lines, variables, stack maps, annotations of types. */

/*
 * Appends the attributes of the code, and their number. end: where the last handler is in the new code. Left out are
 * those that nobody knows: they may name places, and the JVM ignores them.
 */
void move_attributes(struct moving *moving, uint32_t end);

/*
 * A method's code with instructions put in: everything that names a place in the code (branches, exception table, line
 * numbers, variables, stack maps, annotations of types) is moved with it. What can't be moved makes relocate() say no,
 * and the method stays as it is.
 */

/*
 * Appends the new Code attribute. False: the method can't be changed, or would become too long to be compiled; then
 * there is garbage behind.
 */
bool relocate(struct buffer *attribute, const struct relocation *relocation);

#endif
