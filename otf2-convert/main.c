/* heddle-convert: a raw trace becomes an OTF2 archive. */
#include "base/large_stack.h"
#include "common/process/own_directory.h"
#include "common/raw/statuses.h"
#include "otf2-convert/convert.h"
#include "otf2-convert/describe/describe.h"
#include "otf2-convert/live/live.h"
#include "otf2-convert/messages.h"
#include "otf2-convert/options.h"
#include "otf2-convert/scan/switches.h"
#include "otf2-convert/symbols/place_search.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SLICE_BYTES (8u << 20)
#define MOST_WAIT   5 /* seconds that the end of a program may take longer because of another converter */
#define ENDING_MS   3000
#define ENDING_TURN 20 /* ms */

/* Each thread's file stays open while events are written. */
static void raise_file_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double main_started, main_shown;

static void show_progress(uint64_t bytes, uint64_t total)
{
  double now = seconds();
  if (now - main_started < 1 || now - main_shown < 0.2 || total == 0)
    return;
  main_shown = now;
  fprintf(stderr, "\rheddle-convert: %3.0f %% of %.1f MiB",
          100.0 * (double)(bytes < total ? bytes : total) / (double)total, (double)total / 1048576.0);
}

static void clear_progress(void)
{
  if (main_shown != 0)
    fprintf(stderr, "\r%*s\r", 60, "");
}

static struct archive main_archive;

/* An interrupted conversion ends like one with a failed write: nothing of it stays. */
static void stop_on_signal(int number)
{
  (void)number;
  int none = 0;
  atomic_compare_exchange_strong(&main_archive.failure, &none, EINTR);
}

static void handle_signals(void)
{
  struct sigaction action = {.sa_handler = stop_on_signal, .sa_flags = SA_RESTART | SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a write that is too long fails, and is reported */
}

static const char *reason(int error)
{
  switch (error) {
  case EINTR:
    return "interrupted";
  case ENOMEM:
    return "out of memory";
  case EMFILE:
    return "too many open files; raise the limit (ulimit -n) above the number of threads";
  default:
    return strerror(error);
  }
}

/* Says which files of code were not found. True: programs are among them, so it may be worth another conversion. */
static bool say_missing(const struct plan *plan, const struct definitions *definitions, const char *output)
{
  const char *first = NULL;
  unsigned missing = 0;
  bool programs = false;
  for (size_t i = 0; i < definitions->modules.items.count; i++) {
    const struct code_module *module = &definitions->modules.items.items[i];
    if (module->symbols != NULL || module->path[0] != '/')
      continue;
    bool program = false;
    for (uint32_t k = 0; k < plan->processes.count; k++)
      program |=
          plan->processes.items[k].info.exe != NULL && strcmp(plan->processes.items[k].info.exe, module->path) == 0;
    first = first == NULL || (program && !programs) ? module->path : first;
    programs |= program;
    missing++;
  }
  if (missing > 0 && programs)
    message_error(
        "%s: %u file%s of code %s not here, %s first. Lines and functions in %s are unknown. The raw trace is "
        "kept: run `heddle convert --sysroot DIR %s` with the root of the program's container",
        output, missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are", first, missing == 1 ? "it" : "them",
        output);
  return programs;
}

static bool write_archive(struct plan *plan, const struct options *options, int trace_fd, int output_fd,
                          bool *lacks_program, struct error *error)
{
  struct converted converted = {0};
  struct definitions definitions;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct convert_settings settings = {.jobs = options->jobs != 0 ? options->jobs
                                              : processors > 0   ? (unsigned)processors
                                                                 : 1,
                                      .slice_bytes = SLICE_BYTES,
                                      .trace_fd = trace_fd,
                                      .progress = isatty(2) && !message_is_quiet() ? show_progress : NULL};
  const char *output = options->output != NULL ? options->output : options->trace;
  main_started = seconds();
  definitions_begin(&definitions, plan);
  definitions.trace_fd = trace_fd;
  definitions.roots = options->roots;
  int failure = archive_open(&main_archive, output, output_fd, plan->location_count);
  if (failure == 0) {
    handle_signals();
    failure = convert_events(&converted, plan, &main_archive, &definitions, &settings);
    if (failure == 0)
      failure = describe_archive(plan, &converted, &definitions, &main_archive, trace_fd);
    if (failure == 0)
      failure = describe_samples(plan, &converted, &definitions, trace_fd);
    if (failure == 0)
      failure = describe_calls(plan, &converted, &definitions, trace_fd);
    if (failure == 0)
      failure = archive_finish(&main_archive);
  }
  clear_progress();
  if (failure != 0) {
    if (main_archive.name != NULL)
      archive_abandon(&main_archive);
    error_set(error, "%s: cannot write the archive: %s; the raw trace is kept", output, reason(failure));
  }
  *lacks_program = failure == 0 && say_missing(plan, &definitions, output);
  converted_free(&converted);
  definitions_free(&definitions);
  return failure == 0;
}

/* Removes the raw trace, or reports why it stays: a process may still write to it. */
static void remove_raw(const struct plan *plan, const struct options *options, int trace_fd)
{
  const struct process *unknown = NULL;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    const struct process *process = &plan->processes.items[i];
    if (process->life == LIFE_GOES_ON) {
      message_note(
          "%s: process %llu is still recording: the raw trace is kept; convert again after the process has ended",
          options->trace, (unsigned long long)process->info.pid);
      return;
    }
    if (process->life == LIFE_UNKNOWN)
      unknown = process;
  }
  if (unknown != NULL && !options->remove_raw)
    message_note("%s: cannot determine whether process %llu of %s is still recording: the raw trace is kept; "
                 "remove it with --remove-raw after the process has ended",
                 options->trace, (unsigned long long)unknown->info.pid,
                 unknown->info.host != NULL ? unknown->info.host : "another machine");
  else if (plan_has_newcomer(plan))
    message_note(
        "%s: another process has begun to record: the raw trace is kept; convert again after the process has ended",
        options->trace);
  else {
    final_reading_allow(plan);
    plan_remove_raw(plan, trace_fd, ARCHIVE_PREFIX "raw");
    switches_remove(trace_fd);
  }
}

