#include "analyzer/report/timeline.h"

#include "base/apart.h"

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

/* A location, as it is read by one of the workers. */
struct timeline_lane {
  struct job *job;
  const struct pass_location *location;
  struct error *error;
  struct location_worker *worker; /* NULL: nothing has come yet */
};

static void *timeline_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct job *job = context;
  struct timeline_lane *lane = malloc(sizeof *lane);
  if (lane)
    *lane = (struct timeline_lane){job, location, error, NULL};
  else
    error_set(error, "%s: out of memory", job->timeline->trace->anchor);
  return lane;
}

static void timeline_close_lane(void *context, void *lane)
{
  (void)context;
  free(lane);
}

/* A pass of this kind has a location read by one worker, from its begin to its end. */
static void brought_by(void *context, unsigned worker)
{
  struct timeline_lane *lane = context;
  if (lane->worker)
    return;
  lane->worker = lane->job->worker[worker];
  location_worker_begin(lane->worker, lane->location, lane->error);
}

static bool timeline_take_event(void *context, const struct trace_event *event)
{
  const struct timeline_lane *lane = context;
  return location_worker_event(lane->worker, event);
}

static void take_interval(void *context, const struct state_interval *interval)
{
  const struct timeline_lane *lane = context;
  location_worker_interval(lane->worker, interval);
}

static bool timeline_end_lane(void *context)
{
  const struct timeline_lane *lane = context;
  struct location_lanes *lanes = &lane->job->timeline->locations[lane->location->number];
  return lane->job->timeline->trace->threads_level ? location_worker_end_threads(lane->worker, lanes)
                                                   : location_worker_end(lane->worker, lanes);
}

static bool read_all(struct job *job, struct pool *pool, struct error *error)
{
  bool threads = job->timeline->trace->threads_level;
  const struct subscriber subscriber = {.context = job,
                                        .borders = !threads,
                                        .open = timeline_open_lane,
                                        .brought_by = brought_by,
                                        .event = threads ? NULL : timeline_take_event,
                                        .interval = take_interval,
                                        .end = timeline_end_lane,
                                        .close = timeline_close_lane};
  const struct subscriber *list[] = {&subscriber};
  return pass_locations(job->timeline->trace, pool, list, 1, error);
}

/* States of threads differ from the programming model's where processors or a JVM's waits are known. */
static bool read_threads(struct job *job, struct trace *trace, struct pool *pool, struct error *error)
{
  struct timeline *timeline = job->timeline;
  if (!states_know_processors(trace) && !trace_is_of_java(trace))
    return true;
  atomic_store(&timeline->threads_budget.from, atomic_load(&timeline->budget.from));
  trace->threads_level = true;
  bool good = read_all(job, pool, error);
  trace->threads_level = false;
  return good;
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
  job->location = (struct location_job){.trace = trace,
                                        .detail = &timeline->detail,
                                        .codes = timeline->codes,
                                        .spool = timeline->spool,
                                        .budget = &timeline->budget,
                                        .threads_budget = &timeline->threads_budget,
                                        .start = timeline->start};
  if (!timeline->codes || !timeline->bins || !timeline->locations || !job->worker || !job->bins || !job->longest ||
      !timeline->longest)
    return false;
  timeline->bins->duration = timeline->duration;
  for (unsigned i = 0; i < job->workers; i++) {
    job->bins[i] = apart_calloc(1, sizeof *job->bins[i]);
    job->longest[i] = apart_calloc((size_t)trace->region_count + 1, sizeof *job->longest[i]);
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
}

bool report_timeline_read(struct trace *trace, struct pool *pool, const struct timeline_wanted *wanted,
                          struct timeline *timeline, struct error *error)
{
  *timeline = (struct timeline){.trace = trace};
  if (wanted->first <= wanted->last) {
    timeline->start = wanted->first;
    timeline->duration = wanted->last - wanted->first;
  }
  if (timeline->duration >= TICKS_LIMIT)
    return error_set(error, "%s: the run lasts 2^53 ticks or more, which a page can't show: the archive is damaged",
                     trace->anchor);
  timeline->detail = detail_of(timeline->duration);
  timeline->budget.limit = wanted->limit;
  timeline->budget.levels = timeline->detail.levels;
  timeline->threads_budget.limit = wanted->limit;
  timeline->threads_budget.levels = timeline->detail.levels;
  timeline->spool = spool_create(error);
  if (!timeline->spool)
    return false;
  struct job job = {.timeline = timeline, .workers = pool_workers(pool)};
  bool good = prepare(&job, trace) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && read_all(&job, pool, error) && read_threads(&job, trace, pool, error);
  for (unsigned i = 0; good && i < job.workers; i++) {
    bins_merge(timeline->bins, job.bins[i]);
    merge_longest(timeline, job.longest[i]);
  }
  release(&job);
  return good;
}

void report_timeline_free(struct timeline *timeline)
{
  for (uint32_t i = 0; timeline->locations && i < timeline->trace->location_count; i++)
    location_lanes_free(&timeline->locations[i]);
  free(timeline->locations);
  free(timeline->bins);
  free(timeline->longest);
  analysis_free(&teamwork_analysis, &timeline->teamwork);
  critical_paths_free(&timeline->paths);
  codes_destroy(timeline->codes);
  spool_destroy(timeline->spool);
  *timeline = (struct timeline){0};
}
