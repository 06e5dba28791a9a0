/* Private to imbalance/: when measurement was off on a thread, and what follows for what the thread did meanwhile. */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_GAPS_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_GAPS_H

#include "analyzer/analyses/imbalance/piece.h"

/* Zeroed: measurement is on, and always was. */
struct gaps {
  uint32_t count;      /* how often measurement was switched off */
  bool off;            /* it is off */
  uint64_t begin, end; /* the last time that it was */
};

/* The gaps of a thread up to some moment: where something begins. */
struct gaps_before {
  uint64_t time;
  uint64_t unmeasured; /* ticks in state UNMEASURED, but for left-out instances */
  uint32_t count;      /* gaps that are over by then */
};

void gaps_switch(struct gaps *gaps, bool on, uint64_t time);

/*
 * Adds to a piece what was not measured from a moment to the piece's end; `unmeasured`: ticks in state UNMEASURED, but
 * for left-out instances up to now. Where measurement was off at the piece's end, the end becomes the last time that is
 * known.
 */
void gaps_cut(const struct gaps *gaps, struct piece *piece, const struct gaps_before *before, uint64_t unmeasured);

#endif
