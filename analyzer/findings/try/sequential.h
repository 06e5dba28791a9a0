/*
 * Sequential test of whether a change makes a program faster. Runs without and with it are compared at fixed numbers of
 * pairs. The test ends as soon as the answer is certain.
 *
 * A look is the exact rank test (base/rank_test.h). The looks share the level evenly. A share with which so few pairs
 * can prove nothing goes to the next look. So a change without effect is called faster with at most the probability
 * `level`, however many looks there are. A caller with several changes divides its level by their number (Bonferroni).
 * An early end without proof costs nothing: the change is slower, gains too little, or shows no sign of a gain.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_TRY_SEQUENTIAL_H
#define HEDDLE_ANALYZER_FINDINGS_TRY_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#define SEQUENTIAL_WORTH 1.0 /* percent: a smaller gain is no reason to change anything */

enum { SEQUENTIAL_MOST = 32 /* pairs: the rank test is exact up to here */, SEQUENTIAL_LOOKS = 8 };

struct sequential_plan {
  double level;
  unsigned looks[SEQUENTIAL_LOOKS]; /* numbers of pairs, ascending; the last is the end */
  unsigned count;
};

enum sequential_verdict {
  SEQUENTIAL_OPEN, /* more pairs are needed, or, at the end, it was not proved */
  SEQUENTIAL_FASTER,
  SEQUENTIAL_SLOWER,
  SEQUENTIAL_NO_GAIN, /* at most SEQUENTIAL_WORTH */
  SEQUENTIAL_HOPELESS /* more pairs would hardly prove anything */
};

struct sequential {
  enum sequential_verdict verdict;
  unsigned look;          /* the next one */
  double spent;           /* of the level */
  double p;               /* one-sided, by the last look: with the change it is not faster */
  double gain, low, high; /* percent of the unchanged time, with an interval of 95 %; NAN: too few pairs */
};

/* Plans at most `pairs` pairs, 1 to SEQUENTIAL_MOST. False: this level needs more pairs. */
bool sequential_plan(struct sequential_plan *plan, unsigned pairs, double level);

/* How many pairs a level needs at least. */
unsigned sequential_needed(double level);

/*
 * To be called after each pair while the verdict is open; the lists have all times so far, above 0. {0} is the begin.
 * False: out of memory.
 */
bool sequential_add(const struct sequential_plan *plan, struct sequential *state, const double *without,
                    const double *with, unsigned pairs);

#endif
