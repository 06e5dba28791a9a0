/*
 * Which component of the present state decides what comes next? A tree of few tests of single components ("lock q is
 * free"), whose leaves are the rules, with its error on parts of the run that it was not made of. docs/models.md has
 * the method. Nothing is kept of single records: memory grows with the distinct transitions, each with a count a part.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RULES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RULES_H

#include "analyzer/models/sequences/pes.h"
#include "base/vector.h"

enum {
  MARKOV_RULES_MOST = 16,
  MARKOV_RULE_NODES = 2 * MARKOV_RULES_MOST - 1,
  MARKOV_RULE_PARTS = 20, /* of the run; each is held out once */
  MARKOV_RULE_LEAST = 200 /* cases: with fewer, there are too few to say */
};

struct markov_rule_test {
  uint32_t component, value;
  bool at_least; /* the component has this value or a later one; else: exactly this one */
};

struct markov_rule_node {
  struct markov_rule_test test;
  uint32_t yes, no;      /* the nodes behind the test; 0: a leaf, which is a rule */
  uint32_t next;         /* what most often comes next */
  uint64_t cases, right; /* in all of the run; right: how often `next` came */
};

struct markov_rules {
  uint32_t target; /* the component whose new value is foreseen, whenever it changes; PES_NONE: the next state */
  uint64_t cases;
  bool is_tested;                                   /* there are cases enough */
  bool is_better;                                   /* ... than always foreseeing what is most frequent */
  struct markov_rule_node nodes[MARKOV_RULE_NODES]; /* the first one is the root */
  uint32_t count;                                   /* of nodes; 1: no rule is better */
  uint32_t sizes;                                   /* of trees that could grow */
  double errors[MARKOV_RULES_MOST]; /* held out, of trees with 1, 2, ... rules; the first one has no test */
  uint32_t rules;                   /* of the tree that was chosen */
  double error_of_state;         /* held out, if the whole present state is known, as a model of first order does; NAN:
                                    too many states */
  double *errors_alone;          /* held out, by component, if this one alone is known; NAN: left out */
  uint32_t components, left_out; /* left out: components with too many values */
};

/* Private to markov/: how often what came after each state, by parts of the run. */

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

/* Private to markov/: a tree grows test by test, of some parts of the run. */

struct markov_rule_split {
  struct markov_rule_test test;
  double gain; /* 0: there is none */
};

struct markov_rule_tree {
  const struct markov_rule_cases *cases;
  struct markov_rule_node nodes[MARKOV_RULE_NODES];
  struct markov_rule_split best[MARKOV_RULE_NODES]; /* of the leaves */
  uint32_t count, *node_of;                         /* by state: its leaf */
  double *counts;                                   /* by cell: in the parts that it is made of */
  double *rows;                                     /* by value and class: counts of a node */
};

/* A tree of a single leaf; `parts` has a bit for each part. False: no memory; to be freed also then. */
bool markov_rule_tree_begin(struct markov_rule_tree *tree, const struct markov_rule_cases *cases, uint32_t parts);
void markov_rule_tree_free(struct markov_rule_tree *tree);

/* Adds the test that makes the cases behind it purest (Gini). False: there is none. */
bool markov_rule_tree_grow(struct markov_rule_tree *tree);

/* Wrong ones among the cases of one part. */
uint64_t markov_rule_tree_wrong(const struct markov_rule_tree *tree, uint32_t part);

/* Finds rules of the next state in a sequence. */

/* Reads the stream twice. NULL: an error. */
struct markov_rules *markov_rules_find(struct pes_stream *stream, uint32_t target, struct error *error);
void markov_rules_free(struct markov_rules *rules);

#endif
