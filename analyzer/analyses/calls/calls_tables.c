#include "analyzer/analyses/calls/calls_view.h"
#include "analyzer/analyses/calls/compare.h"
#include "analyzer/analyses/calls/figures.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

/* The digest's weight of functions over several events: the mean of the shares of their own code. False: no memory. */
static bool weigh(const struct calls_view *view, struct calls_rows *rows)
{
  bool good = true;
  uint32_t triggers = calls_weighed(view);
  for (uint32_t i = 0; good && triggers > 1 && i < view->samples->trigger_count; i++) {
    struct calls_selection selection = CALLS_ALL;
    struct calls_figures figures;
    selection.trigger = i;
    if (view->samples->triggers[i].waits)
      continue;
    good = calls_figures_find(view->trace, &view->calls, &selection, &view->tree, &figures);
    for (size_t k = 0; good && k < rows->count; k++)
      if (rows->list[k].code != TRACE_NONE)
        rows->list[k].weight += print_percentage(figures.codes[rows->list[k].code].self, figures.all) / triggers;
    calls_figures_free(&figures);
  }
  return good;
}

bool calls_put_flat(const struct calls_view *view)
{
  const struct print_column columns[] = {CALLS_FIGURE_COLUMNS(calls_amount_type(view), calls_margin_type(view))};
  struct calls_selection selection = CALLS_ALL;
  struct calls_part part = {.view = view, .figures = &view->figures, .blamed = &view->blamed, .all = view->figures.all};
  struct calls_rows rows;
  bool good = calls_rows_make(&part, &selection, &rows) && weigh(view, &rows);
  size_t shown = good ? calls_top(view, rows.count) : 0;
  if (good) {
    print_table(view->run->print, view->options->lines ? "lines" : "functions", NULL, columns, COUNT_OF(columns),
                false);
    for (size_t i = 0; i < shown; i++)
      calls_put_row(&part, &rows.list[i]);
    print_table_end(view->run->print);
    calls_put_more(view, view->options->lines ? "lines" : "functions", shown, rows.count);
  }
  free(rows.list);
  return good;
}

enum { INDENTED = 40, CALLS_TREE_NAME_SIZE = 4096 }; /* levels; deeper ones are not indented further */

struct nodes {
  VECTOR(uint32_t) list;
};

static int calls_tree_compare(const void *of_a, const void *of_b, void *context)
{
  const struct calls_figures *figures = context;
  uint32_t a = *(const uint32_t *)of_a, b = *(const uint32_t *)of_b;
  if (figures->below[a] != figures->below[b])
    return figures->below[a] > figures->below[b] ? 1 : -1;
  return (a < b) - (a > b);
}

static bool calls_tree_is_shown(const struct calls_view *view, uint32_t node)
{
  double least = view->options->least >= 0 ? view->options->least : view->run->format == PRINT_TEXT ? 1 : 0;
  bool called = view->figures.calls && view->figures.calls[node] > 0;
  return (view->figures.below[node] > 0 || called) &&
         print_percentage(view->figures.below[node], view->figures.all) >= least;
}

/* Puts the children of a node that are shown onto a stack: the one with the most samples is on top. */
static bool add_children(const struct calls_view *view, struct nodes *stack, uint32_t node)
{
  size_t first = stack->list.count;
  for (uint32_t i = view->tree.nodes[node].first_child; i != TRACE_NONE; i = view->tree.nodes[i].next_sibling)
    if (calls_tree_is_shown(view, i) && !vector_push(&stack->list, i))
      return false;
  if (stack->list.count > first)
    qsort_r(stack->list.items + first, stack->list.count - first, sizeof *stack->list.items, calls_tree_compare,
            (void *)&view->figures);
  return true;
}

/* Behind the function: samples and their interval, or exact calls. */
static void put_samples(const struct calls_view *view, uint32_t node, struct print_cell *next)
{
  struct calls_share share = calls_share_of((double)view->figures.below[node], (double)view->figures.all);
  *next++ = calls_amount(view, view->figures.below[node]);
  *next++ = print_real(100 * share.share);
  *next++ = print_real(100 * share.low);
  *next++ = print_real(100 * share.high);
  *next++ = calls_amount(view, view->figures.own[node]);
  *next++ = print_number(view->figures.below[node]);
  *next++ = print_number(view->figures.own[node]);
}

static void calls_tree_put_exact(const struct calls_view *view, uint32_t node, struct print_cell *next)
{
  const struct calls_exact_sums *sums = &view->sums.nodes[node];
  *next++ = print_number(sums->calls);
  *next++ = print_number(view->figures.below[node]);
  *next++ = print_real(print_percentage(view->figures.below[node], view->figures.all));
  *next++ = print_number(sums->self);
  *next++ = print_number(sums->blocked);
  calls_exact_put_extremes(sums, next);
}

