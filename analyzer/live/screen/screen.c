#include "analyzer/live/screen/screen.h"

#include "analyzer/live/readings/live.h"
#include "analyzer/live/screen/asking.h"
#include "analyzer/live/screen/canvas.h"
#include "analyzer/live/screen/draw.h"
#include "analyzer/live/screen/terminal.h"
#include "analyzer/live/screen/terminal_suits.h"
#include "base/count_of.h"
#include "common/raw/live_control.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000u

/* Readings that are compared with the present one. */
struct watch {
  struct live *live;
  const struct screen_options *options;
  struct profile_focus *focus; /* that readings have; NULL: none */
  uint32_t needs;              /* groups that were requested from the program */
  struct view view;
  struct live_reading now, base; /* base: sums begin here; without threads: when each thread began */
  uint64_t busy_ns;              /* busy time of processors, at the reading before; 0: unknown */
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

/* A signal in the midst of a reading would end it: the terminal's new size, for one. */
static bool read_undisturbed(struct live *live, struct live_reading *reading, struct error *error)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
  sigset_t later, as_before;
  sigemptyset(&later);
  for (size_t i = 0; i < COUNT_OF(numbers); i++)
    sigaddset(&later, numbers[i]);
  sigprocmask(SIG_BLOCK, &later, &as_before);
  bool good = live_read(live, reading, error);
  sigprocmask(SIG_SETMASK, &as_before, NULL);
  return good;
}

static uint64_t now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

static uint64_t begin_of(const struct live_reading *reading)
{
  uint64_t first = reading->now;
  for (uint32_t i = 0; i < reading->location_count; i++)
    if (reading->profile.lives[i].last != 0 && reading->profile.lives[i].first < first)
      first = reading->profile.lives[i].first;
  return first;
}

/* The figures from a reading to the present one; from NULL: since each thread began. */
static bool figures_since(const struct watch *watch, const struct live_reading *from, struct figures *figures,
                          struct error *error)
{
  static const struct live_reading none = {.threads = NULL};
  struct live_reading between;
  uint64_t begin = from ? from->now : begin_of(&watch->now);
  if (!live_between(from ? from : &none, &watch->now, &between)) {
    live_reading_free(&between);
    return error_set(error, "out of memory");
  }
  return figures_make(figures, &between, watch->now.now - begin, watch->view.figures.only) ||
         error_set(error, "out of memory");
}

static bool show_since(struct watch *watch, struct error *error)
{
  struct figures figures;
  if (!figures_since(watch, watch->base.threads ? &watch->base : NULL, &figures, error))
    return false;
  view_show(&watch->view, &figures);
  return true;
}

static void read_processors(struct watch *watch, uint64_t ticks)
{
  uint64_t busy = 0;
  bool known = live_process_time(live_pid(watch->live), &busy);
  double seconds = (double)ticks / (double)watch->now.trace->ticks_per_second;
  if (!watch->view.frozen)
    watch->view.processors = known && watch->busy_ns > 0 && busy >= watch->busy_ns && seconds > 0
                                 ? (double)(busy - watch->busy_ns) / 1e9 / seconds
                                 : -1;
  watch->busy_ns = busy;
}

/* Locks are measured where they can't be counted alone. */
static bool is_more_measured(uint32_t measured, uint32_t needs)
{
  uint32_t locks = needs & LIVE_NEED_LOCK_COUNTS ? LIVE_NEED_LOCKS : 0;
  return (measured & ~(needs | locks) & LIVE_NEED_ALL) != 0;
}

/* Requests other measurements, if they have changed. An error of the program goes to the last line. */
static void measure(struct watch *watch)
{
  const struct screen_options *options = watch->options;
  struct view *view = &watch->view;
  struct error error;
  uint32_t needs = view_needs(view);
  if (view_by_member(view))
    live_keep_apart(watch->live);
  if (needs == watch->needs || view->over)
    return;
  if (!options->measure) {
    view->sparse = false;
    view_say(view, "this process measures all that it does: it was not started with `heddle record --live`");
  } else if (options->measure(options->with, needs, &view->measured, &error)) {
    if (watch->needs == LIVE_NEED_ALL && is_more_measured(view->measured, needs))
      view_say(view, "more is measured: the program began so, or others ask for it");
    watch->needs = needs;
  } else
    view_say(view, error.message);
}

