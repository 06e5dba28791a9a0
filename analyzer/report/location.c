#include "analyzer/report/location.h"

#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* The sums of one location. */
struct code_sums {
  VECTOR(struct code_sum) by_code;
  VECTOR(uint32_t) used; /* codes with a count: a location has few of all */
};

/* The bin that a tick of the run is in: the last one that does not begin after it. */
static unsigned bin_of(const struct bins *bins, uint64_t tick)
{
  unsigned bin = (unsigned)((unsigned __int128)tick * BINS_COUNT / bins->duration);
  while (bin + 1 < BINS_COUNT && bins_begin(bins, bin + 1) <= tick)
    bin++;
  return bin;
}

void bins_add(struct bins *bins, enum state state, uint64_t begin, uint64_t end)
{
  if (end > bins->duration) /* if it is no thread, its life may be longer than the analyzed part */
    end = bins->duration;
  if (begin >= end)
    return;
  for (unsigned bin = bin_of(bins, begin); begin < end; bin++) {
    uint64_t limit = bins_begin(bins, bin + 1);
    uint64_t until = limit < end ? limit : end;
    bins->ticks[state][bin] += until - begin;
    begin = until;
  }
}

void bins_merge(struct bins *bins, const struct bins *other)
{
  for (unsigned state = 0; state < STATES; state++)
    for (unsigned bin = 0; bin < BINS_COUNT; bin++)
      bins->ticks[state][bin] += other->ticks[state][bin];
}

/* False: out of memory. */
static bool code_sums_add(struct code_sums *sums, uint32_t code, uint64_t ticks)
{
  while (sums->by_code.count <= code)
    if (!vector_push(&sums->by_code, (struct code_sum){0}))
      return false;
  struct code_sum *sum = &sums->by_code.items[code];
  if (sum->count == 0 && !vector_push(&sums->used, code))
    return false;
  sum->code = code;
  sum->ticks += ticks;
  sum->count++;
  return true;
}

