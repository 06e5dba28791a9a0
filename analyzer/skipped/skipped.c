#include "analyzer/skipped/skipped.h"

#include "analyzer/trace/scan.h"
#include "common/archive_names.h"

#include <stdlib.h>
#include <string.h>

struct job {
  const struct trace *trace;
  struct skipped_construct **parts; /* a worker: one a region */
};

struct reader {
  const struct trace *trace;
  struct skipped_construct *constructs;
};

static bool take_event(void *context, const struct trace_event *event)
{
  const struct reader *reader = context;
  const struct trace *trace = reader->trace;
  if (event->kind != TRACE_Enter || !event->attributes)
    return true;
  uint32_t construct = trace_attribute_region(trace, event, trace->skipped_construct);
  if (construct == TRACE_NONE)
    return true;
  struct skipped_construct *sum = &reader->constructs[construct];
  sum->instances += trace_attribute(event, trace->instances, 0);
  sum->joined += trace_attribute(event, trace->joined, 0);
  sum->time += trace_attribute(event, trace->time, 0);
  sum->chunks += trace_attribute(event, trace->chunks, 0);
  return true;
}

static bool take_location(void *context, unsigned worker, uint32_t location, struct trace_error *error)
{
  const struct job *job = context;
  struct reader reader = {job->trace, job->parts[worker]};
  uint64_t events;
  return trace_scan_location(job->trace, location, take_event, &reader, &events, error);
}

static void add(struct skipped_construct *sum, const struct skipped_construct *part, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    sum[i].instances += part[i].instances;
    sum[i].joined += part[i].joined;
    sum[i].time += part[i].time;
    sum[i].chunks += part[i].chunks;
  }
}

bool skipped_take(const struct trace *trace, struct pool *pool, struct skipped *skipped, struct trace_error *error)
{
  const char *number = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_INSTANCES_SKIPPED);
  *skipped = (struct skipped){NULL};
  if (!number || strtoull(number, NULL, 10) == 0)
    return true;
  unsigned workers = pool_workers(pool);
  struct job job = {trace, calloc(workers, sizeof *job.parts)};
  skipped->constructs = calloc(trace->region_count + 1, sizeof *skipped->constructs);
  bool good = job.parts && skipped->constructs;
  for (unsigned i = 0; good && i < workers; i++)
    good = (job.parts[i] = calloc(trace->region_count + 1, sizeof **job.parts)) != NULL;
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan(trace, pool, take_location, &job, error);
  for (unsigned i = 0; job.parts && i < workers; i++) {
    if (good)
      add(skipped->constructs, job.parts[i], trace->region_count);
    free(job.parts[i]);
  }
  free(job.parts);
  return good;
}

void skipped_free(struct skipped *skipped)
{
  free(skipped->constructs);
  skipped->constructs = NULL;
}
