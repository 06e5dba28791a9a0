/*
 * Code that is inserted into one method: pieces, each with its place. Their bytes follow each other in one buffer, in
 * the order in which they were begun, which is that of their places.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_INSERTIONS_H
#define HEDDLE_JVMTI_AGENT_WEAVER_INSERTIONS_H

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

#endif
