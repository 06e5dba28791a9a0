#include "analyzer/live/live.h"
#include "analyzer/commands/live_print.h"
#include "analyzer/commands/live_web.h"
#include "analyzer/launch/live_process.h"
#include "analyzer/options/time_words.h"
#include "analyzer/options/values.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND_NS 1000000000u

struct own_options {
  bool once, web;
  uint64_t interval_ns, count, top, port;
};

static int take_interval(const struct option_given *given, void *into)
{
  struct own_options *options = into;
  struct time_word word;
  if (!time_word_read(given->value, &word) || word.unit == TIME_PERCENT || word.digits == 0 ||
      (options->interval_ns = time_word_ticks(&word, SECOND_NS, 0)) < SECOND_NS / 100)
    return command_usage(given->command, "--interval %s: give a time of 10ms or more: 1s, 500ms, ...", given->value);
  return -1;
}

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

/* Sleeps through the interval; a signal that ends the program ends it. */
static void rest(uint64_t ns)
{
  struct timespec left = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
  nanosleep(&left, NULL);
}

/* One reading: what came since the one before, or since the threads began. False: an error. */
static bool show(struct live *live, const struct live_view *view, struct live_reading *before, bool *over,
                 struct error *error)
{
  struct live_reading now, between = {.threads = NULL};
  if (!live_read(live, &now, error))
    return false;
  bool since = before->threads != NULL;
  bool good = !since || live_between(before, &now, &between) || error_set(error, "out of memory");
  if (good && (!since || !now.over || profiled_time(&between.profile) > 0))
    good = live_print(view, live, since ? &between : &now, error);
  if (good && now.over && view->format == PRINT_TEXT)
    live_print_end(live);
  *over = now.over;
  live_reading_free(&between);
  live_reading_free(before);
  *before = now;
  return good;
}

static bool watch(struct live *live, const struct own_options *options, const struct shared_options *shared,
                  struct error *error)
{
  struct live_view view = {.format = shared->format, .top = options->top};
  struct live_reading before = {.threads = NULL};
  bool over = false, good = true;
  uint64_t count = options->once ? 1 : options->count;
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  for (uint64_t i = 0; good && !over && !interrupted && (count == 0 || i < count); i++) {
    if (i > 0)
      rest(options->interval_ns);
    good = interrupted || show(live, &view, &before, &over, error);
    view.shown++;
  }
  live_reading_free(&before);
  return good;
}

/* Options that exclude each other: the status of wrong usage; -1: none do. */
static int check(const struct own_options *own, const struct shared_options *shared)
{
  if (own->port > 0 && !own->web)
    return command_usage("live", "--port needs --web");
  if (own->web && (own->once || own->count > 0 || shared->format != PRINT_TEXT))
    return command_usage("live", "--web excludes --once, --count, --json and --csv");
  return -1;
}

static int run(const struct command *command, int argc, char **argv)
{
  struct own_options own = {.interval_ns = SECOND_NS, .top = 12};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct live_process process;
  struct error error;
  int status = command_take(command, (void *const[OPTION_SETS]){&own, &shared}, argc, argv);
  if (status >= 0 || (status = check(&own, &shared)) >= 0)
    return status;
  if (!live_process_find(argv[optind], &process, &error)) {
    command_failed("live", error.message);
    return EXIT_FAULT;
  }
  struct live *live = live_open(process.directory, &error);
  bool good = live && (own.web ? live_web(live, (uint16_t)own.port, own.interval_ns, &error)
                               : watch(live, &own, &shared, &error));
  live_close(live);
  live_process_free(&process);
  if (good)
    return command_printed();
  command_failed("live", error.message);
  return EXIT_FAULT;
}

static const struct command_option own_options[] = {
    {.name = "once",
     .help = "print one reading, with the sums since each thread began",
     .take = option_flag,
     .at = offsetof(struct own_options, once)},
    {.name = "interval",
     .argument = "TIME",
     .help = "time between two readings: 10ms or more (default: 1s)",
     .take = take_interval},
    {.name = "count",
     .argument = "N",
     .help = "end after N readings (default: when the process ends)",
     .take = option_number,
     .at = offsetof(struct own_options, count),
     .least = 1},
    {.name = "top",
     .argument = "N",
     .help = "the N constructs with the longest self time (default: 12)",
     .take = option_number,
     .at = offsetof(struct own_options, top),
     .least = 1},
    {.name = "web",
     .help = "show the readings in a browser: prints an address of this machine, and serves the page there until an "
             "interrupt (Ctrl-C)",
     .take = option_flag,
     .at = offsetof(struct own_options, web)},
    {.name = "port",
     .argument = "N",
     .help = "with --web: the port to listen on (default: any free port)",
     .take = option_number,
     .at = offsetof(struct own_options, port),
     .least = 1,
     .most = UINT16_MAX},
    {.name = NULL}};

const struct command command_live = {
    .name = "live",
    .group = COMMAND_LOOK,
    .summary = "watches a running program: states of its threads, times of its constructs",
    .synopsis = "[OPTION]... PID",
    .about =
        "Prints each second what the threads of a running program do, and how much time each construct took. The "
        "program "
        "is\nnot stopped, and does not notice. It must have been started with `heddle record --live` or --profile.\n",
    .operand = "the process id of one program",
    .least = 1,
    .most = 1,
    .options = {{.list = own_options}, [OPTIONS_SHARED] = {.list = format_options}},
    .run = run,
};
