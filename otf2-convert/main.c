/* heddle-convert: a raw trace becomes an OTF2 archive. */
#include "common/statuses.h"
#include "otf2-convert/convert.h"
#include "otf2-convert/describe.h"
#include "otf2-convert/end_seen.h"
#include "otf2-convert/say.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SLICE_BYTES (8u << 20)
#define MOST_WAIT   5 /* seconds that the end of a program may take longer because of another converter */

struct options {
  const char *trace;
  const char *output; /* NULL: the trace directory */
  unsigned jobs;      /* 0: as many as there are processors */
  bool keep_raw;
  bool remove_raw;
  enum plan_live live;
  struct end_seen end;
};

static const char usage[] =
    "Usage: heddle-convert [OPTION]... DIRECTORY\n"
    "Converts the raw trace in DIRECTORY/raw to an OTF2 archive, DIRECTORY/traces.otf2, and removes the raw trace.\n"
    "\n"
    "  -k, --keep-raw      keep the raw trace\n"
    "      --remove-raw    remove it even if a process of the trace may still be recording\n"
    "  -o, --output DIR    put the archive into DIR, which is created if it is missing\n"
    "  -j, --jobs N        use N threads (default: one a processor)\n"
    "      --force-live    convert although a recorded process is still running\n"
    "      --if-idle       do nothing while a recorded process is still running\n"
    "      --ended END     how a process ended that could not record it: PID:signal:NUMBER or PID:status:NUMBER\n"
    "  -q, --quiet         report errors only\n"
    "  -h, --help          show this text\n"
    "  -V, --version       show the version\n"
    "\n"
    "Exit status: 0 converted, or there was nothing to do; 1 the trace cannot be converted; 2 wrong usage.\n";

/* -1: go on; else exit with it. */
static int parse(int count, char **arguments, struct options *options)
{
  opterr = 0;
  enum { FORCE_LIVE = 256, IF_IDLE, REMOVE_RAW, ENDED };
  static const struct option known[] = {{"keep-raw", no_argument, NULL, 'k'},
                                        {"remove-raw", no_argument, NULL, REMOVE_RAW},
                                        {"output", required_argument, NULL, 'o'},
                                        {"jobs", required_argument, NULL, 'j'},
                                        {"force-live", no_argument, NULL, FORCE_LIVE},
                                        {"if-idle", no_argument, NULL, IF_IDLE},
                                        {"ended", required_argument, NULL, ENDED},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, 'V'},
                                        {NULL, 0, NULL, 0}};
  int option;
  char *end;
  while ((option = getopt_long(count, arguments, ":ko:j:qhV", known, NULL)) != -1)
    switch (option) {
    case 'k':
      options->keep_raw = true;
      break;
    case 'o':
      options->output = optarg;
      break;
    case 'j':
      options->jobs = (unsigned)strtoul(optarg, &end, 10);
      if (*end != 0 || options->jobs < 1 || options->jobs > 256) {
        say_error("--jobs %s: not a number from 1 to 256", optarg);
        return EXIT_USAGE;
      }
      break;
    case REMOVE_RAW:
      options->remove_raw = true;
      break;
    case FORCE_LIVE:
      options->live = PLAN_LIVE_CONVERT;
      break;
    case IF_IDLE:
      options->live = PLAN_LIVE_LEAVE;
      break;
    case ENDED:
      if (!end_seen_parse(optarg, &options->end)) {
        say_error("--ended %s: give PID:signal:NUMBER or PID:status:NUMBER", optarg);
        return EXIT_USAGE;
      }
      break;
    case 'q':
      say_quiet(true);
      break;
    case 'h':
      fputs(usage, stdout);
      return EXIT_DONE;
    case 'V':
      puts("heddle-convert " HEDDLE_VERSION);
      return EXIT_DONE;
    case ':':
      say_error("%s needs a value; try --help", arguments[optind - 1]);
      return EXIT_USAGE;
    default:
      if (optopt > 0 && optopt < 256 && arguments[optind - 1][1] != '-')
        say_error("unknown option -%c; try --help", optopt);
      else
        say_error("%s: no such option, or it takes no value; try --help", arguments[optind - 1]);
      return EXIT_USAGE;
    }
  if (optind != count - 1) {
    say_error(optind == count ? "no trace directory given; try --help" : "more than one trace directory given");
    return EXIT_USAGE;
  }
  options->trace = arguments[optind];
  return -1;
}

/* A file a thread stays open while events are written. */
static void raise_file_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double started, shown;

static void show_progress(uint64_t bytes, uint64_t total)
{
  double now = seconds();
  if (now - started < 1 || now - shown < 0.2 || total == 0)
    return;
  shown = now;
  fprintf(stderr, "\rheddle-convert: %3.0f %% of %.1f MiB",
          100.0 * (double)(bytes < total ? bytes : total) / (double)total, (double)total / 1048576.0);
}

static void clear_progress(void)
{
  if (shown != 0)
    fprintf(stderr, "\r%*s\r", 60, "");
}

static struct archive archive;

/* An interrupted conversion ends as if a write had failed: nothing of it stays. */
static void stop_on_signal(int number)
{
  (void)number;
  int none = 0;
  atomic_compare_exchange_strong(&archive.failure, &none, EINTR);
}

