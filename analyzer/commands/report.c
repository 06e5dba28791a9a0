#include "analyzer/commands/report_options.h"
#include "analyzer/trace/output.h"

#include <stdlib.h>

static const char help[] =
    "Usage: heddle report [OPTION]... -o FILE DIR [DIR]\n"
    "Writes one HTML file that shows the run: what to look at first, the timeline, states, imbalance,\n"
    "locks, models. It opens from disk and needs no network. With two runs they stand side by side.\n"
    "DIR is a trace's directory or its .otf2 file.\n\n"
    "  -o, --output FILE  the file\n"
    "  --size MB          its size at most, 1 to 1000 (default: 25); what does not fit is summarized\n" //
    REPORT_OPTIONS_HELP;

enum { OPTION_SIZE = OPTION_FIRST_OF_REPORT };
enum { SIZE_MOST = 1000, MEGABYTE = 1000000 };

struct own_options {
  const char *output;
  uint64_t limit; /* bytes */
};

static int take_option(void *own, const char *command, int code)
{
  struct own_options *options = own;
  char *end;
  if (code == 'o') {
    options->output = optarg;
    return -1;
  }
  unsigned long size = strtoul(optarg, &end, 10);
  if (*optarg < '0' || *optarg > '9' || *end || size < 1 || size > SIZE_MOST)
    return command_usage(command, "--size %s: give a number from 1 to %d", optarg, SIZE_MOST);
  options->limit = (uint64_t)size * MEGABYTE;
  return -1;
}

static bool write_report(const struct own_options *own, const struct report_runs *runs, struct trace_error *error)
{
  struct output output;
  if (!output_open(&output, own->output, error))
    return false;
  bool good = bundle_write_file(output.file, runs->bundles, runs->count, own->limit, error);
  return output_close(&output, good, error);
}

int command_report(int argc, char **argv)
{
  static const struct option list[] = {REPORT_OPTIONS,
                                       {"output", required_argument, NULL, 'o'},
                                       {"size", required_argument, NULL, OPTION_SIZE},
                                       {NULL, 0, NULL, 0}};
  static const struct report_options options = {help, ":o:j:h", list, take_option};
  struct own_options own = {.limit = BUNDLE_FILE_LIMIT};
  struct report_asked asked;
  struct report_runs runs;
  struct trace_error error = {{0}};
  int status = report_options_take(&options, &own, &asked, argc, argv);
  if (status >= 0)
    return status;
  if (!own.output)
    return command_usage(argv[0], "give the file to write with -o");
  bool good = report_runs_open(&runs, &asked, argc, argv, &error) && write_report(&own, &runs, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}
