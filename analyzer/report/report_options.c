#include "analyzer/report/report_options.h"

#include "analyzer/command/values.h"
#include "analyzer/trace/stream.h"

#include <getopt.h>
#include <stdlib.h>

static int report_options_take_parameter(const struct option_given *given, void *into)
{
  struct report_asked *asked = into;
  return prediction_ask(&asked->prediction, given->command, given->value);
}

const struct command_option report_options[] = {
    {.name = "fit",
     .argument = "FILE",
     .help = "the output of `heddle fit -o` for other runs: the page shows its prediction beside the measured times",
     .take = option_text,
     .at = offsetof(struct report_asked, fit)},
    {.name = "param",
     .argument = "NAME=VALUE",
     .help = "the parameter of the fit, and its value in this run",
     .take = report_options_take_parameter},
    {.name = "extrapolate",
     .help = "also predict outside of the fit's values",
     .take = option_flag,
     .at = offsetof(struct report_asked, prediction.extrapolate)},
    {.name = "command",
     .help = "show the whole command lines of the run's processes, which may hold secrets (default: their names)",
     .take = option_flag,
     .at = offsetof(struct report_asked, commands)},
    OPTION_SPEC(struct report_asked, spec, "a specification of events and intervals: the page shows its intervals"),
    {.name = NULL}};

int report_options_take(const struct command *command, void *own, struct report_asked *asked, int argc, char **argv)
{
  *asked = (struct report_asked){0};
  void *const into[OPTION_SETS] = {own, asked, &asked->shared, &asked->restriction};
  int status = command_take(command, into, argc, argv);
  if (status < 0 && !asked->fit != !asked->prediction.count)
    return command_usage(argv[0], "--fit and --param go together, as --fit lu.fit --param size=600");
  return status;
}

bool report_runs_open(struct report_runs *runs, const struct report_asked *asked, int argc, char **argv,
                      struct error *error)
{
  *runs = (struct report_runs){.count = 0};
  otf2_library_quiet();
  struct pool *pool = pool_create((unsigned)asked->shared.jobs);
  char *line = report_command_line(argc, argv);
  struct prediction_answer answer = {0};
  struct specified specified = {0};
  bool good = (pool && line) || error_set(error, "out of memory");
  good = good && specified_read(&asked->spec, &specified, error);
  good = good && (!asked->fit || prediction_answer(&answer, asked->fit, &asked->prediction, error));
  struct progress progress = progress_begin(argv[0], (unsigned)(argc - optind) * REPORT_RUN_STEPS);
  for (int i = optind; good && i < argc; i++) {
    struct report_run *run = &runs->list[runs->count++];
    struct report_run_wanted wanted = {.path = argv[i],
                                       .command = line,
                                       .commands = asked->commands,
                                       .restriction = &asked->restriction,
                                       .limit = argc - optind == 1 ? asked->limit : 0,
                                       .prediction = asked->fit ? &answer : NULL,
                                       .specified = &specified};
    good = report_run_open(run, &wanted, pool, &progress, error);
    runs->bundles[i - optind] = run->bundle;
  }
  progress_end(&progress);
  prediction_answer_free(&answer);
  specified_free(&specified);
  pool_destroy(pool);
  free(line);
  return good;
}

void report_runs_close(struct report_runs *runs)
{
  for (size_t i = 0; i < runs->count; i++)
    report_run_close(&runs->list[i]);
}
