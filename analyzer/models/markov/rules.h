/*
 * Rules of the next state: a decision tree of few tests of single components ("lock q is free"). The leaves are the
 * rules, and the tree has its error on held-out parts of the run. docs/models.md has the method. Memory grows with
 * distinct transitions, each with a count a part, never with records.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RULES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RULES_H

#include "analyzer/models/sequences/pes.h"

enum {
  MARKOV_RULES_MOST = 16,
  MARKOV_RULE_NODES = 2 * MARKOV_RULES_MOST - 1,
  MARKOV_RULE_PARTS = 20, /* parts of the run; each is held out once */
  MARKOV_RULE_LEAST = 200 /* cases that a result needs */
};

struct markov_rule_test {
  uint32_t component, value;
  bool at_least; /* true: this value or a later one; false: exactly this value */
};

struct markov_rule_node {
  struct markov_rule_test test;
  uint32_t yes, no;      /* child nodes; 0: a leaf, which is a rule */
  uint32_t next;         /* most frequent successor */
  uint64_t cases, right; /* cases: in the whole run; right: cases followed by `next` */
};

struct markov_rules {
  uint32_t target; /* predicted component, at each of its changes; PES_NONE: the next state is predicted */
  uint64_t cases;
  bool is_tested;                                   /* there are enough cases */
  bool is_better;                                   /* better than always predicting the most frequent successor */
  struct markov_rule_node nodes[MARKOV_RULE_NODES]; /* node 0 is the root */
  uint32_t count;                                   /* number of nodes; 1: no rule is better */
  uint32_t sizes;                                   /* number of tree sizes that were grown */
  double errors[MARKOV_RULES_MOST]; /* held-out errors of trees with 1, 2, ... rules; the first has no test */
  uint32_t rules;                   /* of the chosen tree */
  double error_of_state; /* held-out error if the whole present state is known, as in a model of first order; NAN: too
                            many states */
  double *errors_alone;  /* held-out error by component, if only this one is known; NAN: not tested */
  uint32_t components, not_tested; /* not_tested: components with too many values, which are not tested */
};

/* Finds the rules of a sequence, which is read twice. `target`: as in struct markov_rules. NULL: an error. */
struct markov_rules *markov_rules_find(struct pes_stream *stream, uint32_t target, struct error *error);
void markov_rules_free(struct markov_rules *rules);

#endif
