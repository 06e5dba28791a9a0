#include "analyzer/report/report_calls.h"

#include "analyzer/report/calls_json.h"

/* Exact calls need no pass. False: an error. */
static bool find_exact(struct report_calls *calls, const struct trace *trace, struct error *error)
{
  bool none;
  struct calls_exact exact = {.cells = NULL};
  if (trace->restriction.timed) /* they are sums of the whole run */
    return true;
  calls->archive = exact_calls_open(trace, &none, error);
  if (!calls->archive)
    return none;
  calls->paths = *calls->archive->paths;
  calls->paths.triggers = (struct samples_trigger *)calls_exact_triggers;
  calls->paths.trigger_count = EXACT_TRIGGERS;
  bool good =
      calls_exact_find(trace, calls->archive, &exact, error) &&
      (calls_exact_as_sums(trace, &exact, &calls->calls) || error_set(error, "%s: out of memory", trace->anchor));
  calls_exact_free(&exact);
  return good;
}

bool report_calls_open(struct report_calls *calls, const struct trace *trace, struct error *error)
{
  bool none;
  *calls = (struct report_calls){.samples = samples_open(trace, &none, error)};
  return calls->samples || (none && find_exact(calls, trace, error));
}

unsigned report_calls_tasks(struct report_calls *calls, struct analysis_task *tasks)
{
  if (!calls->samples)
    return 0;
  tasks[0] = (struct analysis_task){&calls_analysis, calls->samples, &calls->calls};
  tasks[1] = (struct analysis_task){&sample_times_analysis, calls->samples, &calls->times};
  return REPORT_CALLS_TASKS;
}

void report_calls_close(struct report_calls *calls)
{
  analysis_free(&calls_analysis, &calls->calls);
  analysis_free(&sample_times_analysis, &calls->times);
  samples_close(calls->samples);
  exact_calls_close(calls->archive);
  *calls = (struct report_calls){0};
}

bool report_calls_add(struct bundle_run *run, const struct report_calls *calls, const struct trace *trace,
                      uint64_t start, struct error *error)
{
  struct calls_page page = {
      trace, calls->archive ? &calls->paths : calls->samples, &calls->calls, &calls->times, start, calls->archive};
  if (!page.samples)
    return true;
  char *text = calls_json(&page, PRUNED_LIMITS);
  return (text && bundle_document(run, "calls", text)) || error_set(error, "%s: out of memory", trace->anchor);
}
