#include "analyzer/live/screen/panels.h"

#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"
#include "analyzer/findings/why/why.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <limits.h>
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

static void times_headings(const struct view *view, struct canvas *canvas, int row)
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

static void times_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style)
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

/* Columns right of the names, with the gap before them. Columns without room are omitted, the last first. */
struct column {
  const char *heading;
  int width;
  unsigned sorts; /* by what, in figures.h */
};

static const struct column construct_columns[] = {{"Could be won", 14, CONSTRUCT_WIN},
                                                  {"Self", 9, CONSTRUCT_SELF},
                                                  {"Waiting", 9, CONSTRUCT_WAITING},
                                                  {"A second", 12, CONSTRUCT_RATE},
                                                  {"Longest", 10, CONSTRUCT_LONGEST}};
static const struct column lock_columns[] = {{"Waiting", 9, LOCK_WAITING},
                                             {"Held", 9, LOCK_HOLDING},
                                             {"Acquired/s", 12, LOCK_ACQUIRED},
                                             {"Contended/s", 13, LOCK_CONTENDED},
                                             {"Longest", 10, LOCK_LONGEST}};

enum { CELLS = 5, NAME_LEAST = 24, NAME_MOST = 80 };

/* The number of columns that have room. */
static size_t columns_shown(const struct canvas *canvas, const struct column *columns, int *name_width)
{
  int left = canvas->columns - 2;
  int least = left / 3 < NAME_LEAST ? left / 3 : NAME_LEAST;
  size_t count = 0;
  while (count < CELLS && left - columns[count].width >= least)
    left -= columns[count++].width;
  *name_width = left < NAME_MOST ? left : NAME_MOST;
  return count;
}

static void headings(const struct view *view, struct canvas *canvas, int row, const char *name,
                     const struct column *columns)
{
  int at;
  size_t count = columns_shown(canvas, columns, &at);
  canvas_put(canvas, row, 1, at, name, STYLE_HEADING);
  for (size_t i = 0; i < count; at += columns[i++].width)
    canvas_put_right(canvas, row, at + 1, columns[i].width, columns[i].heading,
                     view->lists[view->panel].column == columns[i].sorts ? STYLE_SORTED : STYLE_HEADING);
}

static void put_row(const struct view *view, struct canvas *canvas, int row, size_t item, const struct column *columns,
                    char cells[CELLS][UNITS_SIZE], enum style style)
{
  int at;
  size_t count = columns_shown(canvas, columns, &at);
  char *name = view_item_name(view, view->panel, item);
  canvas_style(canvas, row, 0, canvas->columns, style);
  for (int i = 0; i < canvas->columns; i++)
    canvas_letter(canvas, row, i, L' ', style);
  canvas_put_name(canvas, row, 1, at - 1, name ? name : "?", style);
  free(name);
  for (size_t i = 0; i < count; at += columns[i++].width)
    canvas_put_right(canvas, row, at + 1, columns[i].width, cells[i], style);
}

/* Nothing for 0: a list is calm where nothing happens. */
static void put_percent(char text[UNITS_SIZE], wide_total part, wide_total whole)
{
  double percent = part > 0 && whole > 0 ? print_percentage(part, whole) : 0;
  text[0] = '\0';
  if (percent > 0)
    snprintf(text, UNITS_SIZE, percent < 0.05 ? "<0.1 %%" : "%.1f %%", percent);
}

static void put_rate(char text[UNITS_SIZE], uint64_t count, const struct figures *figures)
{
  double rate = (double)count / (double)figures->stretch * (double)figures->between.trace->ticks_per_second;
  text[0] = '\0';
  if (count > 0 && rate < 100)
    snprintf(text, UNITS_SIZE, "%.*f", rate < 10 ? 2 : 1, rate);
  else if (count > 0)
    units_count((uint64_t)(rate + 0.5), text);
}

static void put_time(char text[UNITS_SIZE], wide_total ticks, const struct figures *figures)
{
  text[0] = '\0';
  if (ticks > 0)
    units_duration(ticks, figures->between.trace->ticks_per_second, text);
}

