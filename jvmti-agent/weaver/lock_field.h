/*
 * The field that the object of an instruction comes from, read backwards from the instruction: `synchronized (lock)`,
 * `queue.take()`, `synchronized (forks[i])`. Any thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_LOCK_FIELD_H
#define HEDDLE_JVMTI_AGENT_WEAVER_LOCK_FIELD_H

#include "jvmti-agent/weaver/class_file.h"

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
