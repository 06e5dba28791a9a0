#include "analyzer/analyses/calls/calls_view.h"

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/command/print/units.h"
#include "analyzer/command/values.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls_take_least(const struct option_given *given, void *into)
{
  double *least = &((struct calls_options *)into)->least;
  char text[32];
  size_t length = strlen(given->value);
  if (length > 0 && length < sizeof text) {
    strcpy(text, given->value);
    if (text[length - 1] == '%')
      text[length - 1] = '\0';
    if (value_real(text, least) && *least <= 100)
      return -1;
  }
  return command_usage(given->command, "--min %s: give a percentage from 0%% to 100%%", given->value);
}

static int calls_take_by(const struct option_given *given, void *into)
{
  struct calls_options *options = into;
  int status = option_word(given, into);
  if (status < 0)
    options->by++; /* words begin with the first kind of group */
  return status;
}

static int calls_take_use(const struct option_given *given, void *into)
{
  struct calls_options *options = into;
  int status = option_word(given, into);
  if (status < 0)
    options->use++; /* words begin with the first choice */
  return status;
}

static int calls_check(const void *own, const char *command)
{
  const struct calls_options *options = own;
  int views = options->tree + options->cycles + (options->callers || options->callees) +
              (options->by != CALLS_BY_NOTHING || options->lines);
  if (views > 1)
    return command_usage(command,
                         "--tree, --cycles, --callers with --callees, and --by with --lines exclude each other");
  if (options->least >= 0 && !options->tree)
    return command_usage(command, "--min needs --tree");
  return -1;
}

/* "364 taken, 2 lost: 2 of threads that were not recorded". Keys are `prefix`taken, ... */
static void put_taken(const struct analysis_run *run, const struct trace *trace, const char *prefix, const char *title)
{
  struct calls_lost lost[CALLS_REASONS];
  char key[64];
  uint64_t sum = calls_lost_find(trace, lost), taken = calls_taken(trace);
  char text[512];
  if (run->format == PRINT_TEXT) {
    int used = snprintf(text, sizeof text, "%" PRIu64 " taken, %" PRIu64 " lost", taken, sum);
    const char *before = ": ";
    for (unsigned i = 0; i < CALLS_REASONS && used < (int)sizeof text; i++) {
      if (lost[i].count == 0)
        continue;
      used +=
          snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIu64 " %s", before, lost[i].count, lost[i].reason);
      before = ", ";
    }
    print_fact(run->print, "samples", title, PRINT_STRING, print_string(text));
    return;
  }
  snprintf(key, sizeof key, "%staken", prefix);
  print_fact(run->print, key, "Taken", PRINT_COUNT, print_number(taken));
  snprintf(key, sizeof key, "%slost", prefix);
  print_fact(run->print, key, "Lost", PRINT_COUNT, print_number(sum));
  for (unsigned i = 0; i < CALLS_REASONS; i++) {
    snprintf(key, sizeof key, "%slost_%s", prefix, lost[i].key);
    print_fact(run->print, key, lost[i].reason, PRINT_COUNT, print_number(lost[i].count));
  }
}

static void put_trigger(const struct calls_view *view)
{
  const struct analysis_run *run = view->run;
  char text[256], period[UNITS_SIZE];
  if (view->trigger == TRACE_NONE)
    return;
  const struct samples_trigger *trigger = &view->samples->triggers[view->trigger];
  if (run->format != PRINT_TEXT) {
    print_fact(run->print, "trigger", "Trigger", PRINT_STRING, print_string(trigger->name));
    print_fact(run->print, "period", "Period", PRINT_COUNT, print_number(trigger->period));
    print_fact(run->print, "timed", "Timed", PRINT_COUNT, print_number(trigger->timed));
    print_fact(run->print, "analyzed", "Analyzed", PRINT_COUNT, print_number(view->figures.all));
    return;
  }
  if (trigger->timed)
    snprintf(text, sizeof text, "%s, each %s of a thread's %s", trigger->name,
             units_duration(trigger->period, 1000000000, period),
             trigger->waits ? "waits that were longer" : "processor time");
  else
    snprintf(text, sizeof text, "%s, each %" PRIu64 " of a thread", trigger->name, trigger->period);
  print_fact(run->print, "trigger", "Trigger", PRINT_STRING, print_string(trigger->period ? text : trigger->name));
  print_fact(run->print, "analyzed", "Samples here", PRINT_COUNT, print_number(view->figures.all));
}

