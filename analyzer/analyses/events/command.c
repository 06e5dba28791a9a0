#include "analyzer/analyses/events/events.h"
#include "analyzer/analyses/events/events_list.h"
#include "analyzer/analyses/events/sums.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/values.h"
#include "base/count_of.h"
#include "base/vector.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, THREAD, NAME, EVENT, WEIGHT, FIXED }; /* columns before the attributes' columns; text has no weight */

#define ATTRIBUTES_MOST 1000 /* columns */

struct list {
  const struct analysis_run *run;
  uint32_t *column_of; /* an attribute: its column; TRACE_NONE: none */
  VECTOR(struct print_column) columns;
  VECTOR(char *) keys;
  VECTOR(char) text; /* of the attributes of one event */
  struct print_cell *cells;
  char (*numbers)[TRACE_VALUE_SIZE]; /* a column */
};

static bool events_list_append(struct list *list, const char *text)
{
  bool good = true;
  for (; good && *text; text++)
    good = vector_push(&list->text, *text);
  return good;
}

/* All attributes in one text: `step=3 norm=0.25`; and how many events this one stands for, if others were not recorded.
 */
static bool events_list_put_text(struct list *list, const struct point *point)
{
  char number[TRACE_VALUE_SIZE];
  bool good = true;
  list->text.count = 0;
  for (uint32_t i = 0; good && i < point->count; i++)
    good = (i == 0 || events_list_append(list, " ")) &&
           events_list_append(list, point_attribute_name(list->run->trace, point->values[i].attribute)) &&
           events_list_append(list, "=") && events_list_append(list, trace_value_text(&point->values[i], number));
  if (point->weight != 1) {
    snprintf(number, sizeof number, " (x%" PRIu64 ")", point->weight);
    good = good && events_list_append(list, number + (point->count == 0));
  }
  good = good && vector_push(&list->text, '\0');
  if (good)
    list->cells[WEIGHT] = print_string(list->text.items);
  return good;
}

/* Each attribute in its column; of several with one name the last one. */
static void put_columns(struct list *list, const struct point *point)
{
  for (size_t i = FIXED; i < list->columns.count; i++)
    list->cells[i] = print_none();
  for (uint32_t i = 0; i < point->count; i++) {
    uint32_t column = list->column_of[point->values[i].attribute];
    if (column != TRACE_NONE)
      list->cells[column] = print_string(trace_value_text(&point->values[i], list->numbers[column]));
  }
}

static bool put_point(void *context, const struct point *point)
{
  struct list *list = context;
  const struct trace *trace = list->run->trace;
  list->cells[TIME] = print_number(point->time > trace->first_tick ? point->time - trace->first_tick : 0);
  list->cells[THREAD] = print_number(point->location);
  list->cells[NAME] = print_string(trace->locations[point->location].name);
  list->cells[EVENT] = print_string(point_type_name(trace, point->type));
  if (list->run->format == PRINT_TEXT && !events_list_put_text(list, point))
    return false;
  if (list->run->format != PRINT_TEXT) {
    list->cells[WEIGHT] = print_number(point->weight);
    put_columns(list, point);
  }
  print_row(list->run->print, list->cells);
  return true;
}

static bool events_list_add_column(struct list *list, char *key, enum print_type type)
{
  struct print_column column = {key, key, type, false};
  return key && vector_push(&list->keys, key) && vector_push(&list->columns, column);
}

/* A column for each attribute of the points: a pass before the other one finds them. */
static bool find_columns(struct list *list, const struct point_selection *selection, struct error *error)
{
  const struct trace *trace = list->run->trace;
  struct points_sums sums;
  bool good = points_add_up(trace, list->run->pool, selection, &sums, error);
  for (size_t i = 0; good && i < sums.totals.count; i++) {
    for (size_t k = 0; good && k < sums.totals.items[i].values.count; k++) {
      const struct points_values *values = &sums.totals.items[i].values.items[k];
      uint32_t *column = &list->column_of[values->attribute];
      if (*column != TRACE_NONE) {
        if (values->texts > 0)
          list->columns.items[*column].type = PRINT_STRING;
        continue;
      }
      *column = (uint32_t)list->columns.count;
      if (list->columns.count >= FIXED + ATTRIBUTES_MOST) {
        good = error_set(error, "%s: events with more than %d attributes: choose some by --type", trace->anchor,
                         ATTRIBUTES_MOST);
        break;
      }
      char *name = escape_text(point_attribute_name(trace, values->attribute)), *key = NULL;
      if (name && asprintf(&key, "attribute.%s", name) < 0)
        key = NULL;
      free(name);
      good = events_list_add_column(list, key, values->texts > 0 ? PRINT_STRING : PRINT_VALUE) ||
             error_set(error, "%s: out of memory", trace->anchor);
    }
  }
  points_sums_free(&sums);
  return good;
}

