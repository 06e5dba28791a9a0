#include "analyzer/analyses/calls/calls_view.h"
#include "analyzer/analyses/calls/compare.h"
#include "base/count_of.h"

#include <stdlib.h>

/* Ticks are those of the first trace. */
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