static void put_node(const struct calls_view *view, uint32_t node)
{
  char where[CALLS_WHERE_SIZE], name[CALLS_TREE_NAME_SIZE];
  const struct calls_node *of = &view->tree.nodes[node];
  bool text = view->run->format == PRINT_TEXT;
  int indent = !text ? 0 : of->depth - 1 > INDENTED ? 2 * INDENTED : 2 * ((int)of->depth - 1);
  snprintf(name, sizeof name, "%*s%s", indent, "", calls_function_name(view, of->code));
  struct print_cell cells[CALLS_CODE_CELLS + 10], *next = calls_put_code(view, of->code, where, cells);
  cells[0] = print_string(name);
  *next++ = text ? print_none() : print_number(node);
  *next++ = text || of->parent == 0 ? print_none() : print_number(of->parent);
  if (view->archive)
    calls_tree_put_exact(view, node, next);
  else
    put_samples(view, node, next);
  print_row(view->run->print, cells);
}

#define NODE_COLUMNS                                                                                                   \
  {"node", "No.", PRINT_NUMBER, true},                                                                                 \
  {                                                                                                                    \
    "parent", "Parent", PRINT_NUMBER, true                                                                             \
  }

bool calls_put_tree(const struct calls_view *view)
{
  static const struct print_column exact[] = {CALLS_CODE_COLUMNS,
                                              NODE_COLUMNS,
                                              {"calls", "Calls", PRINT_COUNT, false},
                                              {"inclusive", "Inclusive", PRINT_DURATION, false},
                                              {"inclusive_share", "Share", PRINT_PERCENT, false},
                                              {"self", "Self", PRINT_DURATION, false},
                                              {"blocked", "Blocked", PRINT_DURATION, true},
                                              CALLS_EXACT_EXTREMES};
  enum print_type type = calls_amount_type(view);
  const struct print_column columns[] = {CALLS_CODE_COLUMNS,
                                         NODE_COLUMNS,
                                         {"inclusive", "Inclusive", type, false},
                                         {"inclusive_share", "Share", PRINT_PERCENT, false},
                                         {"inclusive_low", "from", PRINT_PERCENT, false},
                                         {"inclusive_high", "to", PRINT_PERCENT, false},
                                         {"self", "Self", type, false},
                                         {"inclusive_samples", "Samples", PRINT_COUNT, false},
                                         {"self_samples", "Self", PRINT_COUNT, false}};
  struct nodes stack = {0};
  bool good = add_children(view, &stack, 0);
  print_table(view->run->print, "tree", NULL, view->archive ? exact : columns,
              view->archive ? COUNT_OF(exact) : COUNT_OF(columns), false);
  while (good && stack.list.count > 0) {
    uint32_t node = stack.list.items[--stack.list.count];
    put_node(view, node);
    good = add_children(view, &stack, node);
  }
  print_table_end(view->run->print);
  vector_free(&stack.list);
  return good;
}

/* A table of callers, or of callees, of all functions of a name. */
struct relation {
  const struct calls_view *view;
  const char *name;   /* of the function */
  const char *option; /* for messages */
  bool (*find)(const struct calls_figures *figures, uint32_t code, struct calls_relatives *relatives);
  const char *title, *column; /* of the table; of the relatives' column */
};

static bool is_meant(const struct relation *relation, uint32_t code)
{
  const struct calls_view *view = relation->view;
  bool there = view->figures.codes[code].inclusive > 0 || (view->archive && view->sums.codes[code].calls > 0);
  return there && calls_is_named(view, code, relation->name);
}

static bool is_there(const struct relation *relation, struct error *error)
{
  for (uint32_t i = 0; i < relation->view->tree.code_count; i++)
    if (is_meant(relation, i))
      return true;
  return error_set(error, "--%s %s: no %s has this function: see the names in `heddle calls`", relation->option,
                   relation->name, relation->view->archive ? "call" : "sample");
}

