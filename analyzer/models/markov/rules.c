#include "analyzer/models/markov/rules.h"

#include "analyzer/models/markov/rule_tree.h"

#include <math.h>
#include <stdlib.h>

enum { STATES_MOST = 1 << 16 }; /* of which a model of first order has a table here */
#define RULES_LEVEL 0.05        /* of rules where none is better than none */

struct rules_finding {
  struct markov_rule_cases cases;
  struct markov_rules *rules;
};

/* Errors on parts that were held out, of trees of all sizes. */
struct errors {
  double wrong[MARKOV_RULES_MOST], cases;
  uint32_t sizes; /* of trees that could grow */
};

static double rules_part(double of, double all)
{
  return all > 0 ? of / all : 0;
}

static bool hold_out(const struct rules_finding *finding, uint32_t parts, uint32_t held_out, struct errors *errors)
{
  struct markov_rule_tree tree;
  bool good = markov_rule_tree_begin(&tree, &finding->cases, parts & ~(1u << held_out));
  for (uint32_t size = 0; good && size < MARKOV_RULES_MOST; size++) {
    if (size > 0 && markov_rule_tree_grow(&tree) && errors->sizes <= size)
      errors->sizes = size + 1;
    errors->wrong[size] += (double)markov_rule_tree_wrong(&tree, held_out);
  }
  errors->cases += (double)finding->cases.parts[held_out];
  markov_rule_tree_free(&tree);
  return good;
}

/* Holds out each of these parts, and makes trees of the others of them. */
static bool cross_validate(const struct rules_finding *finding, uint32_t parts, struct errors *errors)
{
  bool good = true;
  *errors = (struct errors){.sizes = 1};
  for (uint32_t i = 0; good && i < MARKOV_RULE_PARTS; i++) {
    if (parts & 1u << i)
      good = hold_out(finding, parts, i, errors);
  }
  return good;
}

/* The smallest tree that is at most one standard error worse than the best one (Breiman et al. 1984): its size - 1. */
static uint32_t rules_choose(const struct errors *errors)
{
  uint32_t best = 0, chosen = 0;
  for (uint32_t size = 1; size < errors->sizes; size++)
    best = errors->wrong[size] < errors->wrong[best] ? size : best;
  double rate = rules_part(errors->wrong[best], errors->cases), error = sqrt(rate * (1 - rate) * errors->cases);
  while (errors->wrong[chosen] > errors->wrong[best] + error)
    chosen++;
  return chosen;
}

static bool grow(struct markov_rule_tree *tree, const struct rules_finding *finding, uint32_t parts, uint32_t steps)
{
  bool good = markov_rule_tree_begin(tree, &finding->cases, parts);
  for (uint32_t i = 0; good && i < steps; i++)
    markov_rule_tree_grow(tree);
  return good;
}

/* Had the sign of the gain come by chance in each part, how often would the sum be as large? Parts may differ much. */
static double rules_chance_of(const double *gains, uint32_t count)
{
  double observed = 0;
  uint32_t as_far = 0, all = 1u << count;
  for (uint32_t i = 0; i < count; i++)
    observed += gains[i];
  for (uint32_t signs = 0; signs < all; signs++) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
      sum += signs & 1u << i ? -gains[i] : gains[i];
    as_far += sum >= observed - 1e-9;
  }
  return (double)as_far / all;
}

/* Rules that are made of these parts alone, also their number: are they better than none in the other parts? */
static bool test_on_others(const struct rules_finding *finding, uint32_t parts, double *p)
{
  struct markov_rule_tree tree = {0}, none = {0};
  struct errors errors;
  double gains[MARKOV_RULE_PARTS];
  uint32_t count = 0;
  bool good = cross_validate(finding, parts, &errors);
  uint32_t steps = good ? rules_choose(&errors) : 0;
  good = good && grow(&tree, finding, parts, steps) && grow(&none, finding, parts, 0);
  for (uint32_t i = 0; good && i < MARKOV_RULE_PARTS; i++) {
    if (!(parts & 1u << i))
      gains[count++] = (double)markov_rule_tree_wrong(&none, i) - (double)markov_rule_tree_wrong(&tree, i);
  }
  *p = good ? rules_chance_of(gains, count) : 1;
  markov_rule_tree_free(&tree);
  markov_rule_tree_free(&none);
  return good;
}

/* The parts are learnt from and tested in turn: a test may not know what the rules were made of. */
static bool rules_decide(struct rules_finding *finding)
{
  struct markov_rules *rules = finding->rules;
  const uint32_t even = MARKOV_RULE_ALL / 3;
  struct errors errors;
  double p[2];
  if (!cross_validate(finding, MARKOV_RULE_ALL, &errors) || !test_on_others(finding, even, &p[0]) ||
      !test_on_others(finding, MARKOV_RULE_ALL & ~even, &p[1]))
    return false;
  for (uint32_t size = 0; size < MARKOV_RULES_MOST; size++)
    rules->errors[size] = rules_part(errors.wrong[size], errors.cases);
  rules->sizes = errors.sizes;
  rules->rules = rules_choose(&errors) + 1;
  rules->is_better = rules->rules > 1 && 2 * fmin(p[0], p[1]) <= RULES_LEVEL;
  rules->rules = rules->is_better ? rules->rules : 1;
  return true;
}

