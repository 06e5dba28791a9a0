#include "analyzer/command/values.h"
#include "analyzer/live/live_pairs.h"
#include "analyzer/live/live_print.h"
#include "analyzer/live/live_trace.h"
#include "analyzer/live/live_web.h"
#include "analyzer/live/readings/live.h"
#include "analyzer/record/launch/live_process.h"
#include "analyzer/record/launch/live_request.h"
#include "analyzer/record/live_start.h"
#ifndef HEDDLE_NO_SCREEN
#include "analyzer/live/screen/screen.h"
#endif
#include "common/raw/live_control.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIVE_SECOND_NS 1000000000u
#define TOP_FOR_PEOPLE 12u /* constructs that fit on a screen */

struct live_own_options {
  bool once, plain, metrics, by_thread, web;
  const char *focus_text;
  struct profile_focus *focus;            /* NULL: none */
  uint64_t interval_ns, count, top, port; /* count 0: until the end; top 0: the format's */
  bool lists;
  char *sample; /* of `heddle record`; NULL: not given */
  struct live_pairs pairs;
};

static int take_interval(const struct option_given *given, void *into)
{
  struct live_own_options *options = into;
  if (!time_word_ns(given->value, &options->interval_ns) || options->interval_ns < LIVE_SECOND_NS / 100)
    return command_usage(given->command, "--interval %s: give a time of 10ms or more: 1s, 500ms, ...", given->value);
  return -1;
}

static int take_pair(const struct option_given *given, void *into)
{
  struct live_pairs *pairs = &((struct live_own_options *)into)->pairs;
  struct error error;
  if (pairs->count == LIVE_PAIRS)
    return command_usage(given->command, "--pair: at most %u", LIVE_PAIRS);
  if (!live_asked_take(given->value, &pairs->asked[pairs->count], &error))
    return command_usage(given->command, "--pair %s: %s", given->value, error.message);
  pairs->count++;
  return -1;
}

/* `heddle record` checks the triggers. */
static int live_take_sample(const struct option_given *given, void *into)
{
  struct live_own_options *options = into;
  free(options->sample);
  if (asprintf(&options->sample, "--sample%s%s", given->value ? "=" : "", given->value ? given->value : "") < 0)
    options->sample = NULL;
  return options->sample ? -1 : command_usage(given->command, "out of memory");
}

static int take_focus(const struct option_given *given, void *into)
{
  struct live_own_options *options = into;
  struct error error;
  profile_focus_free(options->focus);
  options->focus_text = given->value;
  options->focus = profile_focus_of(given->value, &error);
  return options->focus ? -1 : command_usage(given->command, "--focus %s: %s", given->value, error.message);
}

static volatile sig_atomic_t live_interrupted;

static void live_interrupt(int number)
{
  (void)number;
  live_interrupted = 1;
}

