/*
 * Do two groups of runs behave the same? Parts of the time, transitions and durations are compared, each with a test
 * against chance that counts how many are compared, with its size, and with the smallest difference that would have
 * been found. One run each: blocks of both runs are permuted. Several: runs are the unit, so what differs from run to
 * run within a group counts as chance. docs/models.md has the formulas.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_COMPARISON_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_COMPARISON_H

#include "analyzer/models/markov/validate.h"

enum { MARKOV_RUN_LEAST = 16 }; /* records of a run, where there are several */

enum markov_aspect {
  MARKOV_TIME_IN, /* the part of the time in a state */
  MARKOV_GOES_TO, /* the part of the transitions out of a state that go to another one */
  MARKOV_LASTS,   /* the mean duration of a visit */
  MARKOV_LONGER,  /* the part of the visits that are longer than a quartile of both groups */
  MARKOV_ASPECTS
};

/* One figure of both groups. */
struct markov_contrast {
  enum markov_aspect aspect;
  enum markov_outcome outcome; /* MARKOV_UNSEEN is not used */
  uint32_t state, to;          /* to: of MARKOV_GOES_TO */
  uint64_t ticks;              /* of MARKOV_LONGER */
  double figures[2];           /* of the groups: a part, or mean ticks; NAN: the group lacks it */
  double difference;           /* absolute; MARKOV_LASTS: relative to the larger one */
  double effect;               /* the difference times the part of the run that it is about */
  double smallest;             /* that would have been found with MARKOV_POWER; NAN: not tested */
  double p;                    /* of a difference like this one in any figure at all, were there none */
};

struct markov_aspect_test {
  enum markov_outcome outcome;
  uint32_t figures;   /* that were tested */
  double difference;  /* MARKOV_TIME_IN: half of the sum of differences; else mean over the run */
  double smallest, p; /* smallest: mean over the run; p: the least one */
};

struct markov_group_comparison {
  struct markov_model *model;  /* of all runs; the numbers of the states are its own */
  enum markov_outcome outcome; /* UNTESTED, UNSEEN: too few records; HOLDS; DIFFERS_LITTLE; DIFFERS */
  struct markov_aspect_test tests[MARKOV_ASPECTS];
  struct markov_contrast *list; /* what differs first, then by falling effect */
  uint32_t count;
  const struct markov_contrast *cause; /* the largest difference of a transition or duration, else of a part of the
                                          time; NULL: none */
  uint32_t runs[2];
  uint64_t records[2];
  uint64_t block;     /* one run each: records of a block */
  uint32_t blocks[2]; /* ... and their number */
  bool is_one_each;
  /* One run each: the first record whose state differs, from 0. */
  uint64_t parted;
  uint32_t parted_states[2]; /* PES_NONE: the run has ended; both: the runs have the same states in the same order */
};

struct markov_compare_options {
  double level;     /* of a false alarm in any figure */
  double tolerance; /* differences up to it are little */
  double unseen;    /* nothing is the same if a larger difference could have gone unseen */
  uint64_t seed;    /* of the permutations */
};

#endif
