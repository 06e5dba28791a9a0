#include "analyzer/report/timeline.h"

#include "analyzer/trace/scan.h"

#include <stdlib.h>

#define TICKS_LIMIT (UINT64_C(1) << 53)

struct job {
  struct location_job location;
  struct timeline *timeline;
  unsigned workers;
  struct location_worker **worker;
  struct bins **bins; /* a worker */
};

static bool read_location(void *context, unsigned worker, uint32_t location, struct trace_error *error)
{
  struct job *job = context;
  return location_worker_read(job->worker[worker], location, &job->timeline->locations[location], error);
}

static bool prepare(struct job *job, const struct trace *trace)
{
  struct timeline *timeline = job->timeline;
  timeline->codes = codes_create(trace->region_count);
  timeline->bins = calloc(1, sizeof *timeline->bins);
  timeline->locations = calloc(trace->location_count + 1, sizeof *timeline->locations);
  job->worker = calloc(job->workers, sizeof *job->worker);
  job->bins = calloc(job->workers, sizeof *job->bins);
  uint8_t *rules = machine_rules(trace);
  job->location = (struct location_job){.trace = trace,
                                        .rules = rules,
                                        .detail = &timeline->detail,
                                        .codes = timeline->codes,
                                        .spool = timeline->spool,
                                        .start = timeline->start};
  if (!timeline->codes || !timeline->bins || !timeline->locations || !job->worker || !job->bins || !rules)
    return false;
  timeline->bins->duration = timeline->duration;
  for (unsigned i = 0; i < job->workers; i++) {
    job->bins[i] = calloc(1, sizeof *job->bins[i]);
    if (!job->bins[i])
      return false;
    job->bins[i]->duration = timeline->duration;
    job->worker[i] = location_worker_create(&job->location, job->bins[i]);
    if (!job->worker[i])
      return false;
  }
  return true;
}

bool timeline_read(const struct trace *trace, struct pool *pool, uint64_t first, uint64_t last,
                   struct timeline *timeline, struct trace_error *error)
{
  *timeline = (struct timeline){.trace = trace};
  if (first <= last) {
    timeline->start = first;
    timeline->duration = last - first;
  }
  if (timeline->duration >= TICKS_LIMIT)
    return trace_fail(error, "%s: the run lasts 2^53 ticks or more, which a page can't show: the archive is damaged",
                      trace->anchor);
  timeline->detail = detail_of(timeline->duration);
  timeline->spool = spool_create(error);
  if (!timeline->spool)
    return false;
  struct job job = {.timeline = timeline, .workers = pool_workers(pool)};
  bool good = prepare(&job, trace) || trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan(trace, pool, read_location, &job, error);
  for (unsigned i = 0; i < job.workers; i++) {
    if (good)
      bins_merge(timeline->bins, job.bins[i]);
    if (job.worker)
      location_worker_destroy(job.worker[i]);
    if (job.bins)
      free(job.bins[i]);
  }
  free(job.worker);
  free(job.bins);
  free((uint8_t *)job.location.rules);
  return good;
}

void timeline_free(struct timeline *timeline)
{
  for (uint32_t i = 0; timeline->locations && i < timeline->trace->location_count; i++)
    location_lanes_free(&timeline->locations[i]);
  free(timeline->locations);
  free(timeline->bins);
  codes_destroy(timeline->codes);
  spool_destroy(timeline->spool);
  *timeline = (struct timeline){0};
}
