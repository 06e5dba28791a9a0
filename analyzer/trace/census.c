#include "analyzer/trace/census.h"

#include <stdlib.h>

struct counter {
  struct census census;
  bool failed;
  struct trace_error error;
};

struct job {
  const struct trace *trace;
  struct counter *counters; /* one a worker */
};

static bool count_event(void *context, const struct trace_event *event)
{
  struct census *census = context;
  census->kinds[event->kind]++;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE)
    census->enters[event->index]++;
  if (event->time < census->first)
    census->first = event->time;
  if (event->time > census->last)
    census->last = event->time;
  return true;
}

static bool count_location(void *context, unsigned worker, uint32_t location)
{
  struct job *job = context;
  struct counter *counter = &job->counters[worker];
  struct trace_stream *stream = trace_stream_open(job->trace, location, count_event, &counter->census, &counter->error);
  bool good = stream != NULL;
  uint64_t before = counter->census.events;
  for (uint64_t read = 1; good && read > 0; counter->census.events += read)
    good = trace_stream_read(stream, TRACE_BATCH, &read);
  counter->census.threads += counter->census.events > before;
  counter->failed |= !good;
  trace_stream_close(stream);
  return good;
}

static void add(struct census *sum, const struct census *part, uint32_t region_count)
{
  for (unsigned i = 0; i < TRACE_KINDS; i++)
    sum->kinds[i] += part->kinds[i];
  for (uint32_t i = 0; i < region_count; i++)
    sum->enters[i] += part->enters[i];
  if (part->first < sum->first)
    sum->first = part->first;
  if (part->last > sum->last)
    sum->last = part->last;
  sum->threads += part->threads;
  sum->events += part->events;
}

static bool prepare(struct census *census, uint32_t region_count)
{
  *census = (struct census){.first = UINT64_MAX};
  census->enters = calloc(region_count + 1, sizeof *census->enters);
  return census->enters != NULL;
}

bool census_take(const struct trace *trace, struct pool *pool, struct census *census, struct trace_error *error)
{
  unsigned workers = pool_workers(pool);
  struct job job = {trace, calloc(workers, sizeof *job.counters)};
  bool good = prepare(census, trace->region_count) && job.counters;
  for (unsigned i = 0; good && i < workers; i++)
    good = prepare(&job.counters[i].census, trace->region_count);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && pool_run(pool, trace->location_count, count_location, &job);
  for (unsigned i = 0; job.counters && i < workers; i++) {
    if (good)
      add(census, &job.counters[i].census, trace->region_count);
    else if (job.counters[i].failed)
      *error = job.counters[i].error;
    census_free(&job.counters[i].census);
  }
  free(job.counters);
  return good;
}

void census_free(struct census *census)
{
  free(census->enters);
  census->enters = NULL;
}