static void handle_signals(void)
{
  struct sigaction action = {.sa_handler = stop_on_signal, .sa_flags = SA_RESTART | SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a write that is too long fails, and is told */
}

static const char *reason(int error)
{
  switch (error) {
  case EINTR:
    return "interrupted";
  case ENOMEM:
    return "out of memory";
  case EMFILE:
    return "too many open files: raise the limit (ulimit -n) above the number of threads";
  default:
    return strerror(error);
  }
}

/* Writes the archive and says what is wrong with it; true when all went well. */
static bool write_archive(struct plan *plan, const struct options *options, int trace_fd, int output_fd)
{
  struct converted converted = {0};
  struct definitions definitions;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct convert_settings settings = {.jobs = options->jobs != 0 ? options->jobs
                                              : processors > 0   ? (unsigned)processors
                                                                 : 1,
                                      .slice_bytes = SLICE_BYTES,
                                      .progress = isatty(2) && !say_is_quiet() ? show_progress : NULL};
  const char *output = options->output != NULL ? options->output : options->trace;
  started = seconds();
  definitions_begin(&definitions, plan);
  int error = archive_open(&archive, output, output_fd, plan->location_count);
  if (error == 0) {
    handle_signals();
    error = convert_events(&converted, plan, &archive, &definitions, &settings);
    if (error == 0)
      error = describe_archive(plan, &converted, &definitions, &archive, trace_fd);
    if (error == 0)
      error = archive_finish(&archive);
  }
  clear_progress();
  if (error != 0) {
    if (archive.name != NULL)
      archive_abandon(&archive);
    say_error("%s: the archive could not be written: %s; the raw trace is kept", output, reason(error));
  }
  converted_free(&converted);
  definitions_free(&definitions);
  return error == 0;
}

/* Removes the raw trace, if nobody writes to any part of it, or says why it stays. */
static void remove_raw(const struct plan *plan, const struct options *options, int trace_fd)
{
  const struct process *unknown = NULL;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    const struct process *process = &plan->processes.items[i];
    if (process->life == LIFE_GOES_ON) {
      say_note("%s: process %llu is still recording: the raw trace is kept; convert again after the process has ended",
               options->trace, (unsigned long long)process->info.pid);
      return;
    }
    if (process->life == LIFE_UNKNOWN)
      unknown = process;
  }
  if (unknown != NULL && !options->remove_raw)
    say_note("%s: cannot determine whether process %llu of %s is still recording: the raw trace is kept. Remove it "
             "with --remove-raw after the process has ended",
             options->trace, (unsigned long long)unknown->info.pid,
             unknown->info.host != NULL ? unknown->info.host : "another machine");
  else if (plan_has_newcomer(plan))
    say_note(
        "%s: another process has begun to record: the raw trace is kept; convert again after the process has ended",
        options->trace);
  else
    plan_remove_raw(plan, trace_fd, ARCHIVE_PREFIX "raw");
}

/*
 * Two converters at once would be in each other's way: the second waits, and then finds nothing left to do. One that a
 * program started at its end waits a little only: the program waits for it. False: said why.
 */
static bool lock_trace(const struct options *options, int trace_fd)
{
  const double give_up = seconds() + MOST_WAIT;
  bool patient = options->live != PLAN_LIVE_LEAVE;
  while (flock(trace_fd, patient ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK && seconds() < give_up) {
      nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    } else if (errno == EWOULDBLOCK) {
      say_error("%s: another converter is working on this trace; convert the rest later with: heddle convert",
                options->trace);
      return false;
    } else if (errno != EINTR) {
      say_error("%s: cannot be locked: %s", options->trace, strerror(errno));
      return false;
    }
  }
  return true;
}

static int run(const struct options *options, int trace_fd, int output_fd)
{
  struct plan plan;
  int status = EXIT_FAULT;
  if (!lock_trace(options, trace_fd))
    return status;
  archive_remove_leftovers(trace_fd);
  enum plan_result result = plan_open(&plan, trace_fd, options->trace, options->live);
  if (result == PLAN_LEFT) {
    status = EXIT_DONE;
  } else if (result == PLAN_NO_RAW) {
    status = archive_exists(output_fd) ? EXIT_DONE : EXIT_FAULT;
    if (status != EXIT_DONE)
      say_error("%s: it contains no raw trace (no directory raw/ with process directories)", options->trace);
    else
      say_note("%s: the trace is already converted", options->output != NULL ? options->output : options->trace);
  } else if (result == PLAN_READY) {
    bool noted = end_seen_note(&plan, &options->end);
    if (!noted)
      say_error("out of memory");
    status = noted && write_archive(&plan, options, trace_fd, output_fd) ? EXIT_DONE : EXIT_FAULT;
    if (status == EXIT_DONE && !options->keep_raw)
      remove_raw(&plan, options, trace_fd);
  }
  plan_close(&plan);
  return status;
}

static int open_directory(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    say_error("%s: cannot be opened: %s", path, strerror(errno));
  return fd;
}

int main(int count, char **arguments)
{
  struct options options = {0};
  int result = parse(count, arguments, &options);
  if (result >= 0)
    return result;
  unsetenv("DEBUGINFOD_URLS"); /* nothing is looked up on the network */
  raise_file_limit();
  int trace_fd = open_directory(options.trace);
  if (trace_fd < 0)
    return EXIT_FAULT;
  if (options.output != NULL)
    mkdir(options.output, 0777); /* where that fails, opening it does, too */
  int output_fd = options.output != NULL ? open_directory(options.output) : trace_fd;
  return output_fd < 0 ? EXIT_FAULT : run(&options, trace_fd, output_fd);
}
