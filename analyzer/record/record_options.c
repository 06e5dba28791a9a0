#include "analyzer/record/record_options.h"

#include "analyzer/command/command.h"
#include "analyzer/command/values.h"
#include "analyzer/record/counters.h"
#include "common/java/java_options.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int java_options_check(const char *command, const char *text)
{
  struct java_option_word word = {0};
  while (java_options_next(&text, &word)) {
    if (!word.takes)
      return command_usage(command, "--java %.*s: the Java agent has no such option; its options are %s",
                           (int)word.size, word.text, JAVA_OPTION_NAMES);
    if (!word.good)
      return command_usage(command, "--java %.*s: give %s", (int)word.size, word.text, word.takes);
  }
  return -1;
}

bool java_options_have_hold(const char *text)
{
  struct java_option_word word = {0};
  bool hold = false;
  while (java_options_next(&text, &word))
    if (word.option == JAVA_HOLD && word.good)
      hold = word.value_size > 0;
  return hold;
}

/* The bounds of the recorder (common/process/settings.c); a test compares both. */
#define MOST_EVERY   1000000
#define LEAST_SIZE   (64ull << 10)
#define LEAST_WINDOW (16ull << 10)
#define MOST_WINDOW  (16ull << 20)

#define LEAST_SIZE_TEXT "64K bytes to 17179869183G"

/*
 * A setting of the recorder: checked here, so that a mistake shows before the program has run for hours. 0 is allowed
 * beside its bounds: no limit, or the default.
 */
static int set_size(const struct option_given *given, struct record_options *options, const char *variable,
                    const char *bounds)
{
  char *end;
  const struct command_option *option = given->option;
  const char *value = given->value;
  errno = 0;
  unsigned long long number = strtoull(value, &end, 10);
  unsigned shift = *end == 'K' || *end == 'k'   ? 10
                   : *end == 'M' || *end == 'm' ? 20
                   : *end == 'G' || *end == 'g' ? 30
                                                : 0;
  if (shift)
    end++;
  if (*value < '0' || *value > '9' || *end)
    return command_usage("record", "--%s %s: give a number of bytes; it may end in K, M or G", option->name, value);
  bool fits = !errno && number <= UINT64_MAX >> shift;
  uint64_t size = fits ? (uint64_t)number << shift : UINT64_MAX;
  if (!fits || (size != 0 && (size < option->least || size > option->most)))
    return command_usage("record", "--%s %s: give %s, or 0", option->name, value, bounds);
  environment_set(&options->environment, variable, value);
  return -1;
}

static int take_max_size(const struct option_given *given, void *into)
{
  return set_size(given, into, "HEDDLE_MAX_SIZE", LEAST_SIZE_TEXT);
}

static int take_ring(const struct option_given *given, void *into)
{
  return set_size(given, into, "HEDDLE_RING", LEAST_SIZE_TEXT);
}

static int take_window(const struct option_given *given, void *into)
{
  return set_size(given, into, "HEDDLE_WINDOW", "16K to 16M bytes");
}

/* A share, as 5% or 0.5%; one of so many, as 1/64; or none. */
static bool is_budget(const char *value)
{
  char *end;
  if (strcmp(value, VALUE_BUDGET_NONE) == 0)
    return true;
  if (*value < '0' || *value > '9')
    return false;
  if (strncmp(value, "1/", 2) == 0) {
    long every = value[2] >= '0' && value[2] <= '9' ? strtol(value + 2, &end, 10) : 0;
    return every >= 1 && every <= MOST_EVERY && *end == '\0';
  }
  size_t digits = strspn(value, "0123456789.");
  double share = strtod(value, &end);
  return end == value + digits && strcmp(end, "%") == 0 && share >= 0.0001 && share <= 100;
}

/* A lock that was not recorded may be the lock that matters. */
static int take_lock_order(const struct option_given *given, void *into)
{
  (void)given;
  struct record_options *options = into;
  environment_set(&options->environment, "HEDDLE_BUDGET", "none");
  environment_set(&options->environment, "HEDDLE_PTHREAD", "all");
  return -1;
}

