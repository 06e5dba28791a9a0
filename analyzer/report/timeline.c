#include "analyzer/report/timeline.h"

#include "analyzer/trace/scan.h"

#include <stdlib.h>

#define TICKS_LIMIT (UINT64_C(1) << 53)

struct job {
  struct location_job location;
  struct timeline *timeline;
  unsigned workers;
  struct location_worker **worker;
  struct bins **bins;       /* a worker */
  struct longest **longest; /* a worker, a region */
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
  job->longest = calloc(job->workers, sizeof *job->longest);
  timeline->longest = calloc(trace->region_count + 1, sizeof *timeline->longest);
  uint8_t *rules = machine_rules(trace);
  job->location = (struct location_job){.trace = trace,
                                        .rules = rules,
                                        .detail = &timeline->detail,
                                        .codes = timeline->codes,
                                        .spool = timeline->spool,
                                        .start = timeline->start};
  if (!timeline->codes || !timeline->bins || !timeline->locations || !job->worker || !job->bins || !rules ||
      !job->longest || !timeline->longest)
    return false;
  timeline->bins->duration = timeline->duration;
  for (unsigned i = 0; i < job->workers; i++) {
    job->bins[i] = calloc(1, sizeof *job->bins[i]);
    job->longest[i] = calloc(trace->region_count + 1, sizeof *job->longest[i]);
    if (!job->bins[i] || !job->longest[i])
      return false;
    job->bins[i]->duration = timeline->duration;
    job->worker[i] = location_worker_create(&job->location, job->bins[i], job->longest[i]);
    if (!job->worker[i])
      return false;
  }
  return true;
}

static void merge_longest(struct timeline *timeline, const struct longest *longest)
{
  for (uint32_t i = 0; i < timeline->trace->region_count; i++)
    if (longest_is_more(&longest[i], &timeline->longest[i]))
      timeline->longest[i] = longest[i];
}

static void release(struct job *job)
{
  for (unsigned i = 0; i < job->workers; i++) {
    if (job->worker)
      location_worker_destroy(job->worker[i]);
    if (job->bins)
      free(job->bins[i]);
    if (job->longest)
      free(job->longest[i]);
  }
  free(job->worker);
  free(job->bins);
  free(job->longest);
  free((uint8_t *)job->location.rules);
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
  for (unsigned i = 0; good && i < job.workers; i++) {
    bins_merge(timeline->bins, job.bins[i]);
    merge_longest(timeline, job.longest[i]);
  }
  release(&job);
  return good;
}

void timeline_free(struct timeline *timeline)
{
  for (uint32_t i = 0; timeline->locations && i < timeline->trace->location_count; i++)
    location_lanes_free(&timeline->locations[i]);
  free(timeline->locations);
  free(timeline->bins);
  free(timeline->longest);
  teamwork_free(&timeline->teamwork);
  codes_destroy(timeline->codes);
  spool_destroy(timeline->spool);
  *timeline = (struct timeline){0};
}
