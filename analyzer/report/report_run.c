#include "analyzer/report/report_run.h"

#include "analyzer/command/analysis.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/values.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/report/events_json.h"
#include "analyzer/report/report_documents.h"
#include "analyzer/report/report_findings.h"
#include "analyzer/report/report_profile.h"
#include "analyzer/report/source_json.h"
#include "analyzer/trace/stream.h"
#include "common/raw/archive_names.h"

#include <getopt.h>
#include <stdlib.h>

char *report_command_line(int argc, char **argv)
{
  char *line = NULL;
  size_t size;
  FILE *file = open_memstream(&line, &size);
  bool good = file != NULL;
  if (file)
    fputs("heddle", file);
  for (int i = 0; good && i < argc; i++) {
    char *word = escape_shell(argv[i]);
    good = word && fprintf(file, " %s", word) > 0;
    free(word);
  }
  if (file && fclose(file) == 0 && good)
    return line;
  free(line);
  return NULL;
}

static bool put_prediction(struct print *print, const void *answer)
{
  return prediction_show(print, PRINT_JSON, answer, UINT32_MAX);
}

/* The output of `heddle predict --json`. */
static bool add_prediction(struct bundle_run *run, const struct prediction_answer *answer)
{
  if (!answer)
    return true;
  char *text = report_json(answer->data->ticks_per_second, put_prediction, answer, NULL);
  return text && bundle_document(run, "prediction", text);
}

/* Not there where the program has no events. */
static bool add_points(struct report_run *run, const struct points_kept *points, struct error *error)
{
  if (points->lists.count == 0)
    return true;
  char *text = points_json(run->trace, points, run->timeline.start);
  return (text && bundle_document(&run->bundle, "points", text)) ||
         error_set(error, "%s: out of memory", run->trace->anchor);
}

/* Not there where nothing was counted. */
static bool add_readings(struct report_run *run, const struct metric_readings *readings, struct error *error)
{
  if (readings->lists.count == 0)
    return true;
  char *text = readings_json(run->trace, readings, run->timeline.start);
  return (text && bundle_document(&run->bundle, "readings", text)) ||
         error_set(error, "%s: out of memory", run->trace->anchor);
}

/* Not there without a specification. */
static bool add_intervals(struct report_run *run, struct report_facts *facts, struct error *error)
{
  if (!facts->specified || !facts->specified->spec)
    return true;
  intervals_kept_sort(&facts->kept);
  char *text = intervals_json(facts->specified->spec, &facts->intervals, &facts->kept, run->timeline.start);
  return (text && bundle_document(&run->bundle, "intervals", text)) ||
         error_set(error, "%s: out of memory", run->trace->anchor);
}

/* Only if it was asked for, because a report is given to others. */
static bool add_source(struct report_run *run, bool wanted, struct error *error)
{
  char *text = wanted ? source_json(run->trace) : NULL;
  return !wanted || (text && bundle_document(&run->bundle, "source", text)) ||
         error_set(error, "%s: out of memory", run->trace->anchor);
}

/* Adds the facts that one needs to make the report again. */
static bool add_log(struct bundle_run *run, const struct trace *trace, const char *command)
{
  const char *recorded = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_VERSION);
  return bundle_log(run, "command", command) && bundle_log(run, "heddle", HEDDLE_VERSION) &&
         bundle_log(run, "archive", trace->anchor) &&
         (!trace->creator || bundle_log(run, "written by", trace->creator)) &&
         (!recorded || bundle_log(run, "recorded by heddle", recorded));
}

/* Reads the timeline, from the first begin of a thread or event in the analyzed part to the last end or event. */
static bool read_timeline(struct report_run *run, const struct report_facts *facts, uint64_t limit, struct pool *pool,
                          struct error *error)
{
  struct timeline_wanted wanted = {facts->census.first, facts->census.last, limit};
  states_sums_lived(facts->all.results.sums, &wanted.first, &wanted.last);
  return report_timeline_read(run->trace, pool, &wanted, &run->timeline, error);
}

/* A profile has no events: its timeline has the threads alone. */
static bool open_profile(struct report_run *run, const struct report_run_wanted *wanted, struct pool *pool,
                         struct progress *progress, struct error *error)
{
  struct trace *trace = run->trace;
  struct timeline_wanted extent = {.first = UINT64_MAX};
  bool specified = wanted->specified && wanted->specified->spec;
  if (trace->restriction.timed)
    return error_set(error, "%s: is a profile and has no times: --from and --to need events", trace->anchor);
  if (wanted->prediction || specified)
    return error_set(error, "%s: is a profile and has no events: %s needs them", trace->anchor,
                     specified ? "--spec" : "--fit");
  struct census census;
  if (!progress_step(progress, "sums") || !analysis_find(&census_analysis, trace, pool, NULL, &census, error))
    return false;
  extent.first = census.first;
  extent.last = census.last;
  analysis_free(&census_analysis, &census);
  return report_profile_add(&run->bundle, trace, pool, !wanted->commands, error) &&
         add_source(run, wanted->source, error) && report_timeline_read(trace, pool, &extent, &run->timeline, error) &&
         (add_log(&run->bundle, trace, wanted->command) || error_set(error, "%s: out of memory", trace->anchor));
}

