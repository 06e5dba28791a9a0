#include "analyzer/live/screen/draw.h"

#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/live/screen/asking.h"
#include "analyzer/live/screen/panels.h"
#include "base/count_of.h"
#include "common/raw/live_control.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of keys, in place of all else. */
static void help_draw(struct canvas *canvas)
{
  static const struct {
    const char *key, *what;
  } lines[] = {{"1 2 3 4, tab", "constructs, locks, metrics over time, threads"},
               {"w, 5", "why threads do not do more; what is ruled out"},
               {"arrows, page up, ...", "choose a line; left, right: sort by another column"},
               {"s", "sort by the next column"},
               {"/, n", "search for a name, and for the next one"},
               {"t", "the chosen thread alone; again: all threads"},
               {"T", "trace what the line is about alone; again: no longer"},
               {"+, -", "show a metric of the line over time; no longer"},
               {"a, d", "show a metric of a place over time, chosen from a list"},
               {"m", "measure what is shown over time alone; all again"},
               {"f", "show a focus alone: thread=w*,construct=a.c:12"},
               {"c", "sums since the begin, or since the last reading"},
               {"r", "sums begin now"},
               {"space", "freeze, and go on; metrics over time go on meanwhile"},
               {"h, ?; q", "this help; quit: the program goes on"},
               {"", ""},
               {"Could be won", "mean wait of the threads, as a part of the time: won"},
               {"", "at most, if all of them come at the same time"},
               {"Self", "in the construct itself, a part of all threads' time"},
               {"Waiting", "at its barrier, its end, or for its lock; likewise"},
               {"Held", "lock, a part of the time"},
               {"Longest", "execution since the thread began"}};
  int width = 2 * canvas->columns / 5 < 24 ? 2 * canvas->columns / 5 : 24;
  canvas_put(canvas, 0, 1, canvas->columns - 2, "Keys of heddle live. Any key goes back.", STYLE_STRONG);
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    int row = (int)i + (canvas->rows > (int)COUNT_OF(lines) + 2 ? 2 : 1);
    canvas_put(canvas, row, 1, width - 2, lines[i].key, STYLE_KEYS);
    canvas_put(canvas, row, width, canvas->columns - width - 1, lines[i].what, STYLE_TEXT);
  }
}

struct layout draw_layout(int rows, size_t bars, bool panel_has_bars)
{
  struct layout layout = {.keys_rows = rows >= 4, .head_rows = rows >= 10 ? 2 : rows >= 5};
  int spare = rows - layout.keys_rows - layout.head_rows;
  int most = panel_has_bars ? 0 : spare / 3;
  int gap = rows >= 20;
  layout.bars = layout.head_rows + gap;
  if (spare >= 8)
    layout.bars_rows = 1 + (bars < (size_t)most ? (int)bars : most);
  layout.panel = layout.bars + layout.bars_rows + (gap && layout.bars_rows > 0);
  layout.panel_rows = rows - layout.keys_rows - layout.panel;
  layout.keys = rows - layout.keys_rows;
  return layout;
}

static void head_of_program(const struct view *view, struct canvas *canvas, int row)
{
  char text[128], count[UNITS_SIZE];
  uint32_t alive = figures_alive(&view->figures);
  const char *state = view->over ? "ENDED" : view->frozen ? "FROZEN" : "";
  int room = canvas->columns - canvas_width(canvas, state) - 2;
  int at = canvas_put_name(canvas, row, 1, room - 1, view->name, STYLE_STRONG) + 1;
  snprintf(text, sizeof text, " [%" PRIu64 "]   %s thread%s   every %g s", view->pid, units_count(alive, count),
           alive == 1 ? "" : "s", (double)view->interval_ns / 1e9);
  at += canvas_put(canvas, row, at, room - at, text, STYLE_TEXT);
  if (view->traced[0]) {
    at += canvas_put(canvas, row, at, room - at, "   traced: ", STYLE_TEXT);
    canvas_put_name(canvas, row, at, room - at, view->traced, STYLE_STRONG);
  } else if (view->traced_by_others) {
    canvas_put(canvas, row, at, room - at, "   traced: others asked for it", STYLE_TEXT);
  }
  canvas_put_right(canvas, row, 0, canvas->columns - 1, state, STYLE_WARNING);
}

