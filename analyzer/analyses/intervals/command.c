#include "analyzer/analyses/intervals/ends.h"
#include "analyzer/analyses/intervals/intervals_inside_show.h"
#include "analyzer/analyses/intervals/intervals_show.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/command/values.h"
#include "analyzer/exchange/import/intervals_archive.h"

#include <stdlib.h>
#include <string.h>

struct intervals_own_options {
  struct spec_asked spec;
  const char *otf2; /* NULL: no archive is written */
  uint64_t work;
  struct inside_slow slow; /* zeros: what is inside is not asked for */
  bool explain, list, histogram;
};

/* slow, N, or P%: the longest tenth, the longest N, or the longest P percent. */
static int take_inside(const struct option_given *given, void *into)
{
  struct intervals_own_options *own = into;
  char *end;
  double percent = strtod(given->value, &end);
  own->slow = (struct inside_slow){0};
  if (strcmp(given->value, "slow") == 0)
    own->slow.part = 0.1;
  else if (end != given->value && strcmp(end, "%") == 0 && percent > 0 && percent < 100)
    own->slow.part = percent / 100;
  else if (!value_number(given->value, 1, UINT64_MAX, &own->slow.longest))
    return command_usage(given->command,
                         "--inside %s: give `slow` (the longest tenth), a number of intervals, or a part such as 5%%",
                         given->value);
  return -1;
}

static int intervals_check(const void *own, const char *command)
{
  const struct intervals_own_options *options = own;
  return options->spec.file ? -1 : command_usage(command, "--spec FILE is missing");
}

/* One line says which assertion does not hold. Messages about bad input never begin so. */
static bool check_assertions(const struct spec *spec, const struct intervals *intervals, struct error *error)
{
  uint32_t broken = intervals_broken(intervals);
  if (broken == 0)
    return true;
  const struct assertion_result *first = intervals->assertions;
  while (first->violated == 0)
    first++;
  const struct spec_assertion *assertion = first->assertion;
  char counted[96] = "", more[64] = "";
  if (assertion->of)
    snprintf(counted, sizeof counted, " in %llu of %llu intervals", (unsigned long long)first->violated,
             (unsigned long long)(first->violated + first->held));
  if (broken > 1)
    snprintf(more, sizeof more, "; %u more assertions failed", broken - 1);
  return error_set(error, "assertion failed: %s:%u:%u: `%.400s` does not hold%s%s", spec->file, assertion->place.line,
                   assertion->place.column, assertion->text, counted, more);
}

static bool asks_inside(const struct intervals_own_options *options)
{
  return options->slow.longest > 0 || options->slow.part > 0;
}

struct inside_found {
  struct inside inside;
  struct samples *samples; /* NULL: there are none */
};

/* Where each interval goes. */
struct sinks {
  struct intervals_list list;
  struct intervals_taken taken;
  struct intervals_archive *archive; /* NULL: none is asked for */
  const struct intervals_own_options *options;
};

static bool put_interval(void *context, const struct spec_interval *interval, const struct match_point *start,
                         const struct match_point *end)
{
  struct sinks *sinks = context;
  return (!sinks->options->list || intervals_list_put(&sinks->list, interval, start, end)) &&
         (!sinks->archive || intervals_archive_put(sinks->archive, interval, start, end)) &&
         (!asks_inside(sinks->options) || intervals_take(&sinks->taken, interval, start, end));
}

static bool find_inside(const struct analysis_run *run, const struct intervals_own_options *options,
                        struct intervals_taken *taken, const struct specified *specified, struct inside_found *found,
                        struct error *error)
{
  bool none;
  found->samples = samples_open(run->trace, &none, error);
  return (found->samples || none) && inside_find(run->trace, run->pool, taken, specified->plan->count, options->slow,
                                                 found->samples, &found->inside, error);
}

static bool open_archive(const struct analysis_run *run, const struct intervals_own_options *options,
                         const struct specified *specified, struct sinks *sinks, struct error *error)
{
  if (!ends_want(specified->spec, run->trace, error))
    return false;
  sinks->archive = intervals_archive_open(run->trace, specified->spec, options->otf2, error);
  return sinks->archive;
}