static void put_relative(const struct relation *relation, uint32_t code, const struct calls_relative *relative)
{
  char where[CALLS_WHERE_SIZE], of[CALLS_WHERE_SIZE];
  const struct calls_view *view = relation->view;
  wide_total all = view->figures.codes[code].inclusive;
  struct print_cell cells[CALLS_CODE_CELLS + 9], *next = calls_put_code(view, relative->code, where, cells);
  calls_where(view, code, of);
  *next++ = print_string(calls_function_name(view, code));
  *next++ = *of ? print_string(of) : print_none();
  if (view->archive) {
    *next++ = print_number(relative->calls);
    *next++ = print_number(relative->self - relative->blocked);
    *next++ = print_number(relative->blocked);
  } else {
    *next++ = calls_amount(view, relative->self);
  }
  *next++ = calls_amount(view, relative->below);
  *next++ = print_real(print_percentage(relative->self + relative->below, all));
  *next++ = print_number(relative->self);
  *next++ = print_number(relative->below);
  print_row(view->run->print, cells);
}

/* False: no memory. */
static bool put_relation(const struct relation *relation)
{
  const struct calls_view *view = relation->view;
  enum print_type type = calls_amount_type(view);
#define RELATIVE_COLUMNS                                                                                               \
  {"function", relation->column, PRINT_STRING, false}, {"file", "Where", PRINT_STRING, true},                          \
      {"line", "Line", PRINT_NUMBER, true}, {"module", "Module", PRINT_STRING, true},                                  \
      {"of", "of", PRINT_STRING, false},                                                                               \
  {                                                                                                                    \
    "of_where", "at", PRINT_STRING, true                                                                               \
  }
  const struct print_column columns[] = {RELATIVE_COLUMNS,
                                         {"self", "Self", type, false},
                                         {"below", "Below", type, false},
                                         {"share", "Share", PRINT_PERCENT, false},
                                         {"self_samples", "Samples", PRINT_COUNT, false},
                                         {"below_samples", "Below", PRINT_COUNT, false}};
  const struct print_column exact[] = {RELATIVE_COLUMNS,
                                       {"calls", "Calls", PRINT_COUNT, false},
                                       {"self", "Self", type, false},
                                       {"blocked", "Blocked", type, true},
                                       {"below", "Below", type, false},
                                       {"share", "Share", PRINT_PERCENT, false}};
#undef RELATIVE_COLUMNS
  bool good = true;
  print_table(view->run->print, relation->option, relation->title, view->archive ? exact : columns,
              view->archive ? COUNT_OF(exact) : COUNT_OF(columns), false);
  for (uint32_t i = 0; good && i < view->tree.code_count; i++) {
    struct calls_relatives relatives = {.list = NULL};
    if (!is_meant(relation, i))
      continue;
    good = relation->find(&view->figures, i, &relatives);
    for (size_t k = 0; good && k < relatives.count; k++)
      put_relative(relation, i, &relatives.list[k]);
    free(relatives.list);
  }
  print_table_end(view->run->print);
  return good;
}

static void calls_relatives_put_function(const struct calls_view *view, uint32_t code)
{
  char where[CALLS_WHERE_SIZE];
  const struct calls_flat *flat = &view->figures.codes[code];
  struct print_cell cells[CALLS_CODE_CELLS + 7], *next = calls_put_code(view, code, where, cells);
  if (view->archive) {
    *next++ = print_number(view->sums.codes[code].calls);
    *next++ = print_number(view->sums.codes[code].self);
    *next++ = print_number(view->sums.codes[code].blocked);
  } else {
    *next++ = calls_amount(view, flat->self);
  }
  *next++ = calls_amount(view, flat->inclusive);
  *next++ = print_real(print_percentage(flat->inclusive, view->figures.all));
  *next++ = print_number(flat->self);
  *next++ = print_number(flat->inclusive);
  print_row(view->run->print, cells);
}

/* Their own figures, which the relatives add up to. */
static void calls_relatives_put_functions(const struct calls_view *view, const struct relation *relations, size_t count)
{
  enum print_type type = calls_amount_type(view);
  const struct print_column columns[] = {CALLS_CODE_COLUMNS,
                                         {"self", "Self", type, false},
                                         {"inclusive", "Inclusive", type, false},
                                         {"inclusive_share", "Share", PRINT_PERCENT, false},
                                         {"self_samples", "Samples", PRINT_COUNT, false},
                                         {"inclusive_samples", "Inclusive", PRINT_COUNT, false}};
  const struct print_column exact[] = {CALLS_CODE_COLUMNS,
                                       {"calls", "Calls", PRINT_COUNT, false},
                                       {"self", "Self", type, false},
                                       {"blocked", "Blocked", type, true},
                                       {"inclusive", "Inclusive", type, false},
                                       {"inclusive_share", "Share", PRINT_PERCENT, false}};
  print_table(view->run->print, "functions", NULL, view->archive ? exact : columns,
              view->archive ? COUNT_OF(exact) : COUNT_OF(columns), false);
  for (uint32_t i = 0; i < view->tree.code_count; i++) {
    bool meant = false;
    for (size_t k = 0; k < count; k++)
      meant |= is_meant(&relations[k], i);
    if (meant)
      calls_relatives_put_function(view, i);
  }
  print_table_end(view->run->print);
}

