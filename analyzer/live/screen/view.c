#include "analyzer/live/screen/view.h"

#include "analyzer/findings/why/why.h"
#include "analyzer/live/screen/canvas.h"
#include "common/raw/live_control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char orders[] = "heddle why PID";

static void drop_parts(struct reasons *reasons)
{
  for (size_t i = 0; i < reasons->part_count; i++) {
    why_free(&reasons->parts[i]);
    findings_free(&reasons->part_findings[i]);
  }
  reasons->part_count = 0;
}

static bool begin(struct reasons *reasons, const struct live_reading *now)
{
  static const struct live_reading none = {.threads = NULL};
  drop_parts(reasons);
  live_reading_free(&reasons->base);
  return live_between(&none, now, &reasons->base);
}

static bool search(const struct live_reading *between, double threshold, struct findings *findings, struct why *why)
{
  struct why_sums sums = {.trace = between->trace, .profile = &between->profile, .orders = orders};
  return why_of_sums(&sums, threshold, findings, why);
}

/* Searches all time since the begin. */
static bool look(struct reasons *reasons, const struct live_reading *now)
{
  struct live_reading all;
  why_free(&reasons->why);
  findings_free(&reasons->findings);
  bool good = live_between(&reasons->base, now, &all) && search(&all, WHY_WORTH, &reasons->findings, &reasons->why);
  live_reading_free(&all);
  return good &&
         (reasons->part_count < WHY_PARTS_LEAST || why_join(&reasons->why, reasons->parts, reasons->part_count));
}

bool reasons_add(struct reasons *reasons, const struct live_reading *now, const struct live_reading *between)
{
  if (!reasons->on)
    return true;
  if (!reasons->base.threads)
    return begin(reasons, now);
  size_t at = reasons->part_count;
  if (!search(between, FINDINGS_WORTH, &reasons->part_findings[at], &reasons->parts[at]))
    return false;
  reasons->part_count++;
  return look(reasons, now) && (reasons->part_count < REASONS_PARTS || begin(reasons, now));
}

void reasons_restart(struct reasons *reasons)
{
  bool on = reasons->on;
  reasons_free(reasons);
  *reasons = (struct reasons){.on = on};
}

void reasons_free(struct reasons *reasons)
{
  drop_parts(reasons);
  why_free(&reasons->why);
  findings_free(&reasons->findings);
  live_reading_free(&reasons->base);
}

void view_begin(struct view *view, const char *name, uint64_t pid, uint64_t interval_ns)
{
  *view = (struct view){.name = name, .pid = pid, .interval_ns = interval_ns, .processors = -1};
  view->figures.only = TRACE_NONE;
}

/* A pair that was typed is in one piece of memory with its text. */
static void drop_pair(const struct live_pair *pair)
{
  struct live_asked *asked = (struct live_asked *)pair->asked;
  if (asked)
    live_asked_free(asked);
  free(asked);
}

void view_free(struct view *view)
{
  figures_free(&view->figures);
  for (size_t i = 0; i < view->pairs.count; i++)
    drop_pair(&view->pairs.items[i]);
  vector_free(&view->pairs);
  reasons_free(&view->reasons);
}

bool view_add_pair(struct view *view, enum live_metric metric, struct live_focus focus)
{
  struct live_pair pair = {.metric = metric, .focus = focus};
  live_history_like(&pair.history, &view->clock);
  return vector_push(&view->pairs, pair);
}

bool view_ask_pair(struct view *view, const char *text)
{
  struct live_pair pair = {.focus = {TRACE_NONE, TRACE_NONE}};
  struct error error = {.message = "out of memory"};
  size_t size = strlen(text) + 1;
  struct live_asked *asked = malloc(sizeof *asked + size);
  bool taken = asked && live_asked_take(memcpy(asked + 1, text, size), asked, &error);
  bool good = taken && (asked->metric->unit != LIVE_LAST || error_set(&error, "the last value has no history"));
  pair.asked = asked;
  live_history_like(&pair.history, &view->clock);
  if (good && vector_push(&view->pairs, pair))
    return true;
  if (taken)
    live_asked_free(asked);
  free(asked);
  view_say(view, error.message);
  return false;
}

