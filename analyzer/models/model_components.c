#include "analyzer/models/model_components.h"

#include "analyzer/models/markov/markov.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_input.h"
#include "analyzer/models/transforms/transforms.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05

/* Models to show; a view is of one component's model. */
struct model_components_shown {
  const struct pes_program *program;
  struct markov_model *models[MARKOV_COMPONENTS_MOST];
  struct model_view views[MARKOV_COMPONENTS_MOST];
  struct markov_dependence *dependence;
};

static const char *model_components_name_of(const struct model_components_shown *shown, uint32_t component)
{
  return shown->program->components[component].name;
}

/* Makes the model of one component from the sequence of its values. */
static struct markov_model *model_one(struct pes_stream *stream, uint32_t component, const struct markov_options *rules,
                                      struct error *error)
{
  char number[16];
  snprintf(number, sizeof number, "%u", component);
  struct transforms *list = transforms_create();
  bool good = list ? transforms_add(list, "project", number, error) : error_set(error, "out of memory");
  struct pes_stream *whole = good ? markov_slice(stream, 0, UINT64_MAX, error) : NULL; /* leaves the stream open */
  struct pes_stream *projected = whole ? transforms_open(list, 1, whole, error) : NULL;
  struct markov_model *model = projected ? markov_model_of(projected, rules, error) : NULL;
  pes_close(projected);
  transforms_free(list);
  return model;
}

static bool model_all(struct model_components_shown *shown, struct pes_stream *stream,
                      const struct markov_options *rules, struct error *error)
{
  bool good = true;
  for (uint32_t i = 0; good && i < shown->dependence->components; i++) {
    shown->models[i] = model_one(stream, i, rules, error);
    struct markov_series one = {.models = {shown->models[i]}, .count = 1};
    good =
        shown->models[i] && (model_views_open(&shown->views[i], &one, PRINT_TEXT) || error_set(error, "out of memory"));
  }
  return good;
}