/*
 * Two converters at once would disturb each other: the second waits, and then finds nothing to do. A converter that a
 * program started at its end waits only a short time, because the program waits for it.
 */
static bool lock_trace(const struct options *options, int trace_fd, struct error *error)
{
  const double give_up = seconds() + MOST_WAIT;
  bool patient = options->live != PLAN_LIVE_LEAVE;
  while (flock(trace_fd, patient ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK && seconds() < give_up) {
      nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    } else if (errno == EWOULDBLOCK) {
      return error_set(error,
                       "%s: another converter is working on this trace; convert the rest later with `heddle convert`",
                       options->trace);
    } else if (errno != EINTR) {
      return error_set(error, "%s: cannot lock the directory: %s", options->trace, strerror(errno));
    }
  }
  return true;
}

/* True if there is no raw trace because it was converted. */
static bool is_converted(const struct options *options, int output_fd, struct error *error)
{
  if (!archive_exists(output_fd))
    return error_set(error, "%s: has no raw trace: there is no directory raw/ with process directories",
                     options->trace);
  message_note("%s: the trace is already converted", options->output != NULL ? options->output : options->trace);
  return true;
}

static bool convert(struct plan *plan, const struct options *options, int trace_fd, int output_fd, struct error *error)
{
  if (!exit_status_note(plan, &options->exit_status))
    return error_set(error, "out of memory");
  bool lacks_program = false;
  if (!write_archive(plan, options, trace_fd, output_fd, &lacks_program, error))
    return false;
  if (!options->keep_raw && (!lacks_program || options->remove_raw))
    remove_raw(plan, options, trace_fd);
  return true;
}

/* A launcher may end before the ranks that it kills do: after the end of `heddle record`'s program, the others have
 * ENDING_MS to end, too. */
