/*
 * Dependence of the components of a sequence. The measure is the mutual information of two components' values at the
 * same time, compared with rotations. A rotation shifts one component's course in time against the other's; its end
 * continues at its begin. A rotation keeps each course and removes what they have in common. Components that often
 * change in the same record (in more than 1/20 of the records in which the rarer one changes) have a common clock. They
 * are rotated by whole records, because rotations by time would mix steps that never mix.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_DEPENDENCE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_DEPENDENCE_H

#include "analyzer/models/sequences/pes.h"

enum {
  MARKOV_COMPONENTS_MOST = 32,
  MARKOV_COMPONENT_VALUES = 64, /* of a component; the values with the least time count as one */
  MARKOV_MOMENTS = 16384        /* equally spaced moments, which are rotated */
};

struct markov_dependence_options {
  double level; /* of all pairs together: probability of any p below it if no two depend on each other */
  uint64_t seed;
};

struct markov_pair {
  uint32_t first, second; /* components */
  double information;     /* bits, by the whole time */
  double chance;          /* bits: mean of the rotations */
  double smallest;        /* bits beyond chance that are detected with MARKOV_POWER (statistics.h); NAN: no test */
  double p;               /* over all pairs; NAN: no test, because one of them never changes */
};

struct markov_dependence {
  uint32_t components;
  double entropies[MARKOV_COMPONENTS_MOST]; /* bits, by the whole time */
  struct markov_pair *pairs;                /* 0 and 1, 0 and 2, ... */
  uint32_t pair_count, rotations;
};

/*
 * Reads the stream several times. NULL: an error, such as an aggregate, which has no components, or too many
 * components.
 */
struct markov_dependence *markov_dependence_of(struct pes_stream *stream,
                                               const struct markov_dependence_options *options, struct error *error);
void markov_dependence_free(struct markov_dependence *dependence);

/* Returns the information beyond chance, at least 0. */
double markov_pair_excess(const struct markov_pair *pair);

#endif
