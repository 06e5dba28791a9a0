#include "analyzer/analyses/calls/calls_rows.h"
#include "base/count_of.h"

#include <stdlib.h>

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