/* The part of the measurement itself, as far as it is known. */
static bool measurement(const struct figures *figures, double *percent)
{
  wide_total sum = 0;
  bool known = false;
  for (size_t i = 0; i < figures->construct_count; i++)
    if (figures->constructs[i].region == TRACE_NONE && figures->constructs[i].kind == PROFILE_TOOL) {
      sum += figures->constructs[i].self;
      known = true;
    }
  *percent = print_percentage(sum, figures->time);
  return known;
}

static void head_of_time(const struct view *view, struct canvas *canvas, int row)
{
  const struct figures *figures = &view->figures;
  char text[256], time[UNITS_SIZE], percent[UNITS_SIZE];
  double share;
  int length = snprintf(text, sizeof text, "%s %s", view->since ? "sums since the begin, or r:" : "the last",
                        units_duration(figures->stretch, figures->between.trace->ticks_per_second, time));
  if (view->processors >= 0)
    length += snprintf(text + length, sizeof text - (size_t)length, "   %.2f processors busy", view->processors);
  if (measurement(figures, &share))
    length += snprintf(text + length, sizeof text - (size_t)length, "   measurement %s", units_percent(share, percent));
  if (view->sparse && (~view->measured & LIVE_NEED_ALL) != 0)
    snprintf(text + length, sizeof text - (size_t)length, "   measured: list 3 alone");
  int at = 1 + canvas_put(canvas, row, 1, canvas->columns - 2, text, STYLE_SOFT);
  if (view->focus[0]) {
    at += canvas_put(canvas, row, at, canvas->columns - at - 1, "   only ", STYLE_SOFT);
    canvas_put_name(canvas, row, at, canvas->columns - at - 1, view->focus, STYLE_STRONG);
  }
}

/* "B implicit barrier 12 %": the letter says that it is SYNCH. */
static void put_state(char text[64], enum state state, wide_total ticks, wide_total sum)
{
  static const char synch[] = "SYNCH ";
  const char *name = state_name(state);
  bool short_name = strncmp(name, synch, sizeof synch - 1) == 0;
  snprintf(text, 64, "%s %.0f %%", short_name ? name + sizeof synch - 1 : name, print_percentage(ticks, sum));
}

enum { AROUND_STATE = 6 }; /* columns of a letter, and gaps */

/* Omits the rarest until the others have room. */
static void keep_what_fits(const struct canvas *canvas, wide_total ticks[STATES], wide_total sum)
{
  for (;;) {
    int width = 0;
    unsigned rarest = STATES;
    char text[64];
    for (unsigned i = 0; i < STATES; i++) {
      if (ticks[i] == 0)
        continue;
      put_state(text, (enum state)i, ticks[i], sum);
      width += canvas_width(canvas, text) + AROUND_STATE;
      rarest = rarest == STATES || ticks[i] < ticks[rarest] ? i : rarest;
    }
    if (rarest == STATES || width <= canvas->columns)
      return;
    ticks[rarest] = 0;
  }
}

/* The letters of the states that are there, and their parts. */
static void legend(const struct view *view, struct canvas *canvas, int row)
{
  const struct figures *figures = &view->figures;
  wide_total ticks[STATES], sum = 0;
  int at = 1;
  figures_states(figures, figures->only, ticks);
  for (unsigned i = 0; i < STATES; i++)
    sum += ticks[i];
  keep_what_fits(canvas, ticks, sum);
  for (unsigned i = 0; i < STATES; i++) {
    enum state state = i + 1 < STATES ? (enum state)(i + 1) : STATE_IDLE;
    char letter[] = {' ', state_letter(state), ' ', '\0'}, text[64];
    if (ticks[state] == 0)
      continue;
    put_state(text, state, ticks[state], sum);
    at += canvas_put(canvas, row, at, canvas->columns - at, letter, style_of(state));
    at += canvas_put(canvas, row, at + 1, canvas->columns - at - 1, text, STYLE_SOFT) + 3;
  }
}

/* The kernel's figures of the only thread on the screen. */
static void about_thread(const struct view *view, struct canvas *canvas, int row, uint32_t location)
{
  const struct live_thread *thread = &view->figures.between.threads[location];
  struct live_task task = live_task_read(view->pid, thread->tid);
  char text[160], on[UNITS_SIZE], ready[UNITS_SIZE];
  if (thread->over || !task.known)
    return;
  snprintf(text, sizeof text, "TID %" PRIu64 "   state %c   %s on a processor, %s ready for one", thread->tid,
           task.state, units_duration(task.on_ns, 1000000000u, on), units_duration(task.queued_ns, 1000000000u, ready));
  canvas_put(canvas, row, 1, canvas->columns - 2, text, STYLE_SOFT);
}

