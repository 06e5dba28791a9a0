#include "analyzer/models/markov/rule_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAF_LEAST 10. /* cases of a rule */

struct sums {
  double counts[MARKOV_RULE_CLASSES], all;
};

/* Sum of squares over the sum: larger, the purer the cases are. */
static double purity(const double *counts, double all, uint32_t classes)
{
  double squares = 0;
  for (uint32_t k = 0; k < classes; k++)
    squares += counts[k] * counts[k];
  return all > 0 ? squares / all : 0;
}

static double sum_of(const double *counts, uint32_t classes)
{
  double sum = 0;
  for (uint32_t k = 0; k < classes; k++)
    sum += counts[k];
  return sum;
}

/* Counts the cases of a leaf, in all and by the values of each component. */
static void count_leaf(struct markov_rule_tree *tree, uint32_t node, struct sums *sums)
{
  const struct markov_rule_cases *cases = tree->cases;
  uint32_t components = cases->program->component_count, classes = cases->classes;
  memset(tree->rows, 0, (size_t)cases->values * classes * sizeof *tree->rows);
  *sums = (struct sums){.all = 0};
  for (size_t i = 0; i < cases->cells.count; i++) {
    const struct markov_rule_cell *cell = &cases->cells.items[i];
    if (tree->node_of[cell->state] != node)
      continue;
    double count = tree->counts[i];
    const uint32_t *vector = cases->vectors[cell->state];
    sums->counts[cell->class] += count;
    sums->all += count;
    for (uint32_t c = 0; vector && c < components; c++) {
      if (cases->offsets[c] != PES_NONE)
        tree->rows[((size_t)cases->offsets[c] + vector[c]) * classes + cell->class] += count;
    }
  }
}

static void try_split(struct markov_rule_split *best, const struct sums *sums, const double *yes, uint32_t classes,
                      struct markov_rule_test test)
{
  double no[MARKOV_RULE_CLASSES], all = sum_of(yes, classes);
  if (all < LEAF_LEAST || sums->all - all < LEAF_LEAST)
    return;
  for (uint32_t k = 0; k < classes; k++)
    no[k] = sums->counts[k] - yes[k];
  double gain =
      purity(yes, all, classes) + purity(no, sums->all - all, classes) - purity(sums->counts, sums->all, classes);
  if (gain > best->gain + 1e-9 * sums->all)
    *best = (struct markov_rule_split){test, gain};
}

static struct markov_rule_split find_split(const struct markov_rule_tree *tree, const struct sums *sums)
{
  const struct markov_rule_cases *cases = tree->cases;
  struct markov_rule_split best = {.gain = 0};
  uint32_t classes = cases->classes;
  for (uint32_t c = 0; c < cases->program->component_count; c++) {
    uint32_t values = cases->program->sets[cases->program->components[c].set].count;
    double upper[MARKOV_RULE_CLASSES] = {0};
    for (uint32_t v = values; cases->offsets[c] != PES_NONE && v-- > 0;) {
      const double *row = &tree->rows[((size_t)cases->offsets[c] + v) * classes];
      try_split(&best, sums, row, classes, (struct markov_rule_test){c, v, false});
      for (uint32_t k = 0; cases->ordered[c] && k < classes; k++)
        upper[k] += row[k];
      if (cases->ordered[c] && v > 0 && v + 1 < values)
        try_split(&best, sums, upper, classes, (struct markov_rule_test){c, v, true});
    }
  }
  return best;
}

static void make_leaf(struct markov_rule_tree *tree, uint32_t node)
{
  struct sums sums;
  count_leaf(tree, node, &sums);
  uint32_t most = 0;
  for (uint32_t k = 1; k < tree->cases->classes; k++)
    most = sums.counts[k] > sums.counts[most] ? k : most;
  tree->nodes[node] =
      (struct markov_rule_node){.next = most, .cases = (uint64_t)sums.all, .right = (uint64_t)sums.counts[most]};
  tree->best[node] = find_split(tree, &sums);
}

bool markov_rule_tree_begin(struct markov_rule_tree *tree, const struct markov_rule_cases *cases, uint32_t parts)
{
  *tree = (struct markov_rule_tree){.cases = cases, .count = 1};
  tree->node_of = calloc((size_t)cases->states + 1, sizeof *tree->node_of);
  tree->rows = calloc((size_t)cases->values * cases->classes + 1, sizeof *tree->rows);
  tree->counts = calloc(cases->cells.count + 1, sizeof *tree->counts);
  if (!tree->node_of || !tree->rows || !tree->counts)
    return false;
  for (size_t i = 0; i < cases->cells.count; i++)
    tree->counts[i] = (double)markov_rule_count(&cases->cells.items[i], parts);
  make_leaf(tree, 0);
  return true;
}

void markov_rule_tree_free(struct markov_rule_tree *tree)
{
  free(tree->node_of);
  free(tree->rows);
  free(tree->counts);
}

static bool says_yes(const struct markov_rule_test *test, const uint32_t *vector)
{
  return vector && (test->at_least ? vector[test->component] >= test->value : vector[test->component] == test->value);
}

bool markov_rule_tree_grow(struct markov_rule_tree *tree)
{
  uint32_t node = 0;
  for (uint32_t i = 1; i < tree->count; i++)
    node = tree->best[i].gain > tree->best[node].gain ? i : node;
  if (tree->best[node].gain <= 0 || tree->count + 2 > MARKOV_RULE_NODES)
    return false;
  struct markov_rule_node *own = &tree->nodes[node];
  own->test = tree->best[node].test;
  own->yes = tree->count++;
  own->no = tree->count++;
  tree->best[node].gain = 0;
  for (uint32_t s = 0; s < tree->cases->states; s++) {
    if (tree->node_of[s] == node)
      tree->node_of[s] = says_yes(&own->test, tree->cases->vectors[s]) ? own->yes : own->no;
  }
  make_leaf(tree, own->yes);
  make_leaf(tree, own->no);
  return true;
}

uint64_t markov_rule_tree_wrong(const struct markov_rule_tree *tree, uint32_t part)
{
  const struct markov_rule_cases *cases = tree->cases;
  uint64_t wrong = 0;
  for (size_t i = 0; i < cases->cells.count; i++) {
    const struct markov_rule_cell *cell = &cases->cells.items[i];
    if (!markov_rule_is_right(cases, cell->class, tree->nodes[tree->node_of[cell->state]].next))
      wrong += cell->counts[part];
  }
  return wrong;
}