/* At most two. */
static size_t relations_of(const struct calls_view *view, struct relation relations[2])
{
  const struct calls_options *options = view->options;
  size_t count = 0;
  if (options->callers)
    relations[count++] = (struct relation){view, options->callers, "callers", calls_callers, "Callers", "Caller"};
  if (options->callees)
    relations[count++] = (struct relation){view, options->callees, "callees", calls_callees, "Callees", "Callee"};
  return count;
}

bool calls_check_relatives(const struct calls_view *view, struct error *error)
{
  struct relation relations[2];
  size_t count = relations_of(view, relations);
  for (size_t i = 0; i < count; i++)
    if (!is_there(&relations[i], error))
      return false;
  return true;
}

bool calls_put_relatives(const struct calls_view *view)
{
  struct relation relations[2];
  size_t count = relations_of(view, relations);
  bool good = true;
  calls_relatives_put_functions(view, relations, count);
  for (size_t i = 0; good && i < count; i++)
    good = put_relation(&relations[i]);
  return good;
}

static void calls_relatives_put_cycle(const struct calls_view *view, const struct calls_cycles *cycles, size_t number)
{
  const struct calls_cycle *cycle = &cycles->list[number];
  for (size_t i = 0; i < cycle->count; i++) {
    char where[CALLS_WHERE_SIZE];
    uint32_t code = cycles->codes[cycle->first + i];
    const struct calls_flat *flat = &view->figures.codes[code];
    struct print_cell cells[CALLS_CODE_CELLS + 10] = {print_number(number + 1)};
    struct print_cell *next = calls_put_code(view, code, where, cells + 1);
    if (view->archive) {
      *next++ = print_number(view->sums.codes[code].calls);
      *next++ = print_number(view->sums.codes[code].self);
      *next++ = print_number(view->sums.codes[code].blocked);
    } else {
      *next++ = calls_amount(view, flat->self);
    }
    *next++ = calls_amount(view, flat->inclusive);
    *next++ = calls_amount(view, cycle->inclusive);
    *next++ = print_real(print_percentage(cycle->inclusive, view->figures.all));
    *next++ = print_number(flat->self);
    *next++ = print_number(flat->inclusive);
    *next++ = print_number(cycle->inclusive);
    print_row(view->run->print, cells);
  }
}

bool calls_put_cycles(const struct calls_view *view)
{
  enum print_type type = calls_amount_type(view);
  const struct print_column columns[] = {{"cycle", "No.", PRINT_NUMBER, false},
                                         CALLS_CODE_COLUMNS,
                                         {"self", "Self", type, false},
                                         {"inclusive", "Inclusive", type, false},
                                         {"cycle_inclusive", "Whole cycle", type, false},
                                         {"cycle_share", "Share", PRINT_PERCENT, false},
                                         {"self_samples", "Samples", PRINT_COUNT, false},
                                         {"inclusive_samples", "Inclusive", PRINT_COUNT, false},
                                         {"cycle_samples", "Whole cycle", PRINT_COUNT, false}};
  const struct print_column exact[] = {{"cycle", "No.", PRINT_NUMBER, false},
                                       CALLS_CODE_COLUMNS,
                                       {"calls", "Calls", PRINT_COUNT, false},
                                       {"self", "Self", type, false},
                                       {"blocked", "Blocked", type, true},
                                       {"inclusive", "Inclusive", type, false},
                                       {"cycle_inclusive", "Whole cycle", type, false},
                                       {"cycle_share", "Share", PRINT_PERCENT, false}};
  struct calls_cycles cycles;
  bool good = calls_cycles_find(&view->figures, &cycles);
  if (good) {
    size_t shown = calls_top(view, cycles.count);
    print_table(view->run->print, "cycles", NULL, view->archive ? exact : columns,
                view->archive ? COUNT_OF(exact) : COUNT_OF(columns), false);
    for (size_t i = 0; i < shown; i++)
      calls_relatives_put_cycle(view, &cycles, i);
    print_table_end(view->run->print);
    if (cycles.count == 0)
      print_sentence(view->run->print, "none",
                     view->archive ? "No function calls itself, directly or by others."
                                   : "No sampled function calls itself, directly or by others.");
    calls_put_more(view, "cycles", shown, cycles.count);
  }
  calls_cycles_free(&cycles);
  return good;
}
