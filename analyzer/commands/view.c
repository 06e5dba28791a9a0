#include "analyzer/commands/report_options.h"
#include "analyzer/report/server.h"

#include <signal.h>
#include <stdlib.h>

static const char help[] =
    "Usage: heddle view [OPTION]... DIR [DIR]\n"
    "Shows in a browser what `heddle report` writes, but all of it, however large the trace: reads it once, prints an\n"
    "address of this machine, and serves the page there until it is interrupted (Ctrl-C).\n"
    "DIR is a trace's directory or its .otf2 file. With two runs they stand side by side.\n\n"
    "  -p, --port N       the port to listen to (default: any that is free)\n" REPORT_OPTIONS_HELP;

static int take_option(void *own, const char *command, int code)
{
  uint16_t *port = own;
  char *end;
  (void)code; /* there is but one */
  unsigned long number = strtoul(optarg, &end, 10);
  if (*optarg < '0' || *optarg > '9' || *end || number < 1 || number > 65535)
    return command_usage(command, "--port %s: give a number from 1 to 65535", optarg);
  *port = (uint16_t)number;
  return -1;
}

/* Until somebody wants it to end. The signals are blocked before the server's threads are made, and so in these, too.
 */
static bool serve(const struct report_runs *runs, uint16_t port, struct trace_error *error)
{
  sigset_t ends;
  int which;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
  signal(SIGPIPE, SIG_IGN);
  struct server *server = server_start(runs->bundles, runs->count, port, error);
  if (!server)
    return false;
  printf("%s\n", server_address(server));
  bool good = command_printed() == EXIT_DONE || trace_fail(error, "nobody can see the address");
  if (good)
    sigwait(&ends, &which);
  server_stop(server);
  return good;
}

int command_view(int argc, char **argv)
{
  static const struct option list[] = {REPORT_OPTIONS, {"port", required_argument, NULL, 'p'}, {NULL, 0, NULL, 0}};
  static const struct report_options options = {help, ":p:j:h", list, take_option};
  uint16_t port = 0;
  struct report_asked asked;
  struct report_runs runs;
  struct trace_error error = {{0}};
  int status = report_options_take(&options, &port, &asked, argc, argv);
  if (status >= 0)
    return status;
  bool good = report_runs_open(&runs, &asked, argc, argv, &error) && serve(&runs, port, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}