static void interrupts_end(void)
{
  struct sigaction action = {.sa_handler = live_interrupt, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* Sleeps through the interval; a signal that ends the program ends it. */
static void rest(uint64_t ns)
{
  struct timespec left = {.tv_sec = (time_t)(ns / LIVE_SECOND_NS), .tv_nsec = (long)(ns % LIVE_SECOND_NS)};
  nanosleep(&left, NULL);
}

/* One reading: what came since the one before, or since the threads began. False: an error. */
static bool live_show(struct live *live, struct live_view *view, struct live_reading *before, struct error *error)
{
  struct live_reading now, between = {.threads = NULL};
  if (!live_read(live, &now, error))
    return false;
  bool since = before->threads != NULL;
  bool good = !since || live_between(before, &now, &between) || error_set(error, "out of memory");
  /* The last document says that the program has ended. */
  bool is_told = !since || !now.over || view->format == PRINT_JSON || profiled_time(&between.profile) > 0;
  if (good && is_told)
    good = live_print(view, live, since ? &between : &now, error);
  live_reading_free(&between);
  live_reading_free(before);
  *before = now;
  return good;
}

static bool watch(struct live *live, struct live_view *view, uint64_t count, uint64_t interval_ns, struct error *error)
{
  struct live_reading before = {.threads = NULL};
  bool good = true;
  interrupts_end();
  for (uint64_t i = 0; good && !before.over && !live_interrupted && (count == 0 || i < count); i++) {
    if (i > 0)
      rest(interval_ns);
    good = live_interrupted || live_show(live, view, &before, error);
  }
  if (!live_print_end(view, live, good && before.over) && good)
    good = error_set(error, "out of memory");
  live_reading_free(&before);
  return good;
}

/*
 * The same of pairs: they are inserted between the first reading, which is not shown, and the second one. A reading of
 * a process that has ended may have what came before.
 */
static bool watch_pairs(struct live *live, struct live_own_options *own, enum print_format format,
                        struct live_requests *requests, struct error *error)
{
  struct live_reading before, now, between;
  uint64_t count = own->once || own->metrics ? 1 : own->count;
  if (!live_read(live, &before, error))
    return false;
  bool good = live_requests_observe(requests, live_pairs_needs(&own->pairs), error);
  for (uint64_t i = 0; good && !before.over && !live_interrupted && (count == 0 || i < count); i++) {
    rest(own->interval_ns);
    if (!(good = live_requests_offer(requests, live_pairs_needs(&own->pairs), error) && live_read(live, &now, error)))
      break;
    good = live_between(&before, &now, &between) || error_set(error, "out of memory");
    good = good && live_pairs_print(&own->pairs, format, own->metrics, live, &between, before.now, error);
    live_reading_free(&between);
    live_reading_free(&before);
    before = now;
  }
  live_reading_free(&before);
  return (live_pairs_end(&own->pairs) && good) || (good && error_set(error, "out of memory"));
}

/* -1: the options go together. */
static int live_check_options(const struct live_own_options *own, const struct shared_options *shared)
{
  if (own->metrics && shared->format != PRINT_TEXT)
    return command_usage("live", "--openmetrics is a format of its own: without --json and --csv");
  if (own->metrics && own->count > 1)
    return command_usage("live", "--openmetrics prints one reading: without --count");
  if (own->pairs.count > 0 && (own->by_thread || own->top > 0))
    return command_usage("live", "--pair excludes --by and --top");
  if (own->port > 0 && !own->web)
    return command_usage("live", "--port needs --web");
  if (own->web && (own->once || own->plain || own->metrics || own->count > 0 || shared->format != PRINT_TEXT))
    return command_usage("live", "--web excludes --once, --plain, --openmetrics, --count, --json and --csv");
  return -1;
}

#ifndef HEDDLE_NO_SCREEN
/* The last value has no history. */
static bool asks_for_last(const struct live_pairs *pairs)
{
  bool last = false;
  for (size_t i = 0; i < pairs->count; i++)
    last |= pairs->asked[i].metric->unit == LIVE_LAST;
  return last;
}
#endif

/* A screen, unless the user or the terminal wants text. */
static bool wants_screen(const struct live_own_options *own, const struct shared_options *shared)
{
#ifndef HEDDLE_NO_SCREEN
  bool text = own->once || own->plain || own->metrics || own->web || own->by_thread || own->count > 0 || own->top > 0 ||
              asks_for_last(&own->pairs) || shared->format != PRINT_TEXT;
  return !text && screen_possible();
#else
  (void)own;
  (void)shared;
  return false;
#endif
}

#ifndef HEDDLE_NO_SCREEN
/* Requests of the screen to the program. */
struct asks {
  const struct live *live;
  struct live_requests *requests;
};

static bool live_measure(void *asks, uint32_t needs, uint32_t *measured, struct error *error)
{
  struct live_requests *requests = ((struct asks *)asks)->requests;
  bool good = live_requests_observe(requests, needs, error);
  *measured = live_requests_measured(requests);
  return good;
}

static bool live_trace(void *asks, const struct live_focus *what, const struct live_reading *now, struct error *error)
{
  const struct asks *of = asks;
  return what ? live_trace_begin(of->live, of->requests, what, now, error) : live_trace_end(of->requests, error);
}

static bool traces(void *asks)
{
  return live_requests_state(((struct asks *)asks)->requests) & LIVE_TRACES;
}

static bool watch_on_screen(struct live *live, const struct live_own_options *own, struct live_requests *requests,
                            struct error *error)
{
  struct screen_options options = {.interval_ns = own->interval_ns,
                                   .focus = own->focus_text,
                                   .pairs = own->pairs.asked,
                                   .pair_count = own->pairs.count,
                                   .with = &(struct asks){live, requests}};
  if (requests->control && live_requests_can_trace(requests)) {
    options.measure = live_measure;
    options.trace = live_trace;
    options.traces = traces;
  }
  return screen_watch(live, &options, error);
}
#endif

static bool live_look(struct live *live, struct live_own_options *own, const struct shared_options *shared,
                      struct live_requests *requests, struct error *error)
{
  live_focus_on(live, own->focus);
  if (live_pairs_by_member(&own->pairs))
    live_keep_apart(live);
#ifndef HEDDLE_NO_SCREEN
  if (wants_screen(own, shared))
    return watch_on_screen(live, own, requests, error);
#endif
  if (own->web) {
    struct live_web_options options = {.port = (uint16_t)own->port,
                                       .interval_ns = own->interval_ns,
                                       .pairs = own->pairs.asked,
                                       .pair_count = own->pairs.count};
    return live_web(live, requests, &options, error);
  }
  if (own->pairs.count > 0) {
    interrupts_end();
    return watch_pairs(live, own, shared->format, requests, error);
  }
  struct live_view view = {
      .format = shared->format, .metrics = own->metrics, .by_thread = own->by_thread, .focus = own->focus_text};
  view.top = own->top || shared->format != PRINT_TEXT ? own->top : TOP_FOR_PEOPLE;
  return watch(live, &view, own->once || own->metrics ? 1 : own->count, own->interval_ns, error);
}

/*
 * Has the process measure what is watched, if it does not: all, but for pairs. A profile takes no requests, nor does
 * another user's process for root; they measure all that they do.
 */
static bool insert(struct live_requests *requests, const struct live_process *process,
                   const struct live_own_options *own, struct error *error)
{
  bool open = live_requests_open(requests, process, error);
  if (own->pairs.count > 0)
    return open && (live_requests_can_trace(requests) ||
                    error_set(error, "process %ld measures no single pairs: start it with `heddle record --live`",
                              process->pid));
  return !open || !live_requests_can_trace(requests) || (~live_requests_measured(requests) & LIVE_NEED_ALL) == 0 ||
         live_requests_observe(requests, LIVE_NEED_ALL, error);
}

/* Watches the process. False: an error, after a message. */
static bool watch_live(const struct live_process *process, struct live_own_options *own,
                       const struct shared_options *shared)
{
  struct error error;
  struct live_requests requests = {.fd = -1, .slot = -1};
  struct live *live = live_open(process->directory, &error);
  bool good = live && insert(&requests, process, own, &error) && live_look(live, own, shared, &requests, &error);
  live_requests_close(&requests);
  live_close(live);
  if (!good)
    command_failed("live", error.message);
  return good && command_printed() == EXIT_DONE;
}

static int watch_process(const char *pid, struct live_own_options *own, const struct shared_options *shared)
{
  struct live_process process;
  struct error error;
  if (!live_process_find(pid, &process, &error)) {
    command_failed("live", error.message);
    return EXIT_FAULT;
  }
  bool good = watch_live(&process, own, shared);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

/* Starts the program, and watches it until it ends. On a screen there is no room for what it writes: that is printed
 * afterwards. The exit status is the program's. */
static int watch_program(char **arguments, struct live_own_options *own, const struct shared_options *shared)
{
  struct live_started started;
  struct error error;
  struct live_started_as as = {
      .hides = wants_screen(own, shared), .dormant = own->pairs.count > 0, .sample = own->sample};
  bool good = live_start_program(arguments, as, &started, &error);
  if (!good)
    command_failed("live", error.message);
  struct live_process process = {.pid = live_started_pid(&started), .directory = started.directory};
  good = good && watch_live(&process, own, shared);
  int status = live_started_end(&started);
  return good || status != EXIT_DONE ? status : EXIT_FAULT;
}

static bool live_is_number(const char *text)
{
  return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int live_run(const struct command *command, int argc, char **argv)
{
  struct live_own_options own = {.interval_ns = LIVE_SECOND_NS};
  struct shared_options shared = {.format = PRINT_TEXT};
  int status = command_take(command, (void *const[OPTION_SETS]){&own, &shared}, argc, argv);
  if (status < 0)
    status = live_check_options(&own, &shared);
  if (status >= 0)
    return status;
  if (own.lists) {
    live_pairs_free(&own.pairs);
    return live_pairs_list(shared.format);
  }
  if (optind == argc)
    return command_usage(command->name, "a process id or a program is missing");
  bool is_process = optind == argc - 1 && live_is_number(argv[optind]);
  if (is_process && own.sample)
    return command_usage(command->name, "--sample is for a program that heddle live starts: a process takes samples "
                                        "if it was started with `heddle record --live --sample`");
  status = is_process ? watch_process(argv[optind], &own, &shared) : watch_program(argv + optind, &own, &shared);
  profile_focus_free(own.focus);
  live_pairs_free(&own.pairs);
  free(own.sample);
  return status;
}

static const struct command_option live_own_options[] = {
    {.name = "once",
     .help = "print one reading, with the sums since each thread began",
     .take = option_flag,
     .at = offsetof(struct live_own_options, once)},
    {.name = "plain",
     .help = "print one reading after the other, also on a terminal",
     .take = option_flag,
     .at = offsetof(struct live_own_options, plain)},
    {.name = "interval",
     .argument = "TIME",
     .help = "time between two readings: 10ms or more (default: 1s)",
     .take = take_interval},
    {.name = "count",
     .argument = "N",
     .help = "end after N readings (default: when the process ends)",
     .take = option_number,
     .at = offsetof(struct live_own_options, count),
     .least = 1},
    {.name = "top",
     .argument = "N",
     .help = "the N constructs with the longest self time (default: 12, with --json and --csv all)",
     .take = option_number,
     .at = offsetof(struct live_own_options, top),
     .least = 1},
    {.name = "by",
     .words = "construct|thread",
     .help = "a line a construct (default), or a line a construct and thread",
     .take = option_second,
     .at = offsetof(struct live_own_options, by_thread)},
    {.name = "pair",
     .argument = "METRIC[@FOCUS]",
     .help = "measure this while the command runs, and print it alone; may be repeated (--list-pairs has the metrics)",
     .take = take_pair},
    {.name = "sample",
     .argument = "[=TRIGGERS]",
     .help = "with PROGRAM: take samples of the code that runs, as `heddle record --sample`",
     .take = live_take_sample},
    {.name = "list-pairs",
     .help = "print the metrics of --pair",
     .take = option_flag,
     .at = offsetof(struct live_own_options, lists)},
    {.name = "focus",
     .argument = "PAIRS",
     .help = "only what matches each pair key=pattern, as thread=worker*,construct=a.c:12,lock=forks*; keys: thread, "
             "start, member, construct, function, lock, event, value, state",
     .take = take_focus},
    {.name = "openmetrics",
     .help = "print one reading in the text format of OpenMetrics, with the sums since each thread began",
     .take = option_flag,
     .at = offsetof(struct live_own_options, metrics)},
    {.name = "web",
     .help = "show the readings in a browser: prints an address of this machine, and serves the page there until an "
             "interrupt (Ctrl-C)",
     .take = option_flag,
     .at = offsetof(struct live_own_options, web)},
    {.name = "port",
     .argument = "N",
     .help = "with --web: the port to listen on (default: any free port)",
     .take = option_number,
     .at = offsetof(struct live_own_options, port),
     .least = 1,
     .most = UINT16_MAX},
    {.name = NULL}};

const struct command command_live = {
    .name = "live",
    .group = COMMAND_LOOK,
    .summary = "watches a running program: states of its threads, times of its constructs",
    .synopsis = "[OPTION]... PID|PROGRAM [ARGUMENT]...",
    .about =
        "Shows each second what the threads of a running program do, and how much time each construct took. The "
        "program is\nnot stopped, and does not notice. PID is a process that was started with `heddle record --live` "
        "or --profile;\nwith PROGRAM, heddle live starts it so itself. On a terminal there is a screen with keys (? "
        "lists them).\n--json prints an object a line, --csv one table.\n",
    .operand = "the process id of a program, or a program",
    .stops_at_operand = 1,
    .options = {{.list = live_own_options}, [OPTIONS_SHARED] = {.list = format_options}},
    .run = live_run,
};
