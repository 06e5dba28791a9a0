#include "analyzer/analyses/intervals/endpoint_attributes.h"
#include "analyzer/analyses/intervals/intervals_show.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/command/values.h"
#include "analyzer/exchange/import/intervals_archive.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_TEXT    10 /* pairs of threads of an interval */
#define VIOLATIONS_TEXT 10 /* of an assertion */

static struct print_cell real_if(bool there, double real)
{
  return there ? print_real(real) : print_none();
}

static struct print_cell number_if(bool there, uint64_t number)
{
  return there ? print_number(number) : print_none();
}

static struct print_cell since_begin(const struct analysis_run *run, uint64_t time)
{
  return print_number(time >= run->trace->first_tick ? time - run->trace->first_tick : 0);
}

static void intervals_show_put_intervals(const struct analysis_run *run, const struct intervals *intervals)
{
  static const struct print_column columns[] = {{"interval", "Interval", PRINT_STRING, false},
                                                {"count", "Count", PRINT_COUNT, false},
                                                {"unmatched_starts", "Starts alone", PRINT_COUNT, false},
                                                {"unmatched_ends", "Ends alone", PRINT_COUNT, false},
                                                {"total", "Total", PRINT_DURATION, false},
                                                {"mean", "Mean", PRINT_MEAN, false},
                                                {"deviation", "Deviation", PRINT_MEAN, false},
                                                {"min", "Shortest", PRINT_DURATION, false},
                                                {"p50", "Median", PRINT_DURATION, false},
                                                {"p90", "90 %", PRINT_DURATION, false},
                                                {"p99", "99 %", PRINT_DURATION, false},
                                                {"max", "Longest", PRINT_DURATION, false}};
  print_table(run->print, "intervals", NULL, columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < intervals->count; i++) {
    const struct interval_result *result = &intervals->list[i];
    const struct lengths *lengths = &result->lengths;
    bool any = lengths->count > 0;
    struct print_cell cells[] = {print_string(result->interval->name),
                                 print_number(lengths->count),
                                 print_number(result->counts.unmatched_starts),
                                 print_number(result->counts.unmatched_ends),
                                 print_number(lengths->total),
                                 real_if(any, lengths_mean(lengths)),
                                 real_if(any, lengths_deviation(lengths)),
                                 number_if(any, lengths->min),
                                 number_if(any, lengths_percentile(lengths, 0.5)),
                                 number_if(any, lengths_percentile(lengths, 0.9)),
                                 number_if(any, lengths_percentile(lengths, 0.99)),
                                 number_if(any, lengths->max)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void intervals_show_put_threads(const struct analysis_run *run, const struct intervals *intervals)
{
  static const struct print_column columns[] = {
      {"interval", "Interval", PRINT_STRING, false}, {"from", "From", PRINT_STRING, false},
      {"from_thread", "No.", PRINT_NUMBER, false},   {"to", "To", PRINT_STRING, false},
      {"to_thread", "No.", PRINT_NUMBER, false},     {"count", "Count", PRINT_COUNT, false},
      {"total", "Total", PRINT_DURATION, false},     {"mean", "Mean", PRINT_MEAN, false},
      {"max", "Longest", PRINT_DURATION, false}};
  const struct trace *trace = run->trace;
  size_t most = run->format == PRINT_TEXT ? THREADS_TEXT : SIZE_MAX;
  print_table(run->print, "threads", "By thread", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < intervals->count; i++) {
    const struct interval_result *result = &intervals->list[i];
    for (size_t k = 0; k < result->thread_count && k < most; k++) {
      const struct interval_threads *threads = &result->threads[k];
      struct print_cell cells[] = {print_string(result->interval->name),
                                   print_string(trace->locations[threads->from].name),
                                   print_number(threads->from),
                                   print_string(trace->locations[threads->to].name),
                                   print_number(threads->to),
                                   print_number(threads->count),
                                   print_number(threads->total),
                                   print_real((double)threads->total / (double)threads->count),
                                   print_number(threads->max)};
      print_row(run->print, cells);
    }
  }
  print_table_end(run->print);
}

/* How evenly an interval's time is spread over the threads that begin it. */
static void put_balance_of(const struct analysis_run *run, const struct interval_result *result, uint64_t *totals)
{
  const struct trace *trace = run->trace;
  uint32_t threads = 0, busiest = 0;
  double sum = 0;
  for (size_t k = 0; k < result->thread_count; k++) {
    const struct interval_threads *pair = &result->threads[k];
    totals[pair->from] += pair->total;
  }
  for (uint32_t i = 0; i < trace->location_count; i++) {
    threads += totals[i] > 0;
    sum += (double)totals[i];
    busiest = totals[i] > totals[busiest] ? i : busiest;
  }
  if (threads < 2)
    return;
  double mean = sum / threads, most = (double)totals[busiest];
  struct print_cell cells[] = {print_string(result->interval->name),
                               print_number(threads),
                               print_real(mean),
                               print_number(totals[busiest]),
                               print_string(trace->locations[busiest].name),
                               print_number(busiest),
                               print_real(100 * (most - mean) / most * threads / (threads - 1))};
  print_row(run->print, cells);
}

static bool put_balance(const struct analysis_run *run, const struct intervals *intervals)
{
  static const struct print_column columns[] = {
      {"interval", "Interval", PRINT_STRING, false},   {"threads", "Threads", PRINT_COUNT, false},
      {"mean", "Mean a thread", PRINT_MEAN, false},    {"most", "Most", PRINT_DURATION, false},
      {"thread_name", "by", PRINT_STRING, false},      {"thread", "No.", PRINT_NUMBER, false},
      {"imbalance", "Imbalance", PRINT_PERCENT, false}};
  uint32_t locations = run->trace->location_count;
  uint64_t *totals = malloc((locations + 1ul) * sizeof *totals);
  print_table(run->print, "balance", "Time by thread that begins them", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; totals && i < intervals->count; i++) {
    memset(totals, 0, locations * sizeof *totals);
    put_balance_of(run, &intervals->list[i], totals);
  }
  print_table_end(run->print);
  bool good = totals;
  free(totals);
  return good;
}

/* True if an interval begins on several threads. */
static bool is_of_several(const struct interval_result *result)
{
  for (size_t k = 1; k < result->thread_count; k++)
    if (result->threads[k].from != result->threads[0].from)
      return true;
  return false;
}

static bool any_is_of_several(const struct intervals *intervals)
{
  for (uint32_t i = 0; i < intervals->count; i++)
    if (is_of_several(&intervals->list[i]))
      return true;
  return false;
}

static void put_histograms(const struct analysis_run *run, const struct intervals *intervals)
{
  static const struct print_column columns[] = {{"interval", "Interval", PRINT_STRING, false},
                                                {"from", "From", PRINT_DURATION, false},
                                                {"below", "Below", PRINT_DURATION, false},
                                                {"count", "Count", PRINT_COUNT, false},
                                                {"part", "Part", PRINT_PERCENT, false}};
  print_table(run->print, "histogram", "How long they are", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < intervals->count; i++) {
    const struct lengths *lengths = &intervals->list[i].lengths;
    uint64_t counts[65];
    lengths_histogram(lengths, counts);
    for (unsigned k = 0; k <= 64; k++) {
      if (counts[k] == 0)
        continue;
      struct print_cell cells[] = {print_string(intervals->list[i].interval->name),
                                   print_number(k == 0 ? 0 : 1ull << (k - 1)), number_if(k < 64, 1ull << (k & 63)),
                                   print_number(counts[k]), print_real(print_percentage(counts[k], lengths->count))};
      print_row(run->print, cells);
    }
  }
  print_table_end(run->print);
}

static void put_assertions(const struct analysis_run *run, const struct intervals *intervals)
{
  static const struct print_column columns[] = {{"number", "No.", PRINT_NUMBER, false},
                                                {"assertion", "Assertion", PRINT_STRING, false},
                                                {"line", "Line", PRINT_NUMBER, false},
                                                {"held", "Held", PRINT_COUNT, false},
                                                {"violated", "Violated", PRINT_COUNT, false}};
  print_table(run->print, "assertions", "Assertions", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < intervals->assertion_count; i++) {
    const struct assertion_result *result = &intervals->assertions[i];
    struct print_cell cells[] = {print_number(i + 1), print_string(result->assertion->text),
                                 print_number(result->assertion->place.line), print_number(result->held),
                                 print_number(result->violated)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void put_violations(const struct analysis_run *run, const struct intervals *intervals)
{
  static const struct print_column columns[] = {{"assertion", "Assertion", PRINT_NUMBER, false},
                                                {"interval", "Interval", PRINT_STRING, false},
                                                {"begin", "Begin", PRINT_DURATION, false},
                                                {"duration", "Duration", PRINT_DURATION, false},
                                                {"from", "From", PRINT_STRING, false},
                                                {"from_thread", "No.", PRINT_NUMBER, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"to_thread", "No.", PRINT_NUMBER, false}};
  size_t most = run->format == PRINT_TEXT ? VIOLATIONS_TEXT : SIZE_MAX;
  print_table(run->print, "violations", "Violations", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < intervals->assertion_count; i++) {
    const struct assertion_result *result = &intervals->assertions[i];
    for (size_t k = 0; k < result->kept && k < most; k++) {
      const struct interval_violation *violation = &result->violations[k];
      uint32_t from = violation->start.thread, to = violation->end.thread;
      struct print_cell cells[] = {print_number(i + 1),
                                   print_string(result->assertion->of->name),
                                   since_begin(run, violation->start.time),
                                   print_number(violation->end.time - violation->start.time),
                                   print_string(run->trace->locations[from].name),
                                   print_number(from),
                                   print_string(run->trace->locations[to].name),
                                   print_number(to)};
      print_row(run->print, cells);
    }
  }
  print_table_end(run->print);
}

/* What the reader can't rely on. */
static void intervals_show_put_sentences(const struct analysis_run *run, const struct intervals *intervals)
{
  char text[512];
  for (uint32_t i = 0; i < intervals->missing_count; i++) {
    snprintf(text, sizeof text,
             "The trace has no event `%s`: no interval has it. `heddle info` shows the program's events.",
             intervals->missing[i]->name);
    print_sentence(run->print, "missing", text);
  }
  if (run->trace->weight != OTF2_UNDEFINED_ATTRIBUTE)
    print_sentence(run->print, "omitted",
                   "Not all events are in the trace, because of the recording's budget: intervals between events that "
                   "are not recorded are missing or too long. `heddle record --keep` keeps all of a place.");
}

bool intervals_show(const struct analysis_run *run, const struct intervals *intervals, struct intervals_shown shown)
{
  bool good = true;
  if (shown.figures) {
    intervals_show_put_intervals(run, intervals);
    intervals_show_put_threads(run, intervals);
    if (run->format != PRINT_TEXT || any_is_of_several(intervals))
      good = put_balance(run, intervals);
  }
  if (shown.histogram)
    put_histograms(run, intervals);
  if (intervals->assertion_count > 0)
    put_assertions(run, intervals);
  size_t kept = 0;
  for (uint32_t i = 0; i < intervals->assertion_count; i++)
    kept += intervals->assertions[i].kept;
  if (kept > 0 || (run->format != PRINT_TEXT && intervals->assertion_count > 0))
    put_violations(run, intervals);
  intervals_show_put_sentences(run, intervals);
  return good;
}

bool intervals_show_plan(const struct analysis_run *run, const struct match_plan *plan)
{
  static const struct print_column columns[] = {{"interval", "Interval", PRINT_STRING, false},
                                                {"step", "How it is matched", PRINT_STRING, false}};
  bool good = true;
  print_table(run->print, "plan", NULL, columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; good && i < plan->count; i++) {
    char *text = NULL, *rest = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    good = file;
    if (!file)
      break;
    plan_explain(&plan->intervals[i], file);
    good = fclose(file) == 0;
    for (char *line = good ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
      struct print_cell cells[] = {print_string(plan->intervals[i].interval->name),
                                   print_string(line + strspn(line, " "))};
      print_row(run->print, cells);
    }
    free(text);
  }
  print_table_end(run->print);
  return good;
}

void intervals_list_begin(const struct intervals_list *list)
{
  static const struct print_column columns[] = {
      {"interval", "Interval", PRINT_STRING, false},   {"begin", "Begin", PRINT_DURATION, false},
      {"duration", "Duration", PRINT_DURATION, false}, {"from", "From", PRINT_STRING, false},
      {"from_thread", "No.", PRINT_NUMBER, false},     {"to", "To", PRINT_STRING, false},
      {"to_thread", "No.", PRINT_NUMBER, false}};
  print_table(list->run->print, "list", NULL, columns, COUNT_OF(columns), true);
}

bool intervals_list_put(void *context, const struct spec_interval *interval, const struct match_point *start,
                        const struct match_point *end)
{
  const struct intervals_list *list = context;
  const struct trace *trace = list->run->trace;
  struct print_cell cells[] = {print_string(interval->name),
                               since_begin(list->run, start->time),
                               print_number(end->time - start->time),
                               print_string(trace->locations[start->thread].name),
                               print_number(start->thread),
                               print_string(trace->locations[end->thread].name),
                               print_number(end->thread)};
  print_row(list->run->print, cells);
  return true;
}

void intervals_list_end(const struct intervals_list *list)
{
  print_table_end(list->run->print);
}

#define ROWS_TEXT 8 /* of an interval */

static struct print_cell intervals_inside_show_mean_cell(wide_total ticks, const struct inside_group *group)
{
  return group->count ? print_real((double)ticks / (double)group->count) : print_none();
}

static void put_groups(const struct analysis_run *run, const struct intervals *intervals, const struct inside *inside)
{
  static const struct print_column columns[] = {
      {"interval", "Interval", PRINT_STRING, false}, {"slow", "Slow", PRINT_COUNT, false},
      {"slow_from", "From", PRINT_DURATION, false},  {"slow_mean", "Mean", PRINT_MEAN, false},
      {"others", "Others", PRINT_COUNT, false},      {"others_mean", "Mean", PRINT_MEAN, false}};
  print_table(run->print, "slow", "Slow intervals", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < inside->kind_count; i++) {
    const struct inside_kind *kind = &inside->kinds[i];
    struct print_cell cells[] = {print_string(intervals->list[i].interval->name),
                                 print_number(kind->slow.count),
                                 kind->slow.count ? print_number(kind->slow.shortest) : print_none(),
                                 intervals_inside_show_mean_cell(kind->slow.total, &kind->slow),
                                 print_number(kind->others.count),
                                 intervals_inside_show_mean_cell(kind->others.total, &kind->others)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* Where an interval's time is looked at, as users read it. */
static const char *const intervals_inside_show_threads[INSIDE_THREADS] = {
    [INSIDE_SAME] = "its own", [INSIDE_FROM] = "where it begins", [INSIDE_TO] = "where it ends"};

static struct print_cell name_cell(const struct analysis_run *run, const struct samples *samples,
                                   const struct inside_row *row)
{
  if (row->state == INSIDE_SAMPLES)
    return print_string(samples->functions[row->construct].name);
  return row->construct == TRACE_NONE ? print_none() : print_string(run->trace->regions[row->construct].name);
}

/* Rows of time, or rows of samples. */
static void intervals_inside_show_put_rows(const struct analysis_run *run, const struct intervals *intervals,
                                           const struct inside *inside, const struct samples *samples, bool of_samples)
{
  uint32_t shown = 0, kind_shown = TRACE_NONE;
  for (size_t i = 0; i < inside->row_count; i++) {
    const struct inside_row *row = &inside->rows[i];
    const struct inside_kind *kind = &inside->kinds[row->kind];
    if ((row->state == INSIDE_SAMPLES) != of_samples)
      continue;
    shown = row->kind == kind_shown ? shown + 1 : 0;
    kind_shown = row->kind;
    if (run->format == PRINT_TEXT && shown >= ROWS_TEXT)
      continue;
    struct print_cell cells[6];
    unsigned count = 0;
    cells[count++] = print_string(intervals->list[row->kind].interval->name);
    cells[count++] = print_string(intervals_inside_show_threads[row->thread]);
    if (!of_samples)
      cells[count++] = print_string(state_name((enum state)row->state));
    cells[count++] = name_cell(run, samples, row);
    cells[count++] = intervals_inside_show_mean_cell(row->slow, &kind->slow);
    cells[count++] = intervals_inside_show_mean_cell(row->others, &kind->others);
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

void intervals_inside_show(const struct analysis_run *run, const struct intervals *intervals,
                           const struct inside *inside, const struct samples *samples)
{
  static const struct print_column time[] = {
      {"interval", "Interval", PRINT_STRING, false}, {"thread_name", "Thread", PRINT_STRING, false},
      {"state", "State", PRINT_STRING, false},       {"construct", "Construct", PRINT_STRING, false},
      {"slow", "In a slow one", PRINT_MEAN, false},  {"others", "In others", PRINT_MEAN, false}};
  static const struct print_column functions[] = {{"interval", "Interval", PRINT_STRING, false},
                                                  {"thread_name", "Thread", PRINT_STRING, false},
                                                  {"function", "Function", PRINT_STRING, false},
                                                  {"slow", "Samples in a slow one", PRINT_REAL, false},
                                                  {"others", "In others", PRINT_REAL, false}};
  put_groups(run, intervals, inside);
  print_table(run->print, "inside", "What lies inside, on average; the largest difference first", time, COUNT_OF(time),
              false);
  intervals_inside_show_put_rows(run, intervals, inside, samples, false);
  if (!samples)
    return;
  print_table(run->print, "inside_functions", "Where samples were taken inside, on average", functions,
              COUNT_OF(functions), false);
  intervals_inside_show_put_rows(run, intervals, inside, samples, true);
}

struct intervals_own_options {
  struct spec_asked spec;
  const char *otf2; /* NULL: no archive is written */
  uint64_t work;
  struct inside_slow slow; /* zeros: what is inside is not asked for */
  bool explain, list, histogram;
};

/* slow, N, or P%: the longest tenth, the longest N, or the longest P percent. */
static int take_inside(const struct option_given *given, void *into)
{
  struct intervals_own_options *own = into;
  char *end;
  double percent = strtod(given->value, &end);
  own->slow = (struct inside_slow){0};
  if (strcmp(given->value, "slow") == 0)
    own->slow.part = 0.1;
  else if (end != given->value && strcmp(end, "%") == 0 && percent > 0 && percent < 100)
    own->slow.part = percent / 100;
  else if (!value_number(given->value, 1, UINT64_MAX, &own->slow.longest))
    return command_usage(given->command,
                         "--inside %s: give `slow` (the longest tenth), a number of intervals, or a part such as 5%%",
                         given->value);
  return -1;
}

static int intervals_check(const void *own, const char *command)
{
  const struct intervals_own_options *options = own;
  return options->spec.file ? -1 : command_usage(command, "--spec FILE is missing");
}

/* One line says which assertion does not hold. Messages about bad input never begin so. */
static bool check_assertions(const struct spec *spec, const struct intervals *intervals, struct error *error)
{
  uint32_t broken = intervals_broken(intervals);
  if (broken == 0)
    return true;
  const struct assertion_result *first = intervals->assertions;
  while (first->violated == 0)
    first++;
  const struct spec_assertion *assertion = first->assertion;
  char counted[96] = "", more[64] = "";
  if (assertion->of)
    snprintf(counted, sizeof counted, " in %llu of %llu intervals", (unsigned long long)first->violated,
             (unsigned long long)(first->violated + first->held));
  if (broken > 1)
    snprintf(more, sizeof more, "; %u more assertions failed", broken - 1);
  return error_set(error, "assertion failed: %s:%u:%u: `%.400s` does not hold%s%s", spec->file, assertion->place.line,
                   assertion->place.column, assertion->text, counted, more);
}

static bool asks_inside(const struct intervals_own_options *options)
{
  return options->slow.longest > 0 || options->slow.part > 0;
}

struct inside_found {
  struct inside inside;
  struct samples *samples; /* NULL: there are none */
};

/* Where each interval goes. */
struct sinks {
  struct intervals_list list;
  struct intervals_taken taken;
  struct intervals_archive *archive; /* NULL: none is asked for */
  const struct intervals_own_options *options;
};

static bool put_interval(void *context, const struct spec_interval *interval, const struct match_point *start,
                         const struct match_point *end)
{
  struct sinks *sinks = context;
  return (!sinks->options->list || intervals_list_put(&sinks->list, interval, start, end)) &&
         (!sinks->archive || intervals_archive_put(sinks->archive, interval, start, end)) &&
         (!asks_inside(sinks->options) || intervals_take(&sinks->taken, interval, start, end));
}

static bool find_inside(const struct analysis_run *run, const struct intervals_own_options *options,
                        struct intervals_taken *taken, const struct specified *specified, struct inside_found *found,
                        struct error *error)
{
  bool none;
  found->samples = samples_open(run->trace, &none, error);
  return (found->samples || none) && inside_find(run->trace, run->pool, taken, specified->plan->count, options->slow,
                                                 found->samples, &found->inside, error);
}

static bool open_archive(const struct analysis_run *run, const struct intervals_own_options *options,
                         const struct specified *specified, struct sinks *sinks, struct error *error)
{
  if (!ends_want(specified->spec, run->trace, error))
    return false;
  sinks->archive = intervals_archive_open(run->trace, specified->spec, options->otf2, error);
  return sinks->archive;
}

static bool find_intervals(const struct analysis_run *run, const struct intervals_own_options *options,
                           const struct specified *specified, struct intervals *intervals, struct inside_found *inside,
                           struct error *error)
{
  struct sinks sinks = {.list.run = run, .options = options};
  struct intervals_options wanted = {
      .spec = specified->spec, .plan = specified->plan, .work = options->work, .sink = put_interval, .context = &sinks};
  if (options->otf2 && !open_archive(run, options, specified, &sinks, error))
    return false;
  if (options->list)
    intervals_list_begin(&sinks.list);
  bool good = analysis_find(&intervals_analysis, run->trace, run->pool, &wanted, intervals, error);
  if (!good)
    intervals_taken_why(&sinks.taken, error);
  if (options->list)
    intervals_list_end(&sinks.list);
  if (sinks.archive)
    good = intervals_archive_close(sinks.archive, good, error);
  if (good && asks_inside(options))
    good = find_inside(run, options, &sinks.taken, specified, inside, error);
  vector_free(&sinks.taken.list);
  return good;
}

static bool intervals_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct intervals_own_options *options = own;
  struct intervals intervals = {0};
  struct specified specified;
  struct inside_found inside = {0};
  bool good = specified_read(&options->spec, &specified, error);
  if (good && options->explain) {
    good = intervals_show_plan(run, specified.plan) || error_set(error, "out of memory");
  } else if (good) {
    good = find_intervals(run, options, &specified, &intervals, &inside, error);
    if (good) {
      good = intervals_show(run, &intervals,
                            (struct intervals_shown){.figures = !options->list, .histogram = options->histogram}) ||
             error_set(error, "out of memory");
      if (asks_inside(options))
        intervals_inside_show(run, &intervals, &inside.inside, inside.samples);
      good = check_assertions(specified.spec, &intervals, error);
    }
    analysis_free(&intervals_analysis, &intervals);
  }
  inside_free(&inside.inside);
  if (inside.samples)
    samples_close(inside.samples);
  specified_free(&specified);
  return good;
}

static const struct intervals_own_options usual_options = {.work = SPEC_WORK_DEFAULT};

static const struct command_option intervals_own_options[] = {
    OPTION_SPEC(struct intervals_own_options, spec, "the specification of events and intervals"),
    {.name = "list",
     .help = "every interval, in the order of their ends, in place of the figures",
     .take = option_flag,
     .at = offsetof(struct intervals_own_options, list)},
    {.name = "histogram",
     .help = "also how many intervals are how long",
     .take = option_flag,
     .at = offsetof(struct intervals_own_options, histogram)},
    {.name = "inside",
     .argument = "SLOW",
     .help = "also what lies inside the slow ones of each kind, beside the others: `slow` (the longest tenth), the "
             "longest N, or the longest P%",
     .take = take_inside},
    {.name = "otf2",
     .argument = "OUT",
     .help = "also write the intervals into an OTF2 archive in the directory OUT, for other viewers",
     .take = option_text,
     .at = offsetof(struct intervals_own_options, otf2)},
    {.name = "explain",
     .help = "how each interval is matched; reads no events",
     .take = option_flag,
     .at = offsetof(struct intervals_own_options, explain)},
    {.name = "work",
     .argument = "N",
     .help = "the most pairs of events that an interval may try in vain (default: 1000000000)",
     .take = option_number,
     .at = offsetof(struct intervals_own_options, work),
     .least = 1},
    {.name = NULL}};

const struct command command_intervals = {
    .name = "intervals",
    .group = COMMAND_LOOK,
    .summary = "prints how long it took from one event to another, as a specification says",
    .synopsis = "--spec FILE [OPTION]... DIR",
    .about =
        "Prints the intervals between events of the program, or of Heddle's own, that a specification defines: how\n"
        "many there are, how long they are, and from which threads to which; and tries the assertions in the\n"
        "specification. DIR is the trace's directory or its .otf2 file. docs/intervals.md has the language.\n",
    .notes = "If an assertion does not hold, the exit status is 1 and a line begins with `heddle intervals: assertion "
             "failed:`.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = intervals_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct intervals_own_options), .usual = &usual_options, .check = intervals_check,
         .work = intervals_work),
};
