#include "analyzer/analyses/events/events_list.h"
#include "analyzer/analyses/events/sums.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/values.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>

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
    {"event", "Event", PRINT_STRING, false},   {"location", "No.", PRINT_NUMBER, false},
    {"thread", "Thread", PRINT_STRING, false}, {"threads", "Threads", PRINT_COUNT, false},
    {"count", "Count", PRINT_COUNT, false},    {"not_recorded", "Not recorded", PRINT_COUNT, true},
    {"rate", "Events/s", PRINT_REAL, false},   {"first", "First", PRINT_DURATION, false},
    {"last", "Last", PRINT_DURATION, false}};

enum { LOCATION = 1, THREADS = 3, EVENTS_ALL_COLUMNS = COUNT_OF(events_columns) };

/* Cells of a row; those of a thread without the number of threads, those of all without the thread. */
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
        view->run->print, "thinned",
        "The budget left out events: counts and means are estimates; min, max and times are those of recorded "
        "events.");
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
