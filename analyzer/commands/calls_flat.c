#include "analyzer/calls/share.h"
#include "analyzer/commands/calls_view.h"
#include "base/count_of.h"

#include <stdlib.h>

/* A function or line, or the kernel. */
struct row {
  uint32_t code; /* TRACE_NONE: the kernel */
  struct calls_flat flat;
  double kernel, deviation; /* ticks */
  double weight;            /* percent: the mean of its shares of the triggers */
};

struct rows {
  struct row *list;
  size_t count;
};

/* Rows of one table, and what they are parts of. */
struct part {
  const struct calls_view *view;
  const struct calls_figures *figures;
  wide_total all;
  const struct print_cell *group; /* its first cells; NULL: none */
  size_t group_count;
};

static double ticks_of(const struct calls_view *view, const struct row *row)
{
  if (row->code == TRACE_NONE)
    return row->kernel;
  const struct samples_trigger *trigger = view->trigger == TRACE_NONE ? NULL : &view->samples->triggers[view->trigger];
  if (!trigger || !trigger->timed)
    return (double)row->flat.self;
  return (double)calls_ticks(view->run->trace, trigger, row->flat.self);
}

static int compare(const void *of_a, const void *of_b, void *context)
{
  const struct row *a = of_a, *b = of_b;
  double self_a = ticks_of(context, a), self_b = ticks_of(context, b);
  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (a->flat.inclusive != b->flat.inclusive)
    return a->flat.inclusive < b->flat.inclusive ? 1 : -1;
  return (a->code > b->code) - (a->code < b->code);
}

/* The kernel's time in what is selected; states have none. */
static struct row kernel_row(const struct calls_view *view, const struct calls_selection *selection)
{
  struct row row = {.code = TRACE_NONE};
  double variance = 0;
  for (size_t i = 0; selection->state == CALLS_ANY && i < view->kernel.count; i++) {
    const struct calls_kernel_time *time = &view->kernel.list[i];
    if ((selection->location != CALLS_ANY && selection->location != time->location) ||
        (selection->construct != CALLS_ANY && selection->construct != time->construct))
      continue;
    row.kernel += time->ticks;
    variance += time->deviation * time->deviation;
  }
  row.deviation = sqrt(variance);
  return row;
}

/* False: no memory. */
static bool make_rows(const struct calls_view *view, const struct calls_figures *figures,
                      const struct calls_selection *selection, struct rows *rows)
{
  struct row kernel = kernel_row(view, selection);
  *rows = (struct rows){.list = calloc((size_t)view->tree.code_count + 1, sizeof *rows->list)};
  if (!rows->list)
    return false;
  for (uint32_t i = 0; i < view->tree.code_count; i++)
    if (figures->codes[i].inclusive > 0)
      rows->list[rows->count++] = (struct row){.code = i, .flat = figures->codes[i]};
  if (kernel.kernel > 0)
    rows->list[rows->count++] = kernel;
  qsort_r(rows->list, rows->count, sizeof *rows->list, compare, (void *)view);
  return true;
}

/* The digest's weight of functions over several events: the mean of the shares of their own code. False: no memory. */
static bool weigh(const struct calls_view *view, struct rows *rows)
{
  bool good = true;
  uint32_t triggers = view->samples->trigger_count;
  for (uint32_t i = 0; good && triggers > 1 && i < triggers; i++) {
    struct calls_selection selection = CALLS_ALL;
    struct calls_figures figures;
    selection.trigger = i;
    good = calls_figures_find(view->trace, &view->calls, &selection, &view->tree, &figures);
    for (size_t k = 0; good && k < rows->count; k++)
      if (rows->list[k].code != TRACE_NONE)
        rows->list[k].weight += print_percentage(figures.codes[rows->list[k].code].self, figures.all) / triggers;
    calls_figures_free(&figures);
  }
  return good;
}

/* Of estimates, in the unit of the amounts. */
static enum print_type margin_type(const struct calls_view *view)
{
  return view->unit == CALLS_IN_TIME ? PRINT_MEAN : PRINT_REAL;
}

/* Text marks the estimate; programs get the half-width of its interval in the next cell. */
static void put_kernel(const struct calls_view *view, const struct row *row, struct print_cell *next)
{
  double ns = 1e9 / (double)view->trace->ticks_per_second;
  double factor = view->unit == CALLS_IN_TIME      ? 1
                  : view->unit == CALLS_IN_PERIODS ? ns
                                                   : ns / (double)view->samples->triggers[view->trigger].period;
  double half_width = CALLS_QUANTILE * row->deviation * factor;
  bool text = view->run->format == PRINT_TEXT;
  next[0] = print_number((wide_total)(row->kernel * factor + 0.5));
  if (text)
    next[0] = print_estimate(next[0], half_width);
  else
    next[1] = print_real(half_width);
}

