/* Exact calls: the views that samples have otherwise, and what is not among the calls. */
#include "analyzer/analyses/calls/calls_view.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The first option that asks for what exact calls do not have; NULL: none. */
static const char *option_of_samples(const struct calls_view *view)
{
  static const char *const units[] = {[CALLS_IN_SAMPLES] = "--unit samples", [CALLS_IN_PERIODS] = "--unit period"};
  const struct calls_options *options = view->options;
  return options->lines                      ? "--lines"
         : options->by == CALLS_BY_CONSTRUCT ? "--by construct"
         : options->by == CALLS_BY_STATE     ? "--by state"
         : options->trigger                  ? "--trigger"
         : options->unit < COUNT_OF(units)   ? units[options->unit]
         : view->trace->restriction.timed    ? "a part of the time (--from, --to)"
                                             : NULL;
}

bool calls_exact_open(struct calls_view *view, struct error *error)
{
  bool none;
  const char *refused = option_of_samples(view);
  if (refused)
    return calls_exact_refuse(view->trace, refused, error);
  view->archive = calls_exact_read(view->trace, &view->exact, &none, error);
  if (!view->archive)
    return false;
  view->samples = view->archive->paths;
  view->unit = CALLS_IN_TIME;
  if (!calls_tree_make(view->samples, CALLS_FUNCTIONS, &view->tree) || !calls_shorten_names(view) ||
      !calls_exact_figures_find(&view->exact, CALLS_ANY, &view->tree, &view->sums))
    return error_set(error, "%s: out of memory", view->trace->anchor);
  view->figures = view->sums.times;
  view->sums.times = (struct calls_figures){0}; /* closed with the view's */
  return true;
}

/* "12 of code that was left by a jump, ...": what is not among the calls, or not as it seems. */
static void put_doubts(const struct calls_view *view)
{
  const struct exact_calls *archive = view->archive;
  const struct {
    const char *key, *text;
    uint64_t count;
  } doubts[] = {{"full", "calls count as their callers: no room", archive->full},
                {"deep", "calls count as their callers: too deep", archive->deep},
                {"not_measured", "calls and returns in signal handlers are not recorded", archive->not_measured},
                {"left", "calls ended by a jump, an exception or an exit", archive->left},
                {"unmatched", "returns have no call", archive->unmatched},
                {"on_virtual", "calls by virtual threads are not recorded", archive->on_virtual},
                {"damaged", "parts of the trees are damaged", archive->damaged}};
  bool text = view->run->format == PRINT_TEXT;
  for (size_t i = 0; i < COUNT_OF(doubts); i++) {
    char sentence[128];
    if (text && doubts[i].count == 0)
      continue;
    snprintf(sentence, sizeof sentence, "%" PRIu64 " %s", doubts[i].count, doubts[i].text);
    if (text)
      print_fact(view->run->print, doubts[i].key, "The run", PRINT_STRING, print_string(sentence));
    else
      print_fact(view->run->print, doubts[i].key, doubts[i].text, PRINT_COUNT, print_number(doubts[i].count));
  }
}

void calls_exact_put_facts(const struct calls_view *view)
{
  struct print *print = view->run->print;
  wide_total paths = 0;
  for (uint32_t i = 1; i < view->tree.node_count; i++)
    paths += view->sums.calls[i] > 0;
  print_fact(print, "figures", "Figures", PRINT_STRING, print_string("exact"));
  print_fact(print, "calls", "Calls", PRINT_COUNT, print_number(view->sums.all.calls));
  print_fact(print, "paths", "Paths", PRINT_COUNT, print_number(paths));
  print_fact(print, "time", "Time in them", PRINT_DURATION, print_number(view->figures.all));
  put_doubts(view);
}

struct row {
  uint32_t code;
  const struct calls_exact_sums *sums;
  wide_total inclusive;
};

static int calls_exact_compare(const void *of_a, const void *of_b)
{
  const struct row *a = of_a, *b = of_b;
  if (a->sums->self != b->sums->self)
    return a->sums->self < b->sums->self ? 1 : -1;
  if (a->inclusive != b->inclusive)
    return a->inclusive < b->inclusive ? 1 : -1;
  return (a->code > b->code) - (a->code < b->code);
}

/* The functions that were called, those with most time of their own first. NULL: no memory. */
static struct row *make_rows(const struct calls_view *view, const struct calls_exact_figures *sums,
                             const struct calls_figures *times, size_t *count)
{
  struct row *rows = calloc((size_t)view->tree.code_count + 1, sizeof *rows);
  *count = 0;
  for (uint32_t i = 0; rows && i < view->tree.code_count; i++)
    if (sums->codes[i].calls > 0)
      rows[(*count)++] = (struct row){.code = i, .sums = &sums->codes[i], .inclusive = times->codes[i].inclusive};
  if (*count > 0)
    qsort(rows, *count, sizeof *rows, calls_exact_compare);
  return rows;
}

#define FIGURE_COLUMNS                                                                                                 \
  CALLS_CODE_COLUMNS, {"calls", "Calls", PRINT_COUNT, false}, {"self", "Self", PRINT_DURATION, false},                 \
      {"self_share", "Share", PRINT_PERCENT, false}, {"blocked", "Blocked", PRINT_DURATION, true},                     \
      {"inclusive", "Inclusive", PRINT_DURATION, false}, {"inclusive_share", "Share", PRINT_PERCENT, false},           \
      CALLS_EXACT_EXTREMES
