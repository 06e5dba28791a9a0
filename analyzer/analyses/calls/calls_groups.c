#include "analyzer/analyses/calls/calls_view.h"
#include "analyzer/analyses/calls/compare.h"
#include "base/count_of.h"

#include <stdlib.h>

/* A thread, construct or state. */
struct calls_group {
  uint32_t key;
  wide_total samples, blame;
};

static uint32_t calls_groups_key(const struct calls_cell *cell, unsigned by)
{
  return by == CALLS_BY_THREAD ? cell->location : by == CALLS_BY_CONSTRUCT ? cell->construct : cell->state;
}

static int compare_groups(const void *of_a, const void *of_b)
{
  const struct calls_group *a = of_a, *b = of_b;
  if (a->blame != b->blame)
    return a->blame < b->blame ? 1 : -1;
  if (a->samples != b->samples)
    return a->samples < b->samples ? 1 : -1;
  return (a->key > b->key) - (a->key < b->key);
}

struct calls_group_list {
  struct calls_group *list;
  size_t count;
  struct hash at; /* key -> index */
};

/* False: no memory. */
static bool add_to_group(struct calls_group_list *groups, uint32_t key, wide_total samples, wide_total blame)
{
  const uint64_t *known = hash_find(&groups->at, key);
  size_t index = known ? *known : groups->count;
  if (!known) {
    if (!array_make_room(groups->list, groups->count) || !hash_add(&groups->at, key, index))
      return false;
    groups->list[groups->count++] = (struct calls_group){.key = key};
  }
  groups->list[index].samples += samples;
  groups->list[index].blame += blame;
  return true;
}

/* False: no memory. */
static bool find_groups(const struct calls_view *view, struct calls_group_list *groups)
{
  unsigned by = view->options->by;
  bool good = true;
  for (size_t i = 0; good && i < view->calls.cell_count; i++) {
    const struct calls_cell *cell = &view->calls.cells[i];
    if (cell->trigger == view->trigger)
      good = add_to_group(groups, calls_groups_key(cell, by), cell->samples, 0);
  }
  for (size_t i = 0; good && by != CALLS_BY_STATE && i < view->blame.cell_count; i++) {
    const struct calls_blame_cell *cell = &view->blame.cells[i];
    good = add_to_group(groups, by == CALLS_BY_THREAD ? cell->location : cell->construct, 0, cell->ticks);
  }
  if (groups->count > 0)
    qsort(groups->list, groups->count, sizeof *groups->list, compare_groups);
  return good;
}

static const char *group_name(const struct calls_view *view, uint32_t key)
{
  const struct trace *trace = view->trace;
  if (view->options->by == CALLS_BY_THREAD)
    return trace->locations[key].name;
  if (view->options->by == CALLS_BY_CONSTRUCT)
    return key == TRACE_NONE ? "(outside any construct)" : trace->regions[key].name;
  return key == CALLS_OUTSIDE ? "(outside the recorded events)" : state_name((enum state)key);
}

/* The first cells of each row. */
static void name_group(const struct calls_view *view, uint32_t key, struct print_cell cells[2])
{
  cells[0] = print_string(group_name(view, key));
  cells[1] = view->options->by == CALLS_BY_THREAD ? print_number(key) : print_none();
}

static const char *const group_keys[] = {
    [CALLS_BY_THREAD] = "thread_name", [CALLS_BY_CONSTRUCT] = "construct", [CALLS_BY_STATE] = "state"};
static const char *const group_titles[] = {
    [CALLS_BY_THREAD] = "Thread", [CALLS_BY_CONSTRUCT] = "Construct", [CALLS_BY_STATE] = "State"};
static const char *const group_tables[] = {
    [CALLS_BY_THREAD] = "threads", [CALLS_BY_CONSTRUCT] = "constructs", [CALLS_BY_STATE] = "states"};

#define GROUP_COLUMNS(by)                                                                                              \
  {group_keys[by], group_titles[by], PRINT_STRING, false},                                                             \
  {                                                                                                                    \
    "thread", "No.", PRINT_NUMBER, true                                                                                \
  }

