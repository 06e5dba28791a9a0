/*
 * Locks in bytecode: finds synchronized blocks, and the field from which a locked object comes. Any thread.
 *
 * javac and the compiler of Eclipse generate synchronized blocks in one shape. A range of the exception table begins
 * behind the monitorenter. Its handler, of all exceptions, releases the monitor; further ranges may have the same
 * handler. The object is in a variable of its own.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_LOCK_CODE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_LOCK_CODE_H

#include "jvmti-agent/weaver/class_file.h"

struct synchronized_range {
  uint32_t from, to; /* covered by the handler */
  uint32_t handler;
  uint32_t exit;     /* where the handler releases the monitor */
  unsigned variable; /* that holds the object */
};

/* Returns the number of entries in the method's exception table. */
unsigned synchronized_entries(const struct class_file *file, const struct class_method *method);
/* Reads an entry. False: its handler does not release a monitor. */
bool synchronized_range(const struct class_file *file, const struct class_method *method, unsigned entry,
                        struct synchronized_range *range);

/* Returns the length of an instruction that loads an object from a variable; 0: it does something else. */
uint32_t synchronized_load(const struct class_file *file, const struct class_method *method, uint32_t pc,
                           unsigned *variable);

/* A block that locks the result of a call. */
struct synchronized_block {
  uint32_t enter;
  struct synchronized_range range; /* begins behind the monitorenter */
};

/* True if the code at `pc`, behind a call, locks the result at once in such a block. */
bool synchronized_block(const struct class_file *file, const struct class_method *method, uint32_t pc,
                        struct synchronized_block *block);
/* True if the instruction at pc loads the block's object and the next one releases its monitor, outside the handler. */
bool synchronized_exit(const struct class_file *file, const struct class_method *method,
                       const struct synchronized_block *block, uint32_t pc);

/* The field that an object comes from: `synchronized (lock)`, `queue.take()`, `synchronized (forks[i])`. */
struct lock_field {
  struct span owner, name; /* the class as com/acme/Server */
  struct span call;        /* the method called on the object; bytes NULL: monitorenter */
  bool element;            /* the object is an element of an array in the field */
};

/*
 * Finds the field, backwards from a monitorenter or a call at pc; pc may be in the instruction before a monitorenter.
 * False: the object comes from elsewhere (a variable, a result), or is loaded too far away.
 */
bool lock_field_find(const struct class_file *file, const struct class_method *method, uint32_t pc,
                     struct lock_field *field);

/*
 * Opens constants and one method's instructions, as a JVM returns them. `bytes`: the number of constants (two bytes),
 * the constants, the instructions from `code` on; they must outlive the file. False: damaged, or out of memory. Free it
 * by class_file_free().
 */
bool lock_field_open(struct class_file *file, struct class_method *method, const uint8_t *bytes, size_t size,
                     size_t code);

#endif