uint32_t view_needs(const struct view *view)
{
  uint32_t needs = view->sparse ? 0 : LIVE_NEED_ALL;
  for (size_t i = 0; i < view->pairs.count; i++)
    needs |= live_pair_needs(&view->pairs.items[i]);
  return needs;
}

bool view_by_member(const struct view *view)
{
  bool by_member = false;
  for (size_t i = 0; i < view->pairs.count; i++)
    by_member |= view->pairs.items[i].asked && view->pairs.items[i].asked->by_member;
  return by_member;
}

size_t view_count(const struct view *view, enum panel panel)
{
  switch (panel) {
  case PANEL_CONSTRUCTS:
    return view->figures.construct_count;
  case PANEL_LOCKS:
    return view->figures.lock_count;
  case PANEL_TIMES:
    return view->pairs.count;
  case PANEL_REASONS:
    return view->reasons.why.nodes.count;
  default:
    return view->figures.thread_count;
  }
}

static const char *thread_name(const struct view *view, uint32_t location)
{
  return location == TRACE_NONE ? "all threads" : view->figures.between.trace->locations[location].name;
}

static char *pair_name(const struct view *view, const struct live_pair *pair)
{
  char *name = NULL;
  if (pair->asked)
    return strdup(pair->asked->text);
  const char *metric = live_metric_name(pair->metric), *thread = thread_name(view, pair->focus.location);
  int length = pair->metric >= LIVE_RUN ? asprintf(&name, "%s of %s", metric, thread)
               : pair->focus.location == TRACE_NONE
                   ? asprintf(&name, "%s of %s", metric, view->figures.between.trace->regions[pair->focus.region].name)
                   : asprintf(&name, "%s of %s on %s", metric,
                              view->figures.between.trace->regions[pair->focus.region].name, thread);
  return length < 0 ? NULL : name;
}

/* A node of the tree, indented. */
static char *node_name(const struct why_node *node)
{
  char *name = NULL;
  const char *aspect = node->aspect > WHY_KIND ? why_aspect_name(node->aspect) : "";
  int length = asprintf(&name, "%*s%s%s%s", 2 * (int)node->depth, "", aspect, *aspect ? ": " : "", node->text);
  return length < 0 ? NULL : name;
}

char *view_item_name(const struct view *view, enum panel panel, size_t item)
{
  const struct figures *figures = &view->figures;
  const struct trace *trace = figures->between.trace;
  if (panel == PANEL_TIMES)
    return pair_name(view, &view->pairs.items[item]);
  if (panel == PANEL_REASONS)
    return node_name(&view->reasons.why.nodes.items[item]);
  if (panel == PANEL_THREADS)
    return strdup(thread_name(view, figures->threads[item]));
  if (panel == PANEL_LOCKS)
    return strdup(trace->regions[figures->locks[item].region].name);
  const struct construct_figures *construct = &figures->constructs[item];
  struct profile_row row = {.region = construct->region, .kind = construct->kind};
  return strdup(profiled_row_name(trace, &row));
}

/* Identity of an item, independent of its place in the list. */
static uint64_t identity(const struct view *view, enum panel panel, size_t item)
{
  const struct figures *figures = &view->figures;
  return panel == PANEL_CONSTRUCTS
             ? (uint64_t)figures->constructs[item].region << 32 | (uint64_t)figures->constructs[item].kind
         : panel == PANEL_LOCKS   ? figures->locks[item].region
         : panel == PANEL_THREADS ? figures->threads[item]
                                  : item;
}

