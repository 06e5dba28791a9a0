#include "analyzer/command/shared_options.h"

#include "analyzer/command/print/units.h"
#include "analyzer/command/values.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int take_format(const struct option_given *given, void *into)
{
  struct shared_options *options = into;
  if (options->format != PRINT_TEXT)
    return command_usage(given->command, "one of --json and --csv is enough");
  options->format = given->option->name[0] == 'j' ? PRINT_JSON : PRINT_CSV;
  return -1;
}

#define FORMAT_OPTIONS                                                                                                 \
  {.name = "json", .help = "JSON instead of text", .take = take_format},                                               \
  {                                                                                                                    \
    .name = "csv", .help = "CSV instead of text", .take = take_format                                                  \
  }
#define JOBS_OPTION                                                                                                    \
  {.name = "jobs",                                                                                                     \
   .letter = 'j',                                                                                                      \
   .argument = "N",                                                                                                    \
   .help = "threads to read with (default: one a processor)",                                                          \
   .take = option_number,                                                                                              \
   .at = offsetof(struct shared_options, jobs),                                                                        \
   .least = 1,                                                                                                         \
   .most = 1024}

const struct command_option format_options[] = {FORMAT_OPTIONS, {.name = NULL}};
const struct command_option jobs_options[] = {JOBS_OPTION, {.name = NULL}};
const struct command_option analysis_options[] = {FORMAT_OPTIONS, JOBS_OPTION, {.name = NULL}};
const struct command_option thread_table_options[] = {
    {.name = "all-threads",
     .help = "a line for each thread; without it, text has 50 threads, and one line for the others",
     .take = option_flag,
     .at = offsetof(struct shared_options, all_threads)},
    {.name = NULL}};

int process_take(const struct command *command, void *own, int argc, char **argv, pid_t *pid)
{
  uint64_t number;
  int status = command_take(command, (void *[OPTION_SETS]){own}, argc, argv);
  if (status >= 0)
    return status;
  if (!value_number(argv[optind], 1, INT32_MAX, &number))
    return command_usage(argv[0], "%s: is not a process id", argv[optind]);
  *pid = (pid_t)number;
  return -1;
}

static int take_time(const struct option_given *given, void *into)
{
  struct restriction_options *options = into;
  bool from = given->option->name[0] == 'f';
  *(from ? &options->from : &options->to) = given->value;
  if (time_word_read(given->value, from ? &options->from_time : &options->to_time))
    return -1;
  return command_usage(given->command,
                       "--%s %s: give a time since the run's begin, as 1.5s, 300ms, 20us, 100ns, 2 or 25%%",
                       given->option->name, given->value);
}

static int restriction_options_take_threads(const struct option_given *given, void *into)
{
  const char *at = given->value, *word;
  struct number_range range;
  size_t length;
  while (list_next(&at, &word, &length))
    if (!number_range_read(word, length, &range))
      return command_usage(given->command, "--only-threads %s: give numbers of threads, as 0-3,7", given->value);
  return option_text(given, into);
}

static int take_processes(const struct option_given *given, void *into)
{
  const char *at = given->value, *word;
  size_t length;
  while (list_next(&at, &word, &length))
    if (length == 0)
      return command_usage(given->command, "--only-processes %s: give names or numbers of processes, as 0,2 or lu",
                           given->value);
  return option_text(given, into);
}

#define FROM                                                                                                           \
  {.name = "from",                                                                                                     \
   .argument = "TIME",                                                                                                 \
   .help = "only the part of the run from TIME on: 1.5s, 300ms, 20us, 100ns, 2 (seconds) or 25% since its begin",      \
   .take = take_time}
#define ONLY                                                                                                           \
  {.name = "only-threads",                                                                                             \
   .argument = "LIST",                                                                                                 \
   .help = "only these threads: their numbers in `heddle states`, as 0-3,7",                                           \
   .take = restriction_options_take_threads,                                                                           \
   .at = offsetof(struct restriction_options, threads)},                                                               \
      {.name = "only-processes",                                                                                       \
       .argument = "LIST",                                                                                             \
       .help = "only these processes: names, or numbers from 0, as `heddle info` lists them",                          \
       .take = take_processes,                                                                                         \
       .at = offsetof(struct restriction_options, processes)},                                                         \
  {                                                                                                                    \
    .name = "jvm-threads", .help = "with the JVM's own threads, such as garbage collection threads",                   \
    .take = option_flag, .at = offsetof(struct restriction_options, jvm_threads)                                       \
  }

const struct command_option restriction_options[] = {
    FROM,
    {.name = "to", .argument = "TIME", .help = "only the part of the run before TIME", .take = take_time},
    ONLY,
    {.name = NULL}};

const struct command_option restriction_options_but_to[] = {FROM, ONLY, {.name = NULL}};

int restriction_options_take_to(const struct option_given *given, struct restriction_options *options)
{
  return take_time(given, options);
}

/* In ticks since the run's begin. */
static bool find_time(const struct trace *trace, const char *option, const char *text, const struct time_word *word,
                      uint64_t *ticks, struct error *error)
{
  if (word->unit == TIME_PERCENT ? trace->length == 0 : trace->ticks_per_second == 0)
    return error_set(error, "%s %s: the archive does not say how long %s", option, text,
                     word->unit == TIME_PERCENT ? "the run took" : "a tick is");
  *ticks = time_word_ticks(word, trace->ticks_per_second, trace->length);
  return true;
}

