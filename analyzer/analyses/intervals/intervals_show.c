#include "analyzer/analyses/intervals/intervals_show.h"

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
      {"from_location", "No.", PRINT_NUMBER, false}, {"to", "To", PRINT_STRING, false},
      {"to_location", "No.", PRINT_NUMBER, false},   {"count", "Count", PRINT_COUNT, false},
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
      {"thread", "by", PRINT_STRING, false},           {"location", "No.", PRINT_NUMBER, false},
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
                                                {"from_location", "No.", PRINT_NUMBER, false},
                                                {"to", "To", PRINT_STRING, false},
                                                {"to_location", "No.", PRINT_NUMBER, false}};
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
    print_sentence(run->print, "thinned",
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
      {"from_location", "No.", PRINT_NUMBER, false},   {"to", "To", PRINT_STRING, false},
      {"to_location", "No.", PRINT_NUMBER, false}};
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