static void construct_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style)
{
  const struct figures *figures = &view->figures;
  const struct construct_figures *construct = &figures->constructs[item];
  char cells[CELLS][UNITS_SIZE];
  put_percent(cells[0], construct->win, figures->stretch);
  put_percent(cells[1], construct->self, figures->time);
  put_percent(cells[2], construct->waiting, figures->time);
  put_rate(cells[3], construct->executions, figures);
  put_time(cells[4], construct->longest, figures);
  put_row(view, canvas, row, item, construct_columns, cells, style);
}

static void lock_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style)
{
  const struct figures *figures = &view->figures;
  const struct lock_figures *lock = &figures->locks[item];
  char cells[CELLS][UNITS_SIZE];
  put_percent(cells[0], lock->waiting, figures->time);
  put_percent(cells[1], lock->held, figures->stretch);
  put_rate(cells[2], lock->acquired, figures);
  put_rate(cells[3], lock->contended, figures);
  put_time(cells[4], lock->longest, figures);
  put_row(view, canvas, row, item, lock_columns, cells, style);
}

/* The columns of a line of a thread. */
struct thread_line {
  int name, bar, bar_width, place, place_width;
};

static struct thread_line thread_line(const struct canvas *canvas)
{
  int columns = canvas->columns - 2;
  struct thread_line line = {.name = columns / 4 < 20 ? columns / 4 : 20};
  line.place_width = columns >= 50 ? columns * 35 / 100 : 0;
  line.bar = 1 + line.name + 1;
  line.bar_width = columns - line.name - 1 - line.place_width;
  line.place = line.bar + line.bar_width + 2;
  line.place_width -= line.place_width > 0 ? 2 : 0;
  return line;
}

void panels_thread_bar(const struct view *view, struct canvas *canvas, int row, uint32_t location, enum style style)
{
  const struct figures *figures = &view->figures;
  struct thread_line line = thread_line(canvas);
  const wide_total *ticks;
  wide_total all[STATES];
  if (location == TRACE_NONE) {
    figures_states(figures, TRACE_NONE, all);
    ticks = all;
  } else {
    ticks = figures->sums.threads[location].ticks;
  }
  for (int i = 0; i < canvas->columns; i++)
    canvas_letter(canvas, row, i, L' ', style);
  canvas_put_name(canvas, row, 1, line.name,
                  location == TRACE_NONE ? "all threads" : figures->between.trace->locations[location].name, style);
  canvas_bar(canvas, row, line.bar, line.bar_width, ticks);
  if (location != TRACE_NONE && line.place_width > 0)
    canvas_put_name(canvas, row, line.place, line.place_width, live_place(&figures->between, location), style);
}

static const struct column reason_columns[] = {{"Could be won", 14, UINT_MAX},
                                               {"At least", 10, UINT_MAX},
                                               {"At most", 10, UINT_MAX},
                                               {"", 11, UINT_MAX},
                                               {"", 0, UINT_MAX}};

static void reason_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style)
{
  const struct why_node *node = &view->reasons.why.nodes.items[item];
  char cells[CELLS][UNITS_SIZE] = {""};
  if (node->measured) {
    units_percent(node->percent, cells[0]);
    units_percent(node->low, cells[1]);
    units_percent(node->high, cells[2]);
  }
  if (node->aspect <= WHY_WHERE)
    snprintf(cells[3], UNITS_SIZE, "%s", why_verdict_name(node->verdict));
  put_row(view, canvas, row, item, reason_columns, cells, style);
}

static void thread_headings(const struct view *view, struct canvas *canvas, int row)
{
  static const char *const by[THREAD_COLUMNS] = {"by name", "by RUN", "by waiting", "by IDLE"};
  struct thread_line line = thread_line(canvas);
  canvas_put(canvas, row, 1, line.name, "Thread", STYLE_HEADING);
  canvas_put(canvas, row, line.bar, line.bar_width, by[view->lists[PANEL_THREADS].column], STYLE_SORTED);
  if (line.place_width > 0)
    canvas_put(canvas, row, line.place, line.place_width, "Is in", STYLE_HEADING);
}

