/* Private to markov/: how often what came after each state, by parts of the run. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RULE_CASES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RULE_CASES_H

#include "analyzer/models/markov/rule.h"
#include "base/vector.h"

enum { MARKOV_RULE_CLASSES = 64 }; /* what can come next: the most frequent ones, and all others together */

struct markov_rule_cell {
  uint32_t state, class;
  uint64_t counts[MARKOV_RULE_PARTS], all;
};

struct markov_rule_cases {
  const struct pes_program *program;
  uint32_t states;
  const uint32_t **vectors;                     /* by state; NULL: an aggregate */
  VECTOR(struct markov_rule_cell) cells;        /* by state, then class */
  uint32_t classes, names[MARKOV_RULE_CLASSES]; /* names: the state or value of a class; PES_NONE: others */
  uint64_t parts[MARKOV_RULE_PARTS], all;       /* cases */
  uint32_t *offsets; /* by component: its first row among the values of all; PES_NONE: it is left out */
  bool *ordered;     /* by component: its values are numbers */
  uint32_t values, left_out;
};

/* False: an error; to be freed also then. */
bool markov_rule_cases_read(struct markov_rule_cases *cases, struct pes_stream *stream, uint32_t target,
                            struct error *error);
void markov_rule_cases_free(struct markov_rule_cases *cases);

#define MARKOV_RULE_ALL ((1u << MARKOV_RULE_PARTS) - 1) /* a bit for each part */

/* Of a cell, in these parts. */
static inline uint64_t markov_rule_count(const struct markov_rule_cell *cell, uint32_t parts)
{
  uint64_t count = 0;
  for (uint32_t i = 0; i < MARKOV_RULE_PARTS; i++)
    count += parts & 1u << i ? cell->counts[i] : 0;
  return count;
}

/* Was it foreseen? The others together are no foresight. */
static inline bool markov_rule_is_right(const struct markov_rule_cases *cases, uint32_t class, uint32_t foreseen)
{
  return class == foreseen && cases->names[class] != PES_NONE;
}

#endif
