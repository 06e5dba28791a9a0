#include "otf2-convert/options.h"

#include "common/raw/archive_names.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: heddle-convert [OPTION]... DIRECTORY\n"
    "       heddle-convert --find-places MODULE... -- PLACE...\n"
    "       heddle-convert --find-functions MODULE... -- NAME|@FILE...\n"
    "       heddle-convert --live PROCESS\n"
    "Converts the raw trace in DIRECTORY/raw to an OTF2 archive, DIRECTORY/traces.otf2, and removes the raw trace.\n"
    "The second form prints the addresses of source lines and functions, for `heddle record --keep`.\n"
    "The third form prints the addresses of functions, for `heddle record --calls`; NAME may have wildcards.\n"
    "The fourth form prints the sums of a running process, whose directory in raw/ is PROCESS, for `heddle live`.\n"
    "\n"
    "  -k, --keep-raw      keep the raw trace\n"
    "      --remove-raw    remove it even if a process of the trace may still be recording\n"
    "  -o, --output DIR    put the archive into DIR, which is created if it is missing\n"
    "  -j, --jobs N        use N threads (default: one a processor)\n"
    "      --force-live    convert although a recorded process is still running\n"
    "      --sysroot DIR   look for the program's files below DIR, a container's root; OLD=NEW: a directory in place "
    "of\n"
    "                      another one. Up to 16 times\n"
    "  -q, --quiet         report errors only\n"
    "  -h, --help          show this text\n"
    "\n"
    "Exit status: 0 converted, or there was nothing to do; 1 the trace cannot be converted; 2 wrong usage.\n";

/* --if-idle: do nothing while a recorded process is running. --ended: how a process ended that could not record it, as
 * PID:signal:NUMBER or PID:status:NUMBER. They are for the recorder and `heddle record`, so help does not have them. */
enum { FORCE_LIVE = 256, IF_IDLE, REMOVE_RAW, ENDED, SYSROOT };

static const struct option options_known[] = {{"keep-raw", no_argument, NULL, 'k'},
                                              {"remove-raw", no_argument, NULL, REMOVE_RAW},
                                              {"output", required_argument, NULL, 'o'},
                                              {"jobs", required_argument, NULL, 'j'},
                                              {"force-live", no_argument, NULL, FORCE_LIVE},
                                              {"if-idle", no_argument, NULL, IF_IDLE},
                                              {"ended", required_argument, NULL, ENDED},
                                              {"sysroot", required_argument, NULL, SYSROOT},
                                              {"quiet", no_argument, NULL, 'q'},
                                              {"help", no_argument, NULL, 'h'},
                                              {NULL, 0, NULL, 0}};

static bool take_jobs(struct options *options, const char *text, struct error *error)
{
  char *end;
  options->jobs = (unsigned)strtoul(text, &end, 10);
  return (*end == 0 && options->jobs >= 1 && options->jobs <= 256) ||
         error_set(error, "--jobs %s: not a number from 1 to 256", text);
}

static bool take_root(struct options *options, const char *root, struct error *error)
{
  size_t count = 0;
  while (count < MODULE_ROOTS_MOST && options->roots[count] != NULL)
    count++;
  if (count == MODULE_ROOTS_MOST)
    return error_set(error, "--sysroot %s: at most %d of them", root, MODULE_ROOTS_MOST);
  options->roots[count] = root;
  return *root != '\0' || error_set(error, "--sysroot: give a directory, or OLD=NEW");
}

/* Reports an option that getopt_long refused with the result `refusal`. */
static bool refuse(int refusal, const char *argument, struct error *error)
{
  if (refusal == ':')
    return error_set(error, "%s: a value is missing; try --help", argument);
  if (optopt > 0 && optopt < 256 && argument[1] != '-')
    return error_set(error, "unknown option -%c; try --help", optopt);
  return error_set(error, "%s: unknown option, or it takes no value; try --help", argument);
}

