#include "analyzer/commands/report_options.h"

#include <stdlib.h>

static int take_jobs(unsigned *jobs, const char *command)
{
  char *end;
  unsigned long number = strtoul(optarg, &end, 10);
  if (*optarg < '0' || *optarg > '9' || *end || number < 1 || number > 1024)
    return command_usage(command, "--jobs %s: give a number from 1 to 1024", optarg);
  *jobs = (unsigned)number;
  return -1;
}

static int take_option(const struct report_options *options, void *own, struct report_asked *asked, char **argv,
                       int code)
{
  switch (code) {
  case 'h':
    return command_help(options->help);
  case 'j':
    return take_jobs(&asked->jobs, argv[0]);
  case OPTION_FIT:
    asked->fit = optarg;
    return -1;
  case OPTION_PARAM:
    return prediction_ask(&asked->prediction, argv[0], optarg);
  case OPTION_EXTRAPOLATE:
    asked->prediction.extrapolate = true;
    return -1;
  case '?':
  case ':':
    return command_bad_option(argv, code);
  default:
    return options->take(own, argv[0], code);
  }
}

int report_options_take(const struct report_options *options, void *own, struct report_asked *asked, int argc,
                        char **argv)
{
  int code, status = -1;
  opterr = 0;
  *asked = (struct report_asked){0};
  while (status < 0 && (code = getopt_long(argc, argv, options->letters, options->options, NULL)) != -1)
    status = take_option(options, own, asked, argv, code);
  if (status >= 0)
    return status;
  if (!asked->fit != !asked->prediction.name)
    return command_usage(argv[0], "--fit and --param go together, as --fit lu.fit --param size=600");
  if (optind == argc)
    return command_usage(argv[0], "no archive is given: name the trace's directory or its .otf2 file");
  if (argc - optind > BUNDLE_RUNS)
    return command_usage(argv[0], "two archives at most (%s is one too many)", argv[optind + BUNDLE_RUNS]);
  return -1;
}

bool report_runs_open(struct report_runs *runs, const struct report_asked *asked, int argc, char **argv,
                      struct trace_error *error)
{
  *runs = (struct report_runs){.count = 0};
  trace_quiet_library();
  struct pool *pool = pool_create(asked->jobs);
  char *line = report_command_line(argc, argv);
  struct prediction_answer answer = {0};
  bool good = (pool && line) || trace_fail(error, "out of memory");
  good = good && (!asked->fit || prediction_answer(&answer, asked->fit, &asked->prediction, error));
  struct progress progress = progress_begin(argv[0], (unsigned)(argc - optind) * REPORT_RUN_STEPS);
  for (int i = optind; good && i < argc; i++) {
    struct report_run *run = &runs->list[runs->count++];
    good = report_run_open(run, argv[i], pool, line, asked->fit ? &answer : NULL, &progress, error);
    runs->bundles[i - optind] = run->bundle;
  }
  progress_end(&progress);
  prediction_answer_free(&answer);
  pool_destroy(pool);
  free(line);
  return good;
}

void report_runs_close(struct report_runs *runs)
{
  for (size_t i = 0; i < runs->count; i++)
    report_run_close(&runs->list[i]);
}
