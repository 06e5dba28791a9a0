#include "analyzer/commands/report_options.h"
#include "analyzer/options/values.h"
#include "analyzer/trace/output.h"

#include <stdlib.h>

enum { SIZE_MOST = 1000, MEGABYTE = 1000000 };

struct own_options {
  const char *output;
  uint64_t size; /* MB */
};

static bool write_report(const struct own_options *own, const struct report_asked *asked,
                         const struct report_runs *runs, struct error *error)
{
  struct output output;
  if (!output_open(&output, own->output, error))
    return false;
  bool good = bundle_write_file(output.file, runs->bundles, runs->count, asked->limit, error);
  return output_close(&output, good, error);
}

static int run(const struct command *command, int argc, char **argv)
{
  struct own_options own = {.size = BUNDLE_FILE_LIMIT / MEGABYTE};
  struct report_asked asked;
  struct report_runs runs;
  struct error error = {{0}};
  int status = report_options_take(command, &own, &asked, argc, argv);
  if (status >= 0)
    return status;
  if (!own.output)
    return command_usage(argv[0], "give the file to write with -o");
  asked.limit = own.size * MEGABYTE;
  bool good = report_runs_open(&runs, &asked, argc, argv, &error) && write_report(&own, &asked, &runs, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "the file to write",
     .take = option_text,
     .at = offsetof(struct own_options, output)},
    {.name = "size",
     .argument = "MB",
     .help = "the largest size of the file, 1 to 1000 (default: 25); the page lacks details that do not fit",
     .take = option_number,
     .at = offsetof(struct own_options, size),
     .least = 1,
     .most = SIZE_MOST},
    {.name = NULL}};

const struct command command_report = {
    .name = "report",
    .group = COMMAND_LOOK,
    .summary = "writes one HTML file that shows a run, or compares two",
    .synopsis = "[OPTION]... -o FILE DIR [DIR]",
    .about = "Writes one HTML file that shows the run: what to look at first, the timeline, states, imbalance, locks, "
             "models.\n"
             "It opens from disk and needs no network. With two traces the page compares the runs.\n"
             "DIR is the trace's directory or its .otf2 file.\n",
    REPORT_OPERAND,
    .options = {{.list = own_options}, REPORT_OPTIONS},
    .run = run,
};
