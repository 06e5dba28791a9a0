/*
 * The shape of synchronized blocks, as javac and the compiler of Eclipse generate them: a range of the exception table
 * begins behind the enter, and its handler, of all exceptions, gives the monitor up. Further ranges may have the same
 * handler. The object is in a variable of its own.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_LOCK_CODE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_LOCK_CODE_H

#include "jvmti-agent/weaver/class_file.h"

struct synchronized_range {
  uint32_t from, to; /* that the handler is for */
  uint32_t handler;
  uint32_t exit;     /* where the handler gives the monitor up */
  unsigned variable; /* that it takes the object from */
};

/* How many entries the method's exception table has. */
unsigned synchronized_entries(const struct class_file *file, const struct class_method *method);
/* Reads one of them. False: its handler does not give a monitor up. */
bool synchronized_range(const struct class_file *file, const struct class_method *method, unsigned entry,
                        struct synchronized_range *range);

/* The length of an instruction that loads an object from a variable; 0: it does something else. */
uint32_t synchronized_load(const struct class_file *file, const struct class_method *method, uint32_t pc,
                           unsigned *variable);

/* A block that locks what a call gave. */
struct synchronized_block {
  uint32_t enter;
  struct synchronized_range range; /* the one that begins behind it */
};

/* Whether what stands at `pc`, behind a call, locks its result at once, in such a block. */
bool synchronized_block(const struct class_file *file, const struct class_method *method, uint32_t pc,
                        struct synchronized_block *block);
/* Whether the instruction at pc loads the block's object, and the next one gives its monitor up; but the handler's. */
bool synchronized_exit(const struct class_file *file, const struct class_method *method,
                       const struct synchronized_block *block, uint32_t pc);

/*
 * The field that the object of an instruction comes from, read backwards from the instruction: `synchronized (lock)`,
 * `queue.take()`, `synchronized (forks[i])`. Any thread.
 */

struct lock_field {
  struct span owner, name; /* the class as com/acme/Server */
  struct span call;        /* the method that is called on the object; bytes NULL: it is a monitorenter */
  bool element;            /* one of an array in the field */
};

/*
 * pc: of a monitorenter or a call, or in the instruction before a monitorenter. False: the object comes from elsewhere
 * (a variable, a result), or from further away than a line of source has it.
 */
bool lock_field_find(const struct class_file *file, const struct class_method *method, uint32_t pc,
                     struct lock_field *field);

/*
 * A class file of constants and one method's instructions alone, as a JVM gives them. `bytes`: the number of constants
 * (two bytes), the constants, the instructions from `code` on; they outlive the file. False: damaged, or no memory.
 * class_file_free() ends it.
 */
bool lock_field_open(struct class_file *file, struct class_method *method, const uint8_t *bytes, size_t size,
                     size_t code);

#endif