#define FIGURE_COLUMNS(type, margin)                                                                                   \
  CALLS_CODE_COLUMNS, {"self", "Self", type, false}, {"self_half_width", "+-", margin, true},                          \
      {"self_share", "Share", PRINT_PERCENT, false}, {"self_low", "from", PRINT_PERCENT, false},                       \
      {"self_high", "to", PRINT_PERCENT, false}, {"inclusive", "Inclusive", type, false},                              \
      {"inclusive_share", "Share", PRINT_PERCENT, false}, {"inclusive_low", "from", PRINT_PERCENT, true},              \
      {"inclusive_high", "to", PRINT_PERCENT, true}, {"self_samples", "Samples", PRINT_COUNT, true},                   \
      {"inclusive_samples", "Inclusive", PRINT_COUNT, true},                                                           \
  {                                                                                                                    \
    "weight", "Weight", PRINT_PERCENT, true                                                                            \
  }
enum { FIGURE_CELLS = CALLS_CODE_CELLS + 12 };

static struct print_cell *put_share(struct print_cell *next, wide_total part, wide_total all)
{
  struct calls_share share = calls_share_of((double)part, (double)all);
  *next++ = print_real(100 * share.share);
  *next++ = print_real(100 * share.low);
  *next++ = print_real(100 * share.high);
  return next;
}

static void put_row(const struct part *part, const struct row *row)
{
  char where[CALLS_WHERE_SIZE];
  const struct calls_view *view = part->view;
  struct print_cell cells[FIGURE_CELLS + 2] = {{0}}, *next = cells;
  bool kernel = row->code == TRACE_NONE, text = view->run->format == PRINT_TEXT;
  for (size_t i = 0; i < part->group_count; i++)
    *next++ = part->group[i];
  struct print_cell *name = next;
  next = calls_put_code(view, row->code, where, next);
  if (kernel) {
    *name = print_string("[kernel]");
    put_kernel(view, row, next);
    print_row(view->run->print, cells);
    return;
  }
  *next++ = calls_amount(view, row->flat.self);
  *next++ = print_none();
  next = put_share(next, row->flat.self, part->all);
  *next++ = calls_amount(view, row->flat.inclusive);
  next = put_share(next, row->flat.inclusive, part->all);
  if (text)
    next[-1] = next[-2] = print_none();
  *next++ = text && view->unit == CALLS_IN_SAMPLES ? print_none() : print_number(row->flat.self);
  *next++ = text ? print_none() : print_number(row->flat.inclusive);
  *next++ = view->samples->trigger_count > 1 && !part->group ? print_real(row->weight) : print_none();
  print_row(view->run->print, cells);
}

bool calls_put_flat(const struct calls_view *view)
{
  const struct print_column columns[] = {FIGURE_COLUMNS(calls_amount_type(view), margin_type(view))};
  struct calls_selection selection = CALLS_ALL;
  struct part part = {.view = view, .figures = &view->figures, .all = view->figures.all};
  struct rows rows;
  bool good = make_rows(view, &view->figures, &selection, &rows) && weigh(view, &rows);
  size_t shown = good ? calls_top(view, rows.count) : 0;
  if (good) {
    print_table(view->run->print, view->options->lines ? "lines" : "functions", NULL, columns, COUNT_OF(columns),
                false);
    for (size_t i = 0; i < shown; i++)
      put_row(&part, &rows.list[i]);
    print_table_end(view->run->print);
    calls_put_more(view, view->options->lines ? "lines" : "functions", shown, rows.count);
  }
  free(rows.list);
  return good;
}

/* A thread, construct or state. */
struct group {
  uint32_t key;
  wide_total samples;
};

static uint32_t key_of(const struct calls_cell *cell, unsigned by)
{
  return by == CALLS_BY_THREAD ? cell->location : by == CALLS_BY_CONSTRUCT ? cell->construct : cell->state;
}

static int compare_groups(const void *of_a, const void *of_b)
{
  const struct group *a = of_a, *b = of_b;
  if (a->samples != b->samples)
    return a->samples < b->samples ? 1 : -1;
  return (a->key > b->key) - (a->key < b->key);
}

