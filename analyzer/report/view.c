#include "analyzer/command/values.h"
#include "analyzer/report/report_options.h"
#include "analyzer/report/server.h"

#include <stdlib.h>

/* Serves until a signal. */
static bool view_serve(const struct report_runs *runs, uint16_t port, struct error *error)
{
  sigset_t ends;
  int which;
  loopback_block_ends(&ends);
  struct server *server = server_start(runs->bundles, runs->count, port, error);
  if (!server)
    return false;
  printf("%s\n", server_address(server));
  bool good = command_printed() == EXIT_DONE;
  if (good)
    sigwait(&ends, &which);
  server_stop(server);
  return good;
}

static int view_run(const struct command *command, int argc, char **argv)
{
  uint64_t port = 0;
  struct report_asked asked;
  struct report_runs runs;
  struct error error = {{0}};
  int status = report_options_take(command, &port, &asked, argc, argv);
  if (status >= 0)
    return status;
  bool good = report_runs_open(&runs, &asked, argc, argv, &error) && view_serve(&runs, (uint16_t)port, &error);
  if (!good)
    command_failed(argv[0], error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option view_own_options[] = {{.name = "port",
                                                          .letter = 'p',
                                                          .argument = "N",
                                                          .help = "the port to listen on (default: any free port)",
                                                          .take = option_number,
                                                          .least = 1,
                                                          .most = UINT16_MAX},
                                                         {.name = NULL}};

const struct command command_view = {
    .name = "view",
    .group = COMMAND_LOOK,
    .summary = "shows the page of heddle report in a browser, for a trace of any size",
    .synopsis = "[OPTION]... DIR [DIR]",
    .about = "Shows the page of `heddle report` in a browser, with the whole timeline, for a trace of any size. Prints "
             "an address\n"
             "of this machine, and serves the page there until an interrupt (Ctrl-C).\n"
             "DIR is the trace's directory or its .otf2 file. With two traces the page compares the runs.\n",
    REPORT_OPERAND,
    .options = {{.list = view_own_options}, REPORT_OPTIONS},
    .run = view_run,
};
