#include "analyzer/live/screen/asking.h"

#include "analyzer/live/screen/canvas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRIC_WIDTH = 20 };

static bool is_listed(const struct view *view, size_t metric)
{
  return strstr(live_asked_metrics[metric].name, view->typed);
}

/* From a metric on to the next listed one, forwards or backwards; stays where there is none. */
static void choose(struct view *view, size_t from, bool forwards)
{
  for (size_t i = from; i < live_asked_metric_count; i += forwards ? 1 : SIZE_MAX)
    if (is_listed(view, i)) {
      view->metric = i;
      return;
    }
}

/* The place of the chosen item, as a proposal: its source line, or else its name. */
static void propose_place(struct view *view)
{
  const struct trace *trace = view->figures.between.trace;
  struct live_focus focus;
  int length = 0;
  view->typed[0] = '\0';
  if (!view_focus_of(view, &focus))
    return;
  if (focus.region != TRACE_NONE && live_asked_takes_place(&live_asked_metrics[view->metric])) {
    const struct trace_region *region = &trace->regions[focus.region];
    const char *slash = strrchr(region->file, '/'), *file = slash ? slash + 1 : region->file;
    length = region->line > 0 ? snprintf(view->typed, sizeof view->typed, "%s:%u", file, region->line)
                              : snprintf(view->typed, sizeof view->typed, "%s", region->name);
  }
  if (focus.location != TRACE_NONE && length >= 0 && (size_t)length < sizeof view->typed)
    snprintf(view->typed + length, sizeof view->typed - (size_t)length, "%sthread=%s", length > 0 ? "," : "",
             trace->locations[focus.location].name);
}

static enum wish asking_take_metric(struct view *view, int key)
{
  if (key == PRESSED_UP && view->metric > 0)
    choose(view, view->metric - 1, false);
  else if (key == PRESSED_DOWN)
    choose(view, view->metric + 1, true);
  else if (key == PRESSED_ENTER && is_listed(view, view->metric)) {
    view->prompt = PROMPT_PLACE;
    propose_place(view);
  } else if (view_type(view->typed, sizeof view->typed, key))
    choose(view, 0, true);
  return WISH_NONE;
}

static enum wish take_place(struct view *view, int key)
{
  char text[TYPED_SIZE + 32];
  if (key != PRESSED_ENTER) {
    view_type(view->typed, sizeof view->typed, key);
    return WISH_NONE;
  }
  snprintf(text, sizeof text, "%s%s%s", live_asked_metrics[view->metric].name, view->typed[0] ? "@" : "", view->typed);
  if (!view_ask_pair(view, text))
    return WISH_NONE;
  view->prompt = PROMPT_NONE;
  view->panel = PANEL_TIMES;
  view->lists[PANEL_TIMES].chosen = view->pairs.count - 1;
  return WISH_MEASURE;
}

static enum wish take_focus(struct view *view, int key)
{
  if (key == PRESSED_ENTER)
    return WISH_FOCUS;
  view_type(view->typed, sizeof view->typed, key);
  return WISH_NONE;
}

enum wish asking_key(struct view *view, int key)
{
  if (view->prompt < PROMPT_METRIC)
    return view_key(view, key);
  if (key != PRESSED_RESIZE)
    view->note[0] = '\0';
  if (key == PRESSED_ESCAPE) {
    view->prompt = PROMPT_NONE;
    return WISH_NONE;
  }
  return view->prompt == PROMPT_METRIC  ? asking_take_metric(view, key)
         : view->prompt == PROMPT_PLACE ? take_place(view, key)
                                        : take_focus(view, key);
}

void asking_draw_metrics(const struct view *view, struct canvas *canvas, int row, int rows)
{
  /* The chosen one is among the rows that there are. */
  int before = 0, at = 0;
  for (size_t i = 0; i < view->metric; i++)
    before += is_listed(view, i);
  int first = before < rows - 1 ? 0 : before - rows + 2;
  canvas_put(canvas, row, 1, METRIC_WIDTH, "Metric", STYLE_HEADING);
  canvas_put(canvas, row, 1 + METRIC_WIDTH, canvas->columns - 2 - METRIC_WIDTH, "What it is", STYLE_HEADING);
  for (size_t i = 0; i < live_asked_metric_count; i++) {
    if (!is_listed(view, i) || at++ < first || at - first >= rows)
      continue;
    enum style style = i == view->metric ? STYLE_CHOSEN : STYLE_TEXT;
    int here = row + at - first;
    canvas_style(canvas, here, 0, canvas->columns, style);
    canvas_put(canvas, here, 1, METRIC_WIDTH - 1, live_asked_metrics[i].name, style);
    canvas_put(canvas, here, 1 + METRIC_WIDTH, canvas->columns - 2 - METRIC_WIDTH, live_asked_metrics[i].help, style);
  }
}

void asking_draw_line(const struct view *view, struct canvas *canvas, int row)
{
  char text[TYPED_SIZE + 64];
  const char *metric = live_asked_metrics[view->metric].name;
  if (view->prompt == PROMPT_METRIC)
    snprintf(text, sizeof text, "metric: %s_", view->typed);
  else if (view->prompt == PROMPT_PLACE)
    snprintf(text, sizeof text, "where, or nothing for all: %s@%s_", metric, view->typed);
  else
    snprintf(text, sizeof text, "only what is in, or nothing for all: %s_", view->typed);
  int width = canvas_width(canvas, view->note);
  int room = canvas->columns - 2 - (view->note[0] ? width + 3 : 0);
  int least = canvas->columns / 2;
  room = room > least ? room : least;
  const char *end = text; /* what is typed last is to be seen */
  while (canvas_width(canvas, end) > room)
    end++;
  int used = canvas_put_name(canvas, row, 1, room, end, STYLE_STRONG);
  canvas_put(canvas, row, used + 4, canvas->columns - used - 5, view->note, STYLE_WARNING);
}