/* "!$omp for @a.c:12 on OpenMP thread 1": the chosen item. */
static void name_chosen(struct view *view)
{
  const struct figures *figures = &view->figures;
  char *name = view_item_name(view, view->panel, view->lists[view->panel].chosen);
  bool on_thread = view->panel != PANEL_THREADS && figures->only != TRACE_NONE;
  snprintf(view->traced, sizeof view->traced, "%s%s%s", name ? name : "?", on_thread ? " on " : "",
           on_thread ? figures->between.trace->locations[figures->only].name : "");
  free(name);
}

/* Has the program trace the chosen item, or no longer what it traces for us. */
static void screen_trace(struct watch *watch)
{
  const struct screen_options *options = watch->options;
  struct view *view = &watch->view;
  struct live_focus what;
  struct error error;
  if (view->over)
    return;
  if (!options->trace)
    view_say(view, "this process traces all or nothing: it was not started with `heddle record --live`");
  else if (view->traced[0]) {
    bool ended = options->trace(options->with, NULL, &watch->now, &error);
    if (ended)
      view->traced[0] = '\0';
    view_say(view, ended ? "traced no longer: the archive is made at the program's end, or by `heddle snapshot`"
                         : error.message);
  } else if (!view_focus_of(view, &what))
    view_say(view, "choose a construct (1), a lock (2) or a thread (4) first");
  else if (options->trace(options->with, &what, &watch->now, &error))
    name_chosen(view);
  else
    view_say(view, error.message);
}

/* Another command may have begun or ended a trace. */
static void look_at_trace(struct watch *watch)
{
  const struct screen_options *options = watch->options;
  struct view *view = &watch->view;
  bool traces = options->trace && !view->over && options->traces(options->with);
  if (!traces)
    view->traced[0] = '\0';
  view->traced_by_others = traces && !view->traced[0];
}

/* Ends the trace of the user, unless the program has ended. */
static void end_trace(struct watch *watch)
{
  struct error error;
  if (watch->view.traced[0] && !watch->view.over)
    watch->options->trace(watch->options->with, NULL, &watch->now, &error);
}

static bool add_first_pairs(struct watch *watch)
{
  static const enum live_metric metrics[] = {LIVE_RUN, LIVE_SYNCH, LIVE_IDLE};
  struct view *view = &watch->view;
  bool good = true;
  for (size_t i = 0; good && i < watch->options->pair_count; i++)
    good = view_ask_pair(view, watch->options->pairs[i].text);
  for (size_t i = 0; good && watch->options->pair_count == 0 && i < COUNT_OF(metrics); i++)
    good = view_add_pair(view, metrics[i], (struct live_focus){TRACE_NONE, TRACE_NONE});
  return good;
}

/* The first reading has no one before it: it shows sums. */
static bool read_first(struct watch *watch, struct error *error)
{
  if (!read_undisturbed(watch->live, &watch->now, error))
    return false;
  uint64_t width = (uint64_t)((double)watch->view.interval_ns / 1e9 * (double)watch->now.trace->ticks_per_second);
  live_history_begin(&watch->view.clock, watch->now.now, width);
  if (!add_first_pairs(watch))
    return error_set(error, "out of memory");
  measure(watch);
  read_processors(watch, 0);
  watch->view.over = watch->now.over;
  return show_since(watch, error);
}

static bool read_next(struct watch *watch, struct error *error)
{
  struct live_reading before = watch->now;
  struct figures figures = {.only = TRACE_NONE};
  struct view *view = &watch->view;
  if (!read_undisturbed(watch->live, &watch->now, error)) {
    watch->now = before;
    return false;
  }
  bool good = figures_since(watch, &before, &figures, error);
  live_reading_free(&before);
  if (!good)
    return false;
  read_processors(watch, figures.stretch);
  if (!view->over && !reasons_add(&view->reasons, &watch->now, &figures.between)) {
    figures_free(&figures);
    return error_set(error, "out of memory");
  }
  view_record(view, &figures, watch->now.now - figures.stretch);
  view->over = watch->now.over;
  view->frozen &= !view->over;
  /* The last reading may come right after the one before, and have nothing: what was shown stays. */
  if (!view->frozen && !view->since && (!view->over || figures.time > 0))
    view_show(view, &figures);
  figures_free(&figures);
  return !view->since || view->frozen || show_since(watch, error);
}

