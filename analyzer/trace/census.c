#include "analyzer/trace/census.h"

#include "analyzer/trace/scan.h"

#include <stdlib.h>

struct job {
  const struct trace *trace;
  struct census *parts; /* a worker */
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

static bool count_location(void *context, unsigned worker, uint32_t location, struct trace_error *error)
{
  const struct job *job = context;
  struct census *census = &job->parts[worker];
  uint64_t events;
  bool good = trace_scan_location(job->trace, location, count_event, census, &events, error);
  census->threads += events > 0;
  census->events += events;
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
  struct job job = {trace, calloc(workers, sizeof *job.parts)};
  bool good = prepare(census, trace->region_count) && job.parts;
  for (unsigned i = 0; good && i < workers; i++)
    good = prepare(&job.parts[i], trace->region_count);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan(trace, pool, count_location, &job, error);
  for (unsigned i = 0; job.parts && i < workers; i++) {
    if (good)
      add(census, &job.parts[i], trace->region_count);
    census_free(&job.parts[i]);
  }
  free(job.parts);
  return good;
}

void census_free(struct census *census)
{
  free(census->enters);
  census->enters = NULL;
}
