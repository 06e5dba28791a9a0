/*
 * Statistics over threads, executions and processes: exact sums, sorted values, histograms of durations.
 *
 * Sums do not depend on the order of addition, to the last bit, so results of parts of a trace can be merged. 64 bits
 * have room for the ticks of one process (195 years at 3 GHz), but not of a million threads (2 hours).
 */
#ifndef HEDDLE_BASE_STATISTICS_H
#define HEDDLE_BASE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole numbers: ticks, iterations. */
typedef unsigned __int128 wide_total;

/* Returns the growth of a sum. Sums never decrease; 0: one was read while it changed. */
static inline uint64_t count_since(uint64_t now, uint64_t before)
{
  return now > before ? now - before : 0;
}

static inline wide_total wide_total_since(wide_total now, wide_total before)
{
  return now > before ? now - before : 0;
}

/* Exact sum of fractional ticks, which are not negative: each is rounded to 2^-48 of a tick. {0} is 0. */
struct fine_total {
  wide_total parts;
};

#define FINE_PARTS 0x1p48
#define FINE_MOST  0x1p64 /* ticks; only damaged archives have longer times */

/* In damaged archives a sum may exceed 128 bits. It wraps around, which does not depend on the order either. */
static inline void fine_total_add(struct fine_total *sum, double ticks)
{
  double bounded = ticks >= FINE_MOST ? FINE_MOST : ticks > 0 ? ticks : 0;
  sum->parts += (wide_total)(bounded * FINE_PARTS + 0.5);
}

static inline void fine_total_merge(struct fine_total *into, struct fine_total from)
{
  into->parts += from.parts;
}

static inline double fine_total_ticks(struct fine_total sum)
{
  return (double)sum.parts / FINE_PARTS;
}

/* Sorts values in ascending order; none of them is NAN. */
void doubles_sort(double *values, size_t count);

/* Histogram of durations, with exact sums. */
#define LENGTHS_PARTS   32                             /* of each power of two: a percentile is exact to 1/32 */
#define LENGTHS_BUCKETS (LENGTHS_PARTS * (64 - 5 + 1)) /* lengths below LENGTHS_PARTS have one each */

struct lengths {
  uint64_t count, min, max;
  wide_total total, squares; /* ticks; squares of ticks, modulo 2^128 in damaged archives */
  uint64_t *buckets;         /* LENGTHS_BUCKETS; NULL: nothing was added */
};

/* False: out of memory. */
bool lengths_add(struct lengths *lengths, uint64_t ticks);
bool lengths_merge(struct lengths *into, const struct lengths *from);
void lengths_free(struct lengths *lengths);

double lengths_mean(const struct lengths *lengths);
double lengths_deviation(const struct lengths *lengths); /* the population's, not a sample's */
/* Returns the quantile `part` (0 to 1), rounded up by less than 1/32; 0 if there are no durations. */
uint64_t lengths_percentile(const struct lengths *lengths, double part);
/* Counts the durations between two powers of two: [0] has those below 1 tick, [k] those from 2^(k-1) to below 2^k. */
void lengths_histogram(const struct lengths *lengths, uint64_t counts[65]);

#endif