static uint64_t tick_of(const struct trace *trace, uint64_t since_begin)
{
  return since_begin > UINT64_MAX - trace->first_tick ? UINT64_MAX : trace->first_tick + since_begin;
}

static bool apply_times(const struct restriction_options *options, struct trace *trace, struct error *error)
{
  uint64_t from = 0, to = UINT64_MAX, length = trace->length;
  char lasts[UNITS_SIZE];
  if (!options->from && !options->to)
    return true;
  if ((options->from && !find_time(trace, "--from", options->from, &options->from_time, &from, error)) ||
      (options->to && !find_time(trace, "--to", options->to, &options->to_time, &to, error)))
    return false;
  if (options->from && length > 0 && from > length)
    return error_set(error, "--from %s: the run ends before it; it takes %s", options->from,
                     units_duration(length, trace->ticks_per_second, lasts));
  if (from >= to && options->to)
    return options->from ? error_set(error, "--from %s is not before --to %s", options->from, options->to)
                         : error_set(error, "--to %s: nothing of the run is before that", options->to);
  /* Events of the run's begin and end may have times outside of the run in the archive's definitions. */
  bool ends = length == 0 || to < length;
  trace_restrict_time(trace, from == 0 ? 0 : tick_of(trace, from), ends ? tick_of(trace, to) : UINT64_MAX);
  return true;
}

/* The threads or processes that a list names. */
struct marks {
  bool *wanted; /* by number */
  uint32_t count;
};

static bool mark_range(const struct marks *marks, const struct number_range *range)
{
  for (uint32_t i = range->first; i <= range->last && i < marks->count; i++)
    marks->wanted[i] = true;
  return range->last < marks->count;
}

static bool mark_threads(const char *list, const struct marks *marks, struct error *error)
{
  const char *at = list, *word;
  struct number_range range;
  size_t length;
  if (marks->count == 0)
    return error_set(error, "--only-threads %s: the archive has no threads", list);
  while (list_next(&at, &word, &length))
    if (number_range_read(word, length, &range) && !mark_range(marks, &range))
      return error_set(error, "--only-threads %s: there is no thread %" PRIu32 ": they are numbered from 0 to %" PRIu32,
                       list, range.last, marks->count - 1);
  return true;
}

/* Names are `lu [1234]`: the whole name, the program or the process id matches. */
static bool is_called(const char *name, const char *word, size_t length)
{
  size_t all = strlen(name), before = strcspn(name, "[");
  bool with_id = name[before] == '[' && name[all - 1] == ']' && before > 0 && name[before - 1] == ' ';
  if (all == length && memcmp(name, word, length) == 0)
    return true;
  if (!with_id)
    return false;
  return (before - 1 == length && memcmp(name, word, length) == 0) ||
         (all - before - 2 == length && memcmp(name + before + 1, word, length) == 0);
}

/* Marks all processes with this name; without any, the process with this number. */
static bool mark_process(const struct trace *trace, const char *word, size_t length, const struct marks *marks)
{
  struct number_range range;
  bool found = false;
  for (uint32_t i = 0; i < marks->count; i++)
    if (is_called(trace->processes[i].name, word, length))
      found = marks->wanted[i] = true;
  return found || (number_range_read(word, length, &range) && mark_range(marks, &range));
}

static bool mark_processes(const struct trace *trace, const char *list, const struct marks *marks, struct error *error)
{
  const char *at = list, *word;
  size_t length;
  while (list_next(&at, &word, &length))
    if (!mark_process(trace, word, length, marks))
      return error_set(error,
                       "--only-processes %s: there is no process %.*s: `heddle info` has the names; the numbers are "
                       "0 to %" PRIu32,
                       list, (int)length, word, marks->count ? marks->count - 1 : 0);
  return true;
}

static void exclude(struct trace *trace, const struct marks *threads, const struct marks *processes)
{
  for (uint32_t i = 0; i < trace->location_count; i++) {
    uint32_t process = trace->locations[i].process;
    if ((threads->wanted && !threads->wanted[i]) ||
        (processes->wanted && (process == TRACE_NONE || !processes->wanted[process])))
      trace_exclude(trace, i);
  }
}

static bool any_left(const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->location_count; i++)
    if (!trace->locations[i].excluded)
      return true;
  return false;
}

bool restriction_options_apply(const struct restriction_options *options, struct trace *trace, struct error *error)
{
  struct marks threads = {NULL, trace->location_count}, processes = {NULL, trace->process_count};
  if (options->threads)
    threads.wanted = calloc(threads.count + 1, sizeof *threads.wanted);
  if (options->processes)
    processes.wanted = calloc(processes.count + 1, sizeof *processes.wanted);
  bool good = (!options->threads || threads.wanted) && (!options->processes || processes.wanted);
  if (!good)
    error_set(error, "out of memory");
  good = good && apply_times(options, trace, error) &&
         (!options->threads || mark_threads(options->threads, &threads, error)) &&
         (!options->processes || mark_processes(trace, options->processes, &processes, error));
  if (good)
    exclude(trace, &threads, &processes);
  if (good && !options->jvm_threads && !options->threads)
    trace_exclude_jvm(trace);
  if (good && !options->virtual_threads && !options->threads)
    trace_exclude_virtual(trace);
  if (good && trace->restriction.locations && !any_left(trace))
    good = error_set(error, "none of the threads of --only-threads %s is in a process of --only-processes %s",
                     options->threads, options->processes);
  free(threads.wanted);
  free(processes.wanted);
  return good;
}