static void sort(struct view *view)
{
  figures_sort_constructs(&view->figures, (enum construct_column)view->lists[PANEL_CONSTRUCTS].column);
  figures_sort_locks(&view->figures, (enum lock_column)view->lists[PANEL_LOCKS].column);
  figures_sort_threads(&view->figures, (enum thread_column)view->lists[PANEL_THREADS].column);
}

/* The identity of what is chosen in each list; UINT64_MAX: nothing, or the first item, which stays the first. */
static void remember(const struct view *view, uint64_t chosen[PANELS])
{
  for (unsigned i = 0; i < PANELS; i++) {
    size_t at = view->lists[i].chosen;
    chosen[i] = at > 0 && at < view_count(view, (enum panel)i) ? identity(view, (enum panel)i, at) : UINT64_MAX;
  }
}

static void find_again(struct view *view, const uint64_t chosen[PANELS])
{
  for (unsigned i = 0; i < PANELS; i++) {
    struct list *list = &view->lists[i];
    size_t count = view_count(view, (enum panel)i), at = 0;
    while (chosen[i] != UINT64_MAX && at < count && identity(view, (enum panel)i, at) != chosen[i])
      at++;
    if (chosen[i] != UINT64_MAX && at < count)
      list->chosen = at;
    list->chosen = list->chosen < count ? list->chosen : count > 0 ? count - 1 : 0;
  }
}

void view_show(struct view *view, struct figures *figures)
{
  uint64_t chosen[PANELS];
  remember(view, chosen);
  figures_free(&view->figures);
  view->figures = *figures;
  *figures = (struct figures){.only = TRACE_NONE};
  sort(view);
  find_again(view, chosen);
}

void view_record(struct view *view, const struct figures *figures, uint64_t from)
{
  for (size_t i = 0; i < view->pairs.count; i++)
    live_pair_add(&view->pairs.items[i], &figures->between, &figures->sums, from);
  live_history_add(&view->clock, from, figures->between.now, 0);
}

static void sort_by(struct view *view, int step)
{
  static const unsigned columns[PANELS] = {CONSTRUCT_COLUMNS, LOCK_COLUMNS, 1, THREAD_COLUMNS, 1};
  uint64_t chosen[PANELS];
  struct list *list = &view->lists[view->panel];
  remember(view, chosen);
  list->column = (list->column + columns[view->panel] + (unsigned)step) % columns[view->panel];
  sort(view);
  find_again(view, chosen);
}

static void view_move(struct view *view, long step)
{
  struct list *list = &view->lists[view->panel];
  long count = (long)view_count(view, view->panel), at = (long)list->chosen + step;
  at = at < count ? at : count - 1;
  list->chosen = at > 0 ? (size_t)at : 0;
}

/* The construct or thread of the chosen item. False: it has no metrics. */
bool view_focus_of(const struct view *view, struct live_focus *focus)
{
  const struct figures *figures = &view->figures;
  size_t at = view->lists[view->panel].chosen;
  *focus = (struct live_focus){.location = figures->only, .region = TRACE_NONE};
  if (at >= view_count(view, view->panel))
    return false;
  if (view->panel == PANEL_THREADS)
    focus->location = figures->threads[at];
  else if (view->panel == PANEL_CONSTRUCTS)
    focus->region = figures->constructs[at].region;
  else if (view->panel == PANEL_LOCKS)
    focus->region = figures->locks[at].region;
  return view->panel == PANEL_THREADS || focus->region != TRACE_NONE;
}

void view_say(struct view *view, const char *text)
{
  snprintf(view->note, sizeof view->note, "%.*s", NOTE_SIZE - 1, text);
}

bool view_type(char *text, size_t size, int key)
{
  size_t length = strlen(text);
  bool letter = key >= ' ' && key < 127;
  if (key == PRESSED_BACKSPACE && length > 0)
    text[length - 1] = '\0';
  else if (letter && length + 1 < size) {
    text[length] = (char)key;
    text[length + 1] = '\0';
  }
  return letter || key == PRESSED_BACKSPACE;
}

