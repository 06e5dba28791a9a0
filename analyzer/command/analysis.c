#include "analyzer/command/analysis.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/trace/otf2_library.h"

#include <getopt.h>

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

static bool analysis_work(const struct analysis *analysis, const struct analysis_run *run, const void *own,
                          struct error *error)
{
  if (!profiled_is(run->trace))
    return analysis->work(run, own, error);
  if (!analysis->work_on_profile)
    return analysis_has_events(run->trace, error);
  if (run->trace->restriction.timed)
    return error_set(error, "%s: is a profile and has no times: --from and --to need events", run->trace->anchor);
  return analysis->work_on_profile(run, own, error);
}

int analysis_command(const struct analysis *analysis, const struct command *command, void *own, int argc, char **argv)
{
  struct shared_options options = {.format = PRINT_TEXT};
  struct restriction_options restriction = {.jvm_threads = analysis->jvm_threads};
  void *const into[OPTION_SETS] = {[OPTIONS_OWN] = own, [OPTIONS_SHARED] = &options, [OPTIONS_PART] = &restriction};
  int status = command_take(command, into, argc, argv);
  if (status < 0 && analysis->check)
    status = analysis->check(own, argv[0]);
  if (status >= 0)
    return status;
  struct error error;
  struct analysis_run run = {.command = argv[0],
                             .format = options.format,
                             .operands = argv + optind,
                             .operand_count = argc - optind,
                             .restriction = &restriction};
  status = analysis->instead ? analysis->instead(&run, (unsigned)options.jobs, own) : -1;
  if (status >= 0)
    return status;
  bool good =
      analysis_begin(&run, &options, &restriction, argv[optind], &error) && analysis_work(analysis, &run, own, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  if (run.print && !print_close(run.print))
    good = false;
  pool_destroy(run.pool);
  trace_close(run.trace);
  return good ? EXIT_DONE : EXIT_FAULT;
}