static int take_budget(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  if (!is_budget(given->value))
    return command_usage("record", "--budget %s: give a share of each thread's time such as 5%%, or 1/64, or none",
                         given->value);
  environment_set(&options->environment, "HEDDLE_BUDGET", given->value);
  return -1;
}

static int take_no_switches(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  (void)given;
  options->no_switches = true;
  environment_set(&options->environment, "HEDDLE_SWITCHES", "off");
  return -1;
}

static int take_no_command(const struct option_given *given, void *into)
{
  (void)given;
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_COMMAND", "off");
  return -1;
}

static int take_clock(const struct option_given *given, void *into)
{
  if (strcmp(given->value, VALUE_CLOCK_TSC) != 0 && strcmp(given->value, VALUE_CLOCK_MONOTONIC) != 0)
    return command_usage("record", "--clock %s: give %s or %s", given->value, VALUE_CLOCK_TSC, VALUE_CLOCK_MONOTONIC);
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_CLOCK", given->value);
  return -1;
}

static int record_options_take_sample(const struct option_given *given, void *into)
{
  return record_sample_take(given, &((struct record_options *)into)->sample);
}

static int take_wait_stacks(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  bool off = strcmp(given->value, "off") == 0;
  uint64_t ns = off ? 0 : kernel_triggers_time(given->value);
  char text[32] = "off";
  if (!off && ns == 0)
    return command_usage("record", "--wait-stacks %s: give a time from 100us to 1s, such as 10ms, or off",
                         given->value);
  if (!off)
    snprintf(text, sizeof text, "%" PRIu64 "us", ns / 1000);
  environment_set(&options->environment, "HEDDLE_WAIT_STACKS", text);
  return -1;
}

static int take_stack(const struct option_given *given, void *into)
{
  return record_sample_take_stack(given, &((struct record_options *)into)->sample);
}

static int take_calls(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  return record_calls_take(given, &options->calls, &options->environment);
}

static int take_calls_depth(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  return record_calls_take_depth(given, &options->calls, &options->environment);
}

static int take_counters(const struct option_given *given, void *into)
{
  return record_counters_take(given, &((struct record_options *)into)->environment);
}

static int take_keep(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  if (!*given->value)
    return command_usage("record",
                         "--keep needs a source line, a file, a function or the name of a region or critical section");
  if (!record_keep_add(&options->keep, given->value))
    options->environment.failed = true;
  return -1;
}

static int take_output(const struct option_given *given, void *into)
{
  return *given->value ? option_text(given, into) : command_usage("record", "--output needs the name of a directory");
}

static int take_paused(const struct option_given *given, void *into)
{
  (void)given;
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_PAUSED", "1");
  return -1;
}

static int take_live(const struct option_given *given, void *into)
{
  (void)given;
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_LIVE", "1");
  return -1;
}

static int take_profile(const struct option_given *given, void *into)
{
  struct record_options *options = into;
  (void)given;
  options->profile = true;
  environment_set(&options->environment, "HEDDLE_PROFILE", "1");
  return -1;
}

static int take_beside(const struct option_given *given, void *into)
{
  (void)given;
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_PROFILE", "beside");
  return -1;
}

static int take_verbose(const struct option_given *given, void *into)
{
  (void)given;
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_VERBOSE", "1");
  return -1;
}

static int record_options_take_java(const struct option_given *given, void *into)
{
  int status = java_options_check(given->command, given->value);
  if (status >= 0)
    return status;
  environment_set(&((struct record_options *)into)->environment, "HEDDLE_JAVA", given->value);
  return -1;
}