static void ask_what_to_add(struct view *view)
{
  struct live_focus focus;
  if (view_focus_of(view, &focus))
    view->prompt = PROMPT_ADD;
  else
    view_say(view, "choose a construct (1), a lock (2) or a thread (4) first");
}

static void view_take_metric(struct view *view, int key)
{
  static const char letters[LIVE_METRICS] = {'s', 'e', 'w', 'r', 'y', 'i'};
  struct live_focus focus;
  view->prompt = PROMPT_NONE;
  if (!view_focus_of(view, &focus))
    return;
  unsigned first = focus.region == TRACE_NONE ? LIVE_RUN : LIVE_SELF;
  for (unsigned metric = first; metric < first + LIVE_RUN; metric++)
    if (key == letters[metric])
      view_say(view,
               view_add_pair(view, (enum live_metric)metric, focus) ? "added: 3 shows it over time" : "out of memory");
}

/* In the list of times the chosen one; elsewhere all that are about the chosen item. */
static void remove_pairs(struct view *view)
{
  struct live_focus focus = {.location = TRACE_NONE, .region = TRACE_NONE};
  bool times = view->panel == PANEL_TIMES;
  size_t kept = 0, count = view->pairs.count;
  if (!times && !view_focus_of(view, &focus))
    return;
  for (size_t i = 0; i < count; i++) {
    const struct live_pair *pair = &view->pairs.items[i];
    uint32_t region = pair->metric < LIVE_RUN ? pair->focus.region : TRACE_NONE;
    bool gone = times ? i == view->lists[PANEL_TIMES].chosen
                      : !pair->asked && region == focus.region && pair->focus.location == focus.location;
    if (gone)
      drop_pair(pair);
    else
      view->pairs.items[kept++] = *pair;
  }
  view->pairs.count = kept;
  if (kept == count)
    view_say(view, "nothing is shown over time for it");
  if (view->lists[PANEL_TIMES].chosen >= kept)
    view->lists[PANEL_TIMES].chosen = kept > 0 ? kept - 1 : 0;
}

/* Chooses the next item whose name has the text; from `at` on, once around. */
static void search_from(struct view *view, size_t at)
{
  size_t count = view_count(view, view->panel);
  for (size_t i = 0; i < count && view->search[0]; i++) {
    size_t item = (at + i) % count;
    char *name = view_item_name(view, view->panel, item);
    bool found = name && strcasestr(name, view->search);
    free(name);
    if (found) {
      view->lists[view->panel].chosen = item;
      return;
    }
  }
  if (view->search[0])
    view_say(view, "not found");
}

static void take_search(struct view *view, int key)
{
  if (key == PRESSED_ENTER || key == PRESSED_ESCAPE) {
    view->prompt = PROMPT_NONE;
    return;
  }
  view->note[0] = '\0';
  view_type(view->search, sizeof view->search, key);
  search_from(view, view->lists[view->panel].chosen);
}

/* The lists are of one thread from now on, or of all again. */
static void show_thread(struct view *view, uint32_t only)
{
  if (!figures_of(&view->figures, only))
    view_say(view, "out of memory");
  view->lists[PANEL_CONSTRUCTS].chosen = view->lists[PANEL_LOCKS].chosen = 0;
  sort(view);
}

static void show_chosen_thread(struct view *view)
{
  size_t at = view->lists[PANEL_THREADS].chosen;
  if (view->panel == PANEL_THREADS && at < view->figures.thread_count) {
    show_thread(view, view->figures.threads[at]);
    view->panel = PANEL_CONSTRUCTS;
  } else if (view->figures.only != TRACE_NONE) {
    show_thread(view, TRACE_NONE);
  } else {
    view->panel = PANEL_THREADS;
    view_say(view, "choose a thread, then press t");
  }
}

