/*
 * Which levels of detail can still get into a file of limited size. A file has the coarsest levels that fit; a level
 * whose blocks, with those of all coarser ones, are larger than the file need not be written any further. So the time
 * for compression and the temporary file stop growing with the trace.
 */
#ifndef HEDDLE_ANALYZER_REPORT_LEVEL_BUDGET_H
#define HEDDLE_ANALYZER_REPORT_LEVEL_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LEVELS_MAX 24

/* Any thread may use one. */
struct level_budget {
  uint64_t limit;                     /* bytes of blocks in the file; 0: all levels are wanted */
  unsigned levels;                    /* the coarsest one is always wanted */
  _Atomic unsigned from;              /* the finest level that may still fit; it only grows */
  _Atomic uint64_t bytes[LEVELS_MAX]; /* of each level's blocks so far, compressed */
};

/* Whether blocks of the level are wanted. NULL: no budget, all are. */
static inline bool level_budget_wants(const struct level_budget *budget, unsigned level)
{
  return !budget || level >= atomic_load_explicit(&budget->from, memory_order_relaxed);
}

/* So many more bytes of blocks of a level. */
void level_budget_add(struct level_budget *budget, unsigned level, uint64_t bytes);

#endif
