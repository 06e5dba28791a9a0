#include "analyzer/models/markov/rules.h"

#include "base/hash.h"
#include "base/vector.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts of the successors of each state, by parts of the run. */
enum { RULE_CLASSES = 64 }; /* successors: the most frequent ones, and all others as one */

struct rule_cell {
  uint32_t state, class;
  uint64_t counts[MARKOV_RULE_PARTS], all;
};

struct rule_cases {
  const struct pes_program *program;
  uint32_t states;
  const uint32_t **vectors;               /* by state; NULL: an aggregate */
  VECTOR(struct rule_cell) cells;         /* by state, then class */
  uint32_t classes, names[RULE_CLASSES];  /* names: the state or value of a class; PES_NONE: others */
  uint64_t parts[MARKOV_RULE_PARTS], all; /* cases */
  uint32_t *offsets; /* by component: its first row among the values of all; PES_NONE: not tested */
  bool *ordered;     /* by component: its values are numbers */
  uint32_t values, not_tested;
};

#define ALL_PARTS ((1u << MARKOV_RULE_PARTS) - 1) /* a bit for each part */

/* Returns the count of a cell in these parts. */
static uint64_t rule_count(const struct rule_cell *cell, uint32_t parts)
{
  uint64_t count = 0;
  for (uint32_t i = 0; i < MARKOV_RULE_PARTS; i++)
    count += parts & 1u << i ? cell->counts[i] : 0;
  return count;
}

/* True if the prediction is right. The class of all others predicts nothing. */
static bool rule_is_right(const struct rule_cases *cases, uint32_t class, uint32_t foreseen)
{
  return class == foreseen && cases->names[class] != PES_NONE;
}

/* A tree that grows test by test, made of some parts of the run. */

struct rule_split {
  struct markov_rule_test test;
  double gain; /* 0: there is none */
};

struct rule_tree {
  const struct rule_cases *cases;
  struct markov_rule_node nodes[MARKOV_RULE_NODES];
  struct rule_split best[MARKOV_RULE_NODES]; /* of the leaves */
  uint32_t count, *node_of;                  /* by state: its leaf */
  double *counts;                            /* by cell: in the parts of the tree */
  double *rows;                              /* by value and class: counts of a node */
};

enum { VALUES_MOST = 1024, ROWS_MOST = 16384 }; /* limits for a component, and for all */

struct rule_cases_reading {
  struct rule_cases *cases;
  struct pes_stream *stream;
  struct hash places; /* state << 32 | what came next -> its cell */
  uint32_t target;
  uint64_t records, number; /* of the run; of the present record */
  struct error *error;
};

static bool rule_cases_out_of_memory(struct rule_cases_reading *reading)
{
  return error_set(reading->error, "out of memory");
}

/* Reads once, with `take` for each record and the state of the next one. */
static bool rule_cases_walk(struct rule_cases_reading *reading,
                            bool (*take)(struct rule_cases_reading *reading, uint32_t state, uint32_t next))
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  uint32_t last = PES_NONE;
  size_t count = 1;
  bool good = records ? pes_rewind(reading->stream, reading->error) : rule_cases_out_of_memory(reading);
  reading->number = 0;
  while (good && count > 0) {
    good = pes_next(reading->stream, records, &count, reading->error);
    for (size_t i = 0; good && i < count; i++) {
      if (last != PES_NONE)
        good = take(reading, last, records[i].state);
      last = records[i].state;
      reading->number++;
    }
  }
  free(records);
  return good;
}

static bool count_only(struct rule_cases_reading *reading, uint32_t state, uint32_t next)
{
  (void)reading, (void)state, (void)next;
  return true;
}

static bool add_case(struct rule_cases_reading *reading, uint32_t state, uint32_t next)
{
  struct rule_cases *cases = reading->cases;
  uint32_t what = next;
  if (reading->target != PES_NONE) {
    const uint32_t *from = cases->vectors[state], *to = cases->vectors[next];
    if (!from || !to || from[reading->target] == to[reading->target])
      return true;
    what = to[reading->target];
  }
  uint64_t key = (uint64_t)state << 32 | what;
  uint64_t *place = hash_find(&reading->places, key);
  if (!place) {
    place = hash_add(&reading->places, key, cases->cells.count);
    struct rule_cell cell = {.state = state, .class = what};
    if (!place || !vector_push(&cases->cells, cell))
      return rule_cases_out_of_memory(reading);
  }
  struct rule_cell *cell = &cases->cells.items[*place];
  uint64_t part = (reading->number - 1) * MARKOV_RULE_PARTS / reading->records;
  cell->counts[part]++;
  cell->all++;
  cases->parts[part]++;
  cases->all++;
  return true;
}

