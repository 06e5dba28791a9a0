/*
 * Constants that are added to a class file's pool. Each call adds what it needs and gives the new constant's number;
 * if the pool is full, or out of memory, the numbers are 0 and constants_are_sound is false.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_CONSTANTS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_CONSTANTS_H

#include "jvmti-agent/weaver/buffer.h"
#include "jvmti-agent/weaver/class_file.h"

struct constants {
  struct buffer bytes; /* to be appended to the class' pool */
  unsigned count;      /* of the whole pool, as the class file says it */
  bool full;
};

/* count: as the pool that is there says it; 1 for a new one. */
void constants_init(struct constants *constants, unsigned count);
bool constants_are_sound(const struct constants *constants);

uint16_t constants_utf8(struct constants *constants, struct span text);
uint16_t constants_text(struct constants *constants, const char *text);
uint16_t constants_integer(struct constants *constants, uint32_t number);
uint16_t constants_long(struct constants *constants, uint64_t value);
uint16_t constants_class(struct constants *constants, struct span name);
/* A reference to a method of a class (a constant). */
uint16_t constants_method(struct constants *constants, uint16_t owner, uint16_t name, uint16_t descriptor);

#endif
