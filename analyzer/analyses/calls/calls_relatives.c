#include "analyzer/analyses/calls/calls_view.h"
#include "analyzer/analyses/calls/cycles.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

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
