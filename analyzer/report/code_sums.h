/* How long and how often one location showed each code: what its states add up to. */
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
/* Moves what was added out, in the order of codes, as *count sums that the caller frees. False: no memory. */
bool code_sums_take(struct code_sums *sums, struct code_sum **list, uint32_t *count);
void code_sums_free(struct code_sums *sums);

#endif
