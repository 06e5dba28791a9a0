#include "analyzer/live/profile/states.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/analyses/states/states_counters.h"
#include "analyzer/analyses/states/sums.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/sentences.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/prints.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/live/profile_tables.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct total {
  uint64_t times, ticks, shortest, longest;
};

struct list_output {
  const struct analysis_run *run;
  struct samples *samples; /* NULL: the run was recorded without any */
  struct states_functions *functions;
  bool failed; /* of the functions */
  uint64_t number, cumulative, origin;
  struct total totals[STATES];
};

/* Finds a thread by number or by name. */
static bool find_thread(const struct trace *trace, const char *wanted, uint32_t *location, struct error *error)
{
  *location = TRACE_NONE;
  if (trace->location_count == 0)
    return error_set(error, "%s: the archive has no threads", trace->anchor);
  char *end;
  unsigned long number = strtoul(wanted, &end, 10);
  if (*wanted >= '0' && *wanted <= '9' && !*end) {
    *location = (uint32_t)number;
    return number < trace->location_count ||
           error_set(error, "no thread has the number %s: numbers are from 0 to %u", wanted, trace->location_count - 1);
  }
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (strcmp(trace->locations[i].name, wanted) != 0)
      continue;
    if (*location != TRACE_NONE)
      return error_set(error, "several threads have the name %s: give the number, %u or %u", wanted, *location, i);
    *location = i;
  }
  return *location != TRACE_NONE ||
         error_set(error, "no thread has the name %s: see `heddle states` for names and numbers", wanted);
}

static struct print_cell states_list_name_of(const struct list_output *output, uint32_t function)
{
  return function == TRACE_NONE ? print_none() : print_string(output->samples->functions[function].name);
}

static void states_list_add(struct total *total, uint64_t duration)
{
  total->shortest = total->times == 0 || duration < total->shortest ? duration : total->shortest;
  total->longest = duration > total->longest ? duration : total->longest;
  total->ticks += duration;
  total->times++;
}

static void states_list_put_state(void *context, const struct state_interval *interval)
{
  struct list_output *output = context;
  const struct trace *trace = output->run->trace;
  uint64_t duration = interval->end - interval->start;
  uint32_t function = TRACE_NONE;
  output->cumulative += duration;
  states_list_add(&output->totals[interval->state], duration);
  if (output->functions && !states_functions_next(output->functions, interval, &function))
    output->failed = true;
  struct print_cell cells[] = {
      print_number(++output->number),
      print_string(state_name(interval->state)),
      print_number(interval->start >= output->origin ? interval->start - output->origin : 0),
      print_number(duration),
      print_number(output->cumulative),
      interval->construct == TRACE_NONE ? print_none() : print_string(trace->regions[interval->construct].name),
      states_list_name_of(output, function)};
  print_row(output->run->print, cells);
}

static bool states_list_put_states(struct list_output *output, uint32_t location, struct error *error)
{
  static const struct print_column columns[] = {{"number", "No.", PRINT_NUMBER, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"start", "Start", PRINT_DURATION, false},
                                                {"duration", "Duration", PRINT_DURATION, false},
                                                {"cumulative", "Cumulative", PRINT_DURATION, false},
                                                {"construct", "Construct", PRINT_STRING, false},
                                                {"function", "Function", PRINT_STRING, false}};
  const struct analysis_run *run = output->run;
  print_table(run->print, "states", NULL, columns, COUNT_OF(columns) - (output->functions ? 0 : 1), true);
  bool good = states_list(run->trace, location, states_list_put_state, output, error) && !output->failed;
  print_table_end(run->print);
  return good;
}

