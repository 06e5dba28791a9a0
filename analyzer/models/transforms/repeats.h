/*
 * Patterns of states that a sequence repeats at once: A,B,A,B,A,B. Takes the states in order; its time is linear, its
 * memory bounded.
 */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_REPEATS_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_REPEATS_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdint.h>

enum { REPEATS_LONGEST = 64, REPEATS_MOST = 4096 }; /* states of a pattern; patterns: further ones are not seen */

struct repeat {
  uint32_t states[REPEATS_LONGEST]; /* from where the pattern began first */
  uint32_t length;                  /* 2 or more; it is no repetition of a shorter one */
  uint64_t copies;                  /* whole ones, of all stretches of two or more at once */
};

/* All zeros is an empty one. */
struct repeats {
  VECTOR(struct repeat) list;          /* after repeats_end(): the most records first */
  struct hash of;                      /* pattern -> index; the same for all states that it may begin with */
  uint32_t ring[REPEATS_LONGEST];      /* the last states */
  uint64_t seen;                       /* states */
  uint64_t equal[REPEATS_LONGEST + 1]; /* [n]: so many states, up to the last one, are those n before them */
};

/* False: out of memory. */
bool repeats_add(struct repeats *repeats, uint32_t state);
bool repeats_end(struct repeats *repeats);
void repeats_free(struct repeats *repeats);

#endif
