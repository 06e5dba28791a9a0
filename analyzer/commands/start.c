#include "analyzer/commands/live_operand.h"
#include "analyzer/launch/live_request.h"
#include "analyzer/live/live.h"
#include "analyzer/options/values.h"
#include "common/live_control.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

struct own_options {
  const char *threads; /* a pattern of names; NULL: all */
};

/* In a program with HEDDLE_LIVE the trace is switched, and measurement if it began without; in others measurement. */
static uint32_t operations_of(const struct live_requests *requests, bool on)
{
  bool traces = live_requests_can_trace(requests), measured = live_requests_begun(requests) & LIVE_MEASURES;
  if (on)
    return LIVE_MEASURE_ON | (traces ? LIVE_TRACE_ON : 0);
  return (traces ? LIVE_TRACE_OFF : 0) | (traces && measured ? 0 : LIVE_MEASURE_OFF);
}

/* The numbers of the living threads whose name matches; the caller frees them. 0: none, or an error. */
static size_t find_threads(const struct live_process *process, const char *pattern, uint64_t **numbers,
                           struct error *error)
{
  struct live_reading reading;
  size_t count = 0;
  struct live *live = live_open(process->directory, error);
  if (live && live_read(live, &reading, error)) {
    *numbers = calloc(reading.location_count + 1, sizeof **numbers);
    for (uint32_t i = 0; *numbers && i < reading.location_count; i++) {
      const struct trace_location *thread = &reading.trace->locations[i];
      if (!reading.threads[i].over && thread->ref < LIVE_THREADS && fnmatch(pattern, thread->name, 0) == 0)
        (*numbers)[count++] = thread->ref;
    }
    if (count == 0)
      error_set(error, "no thread of process %ld has a name like %s: `heddle live --once %ld` prints the names",
                process->pid, pattern, process->pid);
    live_reading_free(&reading);
  }
  live_close(live);
  return count;
}

/* Chooses the threads with such names. False: there is none, or the error says why. */
static bool choose(struct live_requests *requests, const struct live_process *process, const char *pattern,
                   size_t *count, struct error *error)
{
  uint64_t *numbers = NULL;
  if (!live_requests_can_trace(requests))
    return error_set(error, "process %ld traces all threads or none: start it with `heddle record --live`",
                     process->pid);
  *count = find_threads(process, pattern, &numbers, error);
  live_requests_choose(requests, numbers, *count);
  free(numbers);
  return *count > 0;
}

static void say(const struct live_process *process, uint32_t state, size_t threads)
{
  bool is_on = (state & LIVE_MEASURES) != 0 && (state & LIVE_TRACES) != 0;
  char *name = live_operand_name(process);
  printf("tracing of %s is %s", name ? name : "the process", is_on ? "on" : "off");
  if (threads > 0)
    printf(", for %zu thread%s", threads, threads == 1 ? "" : "s");
  putchar('\n');
  free(name);
}

static int run(const struct command *command, int argc, char **argv)
{
  const bool on = strcmp(command->name, "start") == 0;
  struct own_options options = {.threads = NULL};
  struct live_process process;
  struct live_requests requests;
  struct error error;
  int status = live_take(command, &options, argc, argv, &process);
  if (status >= 0)
    return status;
  uint32_t state = 0;
  size_t threads = 0;
  bool good = live_requests_open(&requests, &process, &error);
  if (good) {
    good = !options.threads || choose(&requests, &process, options.threads, &threads, &error);
    good =
        good && live_requests_ask(&requests, operations_of(&requests, on) | (options.threads ? LIVE_TRACE_CHOSEN : 0),
                                  &state, &error);
    live_requests_close(&requests);
  }
  if (good) {
    say(&process, state, threads);
  } else {
    command_error(command->name, "%s", error.message);
  }
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option start_options[] = {
    {.name = "threads",
     .argument = "GLOB",
     .help = "trace only the threads whose name matches, as 'OpenMP thread *' (default: all)",
     .take = option_text,
     .at = offsetof(struct own_options, threads)},
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
    .run = run,
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
    .run = run,
};
