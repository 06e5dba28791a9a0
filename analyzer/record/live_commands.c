#include "analyzer/record/live_commands.h"

#include "analyzer/command/command.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/values.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/record/conversion.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/launch/run.h"
#include "analyzer/record/record_directory.h"
#include "analyzer/trace/definitions.h"
#include "common/raw/live_control.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int live_take(const struct command *command, void *own, int argc, char **argv, struct live_process *process)
{
  uint64_t number;
  struct error error;
  int status = command_take(command, (void *[OPTION_SETS]){own}, argc, argv);
  if (status >= 0)
    return status;
  if (!value_number(argv[optind], 1, INT32_MAX, &number))
    return command_usage(argv[0], "%s: is not a process id", argv[optind]);
  if (live_process_find(argv[optind], process, &error))
    return -1;
  command_error(command->name, "%s", error.message);
  return EXIT_FAULT;
}

char *live_operand_name(const struct live_process *process)
{
  char path[48], name[64] = "?", *text = NULL;
  snprintf(path, sizeof path, "/proc/%ld/comm", process->pid);
  FILE *file = fopen(path, "re");
  if (file && !fgets(name, sizeof name, file))
    strcpy(name, "?");
  if (file)
    fclose(file);
  name[strcspn(name, "\n")] = '\0';
  char *escaped = escape_text(name);
  if (!escaped || asprintf(&text, "%s [%ld]", escaped, process->pid) < 0)
    text = NULL;
  free(escaped);
  return text;
}

bool live_snapshot(const char *command, const struct live_process *process, char *directory)
{
  char *program = sibling_path(SIBLING_CONVERT);
  char quiet[] = "--quiet", live[] = "--force-live", keep[] = "--keep-raw", output[] = "--output";
  char *arguments[] = {program, quiet, live, keep, output, directory, process->trace, NULL};
  struct launch_result result = {.started = false};
  if (program)
    result = launch_run(arguments, environ, NULL);
  if (!result.started)
    command_error(command, "%s: cannot start the converter: %s", program ? program : SIBLING_CONVERT,
                  strerror(result.error));
  else if (result.status != 0)
    command_error(command, "the conversion of %s failed; the program continues", process->trace);
  free(program);
  return result.started && result.status == 0;
}

uint32_t start_operations(const struct live_requests *requests, bool on)
{
  bool traces = live_requests_can_trace(requests), measured = live_requests_begun(requests) & LIVE_MEASURES;
  if (on)
    return LIVE_MEASURE_ON | (traces ? LIVE_TRACE_ON : 0);
  return (traces ? LIVE_TRACE_OFF : 0) | (traces && measured ? 0 : LIVE_MEASURE_OFF);
}

bool start_is_named(const struct trace_region *region, const char *text)
{
  const char *place = text[0] == '@' ? text + 1 : text;
  return trace_region_is_at(region, place, strlen(place)) || fnmatch(text, region->name, 0) == 0;
}

/* The living threads whose name matches. */
static bool choose_threads(struct start_choice *choice, struct live_requests *requests,
                           const struct live_process *process, const struct live_reading *reading, struct error *error)
{
  uint64_t *numbers = calloc(reading->location_count + 1, sizeof *numbers);
  size_t count = 0;
  if (!numbers)
    return error_set(error, "out of memory");
  for (uint32_t i = 0; i < reading->location_count; i++) {
    const struct trace_location *thread = &reading->trace->locations[i];
    if (!reading->threads[i].over && thread->ref < LIVE_THREADS && fnmatch(choice->threads, thread->name, 0) == 0)
      numbers[count++] = thread->ref;
  }
  live_requests_choose(requests, numbers, count);
  free(numbers);
  choice->found_threads = count;
  return count > 0 ||
         error_set(error, "no thread of process %ld has a name like %s: `heddle live --once %ld` prints the names",
                   process->pid, choice->threads, process->pid);
}

/* Adds the codes of the constructs that one text names. */
static bool add_codes(struct start_choice *choice, const char *text, const struct live *live,
                      const struct live_reading *reading, uint64_t codes[LIVE_CODES], size_t *count,
                      struct error *error)
{
  size_t known, before = *count;
  const struct live_code *all = live_codes(live, &known);
  bool *counted = calloc(reading->trace->region_count + 1, sizeof *counted);
  if (!counted)
    return error_set(error, "out of memory");
  bool good = true;
  for (size_t i = 0; i < known && good; i++) {
    if (!start_is_named(&reading->trace->regions[all[i].region], text))
      continue;
    choice->found_constructs += !counted[all[i].region];
    counted[all[i].region] = true;
    good =
        *count < LIVE_CODES || error_set(error, "%s: there are too many such constructs: at most %u", text, LIVE_CODES);
    if (good)
      codes[(*count)++] = all[i].code;
  }
  free(counted);
  return good &&
         (*count > before ||
          error_set(
              error,
              "no construct that has been executed so far is at %s: `heddle live --once` prints the executed ones",
              text));
}

static bool choose_constructs(struct start_choice *choice, struct live_requests *requests, const struct live *live,
                              const struct live_reading *reading, struct error *error)
{
  uint64_t codes[LIVE_CODES];
  size_t count = 0;
  for (size_t i = 0; i < choice->construct_count; i++)
    if (!add_codes(choice, choice->constructs[i], live, reading, codes, &count, error))
      return false;
  live_requests_choose_codes(requests, codes, count);
  return true;
}