const struct command_option record_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "the trace's directory (default: heddle-PROGRAM-START-PID here)",
     .take = take_output,
     .at = offsetof(struct record_options, directory)},
    {.name = "force",
     .letter = 'f',
     .help = "replace a trace that DIR already holds",
     .take = option_flag,
     .at = offsetof(struct record_options, force)},
    {.name = "max-size",
     .argument = "N",
     .help = "record at most N bytes a process, 64K or more, then stop (0: no limit; HEDDLE_MAX_SIZE)",
     .take = take_max_size,
     .least = LEAST_SIZE,
     .most = UINT64_MAX / 2},
    {.name = "budget",
     .argument = "B",
     .help = "what recording may take of each thread's time (5%; 1/64: one of 64 instances; none: all; HEDDLE_BUDGET)",
     .take = take_budget},
    {.name = "lock-order",
     .help = "record all acquisitions of locks, for `heddle locks --order` (as --budget none)",
     .take = take_lock_order},
    {.name = "keep",
     .argument = "PLACE",
     .help = "record all instances there, whatever the budget: FILE:LINE, FILE, function, region or 'critical (NAME)' "
             "(HEDDLE_KEEP)",
     .take = take_keep},
    {.name = "ring",
     .argument = "N",
     .help = "keep only the newest N bytes of each thread, 64K or more (HEDDLE_RING)",
     .take = take_ring,
     .least = LEAST_SIZE,
     .most = UINT64_MAX / 2},
    {.name = "window",
     .argument = "N",
     .help = "bytes that a thread records between two writes, 16K to 16M (HEDDLE_WINDOW)",
     .take = take_window,
     .least = LEAST_WINDOW,
     .most = MOST_WINDOW},
    {.name = "profile",
     .help = "record sums a construct, no events: small files however long it runs (HEDDLE_PROFILE)",
     .take = take_profile},
    {.name = "profile-beside",
     .help = "keep the sums of --profile beside the events, exact also where events are lost (HEDDLE_PROFILE=beside)",
     .take = take_beside},
    {.name = "paused",
     .help = "record nothing until omp_control_tool(omp_control_tool_start, ...), or `heddle start PID`",
     .take = take_paused},
    {.name = "live",
     .help = "keep sums that can be looked at while the program runs, and write events only between `heddle start PID` "
             "and `heddle stop PID` (HEDDLE_LIVE)",
     .take = take_live},
    {.name = "keep-raw",
     .help = "keep the raw trace beside the archive",
     .take = option_flag,
     .at = offsetof(struct record_options, keep_raw)},
    {.name = "no-convert",
     .help = "keep the raw trace only; `heddle convert DIR` makes the archive later",
     .take = option_flag,
     .at = offsetof(struct record_options, no_convert)},
    {.name = "converter",
     .argument = "FILE",
     .help = "convert with the program FILE (HEDDLE_CONVERTER)",
     .take = option_text,
     .at = offsetof(struct record_options, converter)},
    {.name = "java",
     .argument = "OPTIONS",
     .help = "what to record in a JVM: level=jomp,jvm stack=N ..., see heddle-record(1) (HEDDLE_JAVA)",
     .take = record_options_take_java},
    {.name = "all-jvms",
     .help = "record every JVM that PROGRAM starts, through JAVA_TOOL_OPTIONS (default: only if PROGRAM is java)",
     .take = option_flag,
     .at = offsetof(struct record_options, all_jvms)},
    {.name = "no-preload",
     .help = "do not preload libheddle-gomp.so: programs of gcc and gfortran are not recorded",
     .take = option_flag,
     .at = offsetof(struct record_options, no_preload)},
    {.name = "no-pthread",
     .help = "do not record waits of POSIX and C11 threads: mutexes, conditions, ... (HEDDLE_PTHREAD=0)",
     .take = option_flag,
     .at = offsetof(struct record_options, no_pthread)},
    {.name = "no-switches",
     .help = "do not record when the kernel gave the program's threads a processor (HEDDLE_SWITCHES=off)",
     .take = take_no_switches},
    {.name = "clock",
     .argument = "CLOCK",
     .help = "the clock of events: tsc, the processor's counter, or monotonic, the kernel's clock (default: the better "
             "one; HEDDLE_CLOCK)",
     .take = take_clock},
    {.name = "no-command",
     .help = "keep the program's name alone in the archive, without its arguments (HEDDLE_COMMAND=off)",
     .take = take_no_command},
    {.name = "sample",
     .argument = "[=TRIGGERS]",
     .help = "note the running code, for `heddle calls`: after each 10 ms of processor time, or "
             "cpu:1ms,page-faults:100; timer, timer:5ms: by timers, if the kernel takes no samples",
     .take = record_options_take_sample},
    {.name = "no-samples",
     .help = "take no samples, also not the few that are taken by default of programs that are no JVM",
     .take = option_flag,
     .at = offsetof(struct record_options, sample.none)},
    {.name = "wait-stacks",
     .argument = "TIME",
     .help = "waits that last for TIME at least get their callers, from 100us to 1s (10ms with --sample, else off; "
             "HEDDLE_WAIT_STACKS)",
     .take = take_wait_stacks},
    {.name = "counters",
     .argument = "NAMES",
     .help = "read these counters at borders of constructs, for `heddle states --counters`: instructions,page-faults, "
             "... (`heddle counters` lists them)",
     .take = take_counters},
    {.name = "stack",
     .argument = "KIND",
     .help = "the callers of samples: none, fp (by frame pointers), or dwarf, dwarf:16K (by debug information and a "
             "copy of the stack; the default)",
     .take = take_stack},
    {.name = "calls",
     .argument = "[=trace][,NAME|@FILE]...",
     .help = "count and time each call, or calls of some functions, in code with -finstrument-functions, -pg -mfentry "
             "or -fpatchable-function-entry=5, or in Java methods, as com.acme.*",
     .take = take_calls},
    {.name = "calls-depth",
     .argument = "N",
     .help = "functions that are called deeper than that count as their callers (HEDDLE_CALLS_DEPTH)",
     .take = take_calls_depth},
    {.name = "off",
     .help = "run the program and record nothing (HEDDLE=off)",
     .take = option_flag,
     .at = offsetof(struct record_options, off)},
    {.name = "dry-run",
     .help = "run nothing; print findings about PROGRAM, the environment and the command",
     .take = option_flag,
     .at = offsetof(struct record_options, dry_run)},
    {.name = "verbose",
     .letter = 'v',
     .help = "report what the recorder does (HEDDLE_VERBOSE=1)",
     .take = take_verbose},
    {.name = NULL}};