static void states_list_put_totals(const struct list_output *output)
{
  static const struct print_column columns[] = {
      {"state", "State", PRINT_STRING, false},       {"times", "Times", PRINT_COUNT, false},
      {"time", "Time", PRINT_SHARE, false},          {"shortest", "Shortest", PRINT_DURATION, false},
      {"longest", "Longest", PRINT_DURATION, false}, {"function", "Function", PRINT_STRING, false}};
  struct print *print = output->run->print;
  print_table(print, "totals", "How long each state was", columns, COUNT_OF(columns) - (output->functions ? 0 : 1),
              false);
  for (unsigned state = 0; state < STATES; state++) {
    const struct total *total = &output->totals[state];
    if (total->times == 0)
      continue;
    struct print_cell cells[] = {
        print_string(state_name((enum state)state)),
        print_number(total->times),
        print_share(total->ticks, output->cumulative),
        print_number(total->shortest),
        print_number(total->longest),
        states_list_name_of(output, output->functions ? states_functions_of(output->functions, (enum state)state)
                                                      : TRACE_NONE)};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* False: an error. A run without samples is none. */
static bool open_functions(struct list_output *output, uint32_t location, struct error *error)
{
  bool none;
  output->samples = samples_open(output->run->trace, &none, error);
  if (!output->samples)
    return none;
  output->functions = states_functions_open(output->run->trace, output->samples, location, error);
  return output->functions;
}

/* `wanted`: the thread's number or name. False: an error. */
static bool states_list_put(const struct analysis_run *run, const char *wanted, struct error *error)
{
  uint32_t location;
  if (!find_thread(run->trace, wanted, &location, error))
    return false;
  if (!trace_is_restricted(run->trace)) /* a thread of the JVM's own is asked for by its name */
    run->trace->locations[location].excluded = false;
  if (run->trace->locations[location].excluded)
    return error_set(error, "--list %s: --only-threads or --only-processes leaves this thread out", wanted);
  struct list_output output = {.run = run, .origin = run->trace->first_tick};
  bool good = open_functions(&output, location, error);
  if (good) {
    print_fact(run->print, "thread_name", "Thread", PRINT_STRING, print_string(run->trace->locations[location].name));
    print_fact(run->print, "thread", "No.", PRINT_NUMBER, print_number(location));
    good = states_list_put_states(&output, location, error);
  }
  if (good && run->format != PRINT_CSV) /* which has one table */
    states_list_put_totals(&output);
  states_functions_close(output.functions);
  if (output.samples)
    samples_close(output.samples);
  return good;
}

/* RUN is only of readings: where context switches are known, it is READY or OFF. */
static const struct {
  enum state first, last;
  const char *key, *title;
} states_off_waits[] = {{STATE_RUN, STATE_RUN, "run", "RUN"},
                        {STATE_SYNCH_FIRST, STATE_SYNCH_LAST, "synch", "SYNCH"},
                        {STATE_BLOCKED_FIRST, STATE_BLOCKED_LAST, "blocked", "BLOCKED"},
                        {STATE_IDLE, STATE_IDLE, "idle", "IDLE"},
                        {STATE_OVERHEAD, STATE_OVERHEAD, "overhead", "OVERHEAD"},
                        {STATE_SPIN, STATE_SPIN, "spin", "SPIN"},
                        {STATE_GC, STATE_GC, "gc", "GC"}}; /* SYNCH: also the column of POSIX threads */
#define WAITS COUNT_OF(states_off_waits)

static wide_total states_off_sum_of(const wide_total *ticks, size_t wait)
{
  wide_total sum = 0;
  for (unsigned i = states_off_waits[wait].first; i <= states_off_waits[wait].last; i++)
    sum += ticks[i];
  for (unsigned i = STATE_PTHREAD_FIRST; states_off_waits[wait].first == STATE_SYNCH_FIRST && i <= STATE_PTHREAD_LAST;
       i++)
    sum += ticks[i];
  return sum;
}

static void states_off_put_row(const struct analysis_run *run, const bool *wanted, const struct states_thread *thread,
                               uint32_t location)
{
  struct print_cell cells[3 + WAITS];
  struct print_cell *cell = cells;
  bool all = location == TRACE_NONE;
  *cell++ = all ? print_none() : print_number(location);
  *cell++ = print_string(all ? "all threads" : run->trace->locations[location].name);
  for (size_t i = 0; i < WAITS; i++)
    if (wanted[i])
      *cell++ = print_share(states_off_sum_of(thread->off, i), states_off_sum_of(thread->ticks, i));
  if (readings_exist(run->trace))
    *cell++ = print_share(thread->run_queue, states_measured(thread->ticks));
  print_row(run->print, cells);
}

static struct states_thread add_all(const struct states_sums *sums, uint32_t count)
{
  struct states_thread all = {.alive = true};
  for (uint32_t i = 0; i < count; i++) {
    all.run_queue += sums->threads[i].run_queue;
    for (unsigned state = 0; state < STATES; state++) {
      all.ticks[state] += sums->threads[i].ticks[state];
      all.off[state] += sums->threads[i].off[state];
    }
  }
  return all;
}

/* Prints a table of the states that keep time without a processor; nothing if there are none. */
static void states_off_put(const struct analysis_run *run, const struct states_sums *sums)
{
  struct print_column columns[3 + WAITS] = {{"thread", "No.", PRINT_NUMBER, false},
                                            {"thread_name", "Thread", PRINT_STRING, false}};
  uint32_t count = run->trace->location_count;
  struct states_thread all = add_all(sums, count);
  bool wanted[WAITS];
  size_t column = 2;
  for (size_t i = 0; i < WAITS; i++) {
    wanted[i] = states_off_sum_of(all.off, i) > 0;
    if (wanted[i])
      columns[column++] = (struct print_column){states_off_waits[i].key, states_off_waits[i].title, PRINT_SHARE, false};
  }
  if (column == 2)
    return;
  if (readings_exist(run->trace))
    columns[column++] = (struct print_column){"run_queue", "Run queue", PRINT_SHARE, false};
  print_by_thread(run->print, false);
  print_table(run->print, "off_processor", "Without a processor, of the time in each state", columns, column, false);
  for (uint32_t i = 0; i < count; i++)
    if (sums->threads[i].alive)
      states_off_put_row(run, wanted, &sums->threads[i], i);
  states_off_put_row(run, wanted, &all, TRACE_NONE);
  print_table_end(run->print);
  if (readings_exist(run->trace))
    print_sentence(
        run->print, "off_processor_from",
        "Without a processor: sums that the threads read themselves, because context switches were not recorded. "
        "They are shared out among the waits and work around each reading. Run queue: the thread could run.");
}

struct states_own_options {
  bool by_region;
  const char *list;
  bool threads_level, counters;
};

/* Columns: names, lifetime or time, SYNCH and BLOCKED as a whole, then the states. */
enum { COLUMNS_MAX = 12 + STATES };

struct columns {
  struct print_column list[COLUMNS_MAX];
  size_t count;
};

static void states_add_column(struct columns *columns, const char *key, const char *title, enum print_type type,
                              bool omit)
{
  columns->list[columns->count++] = (struct print_column){key, title, type, omit};
}

/* The sum of SYNCH has both ranges of it. */
static wide_total sum_from(const wide_total *ticks, enum state first, enum state last)
{
  wide_total sum = 0;
  for (unsigned i = first; i <= last; i++)
    sum += ticks[i];
  for (unsigned i = STATE_PTHREAD_FIRST; first == STATE_SYNCH_FIRST && last == STATE_SYNCH_LAST && i < STATES; i++)
    sum += ticks[i];
  return sum;
}

/* Percentages refer to the measured time; the percentage of UNMEASURED refers to all time. */
static struct print_cell share_of(const wide_total *ticks, enum state first, enum state last)
{
  bool measured = first != STATE_UNMEASURED;
  return print_share(sum_from(ticks, first, last), measured ? states_measured(ticks) : sum_from(ticks, 0, STATES - 1));
}

static wide_total states_sum_of(const wide_total *ticks)
{
  return sum_from(ticks, 0, STATES - 1);
}

/* The order of columns: the most important first. A range of states is the sum of its causes. */
static const struct {
  enum state first, last;
  const char *key, *name; /* of a range */
} states_shown[] = {{STATE_RUN, STATE_RUN, NULL, NULL},
                    {STATE_IDLE, STATE_IDLE, NULL, NULL},
                    {STATE_OVERHEAD, STATE_OVERHEAD, NULL, NULL},
                    {STATE_SYNCH_FIRST, STATE_SYNCH_LAST, "synch", "SYNCH"},
                    {STATE_BLOCKED_FIRST, STATE_BLOCKED_LAST, "blocked", "BLOCKED"},
                    {STATE_SPIN, STATE_SPIN, NULL, NULL},
                    {STATE_GC, STATE_GC, NULL, NULL},
                    {STATE_TRACEFLUSH, STATE_TRACEFLUSH, NULL, NULL},
                    {STATE_UNMEASURED, STATE_UNMEASURED, NULL, NULL},
                    {STATE_READY, STATE_READY, NULL, NULL},
                    {STATE_OFF, STATE_OFF, NULL, NULL}};
#define SHOWN COUNT_OF(states_shown)

/* States without a column of their own above. */
static bool is_cause(enum state state)
{
  return state_is_synch(state) || (state >= STATE_BLOCKED_FIRST && state <= STATE_BLOCKED_LAST) || state == STATE_INIT;
}

static void add_state_columns(struct columns *columns, const bool *listed, enum print_type type, bool with_ranges)
{
  for (size_t i = 0; i < SHOWN; i++)
    if (listed[states_shown[i].first] && (states_shown[i].key == NULL || with_ranges))
      states_add_column(columns, states_shown[i].key ? states_shown[i].key : state_key(states_shown[i].first),
                        states_shown[i].name ? states_shown[i].name : state_name(states_shown[i].first), type,
                        states_shown[i].first != STATE_RUN);
}

static void add_cause_columns(struct columns *columns, const bool *listed, enum print_type type)
{
  for (unsigned i = 0; i < STATES; i++)
    if (listed[i] && is_cause((enum state)i))
      states_add_column(columns, state_key((enum state)i), state_name((enum state)i), type, true);
}

static struct print_cell *states_put_states(struct print_cell *cell, const bool *listed, const wide_total *ticks,
                                            bool with_ranges)
{
  for (size_t i = 0; i < SHOWN; i++)
    if (listed[states_shown[i].first] && (states_shown[i].key == NULL || with_ranges))
      *cell++ = share_of(ticks, states_shown[i].first, states_shown[i].last);
  return cell;
}

static struct print_cell *states_put_causes(struct print_cell *cell, const bool *listed, const wide_total *ticks)
{
  for (unsigned i = 0; i < STATES; i++)
    if (listed[i] && is_cause((enum state)i))
      *cell++ = share_of(ticks, (enum state)i, (enum state)i);
  return cell;
}

struct thread_table {
  const struct analysis_run *run;
  const struct states_sums *sums;
  bool states, causes; /* which columns */
  const bool *listed;  /* which states */
};

static void put_thread_row(const struct thread_table *table, const wide_total *ticks, uint32_t location)
{
  const struct trace *trace = table->run->trace;
  struct print_cell cells[COLUMNS_MAX];
  struct print_cell *cell = cells;
  bool all = location == TRACE_NONE;
  uint32_t process = all || trace->process_count < 2 ? TRACE_NONE : trace->locations[location].process;
  *cell++ = all ? print_none() : print_number(location);
  *cell++ = print_string(all ? "all threads" : trace->locations[location].name);
  *cell++ = process == TRACE_NONE ? print_none() : print_string(trace->processes[process].name);
  *cell++ = print_number(states_sum_of(ticks));
  if (table->states)
    cell = states_put_states(cell, table->listed, ticks, true);
  if (table->causes)
    states_put_causes(cell, table->listed, ticks);
  print_row(table->run->print, cells);
}

static void put_thread_table(const struct thread_table *table, const char *key, const char *title)
{
  struct columns columns = {.count = 0};
  wide_total all[STATES] = {0};
  states_add_column(&columns, "thread", "No.", PRINT_NUMBER, false);
  states_add_column(&columns, "thread_name", "Thread", PRINT_STRING, false);
  states_add_column(&columns, "process", "Process", PRINT_STRING, true);
  states_add_column(&columns, "lifetime", "Lifetime", PRINT_DURATION, false);
  if (table->states)
    add_state_columns(&columns, table->listed, PRINT_SHARE, true);
  if (table->causes)
    add_cause_columns(&columns, table->listed, PRINT_SHARE);
  print_by_thread(table->run->print, false);
  print_table(table->run->print, key, title, columns.list, columns.count, false);
  for (uint32_t i = 0; i < table->run->trace->location_count; i++) {
    const struct states_thread *thread = &table->sums->threads[i];
    if (!thread->alive)
      continue;
    for (unsigned state = 0; state < STATES; state++)
      all[state] += thread->ticks[state];
    put_thread_row(table, thread->ticks, i);
  }
  put_thread_row(table, all, TRACE_NONE);
  print_table_end(table->run->print);
}

static bool any_cause(const struct states_sums *sums, uint32_t location_count, enum state first, enum state last)
{
  for (uint32_t i = 0; i < location_count; i++) {
    if (sum_from(sums->threads[i].ticks, first, last) > 0)
      return true;
  }
  return false;
}

/* Text has SYNCH and BLOCKED by cause, and INIT, in a second table, to keep lines short; JSON and CSV have one table.
 */
static void states_put_threads(const struct analysis_run *run, const struct states_sums *sums)
{
  bool listed[STATES];
  states_listed(run->trace, listed);
  struct thread_table table = {run, sums, .states = true,
                               .causes = run->format == PRINT_JSON || run->format == PRINT_CSV, .listed = listed};
  put_thread_table(&table, "threads", NULL);
  uint32_t count = run->trace->location_count;
  bool synch = any_cause(sums, count, STATE_SYNCH_FIRST, STATE_SYNCH_LAST);
  bool others = any_cause(sums, count, STATE_INIT, STATE_BLOCKED_LAST);
  if (run->format == PRINT_TEXT && (synch || others)) {
    struct thread_table causes = {run, sums, .states = false, .causes = true, .listed = listed};
    put_thread_table(&causes, "causes", others ? "In detail" : "SYNCH by cause");
  }
  if (run->format != PRINT_CSV) /* which has one table */
    states_off_put(run, sums);
}

static int states_compare_time(const void *a, const void *b, void *context)
{
  const struct states_construct *constructs = context;
  uint32_t left = *(const uint32_t *)a;
  uint32_t right = *(const uint32_t *)b;
  wide_total left_time = states_sum_of(constructs[left].ticks);
  wide_total right_time = states_sum_of(constructs[right].ticks);
  if (left_time != right_time)
    return left_time < right_time ? 1 : -1;
  return (left > right) - (left < right);
}

/* Then executions may be omitted, and their time is an estimate. */
static bool states_has_weights(const struct analysis_run *run)
{
  return run->trace->weight != OTF2_UNDEFINED_ATTRIBUTE;
}

/* Lines of text are kept short: a place only if the construct's name does not include it, and SYNCH only by cause. */
static void put_region_row(const struct analysis_run *run, const struct states_sums *sums, const bool *listed,
                           uint32_t region, wide_total whole)
{
  const struct states_construct *construct = &sums->constructs[region];
  static const struct trace_region outside = {.name = "(outside any construct)", .function = "", .file = ""};
  const struct trace_region *what = region < run->trace->region_count ? &run->trace->regions[region] : &outside;
  struct print_cell cells[COLUMNS_MAX];
  struct print_cell *cell = cells;
  wide_total time = states_sum_of(construct->ticks);
  *cell++ = print_string(what->name);
  bool text = run->format == PRINT_TEXT;
  bool where = !text || !strchr(what->name, '@');
  *cell++ =
      where && *what->function && strcmp(what->function, what->name) != 0 ? print_string(what->function) : print_none();
  *cell++ = where && *what->file ? print_string(what->file) : print_none();
  *cell++ = where && what->line ? print_number(what->line) : print_none();
  *cell++ = print_number(construct->calls);
  *cell++ = print_share(time, whole);
  if (states_has_weights(run)) {
    struct estimate more = states_sums_more(sums, region);
    *cell++ = more.omitted > 0 ? estimate_number(time, &more) : print_none();
  }
  cell = states_put_states(cell, listed, construct->ticks, !text);
  cell = states_put_causes(cell, listed, construct->ticks);
  if (readings_exist(run->trace)) {
    *cell++ = print_share(construct->off, time);
    *cell++ = print_share(construct->run_queue, time);
  }
  print_row(run->print, cells);
}

/* False: out of memory. */
static bool put_regions(const struct analysis_run *run, const struct states_sums *sums)
{
  const struct trace *trace = run->trace;
  uint32_t *order = malloc((trace->region_count + 1) * sizeof *order);
  if (!order)
    return false;
  wide_total whole = 0;
  for (uint32_t i = 0; i <= trace->region_count; i++) {
    order[i] = i;
    whole += states_sum_of(sums->constructs[i].ticks);
  }
  qsort_r(order, trace->region_count + 1, sizeof *order, states_compare_time, sums->constructs);

  struct columns columns = {.count = 0};
  bool listed[STATES];
  states_listed(trace, listed);
  bool text = run->format == PRINT_TEXT;
  states_add_column(&columns, "construct", "Construct", PRINT_STRING, false);
  states_add_column(&columns, "function", "Function", PRINT_STRING, true);
  states_add_column(&columns, "file", "File", PRINT_STRING, true);
  states_add_column(&columns, "line", "Line", PRINT_NUMBER, true);
  states_add_column(&columns, "executions", "Executions", PRINT_COUNT, false);
  states_add_column(&columns, "time", "Time, all threads", PRINT_SHARE, false);
  if (states_has_weights(run)) {
    states_add_column(&columns, "time_of_all", "Time of all calls", PRINT_DURATION, true);
    print_may_estimate(run->print);
  }
  add_state_columns(&columns, listed, text ? PRINT_DURATION : PRINT_SHARE, !text);
  add_cause_columns(&columns, listed, text ? PRINT_DURATION : PRINT_SHARE);
  if (readings_exist(trace)) {
    states_add_column(&columns, "off_processor", "No processor", text ? PRINT_DURATION : PRINT_SHARE, true);
    states_add_column(&columns, "run_queue", "Run queue", text ? PRINT_DURATION : PRINT_SHARE, true);
  }
  print_table(run->print, "constructs", NULL, columns.list, columns.count, false);
  for (uint32_t i = 0; i <= trace->region_count; i++) {
    const struct states_construct *construct = &sums->constructs[order[i]];
    if (construct->calls > 0 || states_sum_of(construct->ticks) > 0)
      put_region_row(run, sums, listed, order[i], whole);
  }
  print_table_end(run->print);
  free(order);
  return true;
}

/* How much of all threads' time is UNMEASURED, if any is. False: out of memory. */
static bool put_not_measured(const struct analysis_run *run, const struct states_sums *sums)
{
  wide_total not_measured = 0, all = 0;
  for (uint32_t i = 0; i < run->trace->location_count; i++) {
    not_measured += sums->threads[i].ticks[STATE_UNMEASURED];
    all += states_sum_of(sums->threads[i].ticks);
  }
  if (not_measured == 0)
    return true;
  char *sentence = not_measured_sentence(run->trace, not_measured, all);
  if (sentence)
    print_sentence(run->print, "not_measured", sentence);
  free(sentence);
  return sentence != NULL;
}

/* Times remain the times of recorded executions, so that they add up. False: out of memory. */
static bool states_put_omitted(const struct analysis_run *run, const struct states_sums *sums)
{
  char *text;
  size_t estimated = 0;
  for (size_t i = 0; i < sums->estimated_count; i++)
    estimated += i == 0 || sums->estimated[i].region != sums->estimated[i - 1].region;
  if (estimated == 0)
    return true;
  if (asprintf(&text,
               "Not all executions of %zu construct%s are recorded: their columns by state cover the recorded ones. "
               "The time of the others belongs to the constructs around them.",
               estimated, estimated == 1 ? "" : "s") < 0)
    return false;
  print_sentence(run->print, "omitted", text);
  free(text);
  return true;
}

bool states_put(const struct analysis_run *run, const struct states_sums *sums, bool by_region)
{
  if (by_region && (!put_regions(run, sums) || !states_put_omitted(run, sums)))
    return false;
  if (by_region)
    callers_show(run, &sums->callers, NULL, 1);
  else
    states_put_threads(run, sums);
  return put_not_measured(run, sums);
}

/* At the level of threads, what remains of a programming model's states. */
static void put_remains(const struct analysis_run *run, const struct states_sums *sums)
{
  wide_total remains = 0;
  for (uint32_t i = 0; i < run->trace->location_count; i++)
    for (unsigned k = STATE_IDLE; k <= STATE_SYNCH_LAST; k++)
      remains += k == STATE_RUN ? 0 : sums->threads[i].ticks[k];
  if (run->trace->threads_level && remains > 0)
    print_sentence(
        run->print, "remains",
        "The archive does not say when threads had a processor, so IDLE, OVERHEAD and SYNCH of OpenMP are not split.");
}

static void warn_unmatched(const struct analysis_run *run, const struct states_sums *sums)
{
  uint64_t unmatched = 0;
  for (uint32_t i = 0; i < run->trace->location_count; i++)
    unmatched += sums->threads[i].unmatched;
  if (unmatched > 0)
    command_error(run->command,
                  "%llu begins and ends in the archive have no counterpart and are ignored; sums still add up",
                  (unsigned long long)unmatched);
}

static int states_check_options(const void *own, const char *command)
{
  const struct states_own_options *options = own;
  if (options->list && options->counters)
    return command_usage(command, "--list and --counters exclude each other");
  return options->list && options->by_region ? command_usage(command, "--list and --by region exclude each other") : -1;
}

static bool states_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct states_own_options *options = own;
  run->trace->threads_level = options->threads_level;
  if (options->list)
    return states_list_put(run, options->list, error);
  if (options->counters && run->format == PRINT_CSV) /* one table */
    return states_counters_put(run, options->by_region, error);
  struct states_sums sums;
  bool good = analysis_find(&states_sums_analysis, run->trace, run->pool, NULL, &sums, error);
  if (good && !states_put(run, &sums, options->by_region))
    good = error_set(error, "out of memory");
  if (good) {
    put_remains(run, &sums);
    sinks_not_measured_put(run);
    warn_unmatched(run, &sums);
  }
  states_sums_free(&sums);
  return good && (!options->counters || states_counters_put(run, options->by_region, error));
}

bool profiled_states_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct states_own_options *options = own;
  if (options && options->list)
    return error_set(error, "%s: is a profile and has no events: --list needs them", run->trace->anchor);
  if (options && options->threads_level)
    return error_set(error, "%s: is a profile and has no events: --level threads needs them", run->trace->anchor);
  if (options && options->counters)
    return error_set(error, "%s: is a profile and has no events: --counters needs them", run->trace->anchor);
  struct profiled profile;
  struct states_sums sums = {.threads = NULL};
  bool good = profiled_read(run->trace, run->pool, &profile, error);
  if (good && (!profiled_states(run->trace, &profile, &sums) || !states_put(run, &sums, options && options->by_region)))
    good = error_set(error, "out of memory");
  if (good)
    print_sentence(
        run->print, "profile",
        "The archive is a profile: how long threads waited at the ends of parallel regions is the difference "
        "of sums.");
  states_sums_free(&sums);
  profiled_free(&profile);
  return good;
}

static const struct command_option states_own_options[] = {
    {.name = "by",
     .words = "thread|region",
     .help = "a line a thread (default), or a line a construct: its calls, and its exclusive time by state",
     .take = option_second,
     .at = offsetof(struct states_own_options, by_region)},
    {.name = "list",
     .argument = "THREAD",
     .help = "all states of one thread, in order; THREAD is its number or name",
     .take = option_text,
     .at = offsetof(struct states_own_options, list)},
    {.name = "counters",
     .help = "also what was counted in each state: heddle record --counters (with --csv: instead)",
     .take = option_flag,
     .at = offsetof(struct states_own_options, counters)},
    OPTION_LEVEL(struct states_own_options),
    {.name = NULL}};

const struct command command_states = {
    .name = "states",
    .group = COMMAND_LOOK,
    .summary = "prints how long each thread was in each state and construct",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about = "Prints how long each thread of the program was in each state.\n"
             "DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = states_own_options}, ANALYSIS_OPTIONS, THREAD_TABLE_OPTIONS},
    LOOK(.options_size = sizeof(struct states_own_options), .check = states_check_options, .work = states_work,
         .work_on_profile = profiled_states_work),
};
