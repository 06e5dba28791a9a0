#include "analyzer/models/model_rules.h"

#include "analyzer/models/markov/markov.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_input.h"
#include "base/count_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
 * "lock 0 is free and RUN is at least 2". Conditions that do not hold are left out: all that has them is in the rules
 * before.
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
                                                {"error", "Wrong of what was held out", PRINT_PROBABILITY, false}};
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
                                                {"error", "Wrong of what was held out", PRINT_PROBABILITY, false}};
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

/* The component that foresees most alone. */
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
    snprintf(text, sizeof text, "Too few records to say what decides: %d cases in all %d parts of the run are needed.",
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
  if (rules->left_out > 0) {
    snprintf(text, sizeof text, "%u components have too many values, and were left out.", rules->left_out);
    print_sentence(shown->print, "left_out", text);
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
