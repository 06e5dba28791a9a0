#include "analyzer/states/sums.h"

#include "analyzer/states/machine.h"
#include "analyzer/trace/scan.h"

#include <stdlib.h>

/* What one worker of the pool adds up; merged when all are done. */
struct part {
  struct states_construct *constructs;
  uint32_t region_count;
  struct machine *machine;   /* of the location being worked on */
  struct trace_error *error; /* likewise */
};

struct job {
  const struct trace *trace;
  uint8_t *rules;
  struct states_sums *sums;
  struct part *parts; /* a worker */
};

static void add_interval(void *context, const struct state_interval *interval)
{
  struct part *part = context;
  uint32_t at = interval->construct == TRACE_NONE ? part->region_count : interval->construct;
  part->constructs[at].ticks[interval->state] += interval->end - interval->start;
}

static bool take_event(void *context, const struct trace_event *event)
{
  struct part *part = context;
  if (!machine_event(part->machine, event, part->error))
    return false;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE && !machine_view(part->machine)->in_part)
    part->constructs[event->index].calls++;
  return true;
}

static void keep_thread(struct states_thread *thread, const struct machine_view *view)
{
  for (unsigned i = 0; i < STATES; i++)
    thread->ticks[i] = machine_total(view, (enum state)i);
  thread->first = view->first;
  thread->last = view->last;
  thread->unmatched = view->unmatched;
}

static bool sum_location(void *context, unsigned worker, uint32_t location, struct trace_error *error)
{
  const struct job *job = context;
  struct states_thread *thread = &job->sums->threads[location];
  struct part *part = &job->parts[worker];
  part->error = error;
  part->machine = machine_create(job->trace, location, job->rules, add_interval, part);
  if (!part->machine)
    return trace_fail(error, "%s: out of memory", job->trace->anchor);
  bool good = trace_scan_location(job->trace, location, take_event, part, &thread->events, error) &&
              machine_end(part->machine, error);
  if (good)
    keep_thread(thread, machine_view(part->machine));
  machine_destroy(part->machine);
  return good;
}

static bool prepare(struct job *job, unsigned workers)
{
  uint32_t regions = job->trace->region_count;
  job->sums->threads = calloc(job->trace->location_count + 1, sizeof *job->sums->threads);
  job->sums->constructs = calloc(regions + 1, sizeof *job->sums->constructs);
  job->rules = machine_rules(job->trace);
  job->parts = calloc(workers, sizeof *job->parts);
  if (!job->sums->threads || !job->sums->constructs || !job->rules || !job->parts)
    return false;
  for (unsigned i = 0; i < workers; i++) {
    job->parts[i].region_count = regions;
    job->parts[i].constructs = calloc(regions + 1, sizeof *job->parts[i].constructs);
    if (!job->parts[i].constructs)
      return false;
  }
  return true;
}

static void merge(struct states_sums *sums, const struct part *part)
{
  for (uint32_t i = 0; i <= part->region_count; i++) {
    sums->constructs[i].calls += part->constructs[i].calls;
    for (unsigned state = 0; state < STATES; state++)
      sums->constructs[i].ticks[state] += part->constructs[i].ticks[state];
  }
}

bool states_sum(const struct trace *trace, struct pool *pool, struct states_sums *sums, struct trace_error *error)
{
  struct job job = {.trace = trace, .sums = sums};
  unsigned workers = pool_workers(pool);
  bool good = prepare(&job, workers);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan(trace, pool, sum_location, &job, error);
  for (unsigned i = 0; job.parts && i < workers; i++) {
    if (good)
      merge(sums, &job.parts[i]);
    free(job.parts[i].constructs);
  }
  free(job.parts);
  free(job.rules);
  return good;
}

void states_sums_free(struct states_sums *sums)
{
  free(sums->threads);
  free(sums->constructs);
  *sums = (struct states_sums){0};
}