enum { FIGURE_CELLS = CALLS_CODE_CELLS + 9 };

struct print_cell *calls_exact_put_extremes(const struct calls_exact_sums *sums, struct print_cell *next)
{
  bool returned = sums->calls > sums->running;
  *next++ = returned ? print_number(sums->shortest) : print_none();
  *next++ = returned ? print_number(sums->longest) : print_none();
  *next++ = print_number(sums->running);
  return next;
}

static void calls_exact_put_row(const struct calls_view *view, const struct row *row, wide_total all,
                                const struct print_cell group[2])
{
  char where[CALLS_WHERE_SIZE];
  struct print_cell cells[FIGURE_CELLS + 2] = {{0}}, *next = cells;
  for (size_t i = 0; group && i < 2; i++)
    *next++ = group[i];
  next = calls_put_code(view, row->code, where, next);
  *next++ = print_number(row->sums->calls);
  *next++ = print_number(row->sums->self);
  *next++ = print_real(print_percentage(row->sums->self, all));
  *next++ = print_number(row->sums->blocked);
  *next++ = print_number(row->inclusive);
  *next++ = print_real(print_percentage(row->inclusive, all));
  calls_exact_put_extremes(row->sums, next);
  print_row(view->run->print, cells);
}

bool calls_exact_put_flat(const struct calls_view *view)
{
  static const struct print_column columns[] = {FIGURE_COLUMNS};
  size_t count;
  struct row *rows = make_rows(view, &view->sums, &view->figures, &count);
  if (!rows)
    return false;
  size_t shown = calls_top(view, count);
  print_table(view->run->print, "functions", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++)
    calls_exact_put_row(view, &rows[i], view->figures.all, NULL);
  print_table_end(view->run->print);
  calls_put_more(view, "functions", shown, count);
  free(rows);
  return true;
}

/* The functions of one thread. False: no memory. */
static bool calls_exact_put_thread(const struct calls_view *view, uint32_t location)
{
  struct calls_exact_figures sums;
  const struct print_cell group[2] = {print_string(view->trace->locations[location].name), print_number(location)};
  size_t count = 0;
  struct row *rows = NULL;
  bool good = calls_exact_figures_find(&view->exact, location, &view->tree, &sums) &&
              (rows = make_rows(view, &sums, &sums.times, &count)) != NULL;
  size_t shown = calls_top(view, count);
  for (size_t i = 0; good && i < shown; i++)
    calls_exact_put_row(view, &rows[i], sums.times.all, group);
  free(rows);
  calls_exact_figures_free(&sums);
  return good;
}

/* Sums of a thread, those with most time first. */
struct thread {
  uint32_t location;
  struct calls_exact_sums sums;
};

static int compare_threads(const void *of_a, const void *of_b)
{
  const struct thread *a = of_a, *b = of_b;
  wide_total time_a = a->sums.self + a->sums.blocked, time_b = b->sums.self + b->sums.blocked;
  if (time_a != time_b)
    return time_a < time_b ? 1 : -1;
  return (a->location > b->location) - (a->location < b->location);
}

/* Cells are by location. NULL: no memory. */
static struct thread *find_threads(const struct calls_view *view, size_t *count)
{
  struct thread *threads = calloc((size_t)view->trace->location_count + 1, sizeof *threads);
  *count = 0;
  for (size_t i = 0; threads && i < view->exact.cell_count; i++) {
    const struct calls_exact_cell *cell = &view->exact.cells[i];
    if (*count == 0 || threads[*count - 1].location != cell->location)
      threads[(*count)++].location = cell->location;
    struct calls_exact_sums *sums = &threads[*count - 1].sums;
    sums->calls += cell->sums.calls;
    sums->self += cell->sums.self;
    sums->blocked += cell->sums.blocked;
  }
  if (*count > 0)
    qsort(threads, *count, sizeof *threads, compare_threads);
  return threads;
}

static void put_thread_sums(const struct calls_view *view, const struct thread *threads, size_t count)
{
  static const struct print_column columns[] = {{"thread_name", "Thread", PRINT_STRING, false},
                                                {"thread", "No.", PRINT_NUMBER, true},
                                                {"calls", "Calls", PRINT_COUNT, false},
                                                {"self", "Self", PRINT_DURATION, false},
                                                {"blocked", "Blocked", PRINT_DURATION, true}};
  print_table(view->run->print, "threads", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    const struct thread *thread = &threads[i];
    struct print_cell cells[] = {print_string(view->trace->locations[thread->location].name),
                                 print_number(thread->location), print_number(thread->sums.calls),
                                 print_number(thread->sums.self), print_number(thread->sums.blocked)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

bool calls_exact_put_threads(const struct calls_view *view)
{
  static const struct print_column columns[] = {
      {"thread_name", "Thread", PRINT_STRING, false}, {"thread", "No.", PRINT_NUMBER, true}, FIGURE_COLUMNS};
  size_t count;
  struct thread *threads = find_threads(view, &count);
  bool good = threads != NULL;
  size_t shown = calls_top(view, count);
  if (good) {
    put_thread_sums(view, threads, shown);
    print_table(view->run->print, "functions", "Functions, by share of the thread", columns, COUNT_OF(columns), false);
    for (size_t i = 0; good && i < shown; i++)
      good = calls_exact_put_thread(view, threads[i].location);
    print_table_end(view->run->print);
    calls_put_more(view, "threads", shown, count);
  }
  free(threads);
  return good;
}