static void model_components_put_components(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {
      {"component", "Component", PRINT_STRING, false}, {"records", "Records", PRINT_COUNT, false},
      {"states", "States", PRINT_COUNT, false},        {"entropy", "Entropy (bits)", PRINT_PROBABILITY, false},
      {"cycle", "Mean cycle", PRINT_MEAN, true},       {"cycle_state", "from and to", PRINT_STRING, true}};
  print_table(print, "components", "Components", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < shown->dependence->components; i++) {
    const struct model_view *view = &shown->views[i];
    const struct markov_class *main_class = &view->chain->classes[view->chain->main_class];
    struct print_cell cells[] = {print_string(model_components_name_of(shown, i)),
                                 print_number(view->model->records),
                                 print_number(view->chain->used),
                                 print_real(shown->dependence->entropies[i]),
                                 print_finite(main_class->cycle),
                                 print_string(view->names[main_class->reference])};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void model_components_put_states(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {{"component", "Component", PRINT_STRING, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"visits", "Visits", PRINT_COUNT, false},
                                                {"total", "Total", PRINT_SHARE, false},
                                                {"mean", "Mean", PRINT_MEAN, true},
                                                {"stationary", "Stationary", PRINT_PROBABILITY, false},
                                                {"longrun", "Long-run", PRINT_PROBABILITY, false}};
  print_table(print, "states", "States", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < shown->dependence->components; i++) {
    const struct model_view *view = &shown->views[i];
    for (uint32_t k = 0; k < view->model->count; k++) {
      const struct markov_distribution *occupancy = &view->model->list[k].occupancy;
      if (!markov_state_is_used(view->model, k))
        continue;
      struct print_cell cells[] = {print_string(model_components_name_of(shown, i)),
                                   print_string(view->names[k]),
                                   print_number(occupancy->count),
                                   print_share(occupancy->total, view->model->duration),
                                   occupancy->count > 0 ? print_real(markov_distribution_mean(occupancy))
                                                        : print_none(),
                                   print_real(view->chain->stationary[k]),
                                   print_real(view->chain->longrun[k])};
      print_row(print, cells);
    }
  }
  print_table_end(print);
}

static void model_components_put_edges(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {{"component", "Component", PRINT_STRING, false},
                                                {"from", "From", PRINT_STRING, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"count", "Count", PRINT_COUNT, false},
                                                {"probability", "Probability", PRINT_PROBABILITY, false}};
  print_table(print, "edges", "Transitions", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < shown->dependence->components; i++) {
    const struct model_view *view = &shown->views[i];
    for (uint32_t k = 0; k < view->model->count; k++) {
      const struct markov_state *state = &view->model->list[k];
      for (uint32_t e = 0; e < state->edge_count; e++) {
        struct print_cell cells[] = {print_string(model_components_name_of(shown, i)), print_string(view->names[k]),
                                     print_string(view->names[state->edges[e].to]), print_number(state->edges[e].count),
                                     print_real((double)state->edges[e].count / (double)state->left)};
        print_row(print, cells);
      }
    }
  }
  print_table_end(print);
}

/* The smaller entropy: with this much information, one component determines the other. */
static double most_of(const struct markov_dependence *dependence, const struct markov_pair *pair)
{
  return fmin(dependence->entropies[pair->first], dependence->entropies[pair->second]);
}

static const char *outcome_of(const struct markov_pair *pair)
{
  return isnan(pair->p) ? "not tested" : pair->p <= LEVEL ? "depend" : "no sign";
}

static void put_pairs(struct print *print, const struct model_components_shown *shown)
{
  static const struct print_column columns[] = {{"first", "Component", PRINT_STRING, false},
                                                {"second", "and", PRINT_STRING, false},
                                                {"outcome", "Outcome", PRINT_STRING, false},
                                                {"information", "Information (bits)", PRINT_PROBABILITY, false},
                                                {"chance", "by chance", PRINT_PROBABILITY, true},
                                                {"excess", "beyond", PRINT_PROBABILITY, true},
                                                {"part", "of possible", PRINT_PERCENT, true},
                                                {"smallest", "Would show", PRINT_PROBABILITY, true},
                                                {"p", "p", PRINT_PROBABILITY, true}};
  const struct markov_dependence *dependence = shown->dependence;
  print_table(print, "dependence", "Dependence", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < dependence->pair_count; i++) {
    const struct markov_pair *pair = &dependence->pairs[i];
    bool done = !isnan(pair->p);
    double excess = markov_pair_excess(pair), most = most_of(dependence, pair);
    struct print_cell cells[] = {print_string(model_components_name_of(shown, pair->first)),
                                 print_string(model_components_name_of(shown, pair->second)),
                                 print_string(outcome_of(pair)),
                                 print_real(pair->information),
                                 done ? print_real(pair->chance) : print_none(),
                                 done ? print_real(excess) : print_none(),
                                 done ? print_finite(100 * excess / most) : print_none(),
                                 print_finite(pair->smallest),
                                 print_finite(pair->p)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void model_components_put_verdict(struct print *print, const struct model_components_shown *shown)
{
  const struct markov_dependence *dependence = shown->dependence;
  const struct markov_pair *best = NULL;
  uint32_t depend = 0, tested = 0;
  char text[512];
  for (uint32_t i = 0; i < dependence->pair_count; i++) {
    const struct markov_pair *pair = &dependence->pairs[i];
    tested += !isnan(pair->p);
    if (!(pair->p <= LEVEL))
      continue;
    depend++;
    best = !best || markov_pair_excess(pair) > markov_pair_excess(best) ? pair : best;
  }
  if (tested == 0)
    snprintf(text, sizeof text, "There are no two components that change: nothing could be tested.");
  else if (!best)
    snprintf(text, sizeof text,
             "The test finds no dependence between components: their models are valid side by side.");
  else
    snprintf(text, sizeof text,
             "%u of %u pairs depend on each other, %s and %s most: one of them determines %.2g of the %.2g bits of the "
             "other. Models of single components lose this.",
             depend, tested, model_components_name_of(shown, best->first),
             model_components_name_of(shown, best->second), markov_pair_excess(best), most_of(dependence, best));
  print_sentence(print, "verdict", text);
}

static void model_components_put_facts(struct print *print, const struct model_components_shown *shown,
                                       uint64_t duration)
{
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(shown->program->name));
  print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(duration));
  print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(LEVEL));
  print_fact(print, "rotations", "Rotations", PRINT_COUNT, print_number(shown->dependence->rotations));
}

static bool model_components_show(const struct model_components_shown *shown, enum print_format format,
                                  struct error *error)
{
  struct print *print = print_open(format, stdout, shown->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  model_components_put_facts(print, shown, shown->dependence->components > 0 ? shown->models[0]->duration : 0);
  model_components_put_components(print, shown);
  model_components_put_states(print, shown);
  model_components_put_edges(print, shown);
  put_pairs(print, shown);
  model_components_put_verdict(print, shown);
  return print_close(print);
}

bool model_components(const char *path, const struct markov_options *rules, enum print_format format,
                      struct error *error)
{
  static const struct markov_dependence_options usual = {.level = LEVEL, .seed = 1};
  struct error why = {{0}};
  struct model_components_shown shown = {0};
  struct pes_stream *stream = pes_open(path, error);
  if (!stream)
    return false;
  shown.program = stream->program;
  shown.dependence = markov_dependence_of(stream, &usual, &why);
  bool good =
      (shown.dependence && model_all(&shown, stream, rules, &why)) || error_set(error, "%s: %s", path, why.message);
  good = good && model_components_show(&shown, format, error);
  for (uint32_t i = 0; shown.dependence && i < shown.dependence->components; i++) {
    if (shown.models[i])
      model_views_close(&shown.views[i], 1);
    markov_model_free(shown.models[i]);
  }
  markov_dependence_free(shown.dependence);
  pes_close(stream);
  return good;
}

enum { MODEL_RULES_TEXT_MOST = 2048, MODEL_RULES_TOP_TEXT = 20 };

struct model_rules_shown {
  const struct pes_program *program;
  const struct markov_rules *rules;
  char **names;
  enum print_format format;
  struct print *print;
};

static const char *model_rules_name_of(const struct pes_program *program, uint32_t component, uint32_t value)
{
  return program->sets[program->components[component].set].values[value].name;
}

static const char *name_next(const struct model_rules_shown *shown, uint32_t next)
{
  if (next == PES_NONE)
    return "another";
  return shown->rules->target == PES_NONE ? shown->names[next]
                                          : model_rules_name_of(shown->program, shown->rules->target, next);
}

static const char *what_is_next(const struct model_rules_shown *shown)
{
  return shown->rules->target == PES_NONE ? "next state" : "new value";
}

/* One test on the way to a rule, and whether it was true there. */
struct condition {
  struct markov_rule_test test;
  bool holds;
};

/*
 * "lock 0 is free and RUN is at least 2". Conditions that do not hold are omitted, because earlier rules cover all
 * states that satisfy them.
 */
static void model_rules_describe(const struct model_rules_shown *shown, const struct condition *path, uint32_t count,
                                 char *text, size_t size)
{
  size_t used = 0;
  snprintf(text, size, "%s", count > 0 ? "otherwise" : "always");
  for (uint32_t i = 0; i < count && used < size; i++) {
    const struct markov_rule_test *test = &path[i].test;
    if (!path[i].holds)
      continue;
    int more = snprintf(text + used, size - used, "%s%s is%s %s", used > 0 ? " and " : "",
                        shown->program->components[test->component].name, test->at_least ? " at least" : "",
                        model_rules_name_of(shown->program, test->component, test->value));
    used += more > 0 ? (size_t)more : 0;
  }
}

static void put_rule(const struct model_rules_shown *shown, const struct markov_rule_node *node,
                     const struct condition *path, uint32_t depth)
{
  char text[MODEL_RULES_TEXT_MOST];
  model_rules_describe(shown, path, depth, text, sizeof text);
  struct print_cell cells[] = {print_string(text), print_string(name_next(shown, node->next)),
                               print_number(node->cases),
                               print_real(100. * (double)node->cases / (double)shown->rules->cases),
                               print_real(node->cases > 0 ? 100. * (double)node->right / (double)node->cases : 0)};
  print_row(shown->print, cells);
}

/* The leaves below a node; a tree has at most MARKOV_RULES_MOST of them. */
static void put_rules_below(const struct model_rules_shown *shown, uint32_t at, struct condition *path, uint32_t depth)
{
  const struct markov_rule_node *node = &shown->rules->nodes[at];
  if (node->yes == 0) {
    put_rule(shown, node, path, depth);
    return;
  }
  path[depth] = (struct condition){node->test, true};
  put_rules_below(shown, node->yes, path, depth + 1);
  path[depth].holds = false;
  put_rules_below(shown, node->no, path, depth + 1);
}

static void put_rules(const struct model_rules_shown *shown)
{
  static const struct print_column columns[] = {{"if", "If", PRINT_STRING, false},
                                                {"next", "Next", PRINT_STRING, false},
                                                {"cases", "Cases", PRINT_COUNT, false},
                                                {"of_all", "of all", PRINT_PERCENT, false},
                                                {"right", "Right", PRINT_PERCENT, false}};
  struct condition path[MARKOV_RULES_MOST];
  print_table(shown->print, "rules", "Rules: the first one counts whose condition holds", columns, COUNT_OF(columns),
              false);
  if (shown->rules->is_tested)
    put_rules_below(shown, 0, path, 0);
  print_table_end(shown->print);
}

static void put_sizes(const struct model_rules_shown *shown)
{
  static const struct print_column columns[] = {{"rules", "Rules", PRINT_COUNT, false},
                                                {"error", "Wrong of held-out cases", PRINT_PROBABILITY, false}};
  const struct markov_rules *rules = shown->rules;
  print_table(shown->print, "sizes", "How many rules", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; rules->is_tested && i < rules->sizes; i++) {
    struct print_cell cells[] = {print_number(i + 1), print_real(rules->errors[i])};
    print_row(shown->print, cells);
  }
  print_table_end(shown->print);
}

struct alone {
  uint32_t component;
  double error;
};

static int compare_alone(const void *left, const void *right)
{
  const struct alone *a = left, *b = right;
  if (a->error != b->error)
    return (a->error > b->error) - (a->error < b->error);
  return (a->component > b->component) - (a->component < b->component);
}

static bool model_rules_put_components(const struct model_rules_shown *shown)
{
  static const struct print_column columns[] = {{"component", "Component alone", PRINT_STRING, false},
                                                {"error", "Wrong of held-out cases", PRINT_PROBABILITY, false}};
  const struct markov_rules *rules = shown->rules;
  struct alone *list = calloc((size_t)rules->components + 1, sizeof *list);
  uint32_t count = 0;
  for (uint32_t i = 0; list && rules->is_tested && i < rules->components; i++) {
    if (!isnan(rules->errors_alone[i]))
      list[count++] = (struct alone){i, rules->errors_alone[i]};
  }
  if (count > 0)
    qsort(list, count, sizeof *list, compare_alone);
  print_table(shown->print, "components", "Components", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < count && (shown->format != PRINT_TEXT || i < MODEL_RULES_TOP_TEXT); i++) {
    struct print_cell cells[] = {print_string(shown->program->components[list[i].component].name),
                                 print_real(list[i].error)};
    print_row(shown->print, cells);
  }
  print_table_end(shown->print);
  bool good = list;
  free(list);
  return good;
}

/* The component that alone predicts best. */
static uint32_t find_deciding(const struct markov_rules *rules)
{
  uint32_t best = rules->nodes[0].test.component;
  for (uint32_t i = 0; i < rules->components; i++)
    best = rules->errors_alone[i] < rules->errors_alone[best] ? i : best;
  return best;
}

static void model_rules_put_verdict(const struct model_rules_shown *shown)
{
  const struct markov_rules *rules = shown->rules;
  char text[MODEL_RULES_TEXT_MOST], of_state[MODEL_RULES_TEXT_MOST / 8] = "";
  if (rules->is_tested && isfinite(rules->error_of_state))
    snprintf(of_state, sizeof of_state, ", the whole present state in %.1f %%", 100 * rules->error_of_state);
  if (!rules->is_tested)
    snprintf(text, sizeof text, "Too few records for rules: %d cases in all %d parts of the run are needed.",
             MARKOV_RULE_LEAST, MARKOV_RULE_PARTS);
  else if (!rules->is_better)
    snprintf(text, sizeof text,
             "No rule is better than the most frequent %s, %s, which is wrong in %.1f %% of the cases that were held "
             "out%s.",
             what_is_next(shown), name_next(shown, rules->nodes[0].next), 100 * rules->errors[0], of_state);
  else
    snprintf(
        text, sizeof text,
        "The component %s decides most: alone, it is wrong in %.1f %% of the cases that were held out. The %u rules "
        "are wrong in %.1f %%, always guessing the most frequent %s in %.1f %%%s.",
        shown->program->components[find_deciding(rules)].name, 100 * rules->errors_alone[find_deciding(rules)],
        rules->rules, 100 * rules->errors[rules->rules - 1], what_is_next(shown), 100 * rules->errors[0], of_state);
  print_sentence(shown->print, "verdict", text);
  if (rules->not_tested > 0) {
    snprintf(text, sizeof text, "%u components have too many values and are not tested.", rules->not_tested);
    print_sentence(shown->print, "not_tested", text);
  }
}

static bool model_rules_show(const struct pes_stream *stream, const struct markov_rules *rules,
                             enum print_format format, struct error *error)
{
  struct model_rules_shown shown = {.program = stream->program, .rules = rules, .format = format};
  shown.print = print_open(format, stdout, stream->program->ticks_per_second);
  shown.names = model_names(stream->program, stream->states);
  bool good = shown.print && shown.names;
  if (good) {
    print_csv_facts(shown.print);
    print_fact(shown.print, "program", "Program", PRINT_STRING, print_string(stream->program->name));
    print_fact(
        shown.print, "foreseen", "Foreseen", PRINT_STRING,
        print_string(rules->target == PES_NONE ? "the next state" : stream->program->components[rules->target].name));
    print_fact(shown.print, "cases", "Cases", PRINT_COUNT, print_number(rules->cases));
    put_rules(&shown);
    put_sizes(&shown);
    good = model_rules_put_components(&shown);
    model_rules_put_verdict(&shown);
  }
  if (!good)
    error_set(error, "out of memory");
  if (shown.names)
    model_names_free(shown.names, stream->states);
  return (!shown.print || print_close(shown.print)) && good;
}

static bool find_component(const struct pes_program *program, const char *name, uint32_t *component,
                           struct error *error)
{
  *component = PES_NONE;
  for (uint32_t i = 0; name && i < program->component_count && *component == PES_NONE; i++) {
    if (strcmp(program->components[i].name, name) == 0)
      *component = i;
  }
  return !name || *component != PES_NONE || error_set(error, "the states have no component %s", name);
}

bool model_rules(const char *path, const char *foreseen, enum print_format format, struct error *error)
{
  struct sequence_input input;
  struct pool *pool = NULL;
  uint32_t component;
  struct markov_rules *rules = NULL;
  bool good = sequence_input_open(&input, path, &pool, error) &&
              find_component(input.stream->program, foreseen, &component, error);
  if (good)
    rules = markov_rules_find(input.stream, component, error);
  good = rules && model_rules_show(input.stream, rules, format, error);
  markov_rules_free(rules);
  sequence_input_close(&input);
  pool_destroy(pool);
  return good;
}