static bool is_profile(const struct environment *environment)
{
  const char *profile = environment_get(environment, "HEDDLE_PROFILE");
  return profile && strcmp(profile, "1") == 0;
}

const char *record_without_samples(const struct record_options *options, const struct environment *environment)
{
  const char *ring = environment_get(environment, "HEDDLE_RING");
  return options->no_switches                                      ? "--no-switches"
         : is_profile(environment) && !record_is_live(environment) ? "--profile"
         : ring && strcmp(ring, "0") != 0                          ? "--ring"
                                                                   : NULL;
}

bool record_is_live(const struct environment *environment)
{
  const char *live = environment_get(environment, "HEDDLE_LIVE");
  return live && strcmp(live, "0") != 0;
}

int record_options_take(const struct command *command, int argc, char **argv, struct record_options *options)
{
  *options = (struct record_options){.converter = getenv("HEDDLE_CONVERTER")};
  if (options->converter && !*options->converter)
    options->converter = NULL;
  const char *keep = getenv("HEDDLE_KEEP");
  if (keep && !record_keep_add(&options->keep, keep))
    options->environment.failed = true;
  int status = command_take(command, (void *[OPTION_SETS]){options}, argc, argv);
  const char *other = record_without_samples(options, &options->environment);
  if (options->sample.timer_ns > 0 && record_is_live(&options->environment))
    other = "--live"; /* they would be records in windows that are written over */
  if (status < 0 && options->profile && environment_get(&options->environment, "HEDDLE_COUNTERS"))
    return command_usage(command->name, "--counters reads none with --profile: leave one of them out");
  bool agree =
      status >= 0 || (record_sample_check(&options->sample, other) &&
                      record_calls_check(&options->calls, is_profile(&options->environment) ? "--profile" : NULL));
  return agree ? status : EXIT_USAGE;
}