static bool find_intervals(const struct analysis_run *run, const struct intervals_own_options *options,
                           const struct specified *specified, struct intervals *intervals, struct inside_found *inside,
                           struct error *error)
{
  struct sinks sinks = {.list.run = run, .options = options};
  struct intervals_options wanted = {
      .spec = specified->spec, .plan = specified->plan, .work = options->work, .sink = put_interval, .context = &sinks};
  if (options->otf2 && !open_archive(run, options, specified, &sinks, error))
    return false;
  if (options->list)
    intervals_list_begin(&sinks.list);
  bool good = analysis_find(&intervals_analysis, run->trace, run->pool, &wanted, intervals, error);
  if (!good)
    intervals_taken_why(&sinks.taken, error);
  if (options->list)
    intervals_list_end(&sinks.list);
  if (sinks.archive)
    good = intervals_archive_close(sinks.archive, good, error);
  if (good && asks_inside(options))
    good = find_inside(run, options, &sinks.taken, specified, inside, error);
  vector_free(&sinks.taken.list);
  return good;
}

static bool intervals_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct intervals_own_options *options = own;
  struct intervals intervals = {0};
  struct specified specified;
  struct inside_found inside = {0};
  bool good = specified_read(&options->spec, &specified, error);
  if (good && options->explain) {
    good = intervals_show_plan(run, specified.plan) || error_set(error, "out of memory");
  } else if (good) {
    good = find_intervals(run, options, &specified, &intervals, &inside, error);
    if (good) {
      good = intervals_show(run, &intervals,
                            (struct intervals_shown){.figures = !options->list, .histogram = options->histogram}) ||
             error_set(error, "out of memory");
      if (asks_inside(options))
        intervals_inside_show(run, &intervals, &inside.inside, inside.samples);
      good = check_assertions(specified.spec, &intervals, error);
    }
    analysis_free(&intervals_analysis, &intervals);
  }
  inside_free(&inside.inside);
  if (inside.samples)
    samples_close(inside.samples);
  specified_free(&specified);
  return good;
}

static const struct intervals_own_options usual_options = {.work = SPEC_WORK_DEFAULT};

static const struct command_option intervals_own_options[] = {
    OPTION_SPEC(struct intervals_own_options, spec, "the specification of events and intervals"),
    {.name = "list",
     .help = "every interval, in the order of their ends, in place of the figures",
     .take = option_flag,
     .at = offsetof(struct intervals_own_options, list)},
    {.name = "histogram",
     .help = "also how many intervals are how long",
     .take = option_flag,
     .at = offsetof(struct intervals_own_options, histogram)},
    {.name = "inside",
     .argument = "SLOW",
     .help = "also what lies inside the slow ones of each kind, beside the others: `slow` (the longest tenth), the "
             "longest N, or the longest P%",
     .take = take_inside},
    {.name = "otf2",
     .argument = "OUT",
     .help = "also write the intervals into an OTF2 archive in the directory OUT, for other viewers",
     .take = option_text,
     .at = offsetof(struct intervals_own_options, otf2)},
    {.name = "explain",
     .help = "how each interval is matched; reads no events",
     .take = option_flag,
     .at = offsetof(struct intervals_own_options, explain)},
    {.name = "work",
     .argument = "N",
     .help = "the most pairs of events that an interval may try in vain (default: 1000000000)",
     .take = option_number,
     .at = offsetof(struct intervals_own_options, work),
     .least = 1},
    {.name = NULL}};

const struct command command_intervals = {
    .name = "intervals",
    .group = COMMAND_LOOK,
    .summary = "prints how long it took from one event to another, as a specification says",
    .synopsis = "--spec FILE [OPTION]... DIR",
    .about =
        "Prints the intervals between events of the program, or of Heddle's own, that a specification defines: how\n"
        "many there are, how long they are, and from which threads to which; and tries the assertions in the\n"
        "specification. DIR is the trace's directory or its .otf2 file. docs/intervals.md has the language.\n",
    .notes = "If an assertion does not hold, the exit status is 1 and a line begins with `heddle intervals: assertion "
             "failed:`.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = intervals_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct intervals_own_options), .usual = &usual_options, .check = intervals_check,
         .work = intervals_work),
};