/* Reads "PID:signal:NUMBER" or "PID:status:NUMBER", with ":NS" perhaps. False: it is none of these. */
static bool parse_exit_status(const char *text, struct exit_status *exit_status)
{
  char *at;
  *exit_status = (struct exit_status){.pid = strtoull(text, &at, 10)};
  exit_status->killed = strncmp(at, ":signal:", 8) == 0;
  if (*text < '1' || *text > '9' || (!exit_status->killed && strncmp(at, ":status:", 8) != 0) || at[8] < '0' ||
      at[8] > '9')
    return false;
  exit_status->number = (unsigned)strtoul(at + 8, &at, 10);
  if (*at == ':' && at[1] >= '0' && at[1] <= '9')
    exit_status->ns = strtoull(at + 1, &at, 10);
  return *at == 0 && exit_status->number <= 255;
}

/* Takes one option that does not end the program. */
static bool take_option(struct options *options, int option, const char *argument, struct error *error)
{
  switch (option) {
  case 'k':
    options->keep_raw = true;
    return true;
  case 'o':
    options->output = optarg;
    return true;
  case 'j':
    return take_jobs(options, optarg, error);
  case REMOVE_RAW:
    options->remove_raw = true;
    return true;
  case FORCE_LIVE:
    options->live = PLAN_LIVE_CONVERT;
    return true;
  case IF_IDLE:
    options->live = PLAN_LIVE_LEAVE;
    return true;
  case ENDED:
    return parse_exit_status(optarg, &options->exit_status) ||
           error_set(error, "--ended %s: not PID:signal:NUMBER[:NS] or PID:status:NUMBER[:NS]", optarg);
  case SYSROOT:
    return take_root(options, optarg, error);
  case 'q':
    options->quiet = true;
    return true;
  default:
    return refuse(option, argument, error);
  }
}

enum options_result options_parse(struct options *options, int count, char **arguments, struct error *error)
{
  int option;
  *options = (struct options){0};
  opterr = 0;
  while ((option = getopt_long(count, arguments, ":ko:j:qh", options_known, NULL)) != -1) {
    if (option == 'h') {
      fputs(usage, stdout);
      return OPTIONS_ANSWERED;
    }
    if (!take_option(options, option, arguments[optind - 1], error))
      return OPTIONS_WRONG;
  }
  if (optind != count - 1) {
    error_set(error, optind == count ? "the trace directory is missing; try --help"
                                     : "there is more than one trace directory");
    return OPTIONS_WRONG;
  }
  options->trace = arguments[optind];
  return OPTIONS_TAKEN;
}

/* What ends programs; NULL: another signal. (glibc has names since 2.32.) */
static const char *signal_name(unsigned number)
{
  static const char *const names[] = {
      [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT",     [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
      [SIGABRT] = "ABRT", [SIGBUS] = "BUS",       [SIGFPE] = "FPE",       [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
      [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",     [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
      [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",     [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGIO] = "POLL",
      [SIGPWR] = "PWR",   [SIGSTKFLT] = "STKFLT", [SIGSYS] = "SYS"};
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}

bool exit_status_note(struct plan *plan, const struct exit_status *exit_status)
{
  struct process *newest = NULL;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    struct process *process = &plan->processes.items[i];
    if (process->info.pid == exit_status->pid && (newest == NULL || process->info.start_ns >= newest->info.start_ns))
      newest = process;
  }
  if (exit_status->pid == 0 || newest == NULL || (newest->info.ended && !exit_status->killed))
    return true;
  const char *name = exit_status->killed ? signal_name(exit_status->number) : NULL;
  char *text;
  int size = !exit_status->killed ? asprintf(&text, "%s %u", VALUE_ENDED_EXIT, exit_status->number)
             : name               ? asprintf(&text, "%s %u (SIG%s)", VALUE_ENDED_SIGNAL, exit_status->number, name)
                                  : asprintf(&text, "%s %u", VALUE_ENDED_SIGNAL, exit_status->number);
  if (size < 0)
    return false;
  free(newest->info.exit_status);
  newest->info.exit_status = text;
  newest->info.exit_ns = exit_status->ns;
  return true;
}
