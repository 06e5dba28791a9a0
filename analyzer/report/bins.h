/*
 * The time of all threads in each state, for each part of the run. Bin i of `count` is the ticks from
 * floor(i * duration / count) to floor((i + 1) * duration / count). The bins add up exactly to the states' totals.
 */
#ifndef HEDDLE_ANALYZER_REPORT_BINS_H
#define HEDDLE_ANALYZER_REPORT_BINS_H

#include "analyzer/trace/states/machine.h"

#define BINS_COUNT 2048

struct bins {
  uint64_t duration; /* ticks */
  uint64_t ticks[STATES][BINS_COUNT];
};

/* The first tick of a bin; of bin BINS_COUNT, the end of the run. */
static inline uint64_t bins_begin(const struct bins *bins, unsigned bin)
{
  return (uint64_t)((unsigned __int128)bins->duration * bin / BINS_COUNT);
}

/* Adds the time from begin to end (ticks since the run's start, within it) to a state. */
void bins_add(struct bins *bins, enum state state, uint64_t begin, uint64_t end);

/* Adds the other's ticks. */
void bins_merge(struct bins *bins, const struct bins *other);

#endif
