/* Private to markov/: a tree grows test by test, of some parts of the run. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RULE_TREE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RULE_TREE_H

#include "analyzer/models/markov/rule_cases.h"

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

#endif