static int compare_places(const void *left, const void *right)
{
  const struct rule_cell *a = left, *b = right;
  if (a->state != b->state)
    return a->state < b->state ? -1 : 1;
  return (a->class > b->class) - (a->class < b->class);
}

struct rule_cases_ranked {
  uint32_t what;
  uint64_t count;
};

static int compare_whats(const void *left, const void *right)
{
  const struct rule_cell *a = left, *b = right;
  return a->class != b->class ? (a->class > b->class) - (a->class < b->class)
                              : (a->state > b->state) - (a->state < b->state);
}

static int rule_cases_compare_ranked(const void *left, const void *right)
{
  const struct rule_cases_ranked *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return (a->what > b->what) - (a->what < b->what);
}

/* Numbers the successors as classes; 0 is the most frequent one. */
static bool make_classes(struct rule_cases *cases)
{
  VECTOR(struct rule_cases_ranked) ranked = {0};
  struct hash classes = {0};
  bool good = true;
  if (cases->cells.count > 0)
    qsort(cases->cells.items, cases->cells.count, sizeof *cases->cells.items, compare_whats);
  for (size_t i = 0; good && i < cases->cells.count; i++) {
    const struct rule_cell *cell = &cases->cells.items[i];
    if (ranked.count == 0 || ranked.items[ranked.count - 1].what != cell->class)
      good = vector_push(&ranked, ((struct rule_cases_ranked){cell->class, 0}));
    if (good)
      ranked.items[ranked.count - 1].count += cell->all;
  }
  if (ranked.count > 0)
    qsort(ranked.items, ranked.count, sizeof *ranked.items, rule_cases_compare_ranked);
  for (size_t i = 0; good && i < ranked.count; i++) {
    uint32_t class = i < RULE_CLASSES ? (uint32_t)i : RULE_CLASSES - 1;
    bool others = class == RULE_CLASSES - 1 && ranked.count > RULE_CLASSES;
    cases->names[class] = others ? PES_NONE : ranked.items[i].what;
    cases->classes = class + 1;
    good = hash_add(&classes, ranked.items[i].what, class);
  }
  for (size_t i = 0; good && i < cases->cells.count; i++)
    cases->cells.items[i].class = (uint32_t)*hash_find(&classes, cases->cells.items[i].class);
  if (good && cases->cells.count > 0)
    qsort(cases->cells.items, cases->cells.count, sizeof *cases->cells.items, compare_places);
  vector_free(&ranked);
  hash_free(&classes);
  return good;
}

static bool are_numbers(const struct pes_set *set)
{
  bool numbers = set->count > 2;
  for (uint32_t i = 0; numbers && i < set->count; i++)
    numbers = isdigit((unsigned char)set->values[i].name[0]);
  return numbers;
}

/* Makes rows for the values of the components, except of components that cannot decide anything. */
static bool make_rows(struct rule_cases *cases)
{
  const struct pes_program *program = cases->program;
  cases->offsets = calloc((size_t)program->component_count + 1, sizeof *cases->offsets);
  cases->ordered = calloc((size_t)program->component_count + 1, sizeof *cases->ordered);
  if (!cases->offsets || !cases->ordered)
    return false;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_set *set = &program->sets[program->components[i].set];
    cases->offsets[i] = PES_NONE;
    if (set->count > VALUES_MOST || cases->values + set->count > ROWS_MOST) {
      cases->not_tested++;
      continue;
    }
    cases->offsets[i] = cases->values;
    cases->ordered[i] = are_numbers(set);
    cases->values += set->count;
  }
  return true;
}

static bool find_vectors(struct rule_cases *cases, const struct pes_states *states)
{
  cases->states = pes_states_count(states);
  cases->vectors = calloc((size_t)cases->states + 1, sizeof *cases->vectors);
  for (uint32_t i = 0; cases->vectors && i < cases->states; i++)
    cases->vectors[i] = pes_state(states, i)->kind == PES_BASIC ? pes_state(states, i)->vector : NULL;
  return cases->vectors;
}

