/* What a validation says of the uses of a model, in sentences. */
#ifndef HEDDLE_ANALYZER_MODELS_VALIDATE_SHOW_H
#define HEDDLE_ANALYZER_MODELS_VALIDATE_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* A use of a series gets a yes if all its phases do. */
void validate_show_verdict(struct print *print, const struct markov_series *series,
                           const struct markov_comparison *comparison);

/* heddle validate --against: do two groups of runs behave the same? */

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