static void bars(const struct view *view, struct canvas *canvas, const struct layout *layout)
{
  const struct figures *figures = &view->figures;
  if (layout->bars_rows == 0)
    return;
  legend(view, canvas, layout->bars);
  if (figures->only != TRACE_NONE && layout->bars_rows > 1) {
    panels_thread_bar(view, canvas, layout->bars + 1, figures->only, STYLE_TEXT);
    if (layout->bars_rows > 2)
      about_thread(view, canvas, layout->bars + 2, figures->only);
    return;
  }
  /* From the thread on that is chosen in the list of threads. */
  size_t shown = (size_t)layout->bars_rows - 1, threads = figures->thread_count - 1;
  size_t first = view->lists[PANEL_THREADS].chosen;
  first = first > 0 ? first - 1 : 0;
  first = first + shown <= threads ? first : threads > shown ? threads - shown : 0;
  for (size_t i = 0; i < shown && first + i < threads; i++)
    panels_thread_bar(view, canvas, layout->bars + 1 + (int)i, figures->threads[1 + first + i], STYLE_TEXT);
}

static int put_key(struct canvas *canvas, int row, int at, const char *key, const char *what)
{
  if (at + canvas_width(canvas, key) + 1 + canvas_width(canvas, what) >= canvas->columns)
    return canvas->columns;
  at += canvas_put(canvas, row, at, canvas->columns - at, key, STYLE_KEYS) + 1;
  return at + canvas_put(canvas, row, at, canvas->columns - at, what, STYLE_SOFT) + 3;
}

static void keys_line(const struct view *view, struct canvas *canvas, int row)
{
  static const struct {
    const char *key, *what;
  } keys[] = {{"q", "quit"},   {"?", "help"},   {"space", "freeze"}, {"s", "sort"},  {"+", "over time"},
              {"t", "alone"},  {"/", "search"}, {"w", "why"},        {"T", "trace"}, {"c", "sums"},
              {"a", "metric"}, {"f", "focus"},  {"r", "reset"}};
  int at = 1;
  char text[SEARCH_SIZE + 16];
  bool of_threads = view->panel == PANEL_THREADS;
  if (view->prompt == PROMPT_SEARCH) {
    snprintf(text, sizeof text, "/%s_", view->search);
    at += canvas_put(canvas, row, at, canvas->columns - at, text, STYLE_STRONG) + 3;
    canvas_put(canvas, row, at, canvas->columns - at, view->note, STYLE_WARNING);
  } else if (view->prompt == PROMPT_ADD) {
    at += canvas_put(canvas, row, at, canvas->columns - at, "show over time:", STYLE_STRONG) + 2;
    at = put_key(canvas, row, at, of_threads ? "r" : "s", of_threads ? "RUN" : "self time");
    at = put_key(canvas, row, at, of_threads ? "y" : "e", of_threads ? "SYNCH" : "executions");
    put_key(canvas, row, at, of_threads ? "i" : "w", of_threads ? "IDLE" : "waiting");
  } else if (view->prompt != PROMPT_NONE) {
    asking_draw_line(view, canvas, row);
  } else if (view->note[0]) {
    canvas_put(canvas, row, at, canvas->columns - at, view->note, STYLE_STRONG);
  } else if (view->over) {
    canvas_put(canvas, row, at, canvas->columns - at, "The program has ended. q quits.", STYLE_WARNING);
  } else {
    for (size_t i = 0; i < COUNT_OF(keys); i++)
      at = put_key(canvas, row, at, keys[i].key, keys[i].what);
  }
}

void draw(struct view *view, struct canvas *canvas)
{
  size_t threads = view->figures.only != TRACE_NONE ? 2 : view->figures.thread_count - 1;
  struct layout layout = draw_layout(canvas->rows, threads, view->panel == PANEL_THREADS);
  canvas_clear(canvas);
  if (view->help) {
    help_draw(canvas);
    return;
  }
  if (layout.head_rows > 0)
    head_of_program(view, canvas, layout.head);
  if (layout.head_rows > 1)
    head_of_time(view, canvas, layout.head + 1);
  bars(view, canvas, &layout);
  if (view->prompt == PROMPT_METRIC)
    asking_draw_metrics(view, canvas, layout.panel, layout.panel_rows);
  else
    panels_draw(view, canvas, layout.panel, layout.panel_rows);
  if (layout.keys_rows > 0)
    keys_line(view, canvas, layout.keys);
}
