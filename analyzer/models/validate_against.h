/* heddle validate --against: do two groups of runs behave the same? */
#ifndef HEDDLE_ANALYZER_MODELS_VALIDATE_AGAINST_H
#define HEDDLE_ANALYZER_MODELS_VALIDATE_AGAINST_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

struct validate_against {
  const char *const *paths; /* of the one group, then of the other */
  uint32_t counts[2];
  uint64_t top; /* figures that are printed */
  enum print_format format;
  struct markov_compare_options rules;
};

/* Prints the comparison. False: an error. */
bool validate_against(const struct validate_against *asked, struct error *error);

#endif
