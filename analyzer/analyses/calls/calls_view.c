#include "analyzer/analyses/calls/calls_view.h"

#include "analyzer/analyses/calls/figures.h"
#include "analyzer/command/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_VIEW_TOP_TEXT = 10, LONG_NAME = 48 /* bytes */ };

static bool choose_trigger(struct calls_view *view, struct error *error)
{
  const struct samples *samples = view->samples;
  const char *wanted = view->options->trigger;
  char names[512] = "";
  view->trigger = TRACE_NONE;
  for (uint32_t i = 0; i < samples->trigger_count; i++) {
    const struct samples_trigger *trigger = &samples->triggers[i];
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", trigger->name);
    if (view->trigger == TRACE_NONE &&
        (wanted ? strcmp(trigger->name, wanted) == 0 : trigger->timed && !trigger->waits))
      view->trigger = i;
  }
  if (view->trigger == TRACE_NONE && wanted)
    return error_set(error, "--trigger %s: the samples have no such trigger; they have: %s", wanted, names);
  if (view->trigger == TRACE_NONE && samples->trigger_count > 0)
    view->trigger = 0;
  return true;
}

static bool choose_unit(struct calls_view *view, struct error *error)
{
  static const struct samples_trigger none = {.name = ""};
  const struct samples_trigger *trigger = view->trigger == TRACE_NONE ? &none : &view->samples->triggers[view->trigger];
  view->unit = view->options->unit;
  if (view->unit == CALLS_IN_DEFAULT)
    view->unit = trigger->period == 0 ? CALLS_IN_SAMPLES : trigger->timed ? CALLS_IN_TIME : CALLS_IN_PERIODS;
  if (view->unit == CALLS_IN_TIME && view->trigger != TRACE_NONE && !trigger->timed)
    return error_set(error, "--unit time: the trigger %s counts events: use --unit period, or --trigger",
                     trigger->name);
  if (view->unit != CALLS_IN_SAMPLES && view->trigger != TRACE_NONE && trigger->period == 0)
    return error_set(error, "%s: the period of the trigger %s is unknown: use --unit samples", view->samples->anchor,
                     trigger->name);
  return true;
}

/* False: no memory. */
static bool find_figures(struct calls_view *view)
{
  struct calls_selection selection = CALLS_ALL;
  if (view->trigger != TRACE_NONE)
    selection.trigger = view->trigger;
  return calls_tree_make(view->samples, view->options->lines ? CALLS_LINES : CALLS_FUNCTIONS, &view->tree) &&
         calls_shorten_names(view) &&
         calls_figures_find(view->trace, &view->calls, &selection, &view->tree, &view->figures) &&
         calls_view_blamed(view, &selection, &view->blamed) &&
         calls_kernel_find(view->trace, view->samples, &view->calls, view->trigger, &view->kernel);
}

static bool calls_view_find(struct calls_view *view, struct error *error)
{
  return choose_trigger(view, error) && choose_unit(view, error) &&
         calls_find_with_blame(view->trace, view->samples, view->trigger, view->run->pool, &view->calls, &view->blame,
                               error) &&
         (find_figures(view) || error_set(error, "%s: out of memory", view->trace->anchor));
}

bool calls_view_blamed(const struct calls_view *view, const struct calls_selection *selection,
                       struct calls_figures *blamed)
{
  wide_total *weights = calloc((size_t)view->tree.node_count + 1, sizeof *weights);
  *blamed = (struct calls_figures){0};
  if (!weights)
    return false;
  calls_blame_weigh(view->trace, &view->blame, selection, &view->tree, weights);
  bool good = calls_figures_of(weights, &view->tree, blamed);
  free(weights);
  return good;
}

bool calls_view_open(struct calls_view *view, const struct analysis_run *run, const struct trace *trace,
                     const struct calls_options *options, struct error *error)
{
  bool exact, none;
  *view = (struct calls_view){.run = run, .options = options, .trace = trace, .trigger = TRACE_NONE};
  if (!calls_use_choose(trace, (enum calls_use)options->use, &exact, error))
    return false;
  if (exact)
    return calls_exact_open(view, error);
  view->samples = samples_open(trace, &none, error);
  return view->samples && calls_view_find(view, error);
}

void calls_view_close(struct calls_view *view)
{
  for (uint32_t i = 0; view->short_names && i < view->samples->function_count; i++)
    free(view->short_names[i]);
  free(view->short_names);
  calls_kernel_free(&view->kernel);
  calls_figures_free(&view->blamed);
  analysis_free(&blame_analysis, &view->blame);
  calls_figures_free(&view->figures);
  calls_exact_figures_free(&view->sums);
  calls_exact_free(&view->exact);
  calls_tree_free(&view->tree);
  analysis_free(&calls_analysis, &view->calls);
  if (!view->archive)
    samples_close(view->samples);
  exact_calls_close(view->archive);
}

uint32_t calls_weighed(const struct calls_view *view)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < view->samples->trigger_count; i++)
    count += !view->samples->triggers[i].waits;
  return count;
}

