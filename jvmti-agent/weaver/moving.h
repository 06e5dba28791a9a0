/* A method's code on its way: where each place of the old code is in the new one. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_MOVING_H
#define HEDDLE_JVMTI_AGENT_WEAVER_MOVING_H

#include "jvmti-agent/weaver/relocation.h"

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

#endif