/* The search begins where it is looked at first: it costs something. */
static void show_panel(struct view *view, enum panel panel)
{
  view->panel = panel;
  view->reasons.on |= panel == PANEL_REASONS;
}

static bool take_movement(struct view *view, int key)
{
  long page = view->lists[view->panel].height > 1 ? view->lists[view->panel].height - 1 : 1;
  switch (key) {
  case PRESSED_UP:
  case 'k':
    return view_move(view, -1), true;
  case PRESSED_DOWN:
  case 'j':
    return view_move(view, 1), true;
  case PRESSED_PAGE_UP:
    return view_move(view, -page), true;
  case PRESSED_PAGE_DOWN:
    return view_move(view, page), true;
  case PRESSED_HOME:
    return view->lists[view->panel].chosen = 0, true;
  case PRESSED_END:
    return view_move(view, (long)view_count(view, view->panel)), true;
  case PRESSED_LEFT:
    return sort_by(view, -1), true;
  case PRESSED_RIGHT:
  case 's':
    return sort_by(view, 1), true;
  case PRESSED_TAB:
    return show_panel(view, (view->panel + 1) % PANELS), true;
  case PRESSED_BACK_TAB:
    return show_panel(view, (view->panel + PANELS - 1) % PANELS), true;
  default:
    if (key >= '1' && key < '1' + PANELS)
      show_panel(view, (enum panel)(key - '1'));
    return key >= '1' && key < '1' + PANELS;
  }
}

static enum wish take_command(struct view *view, int key)
{
  switch (key) {
  case 'q':
    return WISH_QUIT;
  case ' ':
    view->frozen = !view->frozen && !view->over;
    return view->frozen ? WISH_NONE : WISH_FRESH;
  case 'r':
    view->since = true;
    return WISH_RESET;
  case 'c':
    view->since = !view->since;
    return WISH_FRESH;
  case '+':
    return ask_what_to_add(view), WISH_NONE;
  case '-':
  case 'd':
    return remove_pairs(view), WISH_MEASURE;
  case 'a':
    view->prompt = PROMPT_METRIC;
    view->typed[0] = '\0';
    view->metric = 0;
    return WISH_NONE;
  case 'f':
    view->prompt = PROMPT_FOCUS;
    memcpy(view->typed, view->focus, sizeof view->typed);
    return WISH_NONE;
  case 'm':
    view->sparse = !view->sparse;
    view_say(view, view->sparse ? "measured now: what the metrics over time need" : "measured now: all");
    return WISH_MEASURE;
  case 't':
    return show_chosen_thread(view), WISH_NONE;
  case 'T':
    return WISH_TRACE;
  case PRESSED_ESCAPE:
    return show_thread(view, TRACE_NONE), WISH_NONE;
  case '/':
    view->prompt = PROMPT_SEARCH;
    view->search[0] = '\0';
    return WISH_NONE;
  case 'n':
    return search_from(view, view->lists[view->panel].chosen + 1), WISH_NONE;
  case 'w':
    return show_panel(view, PANEL_REASONS), WISH_NONE;
  case 'h':
  case '?':
    view->help = true;
    return WISH_NONE;
  default:
    return WISH_NONE;
  }
}

enum wish view_key(struct view *view, int key)
{
  if (key == PRESSED_RESIZE)
    return WISH_NONE;
  if (view->prompt == PROMPT_SEARCH)
    return take_search(view, key), WISH_NONE;
  view->note[0] = '\0';
  if (view->prompt == PROMPT_ADD)
    return view_take_metric(view, key), WISH_MEASURE;
  if (view->help) {
    view->help = false;
    return key == 'q' ? WISH_QUIT : WISH_NONE;
  }
  if (view->frozen && (key == 'c' || key == 'r' || key == 'f'))
    return view_say(view, "frozen: press space first"), WISH_NONE;
  return take_movement(view, key) ? WISH_NONE : take_command(view, key);
}
