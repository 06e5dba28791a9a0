#include "analyzer/record/conversion.h"
#include "analyzer/record/job.h"
#include "analyzer/record/launch/kernel_writer.h"
#include "analyzer/record/launch/run.h"
#include "analyzer/record/launch/runtime_costs.h"
#include "analyzer/record/machine_checks.h"
#include "analyzer/record/record_directory.h"
#include "analyzer/record/record_messages.h"
#include "analyzer/record/record_options.h"
#include "analyzer/record/record_plan.h"
#include "analyzer/record/record_sample.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void say_why_nothing(const struct record_plan *plan, const struct record_directory *directory, bool objected)
{
  bool tried = record_directory_was_tried(directory);
  char *doubt = objected || tried ? NULL : record_doubt(plan);
  if (tried)
    command_error("record", "nothing was recorded: the trace could not be written to %s", directory->shown);
  else if (doubt)
    command_error("record", "nothing was recorded: %s", doubt);
  else
    command_error("record", "nothing was recorded, for the reason given before %s started", plan->arguments[0]);
  free(doubt);
}

/* The archive by its file: a reader of the directory waits until this process has ended. */
static void warn_after(const struct record_directory *directory, const struct record_plan *plan)
{
  char *anchor = NULL;
  if (asprintf(&anchor, "%s/traces.otf2", directory->path) < 0)
    return;
  record_warn("record", anchor);
  record_keep_warn_after(&plan->keep, anchor, plan->arguments[0]);
  free(anchor);
}

/* After the program: converts the trace, and prints the archive's directory and the next command in one line. */
static void record_finish(const struct record_options *options, const struct record_directory *directory,
                          const struct record_plan *plan, const struct launch_result *ended, bool objected)
{
  struct record_conversion conversion = {.command = "record",
                                         .path = directory->path,
                                         .shown = directory->shown,
                                         .converter = options->converter,
                                         .ended = ended,
                                         .keep_raw = options->keep_raw};
  if (!record_directory_has_raw(directory)) {
    say_why_nothing(plan, directory, objected);
    record_directory_drop(directory);
  } else if (options->no_convert) {
    record_say_next("the raw trace", directory->shown, "convert");
  } else if (record_convert(&conversion)) {
    warn_after(directory, plan);
  }
}

/* Parts of the recording that begin before the program. */
struct beginning {
  struct kernel_log_session session;
  struct record_sample sample;
  bool java_samples;
};

static void begin_kernel_log(void *context, pid_t pid)
{
  struct beginning *beginning = context;
  struct kernel_sampling *sampling = &beginning->sample.sampling;
  struct kernel_log_session *session = &beginning->session;
  if (session->trace < 0)
    return;
  bool samples = sampling->triggers.count > 0;
  if ((samples && !sampling->beside) || beginning->sample.timer_ns > 0)
    kernel_page_keep(session->trace);
  struct kernel_wants wants = {.pages = samples && !sampling->beside ? KERNEL_SAMPLES_PAGES : KERNEL_EVENTS_PAGES,
                               .sampling = samples ? sampling : NULL,
                               .alone = session->samples_alone};
  session->events = kernel_events_begin(session->trace, pid, &wants);
  int error = errno;
  if (session->events && sampling->beside) /* the directory says that the kernel reports switches */
    kernel_page_keep(session->trace);
  record_sample_refused(&beginning->sample, session->events ? 0 : error, beginning->java_samples);
}

/* True: no call can be recorded. */
static bool warn_before(const struct record_plan *plan)
{
  record_keep_warn_before(&plan->keep, plan->arguments[0]);
  return record_calls_warn(&plan->calls, plan->libraries, plan->arguments[0]);
}

/* True if the kernel is asked for switches or samples. Observers of a JVM have the agent's samples alone. */
static bool asks_kernel(const struct record_options *options, const struct record_plan *plan)
{
  bool samples = options->sample.sampling.triggers.count > 0 && !plan->java_samples;
  return !record_without_samples(options, &plan->environment) && (samples || !record_is_live(&plan->environment));
}