static int compare_codes(const void *a, const void *b)
{
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

/* Moves the sums into a list in the order of codes, *count of them, which the caller frees. False: out of memory. */
static bool code_sums_take(struct code_sums *sums, struct code_sum **list, uint32_t *count)
{
  *count = 0;
  *list = malloc((sums->used.count + 1) * sizeof **list);
  if (!*list)
    return false;
  if (sums->used.count > 0)
    qsort(sums->used.items, sums->used.count, sizeof *sums->used.items, compare_codes);
  for (size_t i = 0; i < sums->used.count; i++) {
    struct code_sum *sum = &sums->by_code.items[sums->used.items[i]];
    (*list)[(*count)++] = *sum;
    *sum = (struct code_sum){0};
  }
  sums->used.count = 0;
  return true;
}

static void code_sums_free(struct code_sums *sums)
{
  vector_free(&sums->by_code);
  vector_free(&sums->used);
  *sums = (struct code_sums){0};
}

/* A region that is open. */
struct location_open {
  size_t depth; /* of the machine with it open */
  uint32_t region;
  uint64_t begin;
};

/* A lane as it is written. */
struct pen {
  struct lane_writer *writer;
  uint64_t since; /* ticks of the trace */
  uint32_t code;
  bool used; /* in this location */
};

struct location_worker {
  const struct location_job *job;
  const struct pass_location *location;
  struct bins *bins;
  struct longest *longest; /* a region */
  struct code_sums sums;
  struct code_sums instants;
  bool no_memory;
  struct deflater *deflater;
  struct pen pens[LANES_MAX + 1]; /* the last one is for states of threads */
  struct state_interval held;     /* may go on in the next interval; empty at the beginning */
  struct error *error;
  VECTOR(struct location_open) open; /* regions, outermost first */
  bool deeper;
  bool processor; /* its only lane shows the threads that it ran */
  bool threads;   /* reads states of threads */
};

void location_lanes_free(struct location_lanes *lanes)
{
  for (unsigned i = 0; i < LANES_MAX; i++)
    lane_free(&lanes->lanes[i]);
  lane_free(&lanes->threads);
  free(lanes->sums);
  free(lanes->instants);
  *lanes = (struct location_lanes){0};
}

struct location_worker *location_worker_create(const struct location_job *job, struct bins *bins,
                                               struct longest *longest)
{
  struct location_worker *worker = calloc(1, sizeof *worker);
  bool good = worker && (worker->deflater = deflater_create(BLOCK_BYTES));
  for (unsigned i = 0; good && i <= LANES_MAX; i++)
    good = (worker->pens[i].writer = lane_writer_create(job->detail, job->codes, worker->deflater, job->spool,
                                                        i < LANES_MAX ? job->budget : job->threads_budget));
  if (!good) {
    location_worker_destroy(worker);
    return NULL;
  }
  worker->job = job;
  worker->bins = bins;
  worker->longest = longest;
  return worker;
}

void location_worker_destroy(struct location_worker *worker)
{
  if (!worker)
    return;
  for (unsigned i = 0; i <= LANES_MAX; i++)
    lane_writer_destroy(worker->pens[i].writer);
  deflater_destroy(worker->deflater);
  code_sums_free(&worker->sums);
  code_sums_free(&worker->instants);
  vector_free(&worker->open);
  free(worker);
}

/* From now on the lane shows something else. */
static void change(struct location_worker *worker, unsigned lane, uint64_t time, uint32_t code)
{
  struct pen *pen = &worker->pens[lane];
  if (!pen->used) {
    uint64_t first = trace_time_from(worker->job->trace, worker->location->view->first);
    lane_writer_begin(pen->writer, first - worker->job->start);
    pen->since = first;
    pen->code = CODE_NOTHING;
    pen->used = true;
  }
  lane_writer_put(pen->writer, time - pen->since, pen->code);
  pen->since = time;
  pen->code = code;
}

static void put_held(struct location_worker *worker)
{
  const struct state_interval *held = &worker->held;
  uint64_t start = worker->job->start;
  if (held->end == held->start)
    return;
  uint32_t code = codes_of_state(worker->job->codes, held->state, held->construct);
  change(worker, worker->threads ? LANES_MAX : 0, held->start, code);
  worker->no_memory |= !code_sums_add(&worker->sums, code, held->end - held->start);
  if (!worker->threads)
    bins_add(worker->bins, held->state, held->start - start, held->end - start);
}

/* Intervals of one state in one construct that follow each other are one segment, as in `heddle states --list`. */
void location_worker_interval(struct location_worker *worker, const struct state_interval *interval)
{
  struct state_interval *held = &worker->held;
  if (worker->processor)
    return;
  if (held->end > held->start && held->state == interval->state && held->construct == interval->construct) {
    held->end = interval->end;
    return;
  }
  put_held(worker);
  *held = *interval;
}

static bool location_push(struct location_worker *worker, const struct trace_event *event)
{
  struct location_open open = {worker->location->view->depth, event->index, event->time};
  if (!vector_push(&worker->open, open))
    return error_set(worker->error, "%s: out of memory", worker->job->trace->anchor);
  size_t around = worker->open.count - 1;
  if (worker->processor)
    change(worker, 0, event->time, codes_of_region(worker->job->codes, event->index));
  else if (around < LANE_DEPTHS)
    change(worker, 1 + (unsigned)around, event->time, codes_of_region(worker->job->codes, event->index));
  else
    worker->deeper = true;
  return true;
}

/* A visit that took no time. */
static void count_instant(struct location_worker *worker, const struct location_open *open)
{
  uint64_t at = open->begin - worker->job->start, duration = worker->bins->duration;
  uint32_t code = codes_of_region(worker->job->codes, open->region);
  uint64_t bin = duration ? (uint64_t)((unsigned __int128)at * INSTANT_BINS / duration) : 0;
  if (code < INSTANT_CODES)
    worker->no_memory |= !code_sums_add(
        &worker->instants, code * INSTANT_BINS + (uint32_t)(bin < INSTANT_BINS ? bin : INSTANT_BINS - 1), 0);
}

/* Ends what the last event ended: the machine knows which beginnings belong to it. */
static void close_ended(struct location_worker *worker, uint64_t time)
{
  while (worker->open.count > 0 && worker->location->view->depth < worker->open.items[worker->open.count - 1].depth) {
    const struct location_open *open = &worker->open.items[--worker->open.count];
    uint64_t start = worker->job->start;
    if (worker->processor) {
      change(worker, 0, time, CODE_NOTHING);
      continue;
    }
    struct longest now = {open->begin - start, time - start, worker->location->number};
    if (longest_is_more(&now, &worker->longest[open->region]))
      worker->longest[open->region] = now;
    if (open->begin == time && worker->open.count < LANE_DEPTHS)
      count_instant(worker, open);
    if (worker->open.count < LANE_DEPTHS)
      change(worker, 1 + (unsigned)worker->open.count, time, CODE_NOTHING);
  }
}

bool location_worker_event(struct location_worker *worker, const struct trace_event *event)
{
  close_ended(worker, event->time);
  return event->kind != TRACE_Enter || event->index == TRACE_NONE || location_push(worker, event);
}

/* The lanes end where the location does. */
static bool finish(struct location_worker *worker, struct location_lanes *lanes)
{
  const struct pass_location *location = worker->location;
  bool good = true;
  put_held(worker);
  uint64_t start = worker->job->start;
  lanes->begin = location->first > start ? location->first - start : 0;
  lanes->end = location->last > start ? location->last - start : 0;
  lanes->deeper = worker->deeper;
  for (unsigned i = 0; good && i < LANES_MAX; i++) {
    if (i > 0 && !worker->pens[i].used)
      break;
    change(worker, i, location->last, CODE_NOTHING);
    good = lane_writer_end(worker->pens[i].writer, &lanes->lanes[i]);
    lanes->count = i + 1;
  }
  return good;
}

void location_worker_begin(struct location_worker *worker, const struct pass_location *location, struct error *error)
{
  worker->location = location;
  worker->error = error;
  worker->no_memory = false;
  worker->held = (struct state_interval){0};
  worker->open.count = 0;
  worker->deeper = false;
  worker->processor = trace_is_processor(worker->job->trace, location->number);
  worker->threads = worker->job->trace->threads_level;
  for (unsigned i = 0; i <= LANES_MAX; i++)
    worker->pens[i].used = false;
}

bool location_worker_end(struct location_worker *worker, struct location_lanes *lanes)
{
  if (worker->location->alive && !finish(worker, lanes))
    return spool_fail(worker->job->spool, worker->error);
  if (worker->no_memory || !code_sums_take(&worker->sums, &lanes->sums, &lanes->sum_count) ||
      !code_sums_take(&worker->instants, &lanes->instants, &lanes->instant_count))
    return error_set(worker->error, "%s: out of memory", worker->job->trace->anchor);
  return true;
}

/* Whether both levels have the same states. */
static bool same_sums(const struct location_lanes *lanes, const struct code_sum *sums, uint32_t count)
{
  if (count != lanes->sum_count)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (sums[i].code != lanes->sums[i].code || sums[i].ticks != lanes->sums[i].ticks)
      return false;
  return true;
}

bool location_worker_end_threads(struct location_worker *worker, struct location_lanes *lanes)
{
  struct code_sum *sums = NULL;
  uint32_t count = 0;
  bool good = true;
  if (worker->location->alive)
    put_held(worker);
  if (worker->no_memory || !code_sums_take(&worker->sums, &sums, &count))
    return error_set(worker->error, "%s: out of memory", worker->job->trace->anchor);
  if (worker->pens[LANES_MAX].used) {
    change(worker, LANES_MAX, worker->location->last, CODE_NOTHING);
    good = lane_writer_end(worker->pens[LANES_MAX].writer, &lanes->threads);
  }
  if (same_sums(lanes, sums, count)) {
    lane_free(&lanes->threads);
    lanes->threads = (struct lane){0};
  }
  free(sums);
  return good || spool_fail(worker->job->spool, worker->error);
}