static bool open_columns(struct list *list, const struct point_selection *selection, struct error *error)
{
  static const struct print_column fixed[FIXED] = {{"time", "Time", PRINT_DURATION, false},
                                                   {"thread", "No.", PRINT_NUMBER, false},
                                                   {"thread_name", "Thread", PRINT_STRING, false},
                                                   {"event", "Event", PRINT_STRING, false},
                                                   {"weight", "Weight", PRINT_COUNT, false}};
  static const struct print_column text = {"attributes", "Attributes", PRINT_STRING, false};
  uint32_t attributes = point_attribute_count(list->run->trace);
  bool good = (list->column_of = malloc((attributes + 1) * sizeof *list->column_of));
  for (uint32_t i = 0; good && i < attributes; i++)
    list->column_of[i] = TRACE_NONE;
  for (unsigned i = 0; good && i < (list->run->format == PRINT_TEXT ? WEIGHT : FIXED); i++)
    good = vector_push(&list->columns, fixed[i]);
  if (!good)
    return error_set(error, "%s: out of memory", list->run->trace->anchor);
  if (list->run->format == PRINT_TEXT)
    good = vector_push(&list->columns, text);
  else if (!find_columns(list, selection, error))
    return false;
  list->cells = calloc(list->columns.count + 1, sizeof *list->cells);
  list->numbers = calloc(list->columns.count + 1, sizeof *list->numbers);
  return (good && list->cells && list->numbers) || error_set(error, "%s: out of memory", list->run->trace->anchor);
}

bool events_list_put(const struct analysis_run *run, const struct point_selection *selection, struct error *error)
{
  struct list list = {.run = run};
  bool good = open_columns(&list, selection, error);
  if (good) {
    print_table(run->print, "events", NULL, list.columns.items, list.columns.count, true);
    good = points_in_order(run->trace, run->pool, selection, put_point, &list, error);
    print_table_end(run->print);
  }
  for (size_t i = 0; i < list.keys.count; i++)
    free(list.keys.items[i]);
  vector_free(&list.keys);
  vector_free(&list.columns);
  vector_free(&list.text);
  free(list.column_of);
  free(list.cells);
  free(list.numbers);
  return good;
}

enum { GIVEN_MOST = 64 }; /* of an option that can be given several times */

struct events_own_options {
  const char *types[GIVEN_MOST];
  struct point_relation relations[GIVEN_MOST];
  size_t type_count, relation_count;
  enum point_origin origin;
  bool list, by_thread;
};

static int take_type(const struct option_given *given, void *into)
{
  struct events_own_options *options = into;
  if (options->type_count == GIVEN_MOST)
    return command_usage(given->command, "--type: given more than %d times", GIVEN_MOST);
  options->types[options->type_count++] = given->value;
  return -1;
}

static int take_where(const struct option_given *given, void *into)
{
  struct events_own_options *options = into;
  if (options->relation_count == GIVEN_MOST)
    return command_usage(given->command, "--where: given more than %d times", GIVEN_MOST);
  if (!point_relation_read(given->value, &options->relations[options->relation_count]))
    return command_usage(given->command,
                         "--where %s: not a relation such as norm>0.5: ATTRIBUTE, one of < <= = >= > !=, and a number "
                         "(of a text: = or !=)",
                         given->value);
  options->relation_count++;
  return -1;
}

struct events_view {
  const struct analysis_run *run;
  const struct points_sums *sums;
};

static struct print_cell time_cell(const struct events_view *view, const struct points_row *row, uint64_t time)
{
  uint64_t first = view->run->trace->first_tick;
  return row->recorded > 0 ? print_number(time > first ? time - first : 0) : print_none();
}