static void calls_groups_put_totals(const struct calls_view *view, const struct calls_group *groups, size_t count)
{
  unsigned by = view->options->by;
  const struct print_column columns[] = {GROUP_COLUMNS(by),
                                         {"blame", "Blame", PRINT_DURATION, true},
                                         {"samples", "Samples", PRINT_COUNT, false},
                                         {"amount", "Amount", calls_amount_type(view), false},
                                         {"share", "Share", PRINT_PERCENT, false},
                                         {"low", "from", PRINT_PERCENT, false},
                                         {"high", "to", PRINT_PERCENT, false}};
  print_table(view->run->print, group_tables[by], NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    struct print_cell cells[COUNT_OF(columns)];
    name_group(view, groups[i].key, cells);
    cells[2] = view->options->by == CALLS_BY_STATE ? print_none() : print_number(groups[i].blame);
    cells[3] = print_number(groups[i].samples);
    cells[4] = calls_amount(view, groups[i].samples);
    calls_put_share(&cells[5], groups[i].samples, view->figures.all);
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static struct calls_selection selection_of(const struct calls_view *view, const struct calls_group *group)
{
  unsigned by = view->options->by;
  struct calls_selection selection = CALLS_ALL;
  selection.trigger = view->trigger;
  *(by == CALLS_BY_THREAD      ? &selection.location
    : by == CALLS_BY_CONSTRUCT ? &selection.construct
                               : &selection.state) = group->key;
  return selection;
}

/* False: no memory. */
static bool put_group(const struct calls_view *view, const struct calls_group *group)
{
  struct calls_selection selection = selection_of(view, group), of_blame = selection;
  struct calls_figures figures, blamed = {0};
  struct print_cell cells[2];
  struct calls_rows rows = {.list = NULL};
  name_group(view, group->key, cells);
  if (view->options->by == CALLS_BY_STATE)
    of_blame.location = TRACE_NONE; /* nothing: blame is not separated by state */
  struct calls_part part = {
      .view = view, .figures = &figures, .blamed = &blamed, .all = group->samples, .group = cells, .group_count = 2};
  bool good = calls_figures_find(view->trace, &view->calls, &selection, &view->tree, &figures) &&
              calls_view_blamed(view, &of_blame, &blamed) && calls_rows_make(&part, &selection, &rows);
  size_t shown = good ? calls_top(view, rows.count) : 0;
  for (size_t i = 0; i < shown; i++)
    calls_put_row(&part, &rows.list[i]);
  free(rows.list);
  calls_figures_free(&figures);
  calls_figures_free(&blamed);
  return good;
}

bool calls_put_groups(const struct calls_view *view)
{
  const struct print_column columns[] = {GROUP_COLUMNS(view->options->by),
                                         CALLS_FIGURE_COLUMNS(calls_amount_type(view), calls_margin_type(view))};
  struct calls_group_list groups = {.list = NULL};
  bool good = find_groups(view, &groups);
  size_t shown = good ? calls_top(view, groups.count) : 0;
  if (good) {
    calls_groups_put_totals(view, groups.list, shown);
    print_table(view->run->print, view->options->lines ? "lines" : "functions", "Functions, by share of the group",
                columns, COUNT_OF(columns), false);
    for (size_t i = 0; good && i < shown; i++)
      good = put_group(view, &groups.list[i]);
    print_table_end(view->run->print);
    calls_put_more(view, group_tables[view->options->by], shown, groups.count);
  }
  hash_free(&groups.at);
  free(groups.list);
  return good;
}

/* Ticks are ticks of the first trace. */
static double unit_of(const struct calls_view *view)
{
  if (view->archive && view->trace->ticks_per_second > 0 && view->run->trace->ticks_per_second > 0)
    return (double)view->run->trace->ticks_per_second / (double)view->trace->ticks_per_second;
  if (view->unit == CALLS_IN_SAMPLES || view->trigger == TRACE_NONE)
    return 1;
  double period = (double)view->samples->triggers[view->trigger].period;
  return view->unit == CALLS_IN_TIME ? period * (double)view->run->trace->ticks_per_second / 1e9 : period;
}

static struct print_cell amount(const struct calls_view *view, uint32_t code, bool self)
{
  wide_total samples = 0;
  if (code != TRACE_NONE)
    samples = self ? view->figures.codes[code].self : view->figures.codes[code].inclusive;
  if (view->archive && view->trace != view->run->trace)
    samples = (wide_total)((double)samples * unit_of(view) + 0.5);
  return calls_amount(view, samples);
}

/* Numbers of calls, then figures without an interval: nothing is due to chance. */
static void calls_compare_put_exact(const struct calls_view *const views[2], const struct calls_difference *difference,
                                    struct print_cell *next)
{
  wide_total calls[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (difference->code[i] != TRACE_NONE)
      calls[i] = views[i]->sums.codes[difference->code[i]].calls;
  *next++ = print_number(calls[0]);
  *next++ = print_number(calls[1]);
  for (int i = 0; i < 2; i++) {
    const struct calls_change *change = i == 0 ? &difference->self : &difference->inclusive;
    *next++ = amount(views[0], difference->code[0], i == 0);
    *next++ = amount(views[1], difference->code[1], i == 0);
    *next++ = print_real(change->more);
  }
}

static void put_difference(const struct calls_view *const views[2], const struct calls_difference *difference)
{
  char where[CALLS_WHERE_SIZE];
  const struct calls_view *named = views[difference->code[0] == TRACE_NONE ? 1 : 0];
  uint32_t code = difference->code[difference->code[0] == TRACE_NONE ? 1 : 0];
  struct print_cell cells[CALLS_CODE_CELLS + 10], *next = calls_put_code(named, code, where, cells);
  if (views[0]->archive)
    calls_compare_put_exact(views, difference, next);
  for (int i = 0; !views[0]->archive && i < 2; i++) {
    const struct calls_change *change = i == 0 ? &difference->self : &difference->inclusive;
    *next++ = amount(views[0], difference->code[0], i == 0);
    *next++ = amount(views[1], difference->code[1], i == 0);
    *next++ = print_real(change->more);
    *next++ = print_real(change->half_width);
    *next++ = print_string(change->beyond_chance ? "yes" : "no");
  }
  print_row(views[0]->run->print, cells);
}

bool calls_put_comparison(const struct calls_view *view, const struct calls_view *other)
{
  enum print_type type = calls_amount_type(view), change = type == PRINT_DURATION ? PRINT_MEAN : PRINT_REAL;
  const struct print_column columns[] = {CALLS_CODE_COLUMNS,
                                         {"self_before", "Self before", type, false},
                                         {"self_after", "after", type, false},
                                         {"self_change", "Change", change, false},
                                         {"self_half_width", "+-", change, false},
                                         {"self_beyond_chance", "Beyond chance", PRINT_STRING, false},
                                         {"inclusive_before", "Inclusive before", type, false},
                                         {"inclusive_after", "after", type, false},
                                         {"inclusive_change", "Change", change, false},
                                         {"inclusive_half_width", "+-", change, false},
                                         {"inclusive_beyond_chance", "Beyond chance", PRINT_STRING, false}};
  const struct print_column exact[] = {CALLS_CODE_COLUMNS,
                                       {"calls_before", "Calls before", PRINT_COUNT, false},
                                       {"calls_after", "after", PRINT_COUNT, false},
                                       {"own_before", "Self and blocked before", type, false},
                                       {"own_after", "after", type, false},
                                       {"own_change", "Change", change, false},
                                       {"inclusive_before", "Inclusive before", type, false},
                                       {"inclusive_after", "after", type, false},
                                       {"inclusive_change", "Change", change, false}};
  const struct calls_view *const views[] = {view, other};
  const struct calls_side sides[] = {{&view->figures, unit_of(view)}, {&other->figures, unit_of(other)}};
  struct calls_differences differences;
  bool good = calls_compare(sides, &differences);
  if (good) {
    size_t shown = calls_top(view, differences.count);
    print_table(view->run->print, "differences", NULL, view->archive ? exact : columns,
                view->archive ? COUNT_OF(exact) : COUNT_OF(columns), false);
    for (size_t i = 0; i < shown; i++)
      put_difference(views, &differences.list[i]);
    print_table_end(view->run->print);
    calls_put_more(view, view->options->lines ? "lines" : "functions", shown, differences.count);
  }
  free(differences.list);
  return good;
}
