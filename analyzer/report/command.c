#include "analyzer/command/values.h"
#include "analyzer/report/report_run.h"
#include "analyzer/report/report_sequences.h"
#include "analyzer/trace/output.h"

#include <getopt.h>
#include <stdlib.h>

enum { SIZE_MOST = 1000, MEGABYTE = 1000000 };

struct report_own_options {
  const char *output;
  uint64_t size; /* MB; 0: not given */
  struct report_sequences sequences;
};

static bool write_report(const struct report_own_options *own, const struct report_asked *asked,
                         const struct report_runs *runs, struct error *error)
{
  struct output output;
  if (!output_open(&output, own->output, error))
    return false;
  bool good = bundle_write_file(output.file, runs->bundles, runs->count, asked->limit, error);
  return output_close(&output, good, error);
}

/* The page of sequences. Returns the exit status. */
static int write_sequences(const struct report_own_options *own, const struct report_asked *asked, int argc,
                           char **argv)
{
  struct error error = {{0}};
  if (optind < argc)
    return command_usage(argv[0], "%s: a page shows traces, or sequences by --pes, not both", argv[optind]);
  if (asked->fit || own->size > 0 || asked->spec.file || restriction_options_are_given(&asked->restriction))
    return command_usage(
        argv[0], "--fit, --size, --spec and parts of a run are for traces, not for --pes; heddle transform clips "
                 "sequences");
  char *line = report_command_line(argc, argv);
  bool good =
      line ? report_sequences_write(&own->sequences, own->output, line, &error) : error_set(&error, "out of memory");
  free(line);
  if (!good)
    command_error(argv[0], "%s", error.message);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static int run_report(const struct command *command, int argc, char **argv)
{
  struct report_own_options own = {0};
  struct report_asked asked;
  struct report_runs runs;
  struct error error = {{0}};
  int status = report_options_take(command, &own, &asked, argc, argv);
  if (status >= 0)
    return status;
  if (!own.output)
    return command_usage(argv[0], "give the file to write with -o");
  if (own.sequences.count > 0)
    return write_sequences(&own, &asked, argc, argv);
  if (optind == argc)
    return command_usage(argv[0], "give " REPORT_ARCHIVES ", or sequences with --pes");
  asked.limit = own.size > 0 ? own.size * MEGABYTE : BUNDLE_FILE_LIMIT;
  bool good = report_runs_open(&runs, &asked, argc, argv, &error) && write_report(&own, &asked, &runs, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option report_own_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "the file to write",
     .take = option_text,
     .at = offsetof(struct report_own_options, output)},
    {.name = "size",
     .argument = "MB",
     .help = "the largest size of the file, 1 to 1000 (default: 8); the page lacks details that do not fit",
     .take = option_number,
     .at = offsetof(struct report_own_options, size),
     .least = 1,
     .most = SIZE_MOST},
    {.name = "pes",
     .argument = "FILE",
     .help =
         "a sequence of program states (heddle pes); the page has plots, histograms, model and periods of it. Several "
         "are shown side by side",
     .take = report_sequences_take,
     .at = offsetof(struct report_own_options, sequences)},
    {.name = NULL}};

const struct command command_report = {
    .name = "report",
    .group = COMMAND_LOOK,
    .summary = "writes one HTML file that shows a run, compares runs, or shows sequences of states",
    .synopsis = "[OPTION]... -o FILE DIR...\n       heddle report --pes FILE [--pes FILE]... -o FILE",
    .about = "Writes one HTML file that shows the run: what to look at first, the timeline, states, imbalance, locks, "
             "models.\n"
             "It opens from disk and needs no network. With several traces the page compares the runs.\n"
             "DIR is the trace's directory or its .otf2 file.\n"
             "With --pes the page shows sequences of program states instead, side by side.\n",
    .operand = REPORT_ARCHIVES,
    .most = BUNDLE_RUNS,
    .options = {{.list = report_own_options}, REPORT_OPTIONS},
    .run = run_report,
};
