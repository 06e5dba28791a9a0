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

bool report_calls_begin(struct report_calls *calls, const struct trace *trace, struct pool *pool, struct error *error)
{
  bool none;
  *calls = (struct report_calls){.samples = samples_open(trace, &none, error)};
  if (!calls->samples)
    return none && find_exact(calls, trace, error);
  return (calls->adder = calls_begin(trace, calls->samples, pool, error)) != NULL &&
         (calls->taker = sample_times_begin(trace, calls->samples, &calls->times, error)) != NULL;
}

unsigned report_calls_subscribers(const struct report_calls *calls, const struct subscriber **subscribers)
{
  if (!calls->samples)
    return 0;
  subscribers[0] = calls_subscriber(calls->adder);
  subscribers[1] = sample_times_subscriber(calls->taker);
  return REPORT_CALLS_SUBSCRIBERS;
}

bool report_calls_end(struct report_calls *calls)
{
  struct calls_adder *adder = calls->adder;
  calls->adder = NULL;
  return !adder || calls_end(adder, &calls->calls);
}

void report_calls_free(struct report_calls *calls)
{
  calls_drop(calls->adder);
  sample_times_end(calls->taker);
  calls_free(&calls->calls);
  sample_times_free(&calls->times);
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