enum print_type calls_amount_type(const struct calls_view *view)
{
  return view->unit == CALLS_IN_TIME ? PRINT_DURATION : PRINT_COUNT;
}

struct print_cell calls_amount(const struct calls_view *view, wide_total samples)
{
  if (view->trigger == TRACE_NONE || view->unit == CALLS_IN_SAMPLES)
    return print_number(samples);
  const struct samples_trigger *trigger = &view->samples->triggers[view->trigger];
  return print_number(view->unit == CALLS_IN_TIME ? calls_ticks(view->run->trace, trigger, samples)
                                                  : samples * trigger->period);
}

const char *calls_function_name(const struct calls_view *view, uint32_t code)
{
  if (code == TRACE_NONE)
    return "(none)";
  uint32_t function = view->tree.codes[code].function;
  const char *shorter = view->short_names ? view->short_names[function] : NULL;
  return shorter ? shorter : view->samples->functions[function].name;
}

bool calls_is_named(const struct calls_view *view, uint32_t code, const char *name)
{
  return strcmp(calls_function_name(view, code), name) == 0 ||
         strcmp(view->samples->functions[view->tree.codes[code].function].name, name) == 0;
}

/* `std::map<int, long>::at` becomes `std::map<...>::at`; < of operators stays. The caller frees it. NULL: no memory. */
static char *without_arguments(const char *name)
{
  static const char word[] = "operator";
  char *shorter = malloc(3 * strlen(name) + sizeof "<...>"), *end = shorter; /* <> grows by 3; < alone is once there */
  size_t depth = 0;
  for (const char *at = name; shorter && *at; at++) {
    if (depth == 0 && strncmp(at, word, sizeof word - 1) == 0) {
      size_t size = sizeof word - 1 + strspn(at + sizeof word - 1, "<>=-");
      end = mempcpy(end, at, size);
      at += size - 1;
    } else if (*at == '<' && depth++ == 0) {
      end = mempcpy(end, "<...>", 5);
    } else if (*at == '>' && depth > 0) {
      depth--;
    } else if (depth == 0) {
      *end++ = *at;
    }
  }
  if (shorter)
    *end = '\0';
  return shorter;
}

bool calls_shorten_names(struct calls_view *view)
{
  const struct samples *samples = view->samples;
  bool good = true;
  if (view->run->format != PRINT_TEXT)
    return true;
  view->short_names = calloc((size_t)samples->function_count + 1, sizeof *view->short_names);
  for (uint32_t i = 0; view->short_names && good && i < samples->function_count; i++)
    if (strlen(samples->functions[i].name) > LONG_NAME)
      good = (view->short_names[i] = without_arguments(samples->functions[i].name)) != NULL;
  return view->short_names && good;
}

