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

static int take_option(const struct report_options *options, void *own, unsigned *jobs, char **argv, int code)
{
  switch (code) {
  case 'h':
    return command_help(options->help);
  case 'j':
    return take_jobs(jobs, argv[0]);
  case '?':
  case ':':
    return command_bad_option(argv, code);
  default:
    return options->take(own, argv[0], code);
  }
}

int report_options_take(const struct report_options *options, void *own, unsigned *jobs, int argc, char **argv)
{
  int code, status = -1;
  opterr = 0;
  *jobs = 0;
  while (status < 0 && (code = getopt_long(argc, argv, options->letters, options->options, NULL)) != -1)
    status = take_option(options, own, jobs, argv, code);
  if (status >= 0)
    return status;
  if (optind == argc)
    return command_usage(argv[0], "no archive is given: name the trace's directory or its .otf2 file");
  if (argc - optind > BUNDLE_RUNS)
    return command_usage(argv[0], "two archives at most (%s is one too many)", argv[optind + BUNDLE_RUNS]);
  return -1;
}

bool report_runs_open(struct report_runs *runs, unsigned jobs, int argc, char **argv, struct trace_error *error)
{
  *runs = (struct report_runs){.count = 0};
  trace_quiet_library();
  struct pool *pool = pool_create(jobs);
  char *line = report_command_line(argc, argv);
  bool good = (pool && line) || trace_fail(error, "out of memory");
  for (int i = optind; good && i < argc; i++) {
    struct report_run *run = &runs->list[runs->count++];
    good = report_run_open(run, argv[i], pool, line, error);
    runs->bundles[i - optind] = run->bundle;
  }
  pool_destroy(pool);
  free(line);
  return good;
}

void report_runs_close(struct report_runs *runs)
{
  for (size_t i = 0; i < runs->count; i++)
    report_run_close(&runs->list[i]);
}