/* If there are several, the samples of each. */
static void put_triggers(const struct calls_view *view)
{
  static const struct print_column columns[] = {{"trigger", "Trigger", PRINT_STRING, false},
                                                {"kind", "Each", PRINT_STRING, false},
                                                {"period", "Period", PRINT_COUNT, false},
                                                {"samples", "Samples", PRINT_COUNT, false}};
  if (view->run->format == PRINT_TEXT && view->samples->trigger_count < 2)
    return;
  print_table(view->run->print, "triggers", NULL, columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < view->samples->trigger_count; i++) {
    const struct samples_trigger *trigger = &view->samples->triggers[i];
    struct print_cell cells[] = {print_string(trigger->name), print_string(trigger->timed ? "ns" : "events"),
                                 print_number(trigger->period), print_number(calls_samples(&view->calls, i))};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

/* How much of the threads' waiting is blamed on functions. */
static void put_waiting(const struct calls_view *view)
{
  const struct calls_blame *blame = &view->blame;
  if (view->run->format == PRINT_TEXT && blame->waiting == 0)
    return;
  print_fact(view->run->print, "waiting", "Waiting", PRINT_DURATION, print_number(blame->waiting));
  print_fact(view->run->print, "blamed", "Blamed on functions", PRINT_SHARE,
             print_share(view->blamed.all, blame->waiting));
}

/* The waiting that is blamed on no function. */
static void put_unblamed(const struct calls_view *view)
{
  static const struct print_column columns[] = {
      {"reason", "Waiting that no function is blamed for", PRINT_STRING, false},
      {"waiting", "Time", PRINT_SHARE, false}};
  const struct calls_blame *blame = &view->blame;
  bool text = view->run->format == PRINT_TEXT;
  wide_total sampleless = blame->waiting - view->blamed.all;
  for (unsigned i = 0; i < UNBLAMED_REASONS; i++)
    sampleless -= blame->unblamed[i];
  if (text && blame->waiting == view->blamed.all)
    return;
  print_table(view->run->print, "not_attributed", NULL, columns, COUNT_OF(columns), false);
  for (unsigned i = 0; i <= UNBLAMED_REASONS; i++) {
    bool last = i == UNBLAMED_REASONS;
    wide_total ticks = last ? sampleless : blame->unblamed[i];
    const char *key = last ? "no_samples" : calls_unblamed_key(i);
    struct print_cell cells[] = {print_string(!text  ? key
                                              : last ? "the construct of the other thread has no samples"
                                                     : calls_unblamed_reason(i)),
                                 print_share(ticks, blame->waiting)};
    if (!text || ticks > 0)
      print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

static void calls_put_kernel(const struct calls_view *view)
{
  if (view->kernel.count > 0)
    print_sentence(view->run->print, "kernel",
                   "Code in the kernel has no samples: [kernel] is an estimate, the threads' time on processors minus "
                   "the time of the samples.");
  else if (!view->kernel.known)
    print_sentence(view->run->print, "kernel_unknown",
                   "Code in the kernel has no samples, and its time is unknown: an estimate needs samples by time, and "
                   "a recording of context switches.");
}

static bool calls_put_exact(const struct calls_view *view, struct error *error)
{
  const struct calls_options *options = view->options;
  if (!calls_check_relatives(view, error))
    return false;
  calls_exact_put_facts(view);
  bool good = options->callers || options->callees ? calls_put_relatives(view)
              : options->tree                      ? calls_put_tree(view)
              : options->cycles                    ? calls_put_cycles(view)
              : options->by == CALLS_BY_NOTHING    ? calls_exact_put_flat(view)
                                                   : calls_exact_put_threads(view);
  if (options->use == CALLS_USE_ANY && calls_has_samples(view->trace))
    print_sentence(view->run->print, "samples", "The run has samples, too: --use samples shows them.");
  return good || error_set(error, "out of memory");
}

static bool put_view(const struct calls_view *view, struct error *error)
{
  const struct calls_options *options = view->options;
  bool good;
  if (!calls_check_relatives(view, error))
    return false;
  put_taken(view->run, view->trace, "", "Samples");
  put_trigger(view);
  bool flat = !options->tree && !options->cycles && !options->callers && !options->callees;
  if (flat && options->by != CALLS_BY_STATE)
    put_waiting(view);
  put_triggers(view);
  if (options->callers || options->callees)
    good = calls_put_relatives(view);
  else if (options->tree)
    good = calls_put_tree(view);
  else if (options->cycles)
    good = calls_put_cycles(view);
  else
    good = options->by == CALLS_BY_NOTHING ? calls_put_flat(view) : calls_put_groups(view);
  if (good && flat && options->by != CALLS_BY_STATE) {
    put_unblamed(view);
    calls_put_kernel(view);
  }
  return good || error_set(error, "out of memory");
}

/* The second run is restricted like the first one. */
static bool compare_calls(const struct calls_view *view, const struct analysis_run *run, struct error *error)
{
  struct calls_view other = {.run = NULL};
  struct trace *trace = trace_open(run->operands[1], error);
  bool good = trace && restriction_options_apply(run->restriction, trace, error) &&
              calls_view_open(&other, run, trace, view->options, error);
  if (good && !other.archive != !view->archive)
    good = error_set(error, "%s: one run has exact calls, the other one samples: choose with --use", trace->anchor);
  if (good && other.unit != view->unit)
    good = error_set(error, "%s: the samples of the two runs have different triggers: choose with --trigger and --unit",
                     trace->anchor);
  if (good) {
    if (!view->archive) {
      put_taken(run, view->trace, "before_", "Samples before");
      put_taken(run, trace, "after_", "Samples after");
    }
    good = calls_put_comparison(view, &other) || error_set(error, "out of memory");
  }
  calls_view_close(&other);
  trace_close(trace);
  return good;
}

static bool calls_work(const struct analysis_run *run, const void *own, struct error *error)
{
  struct calls_view view;
  bool good = calls_view_open(&view, run, run->trace, own, error);
  good = good && (run->operand_count > 1 ? compare_calls(&view, run, error)
                  : view.archive         ? calls_put_exact(&view, error)
                                         : put_view(&view, error));
  calls_view_close(&view);
  return good;
}

/* The archive of a live run is a profile with samples. The samples have their threads and callers, but no states and
 * constructs. */
static bool calls_work_on_profile(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct calls_options *options = own;
  bool exact;
  if (!calls_has_samples(run->trace))
    return analysis_has_events(run->trace, error);
  if (!calls_use_choose(run->trace, (enum calls_use)options->use, &exact, error))
    return false;
  if (exact)
    return analysis_has_events(run->trace, error);
  if (options->by == CALLS_BY_STATE || options->by == CALLS_BY_CONSTRUCT)
    return error_set(error, "%s: has no events: the states and constructs of its samples are not known",
                     run->trace->anchor);
  return calls_work(run, own, error);
}

static const struct calls_options usual_options = {.unit = CALLS_IN_DEFAULT, .least = -1};

static const struct command_option calls_own_options[] = {
    {.name = "by",
     .words = "thread|construct|state",
     .help = "the functions of each thread, construct or state",
     .take = calls_take_by,
     .at = offsetof(struct calls_options, by)},
    {.name = "lines",
     .help = "source lines in place of functions",
     .take = option_flag,
     .at = offsetof(struct calls_options, lines)},
    {.name = "tree",
     .help = "who called whom, as a tree of the whole program",
     .take = option_flag,
     .at = offsetof(struct calls_options, tree)},
    {.name = "min",
     .argument = "PERCENT",
     .help = "with --tree: omits what has a smaller part of the samples (default: 1%; JSON and CSV: 0%)",
     .take = calls_take_least},
    {.name = "callers",
     .argument = "FUNCTION",
     .help = "what called the function, and how much of its time each caller caused",
     .take = option_text,
     .at = offsetof(struct calls_options, callers)},
    {.name = "callees",
     .argument = "FUNCTION",
     .help = "what the function called, and how much of its time was spent there",
     .take = option_text,
     .at = offsetof(struct calls_options, callees)},
    {.name = "cycles",
     .help = "functions that call each other in a circle, or themselves",
     .take = option_flag,
     .at = offsetof(struct calls_options, cycles)},
    {.name = "use",
     .words = CALLS_USE_WORDS,
     .help = "of a run that has both: its exact calls (default) or its samples",
     .take = calls_take_use,
     .at = offsetof(struct calls_options, use)},
    {.name = "trigger",
     .argument = "NAME",
     .help = "the samples of this trigger, as `cpu` (default: the first one of time)",
     .take = option_text,
     .at = offsetof(struct calls_options, trigger)},
    {.name = "unit",
     .words = "samples|time|period",
     .help = "shows numbers of samples, time (default), or samples times the trigger's period: ns or events",
     .take = option_word,
     .at = offsetof(struct calls_options, unit)},
    {.name = "top",
     .argument = "N",
     .help = "the N functions, lines, groups or cycles with most (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct calls_options, top),
     .least = 1},
    {.name = NULL}};

const struct command command_calls = {
    .name = "calls",
    .group = COMMAND_LOOK,
    .summary = "prints which functions the threads ran, from samples or from exact calls",
    .synopsis = "[OPTION]... DIR [DIR]",
    .about =
        "Prints which functions the threads ran, from the samples of a run with `heddle record --sample`, or from\n"
        "the exact calls of a run with `heddle record --calls`.\n"
        "DIR is the trace's directory or its .otf2 file. Two runs are compared.\n",
    .operand = "one archive, or two: a trace's directory or its .otf2 file",
    .least = 1,
    .most = 2,
    .options = {{.list = calls_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct calls_options), .usual = &usual_options, .check = calls_check,
         .work = calls_work, .work_on_profile = calls_work_on_profile),
};
