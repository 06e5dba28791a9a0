/* Time and number of segments of each code at one location. */
#ifndef HEDDLE_ANALYZER_REPORT_CODE_SUMS_H
#define HEDDLE_ANALYZER_REPORT_CODE_SUMS_H

#include "base/vector.h"

#include <stdint.h>

struct code_sum {
  uint32_t code;
  uint64_t ticks, count; /* count 0: not shown */
};

/* Those of one location. */
struct code_sums {
  VECTOR(struct code_sum) by_code;
  uint32_t used; /* codes with a count */
};

/* False: no memory. */
bool code_sums_add(struct code_sums *sums, uint32_t code, uint64_t ticks);
/* Moves the sums into a list in the order of codes, *count of them, which the caller frees. False: out of memory. */
bool code_sums_take(struct code_sums *sums, struct code_sum **list, uint32_t *count);
void code_sums_free(struct code_sums *sums);

#endif