/* Runs the program as planned; directory NULL: without recording. Returns the exit status. */
static int run_planned(const struct record_options *options, const struct record_directory *directory,
                       const struct record_plan *plan)
{
  char **environment = environment_make(&plan->environment);
  if (!environment) {
    command_error("record", "out of memory");
    return EXIT_FAULT;
  }
  char *objection = record_objection(plan);
  if (objection)
    command_error("record", "%s", objection);
  bool objected = (directory && warn_before(plan)) || objection;
  struct beginning beginning = {.sample = options->sample, .java_samples = plan->java_samples};
  beginning.session.trace = -1;
  beginning.session.shown = directory ? directory->shown : NULL;
  beginning.session.samples_alone = record_is_live(&plan->environment);
  if (directory && asks_kernel(options, plan))
    beginning.session.trace = directory->fd;
  struct launch_result result =
      launch_run(plan->arguments, environment, &(struct launch_watcher){begin_kernel_log, &beginning});
  kernel_log_session_end(&beginning.session, "record");
  free(environment);
  if (!result.started) {
    command_error("record", "%s: %s", plan->arguments[0], strerror(result.error));
    if (directory)
      record_directory_drop(directory);
  } else if (directory) {
    record_finish(options, directory, plan, &result, objected);
  }
  free(objection);
  return launch_exit_status(&result);
}

/* Beside a rank's program, which `pid` becomes. */
static void accompany(const struct record_options *options, const struct record_directory *directory,
                      const struct record_plan *plan, pid_t pid, int ready[2])
{
  struct beginning beginning = {.sample = options->sample, .java_samples = plan->java_samples};
  bool first = directory->job->rank == 0, objected = false;
  beginning.session.shown = directory->shown;
  beginning.session.samples_alone = record_is_live(&plan->environment);
  beginning.session.trace = asks_kernel(options, plan) ? directory->fd : -1;
  if (first) {
    char *objection = record_objection(plan);
    if (objection)
      command_error("record", "%s", objection);
    objected = warn_before(plan) || objection;
    free(objection);
  }
  begin_kernel_log(&beginning, pid);
  job_go(ready);
  job_wait_for(pid);
  kernel_log_session_end(&beginning.session, "record");
  if (!job_is_last(directory->job, directory->fd, directory->job_file))
    return;
  record_finish(options, directory, plan, NULL, objected);
  job_end(directory->fd);
}

/* Becomes the program, as without us, and returns only if that fails. */
static int run_plainly(char **arguments, char **environment)
{
  execvpe(arguments[0], arguments, environment);
  int error = errno;
  command_error("record", "%s: %s", arguments[0], strerror(error));
  return error == ENOENT ? 127 : 126;
}

/* The launcher sees the program and no other process: what it kills, waits for and asks for its status. */
static int run_rank(const struct record_options *options, const struct record_directory *directory,
                    const struct record_plan *plan)
{
  char **environment = environment_make(&plan->environment);
  int ready[2];
  pid_t self = getpid();
  if (!environment) {
    command_error("record", "out of memory");
    return EXIT_FAULT;
  }
  int companion = job_companion(directory->job, (const int[]){directory->fd, directory->job_file}, 2, ready);
  if (companion == 0) {
    accompany(options, directory, plan, self, ready);
    _exit(EXIT_DONE);
  }
  if (companion > 0 && directory->job->rank == 0 && !job_has_messages(directory->job))
    command_error("record", "%s: the archive is made when all ranks have ended, and no further line says so",
                  directory->shown);
  if (companion > 0)
    job_wait(ready);
  else
    command_error("record", "%s: %s: run `heddle convert %s` when the job has ended", plan->arguments[0],
                  strerror(errno), directory->shown);
  int status = run_plainly(plan->arguments, environment);
  free(environment);
  return status;
}

static int dry_run(struct record_options *options, char **arguments)
{
  struct record_plan plan = {0};
  char *directory = record_directory_name(options->directory, arguments[0]);
  int status = EXIT_FAULT;
  if (!directory)
    command_error("record", "out of memory");
  else if (record_plan_make(&plan, options, arguments, directory))
    status = record_print(&plan);
  if (status == EXIT_DONE && plan.libraries && !plan.libraries->path) {
    command_error("record", "%s: there is no such program, or it is not executable", arguments[0]);
    status = EXIT_FAULT;
  }
  record_plan_free(&plan);
  free(directory);
  return status;
}

