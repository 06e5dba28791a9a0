/* A method's arguments and result, from its descriptor, and the variables that hold the arguments. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_SIGNATURE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_SIGNATURE_H

#include "jvmti-agent/weaver/buffer.h"
#include "jvmti-agent/weaver/class_file.h"

#define ARGUMENTS_MAX 255u

struct argument {
  char type;         /* I, J, F, D, L (arrays, too), V; the small ones are I */
  unsigned variable; /* where it is at the method's begin, or is put */
};

struct signature {
  struct argument arguments[ARGUMENTS_MAX];
  unsigned count, words; /* words: of the variables that the arguments take, with `this` */
  char result;
};

/* False: the descriptor is damaged. */
bool signature_read(struct signature *signature, struct span descriptor, bool has_this);

/* The words that a value of a type takes. */
unsigned signature_words(char type);

/* An instruction that loads an argument from its variable, or stores it there. */
void signature_load(struct buffer *code, const struct argument *argument);
void signature_store(struct buffer *code, const struct argument *argument);

#endif
