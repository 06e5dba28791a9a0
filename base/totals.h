/*
 * Sums over many threads, executions and processes that are the same to the last bit whatever is added first and
 * whatever parts are added up before: so results of parts of a trace merge. One thread's ticks fit into 64 bits (195
 * years at 3 GHz), and so do one process'; those of a million threads do not (2 hours).
 */
#ifndef HEDDLE_BASE_TOTALS_H
#define HEDDLE_BASE_TOTALS_H

#include <stdint.h>

/* Whole numbers: ticks, iterations. */
typedef unsigned __int128 wide_total;

/* What a sum has grown by. Sums never decrease; 0: one was read while it changed. */
static inline uint64_t count_since(uint64_t now, uint64_t before)
{
  return now > before ? now - before : 0;
}

static inline wide_total wide_total_since(wide_total now, wide_total before)
{
  return now > before ? now - before : 0;
}

/* Ticks that need not be whole, and are not negative: each is rounded to 2^-48 of a tick, the sum is exact. {0} is 0.
 */
struct fine_total {
  wide_total parts;
};

#define FINE_PARTS 0x1p48
#define FINE_MOST  0x1p64 /* ticks: nothing takes longer, but in damaged archives */

/* Past 128 bits, which damage alone can cause, sums begin again at 0: also that does not depend on the order. */
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

#endif
