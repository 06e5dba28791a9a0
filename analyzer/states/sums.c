#include "analyzer/states/sums.h"

#include "analyzer/states/machine.h"

#include <stdlib.h>

/* What one worker of the pool adds up; merged when all are done. */
struct worker {
  struct states_construct *constructs;
  uint32_t region_count;
  struct machine *machine;
  struct trace_error *error; /* of the item being worked on */
  bool failed;
  struct trace_error first_error;
};

struct job {
  const struct trace *trace;
  const uint8_t *rules;
  struct states_sums *sums;
  struct worker *workers;
  uint32_t *order; /* locations, longest first, so that no worker is left with a long one at the end */
};

static void add_interval(void *context, const struct state_interval *interval)
{
  struct worker *worker = context;
  uint32_t at = interval->construct == TRACE_NONE ? worker->region_count : interval->construct;
  worker->constructs[at].ticks[interval->state] += interval->end - interval->start;
}

static bool take_event(void *context, const struct trace_event *event)
{
  struct worker *worker = context;
  if (!machine_event(worker->machine, event, worker->error))
    return false;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE && !machine_view(worker->machine)->in_part)
    worker->constructs[event->index].calls++;
  return true;
}

static bool sum_location(const struct job *job, struct worker *worker, uint32_t location)
{
  struct states_thread *thread = &job->sums->threads[location];
  worker->error = &worker->first_error;
  worker->machine = machine_create(job->trace, location, job->rules, add_interval, worker);
  if (!worker->machine)
    return trace_fail(worker->error, "%s: out of memory", job->trace->anchor);
  struct trace_stream *stream = trace_stream_open(job->trace, location, take_event, worker, worker->error);
  bool good = stream != NULL;
  for (uint64_t read = 1; good && read > 0; thread->events += read)
    good = trace_stream_read(stream, TRACE_BATCH, &read);
  trace_stream_close(stream);
  good = good && machine_end(worker->machine, worker->error);
  if (good) {
    const struct machine_view *view = machine_view(worker->machine);
    for (unsigned i = 0; i < STATES; i++)
      thread->ticks[i] = machine_total(view, (enum state)i);
    thread->first = view->first;
    thread->last = view->last;
    thread->unmatched = view->unmatched;
  }
  machine_destroy(worker->machine);
  worker->machine = NULL;
  return good;
}

static bool sum_item(void *context, unsigned worker, uint32_t item)
{
  struct job *job = context;
  if (sum_location(job, &job->workers[worker], job->order[item]))
    return true;
  job->workers[worker].failed = true;
  return false;
}

static int compare_length(const void *a, const void *b, void *context)
{
  const struct trace_location *locations = context;
  uint64_t left = locations[*(const uint32_t *)a].events;
  uint64_t right = locations[*(const uint32_t *)b].events;
  return (left < right) - (left > right);
}

static bool prepare(struct job *job, unsigned workers)
{
  const struct trace *trace = job->trace;
  struct states_sums *sums = job->sums;
  sums->threads = calloc(trace->location_count + 1, sizeof *sums->threads);
  sums->constructs = calloc(trace->region_count + 1, sizeof *sums->constructs);
  job->rules = machine_rules(trace);
  job->workers = calloc(workers, sizeof *job->workers);
  job->order = calloc(trace->location_count + 1, sizeof *job->order);
  if (!sums->threads || !sums->constructs || !job->rules || !job->workers || !job->order)
    return false;
  for (unsigned i = 0; i < workers; i++) {
    job->workers[i].region_count = trace->region_count;
    job->workers[i].constructs = calloc(trace->region_count + 1, sizeof *sums->constructs);
    if (!job->workers[i].constructs)
      return false;
  }
  for (uint32_t i = 0; i < trace->location_count; i++)
    job->order[i] = i;
  qsort_r(job->order, trace->location_count, sizeof *job->order, compare_length, trace->locations);
  return true;
}

static void merge(struct states_sums *sums, const struct worker *worker)
{
  for (uint32_t i = 0; i <= worker->region_count; i++) {
    sums->constructs[i].calls += worker->constructs[i].calls;
    for (unsigned state = 0; state < STATES; state++)
      sums->constructs[i].ticks[state] += worker->constructs[i].ticks[state];
  }
}

bool states_sum(const struct trace *trace, struct pool *pool, struct states_sums *sums, struct trace_error *error)
{
  struct job job = {.trace = trace, .sums = sums};
  unsigned workers = pool_workers(pool);
  bool good = prepare(&job, workers);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && pool_run(pool, trace->location_count, sum_item, &job);
  for (unsigned i = 0; job.workers && i < workers; i++) {
    if (good)
      merge(sums, &job.workers[i]);
    else if (job.workers[i].failed)
      *error = job.workers[i].first_error;
    free(job.workers[i].constructs);
  }
  free(job.workers);
  free(job.order);
  free((void *)job.rules);
  return good;
}

void states_sums_free(struct states_sums *sums)
{
  free(sums->threads);
  free(sums->constructs);
  *sums = (struct states_sums){0};
}
