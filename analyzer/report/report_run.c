#include "analyzer/report/report_run.h"

#include "analyzer/command/analysis.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/report/intervals_json.h"
#include "analyzer/report/points_json.h"
#include "analyzer/report/report_documents.h"
#include "analyzer/report/report_findings.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/report_models.h"
#include "analyzer/report/report_notes.h"
#include "common/raw/archive_names.h"

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

/* How the report was made, so that it can be made again. */
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

bool report_run_open(struct report_run *run, const struct report_run_wanted *wanted, struct pool *pool,
                     struct progress *progress, struct error *error)
{
  struct report_facts facts = {.specified = wanted->specified, .commands = wanted->commands};
  *run = (struct report_run){.trace = trace_open(wanted->path, error)};
  if (!run->trace || !analysis_has_events(run->trace, error) ||
      !restriction_options_apply(wanted->restriction, run->trace, error))
    return false;
  run->bundle.title = run->trace->process_count > 0 ? run->trace->processes[0].name : "";
  run->bundle.timeline = &run->timeline;
  bool good = report_facts_find(run->trace, pool, &facts, progress, error) &&
              report_documents_add(&run->bundle, &facts, error) && progress_step(progress, "timeline") &&
              read_timeline(run, &facts, wanted->limit, pool, error) &&
              report_calls_add(&run->bundle, &facts.calls, run->trace, run->timeline.start, error) &&
              add_points(run, &facts.points, error) && add_intervals(run, &facts, error);
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
