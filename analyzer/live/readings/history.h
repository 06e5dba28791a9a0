/*
 * How a sum grew over time, in a fixed number of bins: when all are full, two neighbours become one, and a bin is twice
 * as wide. So the whole time is there, however long it is, and the sum of the bins is what was put in, exactly.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_HISTORY_H
#define HEDDLE_ANALYZER_LIVE_READINGS_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define LIVE_HISTORY_BINS 500

/* Times are ticks. */
struct live_history {
  uint64_t begin;
  uint64_t width; /* of a bin; not 0 */
  uint64_t end;   /* the latest time that came in, since the begin: the last bin that is used may not be over */
  size_t used;    /* bins that have begun */
  uint64_t bins[LIVE_HISTORY_BINS];
};

void live_history_begin(struct live_history *history, uint64_t begin, uint64_t width);

/* Puts in what came from one time to another, evenly over this time. Time before the begin, and no time at all, count
 * for the nearest bin. */
void live_history_add(struct live_history *history, uint64_t from, uint64_t to, uint64_t amount);

/* What came in a tick of a bin, as far as its time has come. */
double live_history_density(const struct live_history *history, size_t bin);

/* A new history with the same bins, all of them empty. */
void live_history_like(struct live_history *history, const struct live_history *other);

#endif
