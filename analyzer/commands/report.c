#include "analyzer/commands/command.h"
#include "analyzer/commands/report_run.h"
#include "analyzer/pes/output.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: heddle report [OPTION]... -o FILE DIR [DIR]\n"
    "Writes one HTML file that shows the run: what to look at first, the timeline, states, imbalance,\n"
    "locks, models. It opens from disk and needs no network. With two runs they stand side by side.\n"
    "DIR is a trace's directory or its .otf2 file.\n\n"
    "  -o, --output FILE  the file\n"
    "  -j, --jobs N       threads to read with (default: one a processor)\n"
    "  -h, --help         this text\n";

struct options {
  const char *output;
  unsigned jobs; /* 0: one a processor */
};

/* Returns -1 to go on, else the exit status. */
static int take_option(struct options *options, char **argv, int code)
{
  char *end;
  unsigned long jobs;
  switch (code) {
  case 'h':
    return command_help(help);
  case 'o':
    options->output = optarg;
    return -1;
  case 'j':
    jobs = strtoul(optarg, &end, 10);
    if (*optarg < '0' || *optarg > '9' || *end || jobs < 1 || jobs > 1024)
      return command_usage(argv[0], "--jobs %s: give a number from 1 to 1024", optarg);
    options->jobs = (unsigned)jobs;
    return -1;
  default:
    return command_bad_option(argv, code);
  }
}

static int take_options(struct options *options, int argc, char **argv)
{
  static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                       {"jobs", required_argument, NULL, 'j'},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  int code, status = -1;
  opterr = 0;
  while (status < 0 && (code = getopt_long(argc, argv, ":o:j:h", list, NULL)) != -1)
    status = take_option(options, argv, code);
  if (status >= 0)
    return status;
  if (!options->output)
    return command_usage(argv[0], "give the file to write with -o");
  if (optind == argc)
    return command_usage(argv[0], "no archive is given: name the trace's directory or its .otf2 file");
  if (argc - optind > BUNDLE_RUNS)
    return command_usage(argv[0], "two archives at most (%s is one too many)", argv[optind + BUNDLE_RUNS]);
  return -1;
}

static bool write_report(const char *path, const struct report_run *runs, size_t count, struct trace_error *error)
{
  struct bundle_run bundles[BUNDLE_RUNS];
  struct output output;
  for (size_t i = 0; i < count; i++)
    bundles[i] = runs[i].bundle;
  if (!output_open(&output, path, error))
    return false;
  bool good = bundle_write_file(output.file, bundles, count, BUNDLE_FILE_LIMIT, error);
  return output_close(&output, good, error);
}

int command_report(int argc, char **argv)
{
  struct options options = {0};
  struct trace_error error = {{0}};
  struct report_run runs[BUNDLE_RUNS] = {{0}};
  int status = take_options(&options, argc, argv);
  if (status >= 0)
    return status;
  trace_quiet_library();
  size_t count = (size_t)(argc - optind);
  struct pool *pool = pool_create(options.jobs);
  char *line = report_command_line(argc, argv);
  bool good = (pool && line) || trace_fail(&error, "out of memory");
  for (size_t i = 0; good && i < count; i++)
    good = report_run_open(&runs[i], argv[optind + (int)i], pool, line, &error);
  good = good && write_report(options.output, runs, count, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  for (size_t i = 0; i < count; i++)
    report_run_close(&runs[i]);
  pool_destroy(pool);
  free(line);
  return good ? EXIT_DONE : EXIT_FAULT;
}
