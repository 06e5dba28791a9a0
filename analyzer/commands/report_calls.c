#include "analyzer/commands/report_calls.h"

#include "analyzer/report/calls_json.h"

bool report_calls_begin(struct report_calls *calls, const struct trace *trace, struct pool *pool, struct error *error)
{
  bool none;
  *calls = (struct report_calls){.samples = samples_open(trace, &none, error)};
  if (!calls->samples)
    return none;
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
  *calls = (struct report_calls){0};
}

bool report_calls_add(struct bundle_run *run, const struct report_calls *calls, const struct trace *trace,
                      uint64_t start, struct error *error)
{
  struct calls_page page = {trace, calls->samples, &calls->calls, &calls->times, start};
  if (!calls->samples)
    return true;
  char *text = calls_json(&page, PRUNED_LIMITS);
  return (text && bundle_document(run, "calls", text)) || error_set(error, "%s: out of memory", trace->anchor);
}
