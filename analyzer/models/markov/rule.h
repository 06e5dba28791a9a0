/*
 * Which component of the present state decides what comes next? A tree of few tests of single components ("lock q is
 * free"), whose leaves are the rules, with its error on parts of the run that it was not made of. docs/models.md has
 * the method. Nothing is kept of single records: memory grows with the distinct transitions, each with a count a part.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RULE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RULE_H

#include "analyzer/models/sequences/pes.h"

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

#endif
