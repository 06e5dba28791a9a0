/*
 * Parts of class files that are written: bytes that grow, constants for a pool, and instructions that load and store
 * the arguments of a method.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_CLASS_OUTPUT_H
#define HEDDLE_JVMTI_AGENT_WEAVER_CLASS_OUTPUT_H

#include "jvmti-agent/weaver/class_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; numbers are big-endian. If out of memory, `failed` is set and stays set. */
struct buffer {
  uint8_t *bytes; /* free() it */
  size_t size, room;
  bool failed;
};

void buffer_add(struct buffer *buffer, const void *bytes, size_t n);
void buffer_u1(struct buffer *buffer, unsigned number);
void buffer_u2(struct buffer *buffer, unsigned number);
void buffer_u4(struct buffer *buffer, uint32_t number);
/* Overwrite the number at `at`, an offset inside the bytes. */
void buffer_set_u2(struct buffer *buffer, size_t at, unsigned number);
void buffer_set_u4(struct buffer *buffer, size_t at, uint32_t number);

/*
 * Constants that are added to a class file's pool. Each call adds what it needs and returns the new constant's number.
 * If the pool is full, or out of memory, the numbers are 0 and constants_are_sound is false.
 */
struct constants {
  struct buffer bytes; /* to be appended to the class' pool */
  unsigned count;      /* the whole pool's count, in the class file's form: one more than there are */
  bool full;
};

/* count: of the existing pool; 1 for a new one. */
void constants_init(struct constants *constants, unsigned count);
bool constants_are_sound(const struct constants *constants);

uint16_t constants_text(struct constants *constants, const char *text);
uint16_t constants_integer(struct constants *constants, uint32_t number);
uint16_t constants_long(struct constants *constants, uint64_t value);
uint16_t constants_class(struct constants *constants, struct span name);
/* Adds a reference to a method of a class; all are numbers of constants. */
uint16_t constants_method(struct constants *constants, uint16_t owner, uint16_t name, uint16_t descriptor);

#define ARGUMENTS_MAX 255u

struct argument {
  char type;         /* I, J, F, D, L (arrays, too), V; the small ones are I */
  unsigned variable; /* that holds it */
};

/* Arguments and result of a method, from its descriptor. */
struct signature {
  struct argument arguments[ARGUMENTS_MAX];
  unsigned count, words; /* words: size of the variables that the arguments take, with `this` */
  char result;
};

/* Reads a descriptor. False: it is damaged. */
bool signature_read(struct signature *signature, struct span descriptor, bool has_this);

/* Returns how many words a value of a type takes. */
unsigned signature_words(char type);

/* Add an instruction that loads an argument from its variable; that stores it there. */
void signature_load(struct buffer *code, const struct argument *argument);
void signature_store(struct buffer *code, const struct argument *argument);

#endif
