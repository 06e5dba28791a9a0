/*
 * Insertion of instructions into a method's code. Everything that names a position in the code (branches, exception
 * table, line numbers, variables, stack maps, annotations of types) is moved with it. If something cannot be moved, the
 * method stays as it is.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_RELOCATE_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"

/*
 * Position of inserted code between two instructions. One piece of each kind is possible, in this order. Ranges of the
 * exception table begin and end behind INSERT_WITH; jumps lead behind INSERT_BEHIND.
 */
enum insertion_side {
  INSERT_WITH,   /* belongs to the instruction before, as far as exceptions go */
  INSERT_BEHIND, /* behind the instruction before; a range that begins there covers it, one that ends there does not */
  INSERT_BEFORE  /* belongs to the next instruction: jumps to it execute this, too */
};

struct insertion {
  uint32_t pc;
  enum insertion_side side;
  size_t at, size; /* in `code` */
};

/* Inserted pieces, in the order of their positions; their bytes follow each other. */
struct insertions {
  struct insertion *list;
  size_t count, room;
  struct buffer code; /* failed: out of memory */
};

/* Begins a piece, and returns the buffer for its bytes. The next begin ends it. */
struct buffer *insertions_begin(struct insertions *insertions, uint32_t pc, enum insertion_side side);
/* Ends the last piece. False: out of memory. */
bool insertions_end(struct insertions *insertions);
void insertions_free(struct insertions *insertions);

#define HANDLER_MAX 12u

/*
 * A handler of all exceptions in the method, at its end. Its stack map has no locals but (maybe) `this`. A constructor
 * calls another one; the code before this call has a second handler of the same bytes, in which `this` is not
 * initialized. The call itself has no handler, because no stack map can describe `this` there.
 */
struct last_handler {
  uint8_t size; /* 0: there is none */
  uint8_t bytes[HANDLER_MAX];
  uint16_t stack_map;                /* the constant "StackMapTable"; 0: the class has no stack maps */
  uint16_t this_class, throwable;    /* class constants; 0: no `this` */
  uint32_t initializes, initialized; /* old positions of that call and behind it; 0: it is no constructor */
};

/* The change of a method's code. */
struct relocation {
  const struct class_file *file;
  const struct class_method *method;
  const struct insertions *insertions;
  unsigned more_stack, more_locals; /* words that the insertions need beyond the method's own */
  struct last_handler handler;
};

/*
 * Appends the new Code attribute. False: the method cannot be changed, or would become too long for the JVM's compiler;
 * then the appended bytes are garbage.
 */
bool relocate(struct buffer *attribute, const struct relocation *relocation);

#endif