/* False: no memory. */
static bool find_groups(const struct calls_view *view, struct group **groups, size_t *count)
{
  struct hash at = {0};
  bool good = true;
  *groups = NULL;
  *count = 0;
  for (size_t i = 0; good && i < view->calls.cell_count; i++) {
    const struct calls_cell *cell = &view->calls.cells[i];
    uint32_t key = key_of(cell, view->options->by);
    if (cell->trigger != view->trigger)
      continue;
    const uint64_t *known = hash_find(&at, key);
    size_t index = known ? *known : *count;
    if (!known) {
      good = array_make_room(*groups, *count) && hash_add(&at, key, index);
      if (good)
        (*groups)[(*count)++] = (struct group){.key = key};
    }
    if (good)
      (*groups)[index].samples += cell->samples;
  }
  hash_free(&at);
  if (*count > 0)
    qsort(*groups, *count, sizeof **groups, compare_groups);
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
    [CALLS_BY_THREAD] = "thread", [CALLS_BY_CONSTRUCT] = "construct", [CALLS_BY_STATE] = "state"};
static const char *const group_titles[] = {
    [CALLS_BY_THREAD] = "Thread", [CALLS_BY_CONSTRUCT] = "Construct", [CALLS_BY_STATE] = "State"};
static const char *const group_tables[] = {
    [CALLS_BY_THREAD] = "threads", [CALLS_BY_CONSTRUCT] = "constructs", [CALLS_BY_STATE] = "states"};

#define GROUP_COLUMNS(by)                                                                                              \
  {group_keys[by], group_titles[by], PRINT_STRING, false},                                                             \
  {                                                                                                                    \
    "location", "No.", PRINT_NUMBER, true                                                                              \
  }

static void put_totals(const struct calls_view *view, const struct group *groups, size_t count)
{
  unsigned by = view->options->by;
  const struct print_column columns[] = {GROUP_COLUMNS(by),
                                         {"samples", "Samples", PRINT_COUNT, false},
                                         {"amount", "Amount", calls_amount_type(view), false},
                                         {"share", "Share", PRINT_PERCENT, false},
                                         {"low", "from", PRINT_PERCENT, false},
                                         {"high", "to", PRINT_PERCENT, false}};
  print_table(view->run->print, group_tables[by], NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    struct print_cell cells[COUNT_OF(columns)];
    name_group(view, groups[i].key, cells);
    cells[2] = print_number(groups[i].samples);
    cells[3] = calls_amount(view, groups[i].samples);
    put_share(&cells[4], groups[i].samples, view->figures.all);
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

/* False: no memory. */
static bool put_group(const struct calls_view *view, const struct group *group)
{
  unsigned by = view->options->by;
  struct calls_selection selection = CALLS_ALL;
  struct calls_figures figures;
  struct print_cell cells[2];
  struct rows rows = {.list = NULL};
  selection.trigger = view->trigger;
  *(by == CALLS_BY_THREAD      ? &selection.location
    : by == CALLS_BY_CONSTRUCT ? &selection.construct
                               : &selection.state) = group->key;
  name_group(view, group->key, cells);
  struct part part = {.view = view, .figures = &figures, .all = group->samples, .group = cells, .group_count = 2};
  bool good = calls_figures_find(view->trace, &view->calls, &selection, &view->tree, &figures) &&
              make_rows(view, &figures, &selection, &rows);
  size_t shown = good ? calls_top(view, rows.count) : 0;
  for (size_t i = 0; i < shown; i++)
    put_row(&part, &rows.list[i]);
  free(rows.list);
  calls_figures_free(&figures);
  return good;
}

bool calls_put_groups(const struct calls_view *view)
{
  const struct print_column columns[] = {GROUP_COLUMNS(view->options->by),
                                         FIGURE_COLUMNS(calls_amount_type(view), margin_type(view))};
  struct group *groups;
  size_t count;
  bool good = find_groups(view, &groups, &count);
  size_t shown = good ? calls_top(view, count) : 0;
  if (good) {
    put_totals(view, groups, shown);
    print_table(view->run->print, view->options->lines ? "lines" : "functions", "Functions, by share of the group",
                columns, COUNT_OF(columns), false);
    for (size_t i = 0; good && i < shown; i++)
      good = put_group(view, &groups[i]);
    print_table_end(view->run->print);
    calls_put_more(view, group_tables[view->options->by], shown, count);
  }
  free(groups);
  return good;
}
