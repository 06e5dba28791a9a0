#include "analyzer/command/analysis.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/trace/stream.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool analysis_begin(struct analysis_run *run, const struct shared_options *options,
                           const struct restriction_options *restriction, const char *path, struct error *error)
{
  otf2_library_quiet();
  run->trace = trace_open(path, error);
  if (!run->trace || !restriction_options_apply(restriction, run->trace, error))
    return false;
  run->pool = pool_create((unsigned)options->jobs);
  if (run->pool)
    run->print = print_open(options->format, stdout, run->trace->ticks_per_second);
  if (run->print && !options->all_threads)
    print_shorten(run->print);
  return run->print || error_set(error, "out of memory");
}

bool analysis_has_events(const struct trace *trace, struct error *error)
{
  return !profiled_is(trace) ||
         error_set(error,
                   "%s: is a profile and has no events: record without --profile, or see `heddle profile`, "
                   "states, imbalance, locks and report",
                   trace->anchor);
}

static bool analyze_and_print(const struct look *look, const struct analysis_run *run, const void *own,
                              struct error *error)
{
  void *result = calloc(1, look->analysis->result_size);
  if (!result)
    return error_set(error, "out of memory");
  bool good = analysis_find(look->analysis, run->trace, run->pool, NULL, result, error) &&
              (look->print(run, result, own) || error_set(error, "out of memory"));
  analysis_free(look->analysis, result);
  free(result);
  return good;
}

/* For people: a command that answers one question names the command that ranks all of them. */
static void put_way_to_why(const struct analysis_run *run)
{
  char *text;
  if (run->format != PRINT_TEXT ||
      asprintf(&text, "All causes of lost time, ranked: heddle why %s", run->operands[0]) < 0)
    return;
  print_sentence(run->print, "why", text);
  free(text);
}

static bool look_work(const struct look *look, const struct analysis_run *run, const void *own, struct error *error)
{
  if (!profiled_is(run->trace))
    return look->work ? look->work(run, own, error) : analyze_and_print(look, run, own, error);
  if (!look->work_on_profile)
    return analysis_has_events(run->trace, error);
  if (run->trace->restriction.timed)
    return error_set(error, "%s: is a profile and has no times: --from and --to need events", run->trace->anchor);
  return look->work_on_profile(run, own, error);
}

static int look_with(const struct command *command, void *own, int argc, char **argv)
{
  const struct look *look = command->look;
  struct shared_options options = {.format = PRINT_TEXT};
  struct restriction_options restriction = {.jvm_threads = look->jvm_threads};
  void *const into[OPTION_SETS] = {
      [OPTIONS_OWN] = own, [OPTIONS_SHARED] = &options, [OPTIONS_MORE] = &options, [OPTIONS_PART] = &restriction};
  int status = command_take(command, into, argc, argv);
  if (status < 0 && look->check)
    status = look->check(own, argv[0]);
  if (status >= 0)
    return status;
  struct error error;
  struct analysis_run run = {.command = argv[0],
                             .format = options.format,
                             .operands = argv + optind,
                             .operand_count = argc - optind,
                             .restriction = &restriction};
  status = look->instead ? look->instead(&run, (unsigned)options.jobs, own) : -1;
  if (status >= 0)
    return status;
  bool good = analysis_begin(&run, &options, &restriction, argv[optind], &error) && look_work(look, &run, own, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  else if (look->leads_to_why)
    put_way_to_why(&run);
  if (run.print && !print_close(run.print))
    good = false;
  pool_destroy(run.pool);
  trace_close(run.trace);
  return good ? EXIT_DONE : EXIT_FAULT;
}

int look_run(const struct command *command, int argc, char **argv)
{
  const struct look *look = command->look;
  void *own = calloc(1, look->options_size + 1);
  if (!own) {
    command_error(argv[0], "out of memory");
    return EXIT_FAULT;
  }
  if (look->usual)
    memcpy(own, look->usual, look->options_size);
  int status = look_with(command, own, argc, argv);
  free(own);
  return status;
}