/* Readings of another focus cannot be compared with those before: sums begin where the threads did. */
static bool change_focus(struct watch *watch, struct error *error)
{
  struct view *view = &watch->view;
  struct error wrong;
  struct profile_focus *focus = view->typed[0] ? profile_focus_of(view->typed, &wrong) : NULL;
  if (view->typed[0] && !focus) {
    view_say(view, wrong.message);
    return true;
  }
  view->prompt = PROMPT_NONE;
  if (view->over)
    return true;
  memcpy(view->focus, view->typed, sizeof view->focus);
  live_focus_on(watch->live, focus);
  profile_focus_free(watch->focus);
  watch->focus = focus;
  reasons_restart(&view->reasons);
  live_reading_free(&watch->base);
  live_reading_free(&watch->now);
  if (!read_undisturbed(watch->live, &watch->now, error))
    return false;
  view->over = watch->now.over;
  return show_since(watch, error);
}

/* False: an error. */
static bool grant(struct watch *watch, enum wish wish, struct error *error)
{
  static const struct live_reading none = {.threads = NULL};
  if (wish == WISH_MEASURE)
    measure(watch);
  if (wish == WISH_TRACE)
    screen_trace(watch);
  if (wish == WISH_FOCUS)
    return change_focus(watch, error);
  if (wish == WISH_RESET) {
    live_reading_free(&watch->base);
    if (!live_between(&none, &watch->now, &watch->base))
      return error_set(error, "out of memory");
  }
  if (wish == WISH_RESET || (wish == WISH_FRESH && watch->view.since))
    return show_since(watch, error);
  return true;
}

/* Waits for a key, or until it is time for the next reading. */
static void rest(uint64_t until, bool over)
{
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  uint64_t now = now_ns();
  int wait = over ? -1 : now >= until ? 0 : (int)((until - now + 999999) / 1000000);
  /* Without a terminal there is nobody to quit. */
  if (poll(&input, 1, wait) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)))
    interrupted = 1;
}

static bool serve(struct watch *watch, struct canvas *canvas, struct error *error)
{
  bool good = read_first(watch, error);
  uint64_t next = now_ns() + watch->view.interval_ns;
  while (good && !interrupted) {
    enum wish wish = WISH_NONE;
    look_at_trace(watch);
    draw(&watch->view, canvas);
    terminal_show(canvas);
    rest(next, watch->view.over);
    for (int key; good && wish != WISH_QUIT && (key = terminal_key()) != 0;) {
      wish = asking_key(&watch->view, key);
      good =
          key == PRESSED_RESIZE ? terminal_fit(canvas) || error_set(error, "out of memory") : grant(watch, wish, error);
    }
    if (wish == WISH_QUIT)
      break;
    if (good && !watch->view.over && now_ns() >= next) {
      good = read_next(watch, error);
      next = now_ns() + watch->view.interval_ns;
    }
  }
  return good || interrupted; /* the terminal's ^C also ends the program that reads the files */
}

bool screen_possible(void)
{
  return terminal_suits();
}

bool screen_watch(struct live *live, const struct screen_options *options, struct error *error)
{
  struct watch watch = {.live = live, .options = options};
  struct canvas canvas = {.cells = NULL};
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  view_begin(&watch.view, live_name(live), live_pid(live), options->interval_ns);
  if (options->pair_count > 0) {
    watch.view.sparse = true;
    watch.view.panel = PANEL_TIMES;
  }
  watch.needs = watch.view.measured = options->pair_count > 0 ? 0 : LIVE_NEED_ALL;
  if (options->focus)
    snprintf(watch.view.focus, sizeof watch.view.focus, "%s", options->focus);
  bool good = terminal_open(&canvas) || error_set(error, "the terminal cannot show a screen; --plain prints");
  good = good && serve(&watch, &canvas, error);
  end_trace(&watch);
  terminal_close();
  canvas_free(&canvas);
  view_free(&watch.view);
  live_focus_on(live, NULL);
  profile_focus_free(watch.focus);
  live_reading_free(&watch.now);
  live_reading_free(&watch.base);
  return good;
}