/* The names of the panels; on the right what part of the list is shown. */
static void tabs(const struct view *view, struct canvas *canvas, int row)
{
  static const char *const names[PANELS] = {"1 Constructs", "2 Locks", "3 Over time", "4 Threads", "5 Why"};
  const struct list *list = &view->lists[view->panel];
  size_t count = view_count(view, view->panel);
  char text[96], number[UNITS_SIZE], of[UNITS_SIZE];
  int at = 1;
  for (unsigned i = 0; i < PANELS; i++)
    at += canvas_put(canvas, row, at, canvas->columns - at, names[i], i == view->panel ? STYLE_SORTED : STYLE_SOFT) + 3;
  if (view->figures.only != TRACE_NONE) {
    at += canvas_put(canvas, row, at, canvas->columns - at, "on ", STYLE_TEXT);
    at += canvas_put_name(canvas, row, at, canvas->columns - at - 1,
                          view->figures.between.trace->locations[view->figures.only].name, STYLE_STRONG);
  }
  snprintf(text, sizeof text, "%s of %s", units_count(count > 0 ? list->chosen + 1 : 0, number),
           units_count(count, of));
  if (at + canvas_width(canvas, text) < canvas->columns)
    canvas_put_right(canvas, row, at, canvas->columns - at - 1, text, STYLE_SOFT);
}

static void list_headings(const struct view *view, struct canvas *canvas, int row)
{
  if (view->panel == PANEL_CONSTRUCTS)
    headings(view, canvas, row, "Construct", construct_columns);
  else if (view->panel == PANEL_LOCKS)
    headings(view, canvas, row, "Lock", lock_columns);
  else if (view->panel == PANEL_TIMES)
    times_headings(view, canvas, row);
  else if (view->panel == PANEL_REASONS)
    headings(view, canvas, row, "Reason", reason_columns);
  else
    thread_headings(view, canvas, row);
}

static void list_row(const struct view *view, struct canvas *canvas, int row, size_t item, enum style style)
{
  if (view->panel == PANEL_CONSTRUCTS)
    construct_row(view, canvas, row, item, style);
  else if (view->panel == PANEL_LOCKS)
    lock_row(view, canvas, row, item, style);
  else if (view->panel == PANEL_TIMES)
    times_row(view, canvas, row, item, style);
  else if (view->panel == PANEL_REASONS)
    reason_row(view, canvas, row, item, style);
  else
    panels_thread_bar(view, canvas, row, view->figures.threads[item], style);
}

void panels_draw(struct view *view, struct canvas *canvas, int row, int rows)
{
  static const char *const nothing[PANELS] = {"no construct was executed", "no lock was acquired",
                                              "nothing yet: press a, or choose a line in another list and press +",
                                              "no threads", "the search has begun: wait for the second reading"};
  struct list *list = &view->lists[view->panel];
  size_t count = view_count(view, view->panel);
  int above = rows >= 4 ? 2 : rows >= 2;
  if (above > 0)
    tabs(view, canvas, row);
  if (above > 1)
    list_headings(view, canvas, row + 1);
  list->height = rows - above > 0 ? rows - above : 0;
  if (list->chosen < list->top)
    list->top = list->chosen;
  if (list->height > 0 && list->chosen >= list->top + (size_t)list->height)
    list->top = list->chosen - (size_t)list->height + 1;
  if (list->top + (size_t)list->height > count)
    list->top = count > (size_t)list->height ? count - (size_t)list->height : 0;
  for (size_t i = 0; i < (size_t)list->height && list->top + i < count; i++)
    list_row(view, canvas, row + above + (int)i, list->top + i,
             list->top + i == list->chosen ? STYLE_CHOSEN : STYLE_TEXT);
  if (count == 0)
    canvas_put(canvas, row + above, 1, canvas->columns - 2, nothing[view->panel], STYLE_SOFT);
}
