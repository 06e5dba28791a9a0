#include "analyzer/commands/report_options.h"
#include "analyzer/trace/output.h"

static const char help[] =
    "Usage: heddle report [OPTION]... -o FILE DIR [DIR]\n"
    "Writes one HTML file that shows the run: what to look at first, the timeline, states, imbalance,\n"
    "locks, models. It opens from disk and needs no network. With two runs they stand side by side.\n"
    "DIR is a trace's directory or its .otf2 file.\n\n"
    "  -o, --output FILE  the file\n" REPORT_OPTIONS_HELP;

static int take_option(void *own, const char *command, int code)
{
  const char **output = own;
  (void)command;
  (void)code; /* there is but one */
  *output = optarg;
  return -1;
}

static bool write_report(const char *path, const struct report_runs *runs, struct trace_error *error)
{
  struct output output;
  if (!output_open(&output, path, error))
    return false;
  bool good = bundle_write_file(output.file, runs->bundles, runs->count, BUNDLE_FILE_LIMIT, error);
  return output_close(&output, good, error);
}

int command_report(int argc, char **argv)
{
  static const struct option list[] = {REPORT_OPTIONS, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
  static const struct report_options options = {help, ":o:j:h", list, take_option};
  const char *path = NULL;
  unsigned jobs;
  struct report_runs runs;
  struct trace_error error = {{0}};
  int status = report_options_take(&options, &path, &jobs, argc, argv);
  if (status >= 0)
    return status;
  if (!path)
    return command_usage(argv[0], "give the file to write with -o");
  bool good = report_runs_open(&runs, jobs, argc, argv, &error) && write_report(path, &runs, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}
