/*
 * Result of a comparison of two groups of runs: shares of the time, transitions and durations. Each figure has a test
 * against chance that accounts for the number of figures, the size of the difference, and the smallest detectable
 * difference. With one run each, blocks of both runs are permuted. With several, runs are the unit: differences between
 * runs of a group count as chance. docs/models.md has the formulas.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_COMPARISON_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_COMPARISON_H

#include "analyzer/models/markov/validate.h"

enum { MARKOV_RUN_LEAST = 16 }; /* minimum number of records of a run, if there are several */

enum markov_aspect {
  MARKOV_TIME_IN, /* share of the time in a state */
  MARKOV_GOES_TO, /* share of the transitions out of a state that go to another one */
  MARKOV_LASTS,   /* mean duration of a visit */
  MARKOV_LONGER,  /* share of the visits that are longer than a quartile of both groups */
  MARKOV_ASPECTS
};

/* One figure of both groups. */
struct markov_contrast {
  enum markov_aspect aspect;
  enum markov_outcome outcome; /* MARKOV_UNSEEN is not used */
  uint32_t state, to;          /* to: of MARKOV_GOES_TO */
  uint64_t ticks;              /* of MARKOV_LONGER */
  double figures[2];           /* of the groups: a share, or mean ticks; NAN: the group lacks it */
  double difference;           /* absolute; of MARKOV_LASTS relative to the larger figure */
  double effect;               /* difference times the share of the run that it concerns */
  double smallest;             /* smallest difference that is detected with MARKOV_POWER; NAN: not tested */
  double p;                    /* probability of at least this difference in any figure by chance */
};

struct markov_aspect_test {
  enum markov_outcome outcome;
  uint32_t figures;   /* number of tested figures */
  double difference;  /* of MARKOV_TIME_IN half of the sum of differences; else mean over the run */
  double smallest, p; /* smallest: mean over the run; p: the smallest */
};

struct markov_group_comparison {
  struct markov_model *model;  /* model of all runs; states have its numbers */
  enum markov_outcome outcome; /* UNTESTED, UNSEEN: too few records; HOLDS; DIFFERS_LITTLE; DIFFERS */
  struct markov_aspect_test tests[MARKOV_ASPECTS];
  struct markov_contrast *list; /* differences first, then by descending effect */
  uint32_t count;
  const struct markov_contrast
      *cause; /* largest difference of a transition or duration, else of a share of the time; NULL: none */
  uint32_t runs[2];
  uint64_t records[2];
  uint64_t block;     /* one run each: records of a block */
  uint32_t blocks[2]; /* one run each: number of blocks */
  bool is_one_each;
  /* One run each: the first record whose state differs, from 0. */
  uint64_t parted;
  uint32_t parted_states[2]; /* PES_NONE: the run has ended; both PES_NONE: the runs have the same states in the same
                                order */
};

struct markov_compare_options {
  double level;     /* probability of a false alarm in any figure */
  double tolerance; /* differences up to it are small */
  double unseen;    /* a comparison with a larger smallest difference has no result */
  uint64_t seed;    /* for the permutations */
};

#endif