bool start_choose(struct start_choice *choice, struct live_requests *requests, const struct live_process *process,
                  uint32_t *operations, struct error *error)
{
  struct live_reading reading;
  *operations = (choice->threads ? LIVE_TRACE_CHOSEN : 0) | (choice->construct_count > 0 ? LIVE_TRACE_CODES : 0);
  choice->found_threads = choice->found_constructs = 0;
  if (*operations == 0)
    return true;
  if (!live_requests_can_trace(requests))
    return error_set(error, "process %ld traces all or nothing: start it with `heddle record --live`", process->pid);
  struct live *live = live_open(process->directory, error);
  bool good = live && live_read(live, &reading, error);
  if (good) {
    good = (!choice->threads || choose_threads(choice, requests, process, &reading, error)) &&
           (choice->construct_count == 0 || choose_constructs(choice, requests, live, &reading, error));
    live_reading_free(&reading);
  }
  live_close(live);
  return good;
}

struct snapshot_own_options {
  const char *directory;
  bool force;
};

static int snapshot_run(const struct command *command, int argc, char **argv)
{
  struct snapshot_own_options options = {0};
  struct live_process process;
  struct record_directory directory = {.command = command->name, .fd = -1};
  int status = live_take(command, &options, argc, argv, &process);
  if (status >= 0)
    return status;
  char *name = live_operand_name(&process);
  bool good = name && record_directory_make(&directory, options.directory, "snapshot", options.force);
  if (good && !(good = live_snapshot(command->name, &process, directory.path)))
    record_directory_drop(&directory);
  if (good)
    record_say_next("the snapshot", directory.shown, "view");
  record_directory_free(&directory);
  free(name);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option snapshot_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "the snapshot's directory (default: heddle-snapshot-START-PID here)",
     .take = option_text,
     .at = offsetof(struct snapshot_own_options, directory)},
    {.name = "force",
     .letter = 'f',
     .help = "replace a trace that DIR already holds",
     .take = option_flag,
     .at = offsetof(struct snapshot_own_options, force)},
    {.name = NULL}};

const struct command command_snapshot = {
    .name = "snapshot",
    .group = COMMAND_RECORD,
    .summary = "makes an archive of what a running program has recorded so far",
    .synopsis = "[OPTION]... PID",
    .about = "Makes an archive of what the running process PID, and the other processes of its trace, have recorded so "
             "far.\n"
             "The program goes on, and so does its recording.\n",
    LIVE_OPERAND,
    .options = {{.list = snapshot_own_options}},
    .run = snapshot_run,
};

struct start_own_options {
  struct start_choice choice;
};

static int take_construct(const struct option_given *given, void *into)
{
  struct start_choice *choice = &((struct start_own_options *)into)->choice;
  if (choice->construct_count == START_CONSTRUCTS)
    return command_usage(given->command, "--construct: at most %u", START_CONSTRUCTS);
  if (given->value[0] == '\0')
    return command_usage(given->command, "--construct: it has no name");
  choice->constructs[choice->construct_count++] = given->value;
  return -1;
}

static void say_count(const char *before, size_t count, const char *what)
{
  if (count > 0)
    printf("%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

static void start_say(const struct live_process *process, uint32_t state, const struct start_choice *choice)
{
  bool is_on = (state & LIVE_MEASURES) != 0 && (state & LIVE_TRACES) != 0;
  char *name = live_operand_name(process);
  printf("tracing of %s is %s", name ? name : "the process", is_on ? "on" : "off");
  say_count(", for ", choice->found_constructs, "construct");
  say_count(choice->found_constructs > 0 ? " on " : ", for ", choice->found_threads, "thread");
  putchar('\n');
  free(name);
}

static int start_run(const struct command *command, int argc, char **argv)
{
  const bool on = strcmp(command->name, "start") == 0;
  struct start_own_options options = {.choice = {.threads = NULL}};
  struct start_choice *choice = &options.choice;
  struct live_process process;
  struct live_requests requests;
  struct error error;
  int status = live_take(command, &options, argc, argv, &process);
  if (status >= 0)
    return status;
  uint32_t state = 0, chosen = 0;
  bool good = live_requests_open(&requests, &process, &error);
  if (good) {
    good = start_choose(choice, &requests, &process, &chosen, &error) &&
           live_requests_ask(&requests, start_operations(&requests, on) | chosen, &state, &error);
    live_requests_close(&requests);
  }
  if (good)
    start_say(&process, state, choice);
  else
    command_error(command->name, "%s", error.message);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option start_options[] = {
    {.name = "construct",
     .argument = "PLACE",
     .help = "trace only this construct and its contents: FILE:LINE, a function, or a pattern of its name ('*for "
             "@solver.c:42'); it must have been executed before. May be repeated",
     .take = take_construct},
    {.name = "threads",
     .argument = "GLOB",
     .help = "trace only the threads whose name matches, as 'OpenMP thread *' (default: all)",
     .take = option_text,
     .at = offsetof(struct start_own_options, choice.threads)},
    {.name = NULL}};

const struct command command_start = {
    .name = "start",
    .group = COMMAND_RECORD,
    .summary = "begins to trace a running program that was started with --live or --paused",
    .synopsis = "[OPTION]... PID",
    .about =
        "Switches tracing on in the running process PID, which was started with `heddle record --live` or --paused.\n"
        "`heddle stop PID` switches it off.\n",
    LIVE_OPERAND,
    .options = {{.list = start_options}},
    .run = start_run,
};

const struct command command_stop = {
    .name = "stop",
    .group = COMMAND_RECORD,
    .summary = "ends the tracing that `heddle start` began; the program goes on",
    .synopsis = "PID",
    .about =
        "Switches tracing off in the running process PID, which goes on. The archive is made when the process ends;\n"
        "`heddle snapshot PID` makes one of what is recorded so far.\n",
    LIVE_OPERAND,
    .run = start_run,
};
