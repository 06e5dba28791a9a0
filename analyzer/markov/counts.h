/* Private to markov/: how often pairs of numbers occur, such as transitions; memory grows with distinct pairs. */
#ifndef HEDDLE_ANALYZER_MARKOV_COUNTS_H
#define HEDDLE_ANALYZER_MARKOV_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct markov_pair {
  uint32_t from, to;
  uint64_t count; /* 0: a free slot */
};

struct markov_counts {
  struct markov_pair *slots;
  size_t capacity, used; /* capacity is a power of two */
};

/* `times` more; times > 0. False: no memory. `counts` begins as all zeros. */
bool markov_counts_add(struct markov_counts *counts, uint32_t from, uint32_t to, uint64_t times);

/* The pairs in order of from, then to; the caller frees them. NULL: no memory (also if there are none). */
struct markov_pair *markov_counts_sorted(const struct markov_counts *counts);

void markov_counts_free(struct markov_counts *counts);

#endif