static bool make_tree(struct rules_finding *finding)
{
  struct markov_rules *rules = finding->rules;
  struct markov_rule_tree tree;
  bool good = grow(&tree, finding, MARKOV_RULE_ALL, rules->rules - 1);
  for (uint32_t i = 0; good && i < tree.count; i++) {
    rules->nodes[i] = tree.nodes[i];
    rules->nodes[i].next = finding->cases.names[tree.nodes[i].next];
  }
  rules->count = tree.count;
  markov_rule_tree_free(&tree);
  return good;
}

/* Rows of cases, such as those with one value of a component: what is most frequent in each of them. */
struct rows {
  const struct markov_rule_cases *cases;
  uint32_t component; /* PES_NONE: a row is a state */
  double *counts;
};

static size_t row_of(const struct rows *rows, uint32_t state)
{
  if (rows->component == PES_NONE)
    return state;
  const uint32_t *vector = rows->cases->vectors[state];
  return vector ? 1 + vector[rows->component] : 0;
}

static uint32_t most_of(const double *counts, uint32_t classes)
{
  uint32_t most = 0;
  for (uint32_t k = 1; k < classes; k++)
    most = counts[k] > counts[most] ? k : most;
  return most;
}

/* Errors on each part of foreseeing what is most frequent in the row, or anywhere, if the row is new. */
static double error_of_rows(const struct rows *rows, size_t count)
{
  const struct markov_rule_cases *cases = rows->cases;
  uint32_t classes = cases->classes;
  double wrong = 0;
  for (uint32_t held_out = 0; held_out < MARKOV_RULE_PARTS; held_out++) {
    double all[MARKOV_RULE_CLASSES] = {0};
    for (size_t i = 0; i < count * classes; i++)
      rows->counts[i] = 0;
    for (size_t i = 0; i < cases->cells.count; i++) {
      const struct markov_rule_cell *cell = &cases->cells.items[i];
      double seen = (double)(cell->all - cell->counts[held_out]);
      rows->counts[row_of(rows, cell->state) * classes + cell->class] += seen;
      all[cell->class] += seen;
    }
    uint32_t anywhere = most_of(all, classes);
    for (size_t i = 0; i < cases->cells.count; i++) {
      const struct markov_rule_cell *cell = &cases->cells.items[i];
      const double *own = &rows->counts[row_of(rows, cell->state) * classes];
      uint32_t most = most_of(own, classes);
      if (!markov_rule_is_right(cases, cell->class, own[most] > 0 ? most : anywhere))
        wrong += (double)cell->counts[held_out];
    }
  }
  return rules_part(wrong, (double)cases->all);
}

static bool find_error_of(const struct markov_rule_cases *cases, uint32_t component, size_t count, double *error)
{
  struct rows rows = {.cases = cases, .component = component};
  rows.counts = calloc(count * cases->classes + 1, sizeof *rows.counts);
  bool good = rows.counts;
  if (good)
    *error = error_of_rows(&rows, count);
  free(rows.counts);
  return good;
}

static bool find_errors_alone(struct rules_finding *finding)
{
  const struct markov_rule_cases *cases = &finding->cases;
  struct markov_rules *rules = finding->rules;
  rules->error_of_state = NAN;
  bool good = cases->states > STATES_MOST || find_error_of(cases, PES_NONE, cases->states, &rules->error_of_state);
  for (uint32_t i = 0; good && i < rules->components; i++) {
    rules->errors_alone[i] = NAN;
    size_t values = cases->program->sets[cases->program->components[i].set].count;
    if (cases->offsets[i] != PES_NONE)
      good = find_error_of(cases, i, values + 1, &rules->errors_alone[i]);
  }
  return good;
}

static bool rules_find(struct rules_finding *finding)
{
  struct markov_rules *rules = finding->rules;
  rules->cases = finding->cases.all;
  rules->left_out = finding->cases.left_out;
  rules->is_tested = rules->cases >= MARKOV_RULE_LEAST;
  rules->rules = rules->sizes = 1;
  for (uint32_t i = 0; i < MARKOV_RULE_PARTS; i++)
    rules->is_tested &= finding->cases.parts[i] > 0;
  if (!rules->is_tested)
    return true;
  return rules_decide(finding) && make_tree(finding) && find_errors_alone(finding);
}

struct markov_rules *markov_rules_find(struct pes_stream *stream, uint32_t target, struct error *error)
{
  struct rules_finding finding = {.rules = calloc(1, sizeof(struct markov_rules))};
  uint32_t components = stream->program->component_count;
  bool good = finding.rules;
  if (good) {
    *finding.rules = (struct markov_rules){.target = target, .components = components};
    finding.rules->errors_alone = calloc((size_t)components + 1, sizeof *finding.rules->errors_alone);
    good = finding.rules->errors_alone;
  }
  if (!good)
    error_set(error, "out of memory");
  good = good && markov_rule_cases_read(&finding.cases, stream, target, error) &&
         (rules_find(&finding) || error_set(error, "out of memory"));
  markov_rule_cases_free(&finding.cases);
  if (good)
    return finding.rules;
  markov_rules_free(finding.rules);
  return NULL;
}

void markov_rules_free(struct markov_rules *rules)
{
  if (rules)
    free(rules->errors_alone);
  free(rules);
}
