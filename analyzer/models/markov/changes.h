/*
 * Where do blocks change? Binary segmentation: the place where ranks of a feature differ most
 * between what is before and behind it, over all features and places, against permutations of the blocks. The
 * probability of a false alarm is at most `level` for blocks that could have come in any order; blocks are joined until
 * they look so.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CHANGES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CHANGES_H

#include "analyzer/models/markov/blocks.h"

enum { MARKOV_CHANGES_MOST = 63, MARKOV_JOINED_LEAST = 16 };

struct markov_change_options {
  double level, tolerance; /* changes of at most the tolerance are none */
  uint64_t seed;
};

struct markov_change {
  uint64_t record;   /* the first one behind it, to one joined block */
  double p;          /* of the part of the run that it splits */
  double difference; /* between the parts before and behind it */
};

struct markov_changes {
  bool is_tested;                                 /* there are blocks enough */
  uint64_t length;                                /* records of a joined block */
  uint32_t blocks;                                /* joined ones */
  struct markov_change first;                     /* the largest one, whether or not it is one */
  struct markov_change list[MARKOV_CHANGES_MOST]; /* in the order of the run */
  uint32_t count;
  double smallest; /* the smallest difference of time, in the middle of the run, that would have been found */
};

/* False: no memory. */
bool markov_changes_find(const struct markov_blocks *blocks, const struct markov_change_options *options,
                         struct markov_changes *changes);

#endif