static enum plan_result open_plan(struct plan *plan, const struct options *options, int trace_fd, struct error *error)
{
  struct timespec turn = {0, ENDING_TURN * 1000000};
  unsigned turns = options->exit_status.pid != 0 ? ENDING_MS / ENDING_TURN : 0;
  enum plan_result result;
  while ((result = plan_open(plan, trace_fd, options->trace, options->live, error)) == PLAN_RUNS && turns-- > 0) {
    plan_close(plan);
    nanosleep(&turn, NULL);
  }
  return result;
}

static bool run(const struct options *options, int trace_fd, int output_fd, struct error *error)
{
  struct plan plan;
  bool good = false;
  if (!lock_trace(options, trace_fd, error))
    return false;
  archive_remove_leftovers(trace_fd);
  switch (open_plan(&plan, options, trace_fd, error)) {
  case PLAN_READY:
    good = convert(&plan, options, trace_fd, output_fd, error);
    break;
  case PLAN_NO_RAW:
    good = is_converted(options, output_fd, error);
    break;
  case PLAN_LEFT:
    good = true;
    break;
  case PLAN_RUNS:
  case PLAN_FAULT:
    break;
  }
  plan_close(&plan);
  return good;
}

static bool open_directory(const char *path, int *fd, struct error *error)
{
  *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return *fd >= 0 || error_set(error, "%s: cannot open: %s", path, strerror(errno));
}

static bool open_and_run(const struct options *options, struct error *error)
{
  int trace_fd, output_fd;
  if (!open_directory(options->trace, &trace_fd, error))
    return false;
  if (options->output == NULL)
    return run(options, trace_fd, trace_fd, error);
  const char *why;
  output_fd = own_directory_below(AT_FDCWD, options->output, OWN_DIRECTORY_MODE, &why);
  if (output_fd < 0)
    return error_set(error, "%s: cannot open: %s", options->output, why ? why : strerror(errno));
  return run(options, trace_fd, output_fd, error);
}

typedef bool search_function(char **modules, size_t module_count, char **places, size_t place_count, FILE *out);

/* OPTION MODULE... -- PLACE... */
static int main_find(search_function *search, const char *option, int count, char **arguments)
{
  int modules = 0;
  while (modules < count && strcmp(arguments[modules], "--") != 0)
    modules++;
  if (modules == count) {
    message_error("%s: -- is missing before the places; try --help", option);
    return EXIT_USAGE;
  }
  bool good = search(arguments, (size_t)modules, arguments + modules + 1, (size_t)(count - modules - 1), stdout);
  if (good && fflush(stdout) == 0)
    return EXIT_DONE;
  message_error("%s: %s", option, good ? strerror(errno) : "out of memory");
  return EXIT_FAULT;
}

static int serve(int count, char **arguments)
{
  struct error error;
  if (count != 3) {
    message_error("--live: needs the directory of one process; try --help");
    return EXIT_USAGE;
  }
  if (live_serve(arguments[2], &error))
    return EXIT_DONE;
  message_error("%s", error.message);
  return EXIT_FAULT;
}

static int convert_main(int count, char **arguments)
{
  struct options options;
  struct error error;
  unsetenv("DEBUGINFOD_URLS"); /* nothing is looked up on the network */
  if (count > 1 && strcmp(arguments[1], "--find-places") == 0)
    return main_find(place_search, arguments[1], count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "--find-functions") == 0)
    return main_find(function_search, arguments[1], count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "--live") == 0)
    return serve(count, arguments);
  switch (options_parse(&options, count, arguments, &error)) {
  case OPTIONS_TAKEN:
    break;
  case OPTIONS_ANSWERED:
    return EXIT_DONE;
  case OPTIONS_WRONG:
    message_error("%s", error.message);
    return EXIT_USAGE;
  }
  message_set_quiet(options.quiet);
  raise_file_limit();
  if (open_and_run(&options, &error))
    return EXIT_DONE;
  message_error("%s", error.message);
  return EXIT_FAULT;
}

int main(int count, char **arguments)
{
  int status = large_stack_run(convert_main, count, arguments);
  if (status >= 0)
    return status;
  message_error("out of memory for a stack; raise the limits (ulimit -s 1024, ulimit -v)");
  return EXIT_FAULT;
}