bool report_run_open(struct report_run *run, const struct report_run_wanted *wanted, struct pool *pool,
                     struct progress *progress, struct error *error)
{
  struct report_facts facts = {.specified = wanted->specified, .commands = wanted->commands};
  *run = (struct report_run){.trace = trace_open(wanted->path, error)};
  if (!run->trace || !restriction_options_apply(wanted->restriction, run->trace, error))
    return false;
  run->bundle.title = run->trace->process_count > 0 ? run->trace->processes[0].name : "";
  run->bundle.timeline = &run->timeline;
  if (profiled_is(run->trace))
    return open_profile(run, wanted, pool, progress, error);
  bool good = report_facts_find(run->trace, pool, &facts, progress, error) &&
              report_documents_add(&run->bundle, &facts, error) && progress_step(progress, "timeline") &&
              read_timeline(run, &facts, wanted->limit, pool, error) &&
              report_calls_add(&run->bundle, &facts.calls, run->trace, run->timeline.start, error) &&
              add_points(run, &facts.points, error) && add_readings(run, &facts.readings, error) &&
              add_intervals(run, &facts, error) && add_source(run, wanted->source, error);
  if (good) { /* the timeline has all arrows, and the critical paths */
    run->timeline.paths = facts.found.paths;
    facts.found.paths = (struct critical_paths){0};
    run->timeline.teamwork = facts.teamwork;
    facts.teamwork = (struct teamwork){0};
    run->timeline.teamwork.arrows.kinds[ARROW_LOCK] = facts.arrows.kinds[ARROW_LOCK];
    facts.arrows.kinds[ARROW_LOCK] = (struct arrow_heap){0};
    arrows_sort(&run->timeline.teamwork.arrows);
  }
  good = good && progress_step(progress, "models") && report_models_add(&run->bundle, &facts, error) &&
         report_findings_add(&run->bundle, &facts, error) && report_notes_add(&run->bundle, &facts, error);
  if (good && !(add_prediction(&run->bundle, wanted->prediction) && add_log(&run->bundle, run->trace, wanted->command)))
    good = error_set(error, "out of memory");
  report_facts_free(&facts);
  return good;
}

void report_run_close(struct report_run *run)
{
  if (run->timeline.trace)
    report_timeline_free(&run->timeline);
  bundle_run_free(&run->bundle);
  trace_close(run->trace);
}

static int report_options_take_parameter(const struct option_given *given, void *into)
{
  struct report_asked *asked = into;
  return prediction_request_add(&asked->prediction, given->command, given->value);
}

const struct command_option report_options[] = {
    {.name = "fit",
     .argument = "FILE",
     .help = "the output of `heddle fit -o` for other runs: the page shows its prediction beside the measured times",
     .take = option_text,
     .at = offsetof(struct report_asked, fit)},
    {.name = "param",
     .argument = "NAME=VALUE",
     .help = "the parameter of the fit, and its value in this run",
     .take = report_options_take_parameter},
    {.name = "extrapolate",
     .help = "also predict outside of the fit's values",
     .take = option_flag,
     .at = offsetof(struct report_asked, prediction.extrapolate)},
    {.name = "source",
     .help = "show the lines of source around each construct, for readers who may see them (default: file and line)",
     .take = option_flag,
     .at = offsetof(struct report_asked, source)},
    {.name = "command",
     .help = "show the whole command lines of the run's processes, which may hold secrets (default: their names)",
     .take = option_flag,
     .at = offsetof(struct report_asked, commands)},
    OPTION_SPEC(struct report_asked, spec, "a specification of events and intervals: the page shows its intervals"),
    {.name = NULL}};

int report_options_take(const struct command *command, void *own, struct report_asked *asked, int argc, char **argv)
{
  *asked = (struct report_asked){0};
  void *const into[OPTION_SETS] = {own, asked, &asked->shared, &asked->restriction};
  int status = command_take(command, into, argc, argv);
  if (status < 0 && !asked->fit != !asked->prediction.count)
    return command_usage(argv[0], "--fit and --param go together, as --fit lu.fit --param size=600");
  return status;
}

/* Sums and events of two runs have nothing that could be compared. */
static bool alike(const struct report_runs *runs, struct error *error)
{
  const struct trace *first = runs->list[0].trace, *last = runs->list[runs->count - 1].trace;
  return profiled_is(first) == profiled_is(last) ||
         error_set(error, "%s: is a profile and has no events, so it cannot be compared with a trace that has them",
                   profiled_is(first) ? first->anchor : last->anchor);
}

bool report_runs_open(struct report_runs *runs, const struct report_asked *asked, int argc, char **argv,
                      struct error *error)
{
  *runs = (struct report_runs){.count = 0};
  otf2_library_quiet();
  struct pool *pool = pool_create((unsigned)asked->shared.jobs);
  char *line = report_command_line(argc, argv);
  struct prediction_answer answer = {0};
  struct specified specified = {0};
  bool good = (pool && line) || error_set(error, "out of memory");
  good = good && specified_read(&asked->spec, &specified, error);
  good = good && (!asked->fit || prediction_answer(&answer, asked->fit, &asked->prediction, error));
  struct progress progress = progress_begin(argv[0], (unsigned)(argc - optind) * REPORT_RUN_STEPS);
  for (int i = optind; good && i < argc; i++) {
    struct report_run *run = &runs->list[runs->count++];
    struct report_run_wanted wanted = {.path = argv[i],
                                       .command = line,
                                       .commands = asked->commands,
                                       .source = asked->source,
                                       .restriction = &asked->restriction,
                                       .limit = argc - optind == 1 ? asked->limit : 0,
                                       .prediction = asked->fit ? &answer : NULL,
                                       .specified = &specified};
    good = report_run_open(run, &wanted, pool, &progress, error) && alike(runs, error);
    runs->bundles[i - optind] = run->bundle;
  }
  progress_end(&progress);
  prediction_answer_free(&answer);
  specified_free(&specified);
  pool_destroy(pool);
  free(line);
  return good;
}

void report_runs_close(struct report_runs *runs)
{
  for (size_t i = 0; i < runs->count; i++)
    report_run_close(&runs->list[i]);
}
