/* Output of heddle validate: sentences on the uses of a model, and the comparison of two groups of runs. */
#ifndef HEDDLE_ANALYZER_MODELS_VALIDATE_SHOW_H
#define HEDDLE_ANALYZER_MODELS_VALIDATE_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* Prints the verdict. A use of a series gets a yes if all its phases do. */
void validate_show_verdict(struct print *print, const struct markov_series *series,
                           const struct markov_comparison *comparison);

/* Comparison of two groups of runs, for heddle validate --against. */

struct validate_against {
  const char *const *paths; /* paths of the first group, then of the second */
  uint32_t counts[2];
  uint64_t top; /* printed figures */
  enum print_format format;
  struct markov_compare_options rules;
};

/* Prints the comparison. False: an error. */
bool validate_against(const struct validate_against *asked, struct error *error);

#endif