/* Events a second, over the time from the first event of any kind to the last one. */
static struct print_cell rate_cell(const struct events_view *view, const struct points_row *row)
{
  const struct trace *trace = view->run->trace;
  uint64_t ticks = view->sums->last > view->sums->first ? view->sums->last - view->sums->first : 0;
  if (ticks == 0 || trace->ticks_per_second == 0)
    return print_none();
  return print_real((double)row->count * (double)trace->ticks_per_second / (double)ticks);
}

static const struct print_column events_columns[] = {
    {"event", "Event", PRINT_STRING, false},        {"thread", "No.", PRINT_NUMBER, false},
    {"thread_name", "Thread", PRINT_STRING, false}, {"threads", "Threads", PRINT_COUNT, false},
    {"count", "Count", PRINT_COUNT, false},         {"not_recorded", "Not recorded", PRINT_COUNT, true},
    {"rate", "Events/s", PRINT_REAL, false},        {"first", "First", PRINT_DURATION, false},
    {"last", "Last", PRINT_DURATION, false}};

enum { LOCATION = 1, THREADS = 3, EVENTS_ALL_COLUMNS = COUNT_OF(events_columns) };

/* Cells of a row; a thread's row omits the number of threads, and the row of all threads omits the thread. */
static void events_put_row(const struct events_view *view, const struct points_row *row)
{
  const struct trace *trace = view->run->trace;
  bool total = row->location == TRACE_NONE;
  struct print_cell cells[EVENTS_ALL_COLUMNS];
  size_t count = 0;
  cells[count++] = print_string(point_type_name(trace, row->type));
  if (total) {
    cells[count++] = print_number(row->locations);
  } else {
    cells[count++] = print_number(row->location);
    cells[count++] = print_string(trace->locations[row->location].name);
  }
  cells[count++] = print_number(row->count);
  cells[count++] = print_number(row->count - row->recorded);
  cells[count++] = rate_cell(view, row);
  cells[count++] = time_cell(view, row, row->first);
  cells[count++] = time_cell(view, row, row->last);
  print_row(view->run->print, cells);
}

static void events_put_totals(const struct events_view *view)
{
  struct print_column chosen[EVENTS_ALL_COLUMNS];
  size_t count = 0;
  for (size_t i = 0; i < EVENTS_ALL_COLUMNS; i++)
    if (i < LOCATION || i >= THREADS)
      chosen[count++] = events_columns[i];
  print_table(view->run->print, "events", NULL, chosen, count, false);
  for (size_t i = 0; i < view->sums->totals.count; i++)
    events_put_row(view, &view->sums->totals.items[i]);
  print_table_end(view->run->print);
}

static void events_put_threads(const struct events_view *view)
{
  struct print_column chosen[EVENTS_ALL_COLUMNS];
  size_t count = 0;
  for (size_t i = 0; i < EVENTS_ALL_COLUMNS; i++)
    if (i != THREADS)
      chosen[count++] = events_columns[i];
  print_table(view->run->print, "threads", "By thread", chosen, count, false);
  for (size_t i = 0; i < view->sums->rows.count; i++)
    events_put_row(view, &view->sums->rows.items[i]);
  print_table_end(view->run->print);
}

/* On a terminal few digits do; programs get all of them. */
static const char *extreme(const struct events_view *view, const struct trace_value *value, char text[TRACE_VALUE_SIZE])
{
  if (view->run->format != PRINT_TEXT || value->type != TRACE_REAL)
    return trace_value_text(value, text);
  snprintf(text, TRACE_VALUE_SIZE, "%.6g", value->real);
  return text;
}

static struct print_cell events_mean_cell(const struct points_values *values)
{
  double mean = values->numbers > 0 ? (double)(values->sum / (long double)values->numbers) : NAN;
  return print_finite(mean);
}

static void events_put_values(const struct events_view *view, const struct points_row *row)
{
  const struct trace *trace = view->run->trace;
  for (size_t i = 0; i < row->values.count; i++) {
    const struct points_values *values = &row->values.items[i];
    char least[TRACE_VALUE_SIZE], most[TRACE_VALUE_SIZE];
    bool there = values->numbers > 0;
    const struct print_cell cells[] = {print_string(point_type_name(trace, row->type)),
                                       print_string(point_attribute_name(trace, values->attribute)),
                                       print_number(values->numbers),
                                       there ? print_string(extreme(view, &values->least, least)) : print_none(),
                                       events_mean_cell(values),
                                       there ? print_string(extreme(view, &values->most, most)) : print_none(),
                                       print_number(values->texts),
                                       print_number(values->nans)};
    print_row(view->run->print, cells);
  }
}

