#include "analyzer/calls/compare.h"
#include "analyzer/commands/calls_view.h"
#include "base/count_of.h"

#include <stdlib.h>

static double unit_of(const struct calls_view *view)
{
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
  return calls_amount(view, samples);
}

static void put_difference(const struct calls_view *const views[2], const struct calls_difference *difference)
{
  char where[CALLS_WHERE_SIZE];
  const struct calls_view *named = views[difference->code[0] == TRACE_NONE ? 1 : 0];
  uint32_t code = difference->code[difference->code[0] == TRACE_NONE ? 1 : 0];
  struct print_cell cells[CALLS_CODE_CELLS + 10], *next = calls_put_code(named, code, where, cells);
  for (int i = 0; i < 2; i++) {
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
  const struct calls_view *const views[] = {view, other};
  const struct calls_side sides[] = {{&view->figures, unit_of(view)}, {&other->figures, unit_of(other)}};
  struct calls_differences differences;
  bool good = calls_compare(sides, &differences);
  if (good) {
    size_t shown = calls_top(view, differences.count);
    print_table(view->run->print, "differences", NULL, columns, COUNT_OF(columns), false);
    for (size_t i = 0; i < shown; i++)
      put_difference(views, &differences.list[i]);
    print_table_end(view->run->print);
    calls_put_more(view, view->options->lines ? "lines" : "functions", shown, differences.count);
  }
  free(differences.list);
  return good;
}
