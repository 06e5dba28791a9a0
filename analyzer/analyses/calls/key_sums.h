/* Private to calls/: sums by keys of five numbers. The order of additions does not change the result. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_KEY_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_KEY_SUMS_H

#include "base/hash.h"
#include "base/statistics.h"
#include "base/vector.h"

enum { KEY_NUMBERS = 5, KEY_VALUES = 2 };

struct key_sum {
  uint32_t key[KEY_NUMBERS];
  wide_total values[KEY_VALUES];
};

struct key_sums {
  VECTOR(struct key_sum) items;
  struct hash by_key;
};

/* False: no memory. */
bool key_sums_add(struct key_sums *sums, const struct key_sum *more);
bool key_sums_merge(struct key_sums *into, const struct key_sums *from);
/* By key. No further additions after that. */
void key_sums_sort(struct key_sums *sums);
void key_sums_free(struct key_sums *sums);

#endif