static const char *calls_view_base(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

const char *calls_where(const struct calls_view *view, uint32_t code, char text[CALLS_WHERE_SIZE])
{
  const struct calls_code *of = code == TRACE_NONE ? NULL : &view->tree.codes[code];
  *text = '\0';
  if (of && *of->file && of->line > 0)
    snprintf(text, CALLS_WHERE_SIZE, "%s:%" PRIu32, calls_view_base(of->file), of->line);
  else if (of)
    snprintf(text, CALLS_WHERE_SIZE, "%s", calls_view_base(of->file));
  return text;
}

struct print_cell *calls_put_code(const struct calls_view *view, uint32_t code, char where[CALLS_WHERE_SIZE],
                                  struct print_cell *next)
{
  bool text = view->run->format == PRINT_TEXT;
  const struct calls_code *of = code == TRACE_NONE ? NULL : &view->tree.codes[code];
  const char *file = text ? calls_where(view, code, where) : of ? of->file : "";
  const char *module = text || !of ? "" : view->samples->functions[of->function].module;
  *next++ = print_string(calls_function_name(view, code));
  *next++ = *file ? print_string(file) : print_none();
  *next++ = !text && of && of->line > 0 ? print_number(of->line) : print_none();
  *next++ = *module ? print_string(module) : print_none();
  return next;
}

size_t calls_top(const struct calls_view *view, size_t count)
{
  size_t top = view->options->top ? view->options->top : view->run->format == PRINT_TEXT ? CALLS_VIEW_TOP_TEXT : count;
  return top < count ? top : count;
}

void calls_put_more(const struct calls_view *view, const char *what, size_t shown, size_t count)
{
  char text[128];
  if (shown == count || view->run->format != PRINT_TEXT)
    return;
  snprintf(text, sizeof text, "%zu more %s have less: --top %zu shows them, too.", count - shown, what, count);
  print_sentence(view->run->print, "more", text);
}

static double calls_rows_ticks_of(const struct calls_view *view, const struct calls_row *row)
{
  if (row->code == TRACE_NONE)
    return row->kernel;
  const struct samples_trigger *trigger = view->trigger == TRACE_NONE ? NULL : &view->samples->triggers[view->trigger];
  if (!trigger || !trigger->timed)
    return (double)row->flat.self;
  return (double)calls_ticks(view->run->trace, trigger, row->flat.self);
}

static int calls_rows_compare(const void *of_a, const void *of_b, void *context)
{
  const struct calls_row *a = of_a, *b = of_b;
  double self_a = calls_rows_ticks_of(context, a), self_b = calls_rows_ticks_of(context, b);
  if (a->blame.self != b->blame.self)
    return a->blame.self < b->blame.self ? 1 : -1;
  if (self_a != self_b)
    return self_a < self_b ? 1 : -1;
  if (a->flat.inclusive != b->flat.inclusive)
    return a->flat.inclusive < b->flat.inclusive ? 1 : -1;
  return (a->code > b->code) - (a->code < b->code);
}

/* The kernel's time in what is selected; states have none. */
static struct calls_row kernel_row(const struct calls_view *view, const struct calls_selection *selection)
{
  struct calls_row row = {.code = TRACE_NONE};
  double variance = 0;
  for (size_t i = 0; selection->state == CALLS_ANY && i < view->kernel.count; i++) {
    const struct calls_kernel_time *time = &view->kernel.list[i];
    if ((selection->location != CALLS_ANY && selection->location != time->location) ||
        (selection->construct != CALLS_ANY && selection->construct != time->construct))
      continue;
    row.kernel += time->ticks;
    variance += time->deviation * time->deviation;
  }
  row.deviation = sqrt(variance);
  return row;
}

bool calls_rows_make(const struct calls_part *part, const struct calls_selection *selection, struct calls_rows *rows)
{
  const struct calls_view *view = part->view;
  struct calls_row kernel = kernel_row(view, selection);
  *rows = (struct calls_rows){.list = calloc((size_t)view->tree.code_count + 1, sizeof *rows->list)};
  if (!rows->list)
    return false;
  for (uint32_t i = 0; i < view->tree.code_count; i++)
    if (part->figures->codes[i].inclusive > 0 || part->blamed->codes[i].inclusive > 0)
      rows->list[rows->count++] =
          (struct calls_row){.code = i, .flat = part->figures->codes[i], .blame = part->blamed->codes[i]};
  if (kernel.kernel > 0)
    rows->list[rows->count++] = kernel;
  qsort_r(rows->list, rows->count, sizeof *rows->list, calls_rows_compare, (void *)view);
  return true;
}

/* Text marks the estimate; programs get the half-width of its interval in the next cell. */
static void calls_rows_put_kernel(const struct calls_view *view, const struct calls_row *row, struct print_cell *next)
{
  double ns = 1e9 / (double)view->trace->ticks_per_second;
  double factor = view->unit == CALLS_IN_TIME      ? 1
                  : view->unit == CALLS_IN_PERIODS ? ns
                                                   : ns / (double)view->samples->triggers[view->trigger].period;
  double half_width = CALLS_QUANTILE * row->deviation * factor;
  bool text = view->run->format == PRINT_TEXT;
  next[0] = print_number((wide_total)(row->kernel * factor + 0.5));
  if (text)
    next[0] = print_estimate(next[0], half_width);
  else
    next[1] = print_real(half_width);
}

struct print_cell *calls_put_share(struct print_cell *next, wide_total part, wide_total all)
{
  struct calls_share share = calls_share_of((double)part, (double)all);
  *next++ = print_real(100 * share.share);
  *next++ = print_real(100 * share.low);
  *next++ = print_real(100 * share.high);
  return next;
}

void calls_put_row(const struct calls_part *part, const struct calls_row *row)
{
  char where[CALLS_WHERE_SIZE];
  const struct calls_view *view = part->view;
  struct print_cell cells[CALLS_FIGURE_CELLS + 2] = {{0}}, *next = cells;
  bool kernel = row->code == TRACE_NONE, text = view->run->format == PRINT_TEXT;
  for (size_t i = 0; i < part->group_count; i++)
    *next++ = part->group[i];
  struct print_cell *name = next;
  next = calls_put_code(view, row->code, where, next);
  if (kernel) {
    *name = print_string("[kernel]");
    calls_rows_put_kernel(view, row, next + 2);
    print_row(view->run->print, cells);
    return;
  }
  *next++ = print_number(row->blame.self);
  *next++ = text ? print_none() : print_number(row->blame.inclusive);
  *next++ = calls_amount(view, row->flat.self);
  *next++ = print_none();
  next = calls_put_share(next, row->flat.self, part->all);
  *next++ = calls_amount(view, row->flat.inclusive);
  next = calls_put_share(next, row->flat.inclusive, part->all);
  if (text)
    next[-1] = next[-2] = print_none();
  *next++ = text && view->unit == CALLS_IN_SAMPLES ? print_none() : print_number(row->flat.self);
  *next++ = text ? print_none() : print_number(row->flat.inclusive);
  *next++ = calls_weighed(view) > 1 && !part->group ? print_real(row->weight) : print_none();
  print_row(view->run->print, cells);
}
