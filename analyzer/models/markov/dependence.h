/*
 * Do the components of a sequence depend on each other? Mutual information of the values that two components have at
 * the same time, against rotations: one component's course is shifted in time against the other's, its end going on at
 * its begin. A rotation keeps what each does by itself and leaves nothing of what they do together. Components that
 * often change in the same record (in more than 1/20 of the records in which the one that changes less does) have a
 * common clock; they are rotated by whole records, because rotations by time would mix steps that never mix.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DEPENDENCE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DEPENDENCE_H

#include "analyzer/models/sequences/pes.h"

enum {
  MARKOV_COMPONENTS_MOST = 32,
  MARKOV_COMPONENT_VALUES = 64, /* of a component: further ones, those of least time, count as one */
  MARKOV_MOMENTS = 16384        /* equally far apart: rotations are of these */
};

struct markov_dependence_options {
  double level; /* of all pairs together: the probability of any p below it if no two depend on each other */
  uint64_t seed;
};

struct markov_pair {
  uint32_t first, second; /* components */
  double information;     /* bits, by the whole time */
  double chance;          /* bits: the mean of the rotations */
  double smallest;        /* bits beyond chance that would have been found with MARKOV_POWER (power.h); NAN: no test */
  double p;               /* of all pairs together; NAN: no test, one of them never changes */
};

struct markov_dependence {
  uint32_t components;
  double entropies[MARKOV_COMPONENTS_MOST]; /* bits, by the whole time */
  struct markov_pair *pairs;                /* 0 and 1, 0 and 2, ... */
  uint32_t pair_count, rotations;
};

/* Reads the stream several times. Errors: an aggregate, which has no components; too many components. NULL: an error.
 */
struct markov_dependence *markov_dependence_of(struct pes_stream *stream,
                                               const struct markov_dependence_options *options, struct error *error);
void markov_dependence_free(struct markov_dependence *dependence);

/* What is beyond chance: at least 0. */
double markov_pair_excess(const struct markov_pair *pair);

#endif
