#include "analyzer/live/screen/times.h"

#include "analyzer/command/print/units.h"

#include <stdio.h>
#include <stdlib.h>

/* The columns of a line. */
struct time_line {
  int name, now, chart, chart_width;
};

enum { NOW_WIDTH = 13 };

/* The names get what they need, but not more than half of the line. */
static struct time_line time_line(const struct view *view, const struct canvas *canvas)
{
  struct time_line line = {.name = 10};
  for (size_t i = 0; i < view->pairs.count; i++) {
    char *name = view_item_name(view, PANEL_TIMES, i);
    int width = name ? canvas_width(canvas, name) + 1 : 0;
    line.name = width > line.name ? width : line.name;
    free(name);
  }
  line.name = line.name < canvas->columns / 2 ? line.name : canvas->columns / 2;
  line.now = 1 + line.name;
  line.chart = line.now + NOW_WIDTH + 2;
  line.chart_width = canvas->columns - 1 - line.chart;
  return line;
}

void times_headings(const struct view *view, struct canvas *canvas, int row)
{
  struct time_line line = time_line(view, canvas);
  uint64_t second = view->figures.between.trace->ticks_per_second;
  char text[128], span[UNITS_SIZE], width[UNITS_SIZE];
  canvas_put(canvas, row, 1, line.name, "Over time", STYLE_HEADING);
  canvas_put_right(canvas, row, line.now, NOW_WIDTH, "Now", STYLE_HEADING);
  snprintf(text, sizeof text, "%s, in bins of %s", units_duration(view->clock.end, second, span),
           units_duration(view->clock.width, second, width));
  canvas_put(canvas, row, line.chart, line.chart_width, text, STYLE_HEADING);
}

/* The mean of the bins of a column of the chart: there may be fewer columns than bins. */
static double at_column(const struct live_history *history, size_t column, size_t columns)
{
  size_t first = history->used <= columns ? column : column * history->used / columns;
  size_t end = history->used <= columns ? column + 1 : (column + 1) * history->used / columns;
  double sum = 0;
  for (size_t i = first; i < end; i++)
    sum += live_history_density(history, i);
  return end > first ? sum / (double)(end - first) : 0;
}

static void chart(struct canvas *canvas, int row, const struct time_line *line, const struct live_history *history)
{
  size_t columns = line->chart_width > 0 ? (size_t)line->chart_width : 0;
  size_t used = history->used < columns ? history->used : columns;
  double most = 0;
  for (size_t i = 0; i < used; i++) {
    double here = at_column(history, i, columns);
    most = here > most ? here : most;
  }
  for (size_t i = 0; i < used && most > 0; i++)
    canvas_letter(canvas, row, line->chart + (int)i, canvas_block(canvas, at_column(history, i, columns) / most),
                  STYLE_CHART);
}

void times_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style)
{
  const struct live_pair *pair = &view->pairs.items[item];
  struct time_line line = time_line(view, canvas);
  char text[64], count[UNITS_SIZE];
  char *name = view_item_name(view, PANEL_TIMES, item);
  for (int i = 0; i < line.chart - 1; i++)
    canvas_letter(canvas, row, i, L' ', style);
  canvas_put_name(canvas, row, 1, line.name - 1, name ? name : "?", style);
  free(name);
  if (live_pair_counts(pair))
    snprintf(
        text, sizeof text, "%s/s",
        units_count((uint64_t)(pair->latest * (double)view->figures.between.trace->ticks_per_second + 0.5), count));
  else
    snprintf(text, sizeof text, "%.2f threads", pair->latest);
  canvas_put_right(canvas, row, line.now, NOW_WIDTH, text, style);
  chart(canvas, row, &line, &pair->history);
}