/* True if there are enough descriptors for the recorder beside the program's. */
static bool has_descriptors(const struct record_options *options)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > MACHINE_LEAST_FILES)
    return true;
  if (options->off)
    setenv("HEDDLE", "off", true);
  else
    command_error("record",
                  "the limit on open files (ulimit -n %lu) leaves none to record with: the program is not recorded; %s",
                  (unsigned long)limit.rlim_cur, machine_check_remedy(MACHINE_DESCRIPTORS));
  return false;
}

/* The trace has what the runtime takes for itself, where that lies inside of the program's work. */
static void add_costs(struct record_plan *plan)
{
  char costs[RUNTIME_COSTS_SIZE];
  if (plan->libraries && !plan->libraries->jvm && !record_is_live(&plan->environment) &&
      runtime_costs_find(plan->libraries, costs))
    environment_set(&plan->environment, "HEDDLE_COSTS", costs);
}

static int record(struct record_options *options, char **arguments)
{
  if (!has_descriptors(options))
    return run_plainly(arguments, environ);
  struct job job = {.identity = NULL};
  if (!options->off)
    job_find(&job);
  struct record_directory directory = {.command = "record", .fd = -1, .job = job.identity ? &job : NULL};
  struct record_plan plan = {0};
  int status = EXIT_FAULT;
  if (options->off || record_directory_make(&directory, options->directory, arguments[0], options->force)) {
    bool planned = record_plan_make(&plan, options, arguments, directory.path);
    if (planned && !options->off)
      add_costs(&plan);
    if (planned && directory.job)
      status = run_rank(options, &directory, &plan);
    else if (planned)
      status = run_planned(options, options->off ? NULL : &directory, &plan);
    else if (!options->off && (!directory.job || job_is_alone(directory.fd, directory.job_file)))
      record_directory_drop(&directory);
  } else if (directory.full) {
    status = run_plainly(arguments, environ);
  }
  record_plan_free(&plan);
  record_directory_free(&directory);
  job_free(&job);
  return status;
}

static bool is_option_of(const struct command *command, const char *word, size_t length)
{
  for (unsigned set = 0; set < OPTION_SETS; set++)
    for (const struct command_option *option = command->options[set].list; option && option->name; option++)
      if (strlen(option->name) == length && strncmp(option->name, word, length) == 0)
        return true;
  return false;
}

/* The program gets what stands behind its name, also a word that was meant for us. Who writes `--` knows that. */
static void point_out_options(const struct command *command, char **arguments)
{
  if (strcmp(arguments[-1], "--") == 0)
    return;
  for (char **at = arguments + 1; *at && strcmp(*at, "--") != 0; at++) {
    size_t length = strncmp(*at, "--", 2) == 0 ? strcspn(*at + 2, "=") : 0;
    if (length == 0 || !is_option_of(command, *at + 2, length))
      continue;
    command_error("record",
                  "%.*s stands behind the program, so the program gets it; options of heddle record stand before the "
                  "program (`--` before the program hides this line)",
                  (int)length + 2, *at);
    return;
  }
}

static int record_run(const struct command *command, int argc, char **argv)
{
  struct record_options options;
  int status = record_options_take(command, argc, argv, &options);
  if (status < 0)
    point_out_options(command, argv + optind);
  if (status < 0)
    status = (options.dry_run ? dry_run : record)(&options, argv + optind);
  environment_free(&options.environment);
  record_keep_free(&options.keep);
  record_calls_free(&options.calls);
  return status;
}

const struct command command_record = {
    .name = "record",
    .group = COMMAND_RECORD,
    .summary = "runs a program, records what its threads do, makes an OTF2 archive",
    .synopsis = "[OPTION]... [--] PROGRAM [ARGUMENT]...",
    .about = "Runs PROGRAM, records what its OpenMP or Java threads do, and makes an OTF2 archive.\n",
    .notes = "N may end in K, M or G: powers of 1024. The exit status is PROGRAM's.\n",
    .operand = "a program",
    .least = 1,
    .stops_at_operand = 1,
    .options = {{.list = record_options}},
    .run = record_run,
};
