#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/omitted/omitted_show.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/print/units.h"
#include "analyzer/command/sentences.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/prints.h"
#include "analyzer/live/profile_tables.h"
#include "base/count_of.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_spread(const struct analysis_run *run, const struct imbalance *imbalance, const uint32_t *order,
                       uint32_t count)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"elapsed_median", "Elapsed median", PRINT_DURATION, false},
                                                {"elapsed_90", "90 %", PRINT_DURATION, false},
                                                {"elapsed_max", "longest", PRINT_DURATION, false},
                                                {"imbalance_median", "Imbalance median", PRINT_DURATION, false},
                                                {"imbalance_90", "90 %", PRINT_DURATION, false},
                                                {"imbalance_max", "worst", PRINT_DURATION, false},
                                                {"worst_begin", "Worst call at", PRINT_DURATION, false},
                                                {"worst_elapsed", "elapsed", PRINT_DURATION, false}};
  uint64_t first = run->trace->first_tick;
  print_table(run->print, "over_time", "Over time", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < count; i++) {
    const struct imbalance_course *course = imbalance->constructs[order[i]].course;
    if (!course)
      continue;
    struct print_cell cells[] = {print_string(run->trace->regions[order[i]].name),
                                 print_number(course->imbalance.count),
                                 print_number(lengths_percentile(&course->elapsed, 0.5)),
                                 print_number(lengths_percentile(&course->elapsed, 0.9)),
                                 print_number(course->elapsed.max),
                                 print_number(lengths_percentile(&course->imbalance, 0.5)),
                                 print_number(lengths_percentile(&course->imbalance, 0.9)),
                                 print_number(course->worst.imbalance),
                                 print_number(course->worst.begin > first ? course->worst.begin - first : 0),
                                 print_number(course->worst.elapsed)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void imbalance_course_put_parts(const struct analysis_run *run, const struct imbalance *imbalance,
                                       const uint32_t *order, uint32_t count)
{
  static const struct print_column columns[] = {
      {"construct", "Construct", PRINT_STRING, false}, {"part_1", "0-10", PRINT_PERCENT, false},
      {"part_2", "10-20", PRINT_PERCENT, false},       {"part_3", "20-30", PRINT_PERCENT, false},
      {"part_4", "30-40", PRINT_PERCENT, false},       {"part_5", "40-50", PRINT_PERCENT, false},
      {"part_6", "50-60", PRINT_PERCENT, false},       {"part_7", "60-70", PRINT_PERCENT, false},
      {"part_8", "70-80", PRINT_PERCENT, false},       {"part_9", "80-90", PRINT_PERCENT, false},
      {"part_10", "90-100 %", PRINT_PERCENT, false}};
  static_assert(COUNT_OF(columns) == 1 + COURSE_PARTS, "a column a part");
  print_table(run->print, "parts", "Imb. % in each tenth of the time", columns, COUNT_OF(columns), false);
  for (uint32_t at = 0; at < count; at++) {
    const struct imbalance_course *course = imbalance->constructs[order[at]].course;
    struct print_cell cells[1 + COURSE_PARTS] = {print_string(run->trace->regions[order[at]].name)};
    if (!course)
      continue;
    for (unsigned i = 0; i < COURSE_PARTS; i++) {
      const struct course_part *part = &course->parts[i];
      cells[1 + i] = part->calls ? print_real(course_percent(part->scaled, part->busy_max)) : print_none();
    }
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* order: constructs, `count` of them. The imbalance was found with the option `course`. */
static void imbalance_course_put(const struct analysis_run *run, const struct imbalance *imbalance,
                                 const uint32_t *order, uint32_t count)
{
  put_spread(run, imbalance, order, count);
  imbalance_course_put_parts(run, imbalance, order, count);
}

struct imbalance_own_options {
  bool threads, waits, over_time;
};

struct imbalance_view {
  const struct analysis_run *run;
  const struct imbalance *imbalance;
  uint32_t *order; /* the executed constructs, the most time to win first */
  uint32_t count;
};

static uint64_t imbalance_ticks_of(struct fine_total sum)
{
  return (uint64_t)(fine_total_ticks(sum) + 0.5);
}

static int compare_to_win(const void *a, const void *b, void *context)
{
  const struct imbalance_construct *constructs = context;
  uint32_t left = *(const uint32_t *)a;
  uint32_t right = *(const uint32_t *)b;
  wide_total left_win = constructs[left].to_win.parts;
  wide_total right_win = constructs[right].to_win.parts;
  if (left_win != right_win)
    return left_win < right_win ? 1 : -1;
  return (left > right) - (left < right);
}

static bool sort_constructs(struct imbalance_view *view)
{
  view->order = malloc((view->imbalance->count + 1) * sizeof *view->order);
  if (!view->order)
    return false;
  for (uint32_t i = 0; i < view->imbalance->count; i++) {
    if (view->imbalance->constructs[i].calls > 0)
      view->order[view->count++] = i;
  }
  qsort_r(view->order, view->count, sizeof *view->order, compare_to_win, view->imbalance->constructs);
  return true;
}

/* Groups of columns; put_main(), put_wait() and put_place() fill them. */
static const struct print_column main_columns[] = {
    {"executions", "Executions", PRINT_COUNT, false},
    {"time", "Elapsed", PRINT_DURATION, false},
    {"threads", "Threads", PRINT_COUNT, false},
    {"busy_min", "Busy min", PRINT_DURATION, PRINT_OMIT_FIRST},
    {"busy_mean", "Busy mean", PRINT_DURATION, false},
    {"busy_max", "Busy max", PRINT_DURATION, PRINT_OMIT_FIRST},
    {"imbalance", "Imbalance", PRINT_DURATION, PRINT_OMIT_FIRST},
    {"imbalance_percent", "Imb. %", PRINT_PERCENT, false},
    {"load_balance", "Balance", PRINT_RATIO, PRINT_OMIT_FIRST},
    {"efficiency", "Efficiency", PRINT_RATIO, PRINT_OMIT_FIRST},
    {"overhead", "Overhead", PRINT_DURATION, PRINT_OMIT_ZERO | PRINT_OMIT_FIRST},
    {"late", "Late", PRINT_DURATION, PRINT_OMIT_ZERO | PRINT_OMIT_FIRST},
    {"lost", "Lost, at most", PRINT_DURATION, false},
    {"lost_percent", "Lost, of all", PRINT_PERCENT, false}};
static const struct print_column wait_columns[] = {{"barrier_wait", "Waiting, all threads", PRINT_DURATION, true},
                                                   {"waited_for", "mostly for", PRINT_STRING, true},
                                                   {"waited_for_time", "namely", PRINT_SHARE, true},
                                                   {"schedule", "Schedule", PRINT_STRING, true},
                                                   {"chunks", "Chunks", PRINT_COUNT, true},
                                                   {"iterations", "Iterations", PRINT_COUNT, true}};
static const struct print_column place_columns[] = {{"function", "Function", PRINT_STRING, false},
                                                    {"file", "File", PRINT_STRING, false},
                                                    {"line", "Line", PRINT_NUMBER, false},
                                                    {"parallel", "Parallel region", PRINT_STRING, false},
                                                    {"incomplete", "Incomplete", PRINT_COUNT, false}};
#define IMBALANCE_ALL_COLUMNS (1 + COUNT_OF(main_columns) + COUNT_OF(wait_columns) + COUNT_OF(place_columns))

/* A sum that may have a part that is not recorded. */
static struct print_cell cell_of(const struct imbalance_construct *construct, enum imbalance_figure figure,
                                 wide_total sum)
{
  struct print_cell cell = print_number(sum);
  const struct estimate *more = construct->more ? &construct->more[figure] : NULL;
  bool exact = !more || (more->omitted == 0 && more->variance == 0);
  return exact ? cell : print_estimate(cell, estimate_half_width(more));
}

/* A ratio of two sums. The errors of both may add up. */
static struct print_cell ratio_cell(const struct imbalance_construct *construct, double ratio, double relative)
{
  bool exact = !construct->more || (construct->omitted == 0 && relative == 0);
  return exact ? print_real(ratio) : print_estimate(print_real(ratio), ratio > 0 ? ratio * relative : 0);
}

static double relative(const struct imbalance_construct *construct, enum imbalance_figure figure, double sum)
{
  return sum > 0 ? imbalance_half_width(construct, figure) / sum : 0;
}

static struct print_cell *put_main(struct print_cell *cell, const struct imbalance_view *view,
                                   const struct imbalance_construct *construct)
{
  double mean = relative(construct, IMBALANCE_BUSY_MEAN, fine_total_ticks(construct->busy_mean));
  double most = relative(construct, IMBALANCE_BUSY_MAX, (double)construct->busy_max);
  double scaled = relative(construct, IMBALANCE_SCALED, fine_total_ticks(construct->imbalance_scaled));
  double busy = relative(construct, IMBALANCE_BUSY, (double)construct->busy);
  double capacity = relative(construct, IMBALANCE_CAPACITY, (double)construct->capacity);
  double lost = relative(construct, IMBALANCE_LOST_CAPACITY, fine_total_ticks(construct->lost_capacity));
  *cell++ = print_number(construct->calls);
  *cell++ = cell_of(construct, IMBALANCE_ELAPSED, construct->elapsed);
  *cell++ = print_number(construct->threads);
  *cell++ = cell_of(construct, IMBALANCE_BUSY_MIN, construct->busy_min);
  *cell++ = cell_of(construct, IMBALANCE_BUSY_MEAN, imbalance_ticks_of(construct->busy_mean));
  *cell++ = cell_of(construct, IMBALANCE_BUSY_MAX, construct->busy_max);
  *cell++ = cell_of(construct, IMBALANCE_TICKS, imbalance_ticks_of(construct->imbalance));
  *cell++ = ratio_cell(construct, imbalance_percent(construct), scaled + most);
  *cell++ = ratio_cell(construct, imbalance_load_balance(construct), mean + most);
  *cell++ = ratio_cell(construct, imbalance_efficiency(construct), busy + capacity);
  *cell++ = cell_of(construct, IMBALANCE_OVERHEAD, imbalance_ticks_of(construct->overhead));
  *cell++ = cell_of(construct, IMBALANCE_LATE, construct->late);
  *cell++ = cell_of(construct, IMBALANCE_TO_WIN, imbalance_ticks_of(construct->to_win));
  *cell++ = ratio_cell(construct, imbalance_to_win_percent(view->imbalance, construct), lost);
  return cell;
}

static struct print_cell *put_wait(struct print_cell *cell, const struct imbalance_view *view, uint32_t region)
{
  const struct trace *trace = view->run->trace;
  const struct imbalance_construct *construct = &view->imbalance->constructs[region];
  uint32_t slowest = imbalance_slowest(construct, trace->location_count);
  bool known = slowest != TRACE_NONE;
  wide_total recorded =
      construct->more ? construct->wait - estimate_more(&construct->more[IMBALANCE_WAIT]) : construct->wait;
  *cell++ = cell_of(construct, IMBALANCE_WAIT, construct->wait);
  *cell++ = known ? print_string(trace->locations[slowest].name) : print_none();
  *cell++ = known ? print_share(construct->by_thread[slowest].waited_for, recorded) : print_none();
  *cell++ = print_string(imbalance_schedule_name(imbalance_schedule(&trace->regions[region])));
  *cell++ = construct->chunks ? cell_of(construct, IMBALANCE_CHUNKS, construct->chunks) : print_none();
  *cell++ = construct->iterations ? cell_of(construct, IMBALANCE_ITERATIONS, construct->iterations) : print_none();
  return cell;
}

static struct print_cell *put_place(struct print_cell *cell, const struct imbalance_view *view, uint32_t at)
{
  const struct trace_region *region = &view->run->trace->regions[at];
  const struct imbalance_construct *construct = &view->imbalance->constructs[at];
  *cell++ = *region->function ? print_string(region->function) : print_none();
  *cell++ = *region->file ? print_string(region->file) : print_none();
  *cell++ = region->line ? print_number(region->line) : print_none();
  *cell++ = construct->parallel != TRACE_NONE ? print_string(view->run->trace->regions[construct->parallel].name)
                                              : print_none();
  *cell++ = print_number(construct->incomplete);
  return cell;
}

/* Which groups of columns a table of constructs has. */
struct shape {
  bool main, wait, place;
};

static size_t add_columns(struct print_column *columns, size_t count, const struct print_column *group, size_t size)
{
  memcpy(columns + count, group, size * sizeof *group);
  return count + size;
}

static bool has_estimates(const struct imbalance *imbalance)
{
  bool any = false;
  for (uint32_t i = 0; i < imbalance->count; i++)
    any |= imbalance->constructs[i].more != NULL;
  return any;
}

static void imbalance_put_constructs(const struct imbalance_view *view, struct shape shape, const char *key,
                                     const char *title)
{
  struct print_column columns[IMBALANCE_ALL_COLUMNS] = {{"construct", "Construct", PRINT_STRING, false}};
  size_t count = 1;
  if (shape.main)
    count = add_columns(columns, count, main_columns, COUNT_OF(main_columns));
  if (shape.wait)
    count = add_columns(columns, count, wait_columns, COUNT_OF(wait_columns));
  if (shape.place)
    count = add_columns(columns, count, place_columns, COUNT_OF(place_columns));
  if (has_estimates(view->imbalance))
    print_may_estimate(view->run->print);
  print_table(view->run->print, key, title, columns, count, false);
  for (uint32_t i = 0; i < view->count; i++) {
    struct print_cell cells[IMBALANCE_ALL_COLUMNS];
    struct print_cell *cell = cells;
    *cell++ = print_string(view->run->trace->regions[view->order[i]].name);
    if (shape.main)
      cell = put_main(cell, view, &view->imbalance->constructs[view->order[i]]);
    if (shape.wait)
      cell = put_wait(cell, view, view->order[i]);
    if (shape.place)
      put_place(cell, view, view->order[i]);
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void imbalance_put_threads(const struct imbalance_view *view)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"thread", "No.", PRINT_NUMBER, false},
                                                {"thread_name", "Thread", PRINT_STRING, false},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"busy", "Busy", PRINT_DURATION, false},
                                                {"wait", "Waiting", PRINT_DURATION, true},
                                                {"last", "Last", PRINT_COUNT, true},
                                                {"waited_for", "Waited for", PRINT_DURATION, true},
                                                {"chunks", "Chunks", PRINT_COUNT, true},
                                                {"iterations", "Iterations", PRINT_COUNT, true}};
  const struct trace *trace = view->run->trace;
  print_by_thread(view->run->print, false);
  print_table(view->run->print, "threads", "Threads", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < view->count; i++) {
    const struct imbalance_construct *construct = &view->imbalance->constructs[view->order[i]];
    const struct imbalance_thread *threads = construct->by_thread;
    for (uint32_t at = 0; threads && at < trace->location_count; at++) {
      const struct imbalance_thread *thread = &threads[at];
      if (thread->calls == 0)
        continue;
      struct print_cell cells[] = {print_string(trace->regions[view->order[i]].name),
                                   print_number(at),
                                   print_string(trace->locations[at].name),
                                   print_number(thread->calls),
                                   print_number(thread->busy),
                                   print_number(thread->wait),
                                   print_number(thread->last),
                                   print_number(thread->waited_for),
                                   construct->chunks ? print_number(thread->chunks) : print_none(),
                                   construct->iterations ? print_number(thread->iterations) : print_none()};
      print_row(view->run->print, cells);
    }
  }
  print_table_end(view->run->print);
}

static int compare_waits(const void *a, const void *b)
{
  const struct imbalance_wait *left = a;
  const struct imbalance_wait *right = b;
  if (left->ticks != right->ticks)
    return left->ticks < right->ticks ? 1 : -1;
  if (left->region != right->region)
    return left->region < right->region ? -1 : 1;
  if (left->waiter != right->waiter)
    return left->waiter < right->waiter ? -1 : 1;
  return (left->last > right->last) - (left->last < right->last);
}

static void imbalance_put_waits(const struct imbalance_view *view)
{
  static const struct print_column columns[] = {{"waiter", "Thread", PRINT_STRING, false},
                                                {"waiter_thread", "No.", PRINT_NUMBER, false},
                                                {"last", "waited for", PRINT_STRING, false},
                                                {"last_thread", "No.", PRINT_NUMBER, false},
                                                {"time", "Time", PRINT_DURATION, false},
                                                {"count", "Times", PRINT_COUNT, false},
                                                {"construct", "at the barrier of", PRINT_STRING, false}};
  const struct trace *trace = view->run->trace;
  const struct imbalance *imbalance = view->imbalance;
  if (imbalance->waits.count > 0)
    qsort(imbalance->waits.items, imbalance->waits.count, sizeof *imbalance->waits.items, compare_waits);
  print_table(view->run->print, "waits", "Who waited for whom", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < imbalance->waits.count; i++) {
    const struct imbalance_wait *wait = &imbalance->waits.items[i];
    struct print_cell cells[] = {print_string(trace->locations[wait->waiter].name),
                                 print_number(wait->waiter),
                                 print_string(trace->locations[wait->last].name),
                                 print_number(wait->last),
                                 print_number(wait->ticks),
                                 print_number(wait->count),
                                 print_string(trace->regions[wait->region].name)};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

/* Text has two tables, to keep lines short; JSON and CSV have one. */
static void imbalance_put_all(const struct imbalance_view *view, const struct imbalance_own_options *options,
                              const struct run_analyses *all)
{
  enum print_format format = view->run->format;
  bool instead = format == PRINT_CSV && (options->threads || options->waits || options->over_time);
  if (format != PRINT_TEXT && !instead)
    imbalance_put_constructs(view, (struct shape){true, true, true}, "constructs", NULL);
  if (format == PRINT_TEXT && view->count > 0) {
    imbalance_put_constructs(view, (struct shape){.main = true}, "constructs", NULL);
    imbalance_put_constructs(view, (struct shape){.wait = true}, "barriers", "Barriers and loops");
  }
  if (options->threads)
    imbalance_put_threads(view);
  if (options->waits)
    imbalance_put_waits(view);
  if (options->over_time)
    imbalance_course_put(view->run, view->imbalance, view->order, view->count);
  if (!instead && all->results.tasks->pool_count > 0)
    pools_put(view->run, all->results.tasks);
  findings_show(view->run, all);
  sinks_not_measured_put(view->run);
}

/* Which figures are estimates. False: out of memory. */
static bool put_estimated(const struct analysis_run *run, const struct imbalance *imbalance)
{
  uint64_t constructs = 0, omitted = 0, calls = 0;
  char *text, share[UNITS_SIZE], number[UNITS_SIZE], time[UNITS_SIZE];
  for (uint32_t i = 0; i < imbalance->count; i++) {
    constructs += imbalance->constructs[i].omitted > 0;
    calls += imbalance->constructs[i].omitted > 0 ? imbalance->constructs[i].calls : 0;
    omitted += imbalance->constructs[i].omitted;
  }
  if (constructs == 0)
    return true;
  if (asprintf(&text,
               "Not all instances of %" PRIu64
               " construct%s are recorded: %s of %s are not; this is %s of the threads' time. Figures with ~ are "
               "estimates; the true figure is within ± in 95 of 100 runs. Figures of single threads, and who waited "
               "for whom, are of recorded instances.",
               constructs, constructs == 1 ? "" : "s", units_percent(print_percentage(omitted, calls), share),
               units_count(calls, number),
               units_percent(print_percentage(imbalance->estimated, imbalance->lifetimes), time)) < 0)
    return false;
  print_sentence(run->print, "estimated", text);
  free(text);
  return true;
}

/* Constructs without any recorded instance. False: out of memory. */
static bool imbalance_put_omitted(const struct analysis_run *run, const struct imbalance *imbalance,
                                  const struct omitted *omitted)
{
  uint64_t constructs = 0, most = TRACE_NONE;
  for (uint32_t i = 0; omitted->constructs && i < run->trace->region_count; i++) {
    uint64_t instances = imbalance->constructs[i].calls > 0 ? 0 : omitted->constructs[i].instances;
    constructs += instances > 0;
    if (instances > 0 && (most == TRACE_NONE || instances > omitted->constructs[most].instances))
      most = i;
  }
  if (constructs == 0)
    return true;
  char *text = NULL;
  if (asprintf(&text, "Not in the table: %" PRIu64 " instances of %s%s. No instance of a team is recorded.",
               omitted->constructs[most].instances, run->trace->regions[most].name,
               constructs > 1 ? ", and instances of other constructs" : "") < 0)
    return false;
  print_sentence(run->print, "omitted", text);
  free(text);
  return true;
}

static bool print_imbalance(const struct analysis_run *run, const struct run_analyses *all, const void *own)
{
  const struct imbalance_own_options *options = own;
  struct imbalance_view view = {.run = run, .imbalance = all->results.imbalance};
  bool good = sort_constructs(&view);
  if (good)
    imbalance_put_all(&view, options, all);
  restricted_put_executions(run, all->results.imbalance->excluded);
  free(view.order);
  return good && put_estimated(run, all->results.imbalance) &&
         imbalance_put_omitted(run, all->results.imbalance, all->results.omitted) &&
         omitted_put_share(run, all->results.omitted, false, "Waits for locks") &&
         not_measured_put(run->print, run->trace, all->results.imbalance->not_measured,
                          all->results.imbalance->not_measured + all->results.imbalance->lifetimes);
}

bool imbalance_put(const struct analysis_run *run, const struct run_analyses *all, bool threads)
{
  return print_imbalance(run, all,
                         &(struct imbalance_own_options){.threads = threads, .waits = threads, .over_time = true});
}

static bool imbalance_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct imbalance_own_options *options = own;
  const struct imbalance_options wanted = {.waits = options->waits, .course = options->over_time};
  const struct run_analyses_options all = {.own = {{&imbalance_analysis, &wanted}}};
  return run_analyses_print(run, &all, print_imbalance, own, error);
}

static const struct command_option imbalance_own_options[] = {
    {.name = "threads",
     .help = "also each thread of each construct (with --csv: instead)",
     .take = option_flag,
     .at = offsetof(struct imbalance_own_options, threads)},
    {.name = "waits",
     .help = "also which thread waited for which, and how long (with --csv: instead)",
     .take = option_flag,
     .at = offsetof(struct imbalance_own_options, waits)},
    {.name = "over-time",
     .help = "also how the calls of each construct differ: median, 90 %, the worst one and when, and by tenths of the "
             "time (with --csv: instead)",
     .take = option_flag,
     .at = offsetof(struct imbalance_own_options, over_time)},
    {.name = NULL}};

const struct command command_imbalance = {
    .name = "imbalance",
    .group = COMMAND_LOOK,
    .summary = "prints which constructs wait for their slowest thread, and the time lost",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about = "Prints how evenly parallel regions and work-sharing constructs spread their work, the cost of uneven "
             "work, and\n"
             "where to look first. The constructs are sorted by the time that could be won.\n"
             "DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = imbalance_own_options}, ANALYSIS_OPTIONS, THREAD_TABLE_OPTIONS},
    LOOK(.options_size = sizeof(struct imbalance_own_options), .work = imbalance_work, .leads_to_why = true,
         .work_on_profile = profiled_imbalance_work),
};
