/*
 * Private to markov/: how often each sequence of up to MARKOV_HISTORY_MOST states occurs. A history is a node of a
 * tree: its parent lacks the last state, its suffix the first one. Memory is bounded: a length with more than
 * MARKOV_HISTORIES_MOST different histories is given up, and longer ones with it.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_HISTORIES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_HISTORIES_H

#include "base/hash.h"
#include "base/vector.h"

enum { MARKOV_HISTORY_MOST = 7, MARKOV_HISTORIES_MOST = 1 << 17 };

struct markov_history {
  uint32_t parent;             /* of the length before; 0 for length 1 */
  uint32_t suffix;             /* of the length before; 0 for length 1 */
  uint32_t state;              /* the last one */
  uint32_t child_state, child; /* the child that was entered last; UINT32_MAX: none */
  uint64_t count;
};

struct markov_history_level {
  VECTOR(struct markov_history) nodes;
  struct hash index; /* parent << 32 | state -> node */
};

struct markov_histories {
  struct markov_history_level levels[MARKOV_HISTORY_MOST + 1]; /* by length; 0 has the root alone */
  uint32_t current[MARKOV_HISTORY_MOST + 1];                   /* the histories that end with the last state */
  unsigned most;                                               /* lengths up to it are counted */
  unsigned seen;                                               /* states so far, at most `most` */
};

/* Counts lengths up to `most`. False: no memory. */
bool markov_histories_begin(struct markov_histories *histories, unsigned most);
void markov_histories_free(struct markov_histories *histories);

/* The next state. False: no memory. */
bool markov_histories_add(struct markov_histories *histories, uint32_t state);

/* The states of a history, the first one first; `states` has room for `length`. */
void markov_history_states(const struct markov_histories *histories, unsigned length, uint32_t history,
                           uint32_t *states);

#endif
