#include "analyzer/analyses/intervals/intervals_inside_show.h"

#include "base/count_of.h"

#define ROWS_TEXT 8 /* of an interval */

static struct print_cell intervals_inside_show_mean_cell(wide_total ticks, const struct inside_group *group)
{
  return group->count ? print_real((double)ticks / (double)group->count) : print_none();
}

static void put_groups(const struct analysis_run *run, const struct intervals *intervals, const struct inside *inside)
{
  static const struct print_column columns[] = {
      {"interval", "Interval", PRINT_STRING, false}, {"slow", "Slow", PRINT_COUNT, false},
      {"slow_from", "From", PRINT_DURATION, false},  {"slow_mean", "Mean", PRINT_MEAN, false},
      {"others", "Others", PRINT_COUNT, false},      {"others_mean", "Mean", PRINT_MEAN, false}};
  print_table(run->print, "slow", "Slow intervals", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < inside->kind_count; i++) {
    const struct inside_kind *kind = &inside->kinds[i];
    struct print_cell cells[] = {print_string(intervals->list[i].interval->name),
                                 print_number(kind->slow.count),
                                 kind->slow.count ? print_number(kind->slow.shortest) : print_none(),
                                 intervals_inside_show_mean_cell(kind->slow.total, &kind->slow),
                                 print_number(kind->others.count),
                                 intervals_inside_show_mean_cell(kind->others.total, &kind->others)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* Where an interval's time is looked at, as users read it. */
static const char *const intervals_inside_show_threads[INSIDE_THREADS] = {
    [INSIDE_SAME] = "its own", [INSIDE_FROM] = "where it begins", [INSIDE_TO] = "where it ends"};

static struct print_cell name_cell(const struct analysis_run *run, const struct samples *samples,
                                   const struct inside_row *row)
{
  if (row->state == INSIDE_SAMPLES)
    return print_string(samples->functions[row->construct].name);
  return row->construct == TRACE_NONE ? print_none() : print_string(run->trace->regions[row->construct].name);
}

/* Rows of time, or rows of samples. */
static void intervals_inside_show_put_rows(const struct analysis_run *run, const struct intervals *intervals,
                                           const struct inside *inside, const struct samples *samples, bool of_samples)
{
  uint32_t shown = 0, kind_shown = TRACE_NONE;
  for (size_t i = 0; i < inside->row_count; i++) {
    const struct inside_row *row = &inside->rows[i];
    const struct inside_kind *kind = &inside->kinds[row->kind];
    if ((row->state == INSIDE_SAMPLES) != of_samples)
      continue;
    shown = row->kind == kind_shown ? shown + 1 : 0;
    kind_shown = row->kind;
    if (run->format == PRINT_TEXT && shown >= ROWS_TEXT)
      continue;
    struct print_cell cells[6];
    unsigned count = 0;
    cells[count++] = print_string(intervals->list[row->kind].interval->name);
    cells[count++] = print_string(intervals_inside_show_threads[row->thread]);
    if (!of_samples)
      cells[count++] = print_string(state_name((enum state)row->state));
    cells[count++] = name_cell(run, samples, row);
    cells[count++] = intervals_inside_show_mean_cell(row->slow, &kind->slow);
    cells[count++] = intervals_inside_show_mean_cell(row->others, &kind->others);
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

void intervals_inside_show(const struct analysis_run *run, const struct intervals *intervals,
                           const struct inside *inside, const struct samples *samples)
{
  static const struct print_column time[] = {
      {"interval", "Interval", PRINT_STRING, false}, {"thread", "Thread", PRINT_STRING, false},
      {"state", "State", PRINT_STRING, false},       {"construct", "Construct", PRINT_STRING, false},
      {"slow", "In a slow one", PRINT_MEAN, false},  {"others", "In others", PRINT_MEAN, false}};
  static const struct print_column functions[] = {{"interval", "Interval", PRINT_STRING, false},
                                                  {"thread", "Thread", PRINT_STRING, false},
                                                  {"function", "Function", PRINT_STRING, false},
                                                  {"slow", "Samples in a slow one", PRINT_REAL, false},
                                                  {"others", "In others", PRINT_REAL, false}};
  put_groups(run, intervals, inside);
  print_table(run->print, "inside", "What lies inside, on average; the largest difference first", time, COUNT_OF(time),
              false);
  intervals_inside_show_put_rows(run, intervals, inside, samples, false);
  if (!samples)
    return;
  print_table(run->print, "inside_functions", "Where samples were taken inside, on average", functions,
              COUNT_OF(functions), false);
  intervals_inside_show_put_rows(run, intervals, inside, samples, true);
}