static void put_attributes(const struct events_view *view)
{
  static const struct print_column of_attributes[] = {
      {"event", "Event", PRINT_STRING, false},   {"attribute", "Attribute", PRINT_STRING, false},
      {"values", "Numbers", PRINT_COUNT, false}, {"min", "Min", PRINT_VALUE, false},
      {"mean", "Mean", PRINT_REAL, false},       {"max", "Max", PRINT_VALUE, false},
      {"texts", "Texts", PRINT_COUNT, true},     {"nan", "NaN", PRINT_COUNT, true}};
  print_table(view->run->print, "attributes", "Attributes", of_attributes, COUNT_OF(of_attributes), false);
  for (size_t i = 0; i < view->sums->totals.count; i++)
    events_put_values(view, &view->sums->totals.items[i]);
  print_table_end(view->run->print);
}

static bool has_attributes(const struct points_sums *sums)
{
  bool found = false;
  for (size_t i = 0; !found && i < sums->totals.count; i++)
    found = sums->totals.items[i].values.count > 0;
  return found;
}

static void events_put_sentences(const struct events_view *view, const struct events_own_options *options)
{
  uint64_t missing = 0;
  for (size_t i = 0; i < view->sums->totals.count; i++)
    missing += view->sums->totals.items[i].count - view->sums->totals.items[i].recorded;
  if (view->sums->totals.count == 0)
    print_sentence(
        view->run->print, "no_events",
        options->origin == POINTS_OF_USER
            ? "No such event of the program was recorded: heddle-user-events(3) says how a program has them; "
              "--of all also shows Heddle's."
            : "No such event was recorded.");
  else if (missing > 0)
    print_sentence(
        view->run->print, "omitted",
        "The budget omitted events: counts and means are estimates; min, max and times cover recorded events only.");
}

static bool events_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct events_own_options *options = own;
  const struct point_selection selection = {.origin = options->origin,
                                            .types = options->types,
                                            .type_count = options->type_count,
                                            .relations = options->relations,
                                            .relation_count = options->relation_count};
  if (options->list)
    return events_list_put(run, &selection, error);
  struct points_sums sums;
  const struct events_view view = {run, &sums};
  bool good = points_add_up(run->trace, run->pool, &selection, &sums, error);
  if (good) {
    bool some = run->format != PRINT_TEXT || sums.totals.count > 0;
    if (some)
      events_put_totals(&view);
    if (some && (options->by_thread || run->format == PRINT_JSON))
      events_put_threads(&view);
    if (run->format != PRINT_TEXT || has_attributes(&sums))
      put_attributes(&view);
    events_put_sentences(&view, options);
  }
  points_sums_free(&sums);
  return good;
}

static const struct command_option events_own_options[] = {
    {.name = "list",
     .help = "the single events, in order of time, with their attributes",
     .take = option_flag,
     .at = offsetof(struct events_own_options, list)},
    {.name = "by-thread",
     .help = "also the counts of each thread (JSON: always)",
     .take = option_flag,
     .at = offsetof(struct events_own_options, by_thread)},
    {.name = "type",
     .argument = "NAME",
     .help = "only events of this name; * and ? stand for any characters. Can be given several times",
     .take = take_type},
    {.name = "where",
     .argument = "RELATION",
     .help = "only events whose attribute has such a value, as in norm>0.5. Given several times: all must hold",
     .take = take_where},
    {.name = "of",
     .words = "user|heddle|all",
     .help = "events of the program (default), or Heddle's own: notifications, creations of tasks and threads, locks",
     .take = option_word,
     .at = offsetof(struct events_own_options, origin)},
    {.name = NULL}};

const struct command command_events = {
    .name = "events",
    .group = COMMAND_LOOK,
    .summary = "prints the events that a program logged itself, with their attributes",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about = "Prints how often each of a program's own events (heddle_event) happened, and the range of their\n"
             "attributes; or with --list the single events. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = events_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct events_own_options), .work = events_work),
};