static bool rule_cases_read(struct rule_cases *cases, struct pes_stream *stream, uint32_t target, struct error *error)
{
  struct rule_cases_reading reading = {.cases = cases, .stream = stream, .target = target, .error = error};
  *cases = (struct rule_cases){.program = stream->program};
  bool good = rule_cases_walk(&reading, count_only);
  reading.records = reading.number;
  good = good && ((find_vectors(cases, stream->states) && make_rows(cases)) || rule_cases_out_of_memory(&reading));
  good = good && rule_cases_walk(&reading, add_case) && (make_classes(cases) || rule_cases_out_of_memory(&reading));
  hash_free(&reading.places);
  return good;
}

static void rule_cases_free(struct rule_cases *cases)
{
  free(cases->vectors);
  vector_free(&cases->cells);
  free(cases->offsets);
  free(cases->ordered);
}

#define LEAF_LEAST 10. /* cases of a rule */

struct sums {
  double counts[RULE_CLASSES], all;
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
static void count_leaf(struct rule_tree *tree, uint32_t node, struct sums *sums)
{
  const struct rule_cases *cases = tree->cases;
  uint32_t components = cases->program->component_count, classes = cases->classes;
  memset(tree->rows, 0, (size_t)cases->values * classes * sizeof *tree->rows);
  *sums = (struct sums){.all = 0};
  for (size_t i = 0; i < cases->cells.count; i++) {
    const struct rule_cell *cell = &cases->cells.items[i];
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

static void try_split(struct rule_split *best, const struct sums *sums, const double *yes, uint32_t classes,
                      struct markov_rule_test test)
{
  double no[RULE_CLASSES], all = sum_of(yes, classes);
  if (all < LEAF_LEAST || sums->all - all < LEAF_LEAST)
    return;
  for (uint32_t k = 0; k < classes; k++)
    no[k] = sums->counts[k] - yes[k];
  double gain =
      purity(yes, all, classes) + purity(no, sums->all - all, classes) - purity(sums->counts, sums->all, classes);
  if (gain > best->gain + 1e-9 * sums->all)
    *best = (struct rule_split){test, gain};
}

static struct rule_split find_split(const struct rule_tree *tree, const struct sums *sums)
{
  const struct rule_cases *cases = tree->cases;
  struct rule_split best = {.gain = 0};
  uint32_t classes = cases->classes;
  for (uint32_t c = 0; c < cases->program->component_count; c++) {
    uint32_t values = cases->program->sets[cases->program->components[c].set].count;
    double upper[RULE_CLASSES] = {0};
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

static void make_leaf(struct rule_tree *tree, uint32_t node)
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

static bool rule_tree_begin(struct rule_tree *tree, const struct rule_cases *cases, uint32_t parts)
{
  *tree = (struct rule_tree){.cases = cases, .count = 1};
  tree->node_of = calloc((size_t)cases->states + 1, sizeof *tree->node_of);
  tree->rows = calloc((size_t)cases->values * cases->classes + 1, sizeof *tree->rows);
  tree->counts = calloc(cases->cells.count + 1, sizeof *tree->counts);
  if (!tree->node_of || !tree->rows || !tree->counts)
    return false;
  for (size_t i = 0; i < cases->cells.count; i++)
    tree->counts[i] = (double)rule_count(&cases->cells.items[i], parts);
  make_leaf(tree, 0);
  return true;
}

static void rule_tree_free(struct rule_tree *tree)
{
  free(tree->node_of);
  free(tree->rows);
  free(tree->counts);
}

static bool says_yes(const struct markov_rule_test *test, const uint32_t *vector)
{
  return vector && (test->at_least ? vector[test->component] >= test->value : vector[test->component] == test->value);
}

static bool rule_tree_grow(struct rule_tree *tree)
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

static uint64_t rule_tree_wrong(const struct rule_tree *tree, uint32_t part)
{
  const struct rule_cases *cases = tree->cases;
  uint64_t wrong = 0;
  for (size_t i = 0; i < cases->cells.count; i++) {
    const struct rule_cell *cell = &cases->cells.items[i];
    if (!rule_is_right(cases, cell->class, tree->nodes[tree->node_of[cell->state]].next))
      wrong += cell->counts[part];
  }
  return wrong;
}

enum { STATES_MOST = 1 << 16 }; /* limit of states with a table in the first-order model */
#define RULES_LEVEL 0.05        /* of rules where none is better than none */

struct rules_finding {
  struct rule_cases cases;
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
  struct rule_tree tree;
  bool good = rule_tree_begin(&tree, &finding->cases, parts & ~(1u << held_out));
  for (uint32_t size = 0; good && size < MARKOV_RULES_MOST; size++) {
    if (size > 0 && rule_tree_grow(&tree) && errors->sizes <= size)
      errors->sizes = size + 1;
    errors->wrong[size] += (double)rule_tree_wrong(&tree, held_out);
  }
  errors->cases += (double)finding->cases.parts[held_out];
  rule_tree_free(&tree);
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

static bool grow(struct rule_tree *tree, const struct rules_finding *finding, uint32_t parts, uint32_t steps)
{
  bool good = rule_tree_begin(tree, &finding->cases, parts);
  for (uint32_t i = 0; good && i < steps; i++)
    rule_tree_grow(tree);
  return good;
}

/* Sign test: the probability of such a sum if the sign of the gain were random in each part. Parts may differ much. */
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

/* Tests rules made of these parts alone: do they predict the other parts better than no rules? */
static bool test_on_others(const struct rules_finding *finding, uint32_t parts, double *p)
{
  struct rule_tree tree = {0}, none = {0};
  struct errors errors;
  double gains[MARKOV_RULE_PARTS];
  uint32_t count = 0;
  bool good = cross_validate(finding, parts, &errors);
  uint32_t steps = good ? rules_choose(&errors) : 0;
  good = good && grow(&tree, finding, parts, steps) && grow(&none, finding, parts, 0);
  for (uint32_t i = 0; good && i < MARKOV_RULE_PARTS; i++) {
    if (!(parts & 1u << i))
      gains[count++] = (double)rule_tree_wrong(&none, i) - (double)rule_tree_wrong(&tree, i);
  }
  *p = good ? rules_chance_of(gains, count) : 1;
  rule_tree_free(&tree);
  rule_tree_free(&none);
  return good;
}

/* Each part is learnt from and tested in turn, because a test needs parts that the rules were not made of. */
static bool rules_decide(struct rules_finding *finding)
{
  struct markov_rules *rules = finding->rules;
  const uint32_t even = ALL_PARTS / 3;
  struct errors errors;
  double p[2];
  if (!cross_validate(finding, ALL_PARTS, &errors) || !test_on_others(finding, even, &p[0]) ||
      !test_on_others(finding, ALL_PARTS & ~even, &p[1]))
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
  struct rule_tree tree;
  bool good = grow(&tree, finding, ALL_PARTS, rules->rules - 1);
  for (uint32_t i = 0; good && i < tree.count; i++) {
    rules->nodes[i] = tree.nodes[i];
    rules->nodes[i].next = finding->cases.names[tree.nodes[i].next];
  }
  rules->count = tree.count;
  rule_tree_free(&tree);
  return good;
}

/* Rows of cases, such as those with one value of a component, and their most frequent successor. */
struct rows {
  const struct rule_cases *cases;
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

/* Errors on each part of predicting the most frequent successor of the row, or of all cases if the row is new. */
static double error_of_rows(const struct rows *rows, size_t count)
{
  const struct rule_cases *cases = rows->cases;
  uint32_t classes = cases->classes;
  double wrong = 0;
  for (uint32_t held_out = 0; held_out < MARKOV_RULE_PARTS; held_out++) {
    double all[RULE_CLASSES] = {0};
    for (size_t i = 0; i < count * classes; i++)
      rows->counts[i] = 0;
    for (size_t i = 0; i < cases->cells.count; i++) {
      const struct rule_cell *cell = &cases->cells.items[i];
      double seen = (double)(cell->all - cell->counts[held_out]);
      rows->counts[row_of(rows, cell->state) * classes + cell->class] += seen;
      all[cell->class] += seen;
    }
    uint32_t anywhere = most_of(all, classes);
    for (size_t i = 0; i < cases->cells.count; i++) {
      const struct rule_cell *cell = &cases->cells.items[i];
      const double *own = &rows->counts[row_of(rows, cell->state) * classes];
      uint32_t most = most_of(own, classes);
      if (!rule_is_right(cases, cell->class, own[most] > 0 ? most : anywhere))
        wrong += (double)cell->counts[held_out];
    }
  }
  return rules_part(wrong, (double)cases->all);
}

static bool find_error_of(const struct rule_cases *cases, uint32_t component, size_t count, double *error)
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
  const struct rule_cases *cases = &finding->cases;
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
  rules->not_tested = finding->cases.not_tested;
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
  good = good && rule_cases_read(&finding.cases, stream, target, error) &&
         (rules_find(&finding) || error_set(error, "out of memory"));
  rule_cases_free(&finding.cases);
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
