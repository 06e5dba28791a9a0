#include "analyzer/schedule/schedule.h"

#include "analyzer/schedule/advice.h"
#include "analyzer/schedule/matcher.h"
#include "analyzer/states/states.h"
#include "analyzer/trace/region.h"
#include "analyzer/trace/time_heap.h"
#include "common/archive_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct job {
  const struct trace *trace;
  struct loop_watcher **watchers; /* by location */
  struct share **shares;          /* the next of each */
  struct time_heap heap;          /* locations that have a share */
  uint8_t *rules;
  struct loop_record *records; /* a region */
  struct loop_matcher *matcher;
};

static bool prepare(struct job *job)
{
  uint32_t locations = job->trace->location_count, regions = job->trace->region_count;
  job->watchers = calloc(locations + 1, sizeof *job->watchers);
  job->shares = calloc(locations + 1, sizeof *job->shares);
  job->rules = machine_rules(job->trace);
  job->records = calloc(regions + 1, sizeof *job->records);
  if (!time_heap_init(&job->heap, locations) || !job->watchers || !job->shares || !job->rules || !job->records)
    return false;
  for (uint32_t i = 0; i < regions; i++)
    job->records[i].entry_least = job->records[i].chunk_least = UINT64_MAX;
  job->matcher = loop_matcher_create(job->trace, job->records);
  return job->matcher != NULL;
}

static bool begin(struct job *job, struct trace_error *error)
{
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    bool good;
    job->watchers[i] = loop_watcher_open(job->trace, i, job->rules, error);
    if (!job->watchers[i])
      return false;
    job->shares[i] = loop_watcher_next(job->watchers[i], &good);
    if (!good)
      return false;
    if (job->shares[i])
      time_heap_add(&job->heap, job->shares[i]->time, i);
  }
  return true;
}

static bool merge(struct job *job, struct trace_error *error)
{
  while (job->heap.count > 0) {
    uint32_t location = job->heap.entries[0].location;
    bool good;
    if (!loop_matcher_take(job->matcher, location, job->shares[location]))
      return trace_fail(error, "%s: out of memory", job->trace->anchor);
    job->shares[location] = loop_watcher_next(job->watchers[location], &good);
    if (!good)
      return false;
    if (job->shares[location])
      time_heap_move_first(&job->heap, job->shares[location]->time);
    else
      time_heap_drop_first(&job->heap);
  }
  loop_matcher_finish(job->matcher);
  return true;
}

static void clean(struct job *job)
{
  loop_matcher_destroy(job->matcher);
  for (uint32_t i = 0; job->watchers && i < job->trace->location_count; i++)
    loop_watcher_close(job->watchers[i]);
  for (uint32_t i = 0; job->records && i < job->trace->region_count; i++)
    loop_record_free(&job->records[i]);
  free(job->watchers);
  free(job->shares);
  time_heap_free(&job->heap);
  free(job->rules);
  free(job->records);
}

/* The region's description says which kind of schedule was used. */
static enum plan_kind kind_of(const struct trace_region *region)
{
  return trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_STATIC)    ? PLAN_STATIC
         : trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_DYNAMIC) ? PLAN_DYNAMIC
         : trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_GUIDED)  ? PLAN_GUIDED
                                                                            : PLAN_UNKNOWN;
}

/* By the names of constructs, or what the process' runtime called itself. */
static enum plan_runtime runtime_of(const struct trace *trace, const struct trace_region *region)
{
  if (trace_region_begins(region, NAME_OMP_JAVA))
    return PLAN_JOMP;
  for (uint32_t i = 0; i < trace->process_count; i++) {
    const char *runtime = trace_property(trace, TRACE_OF_PROCESS, i, PROCESS_RUNTIME);
    if (runtime && (strstr(runtime, "GNU") || strstr(runtime, "libgomp")))
      return PLAN_LIBGOMP;
  }
  return PLAN_LIBOMP;
}

static int compare_sizes(const void *a, const void *b)
{
  uint64_t left = ((const struct piece_of_loop *)a)->iterations, right = ((const struct piece_of_loop *)b)->iterations;
  return (left > right) - (left < right);
}

/* The chunk size of a guided loop: its smallest chunk, but a single last one may be smaller still. */
static uint64_t guided_chunk(const struct loop_record *record)
{
  const struct piece_list *list = record->sample_count ? &record->samples[0].pieces : NULL;
  if (!list || list->coarse || list->count < 2)
    return 0;
  qsort(list->pieces, list->count, sizeof *list->pieces, compare_sizes);
  return list->pieces[1].iterations;
}

static struct plan recorded_plan(const struct trace_region *region, const struct loop_record *record)
{
  struct plan plan = {kind_of(region), 0};
  bool whole = record->most_chunks <= 1; /* one chunk a thread: of a team of one all the loop */
  switch (plan.kind) {
  case PLAN_STATIC:
    plan.chunk = record->most_chunks > 1 ? record->longest : 0;
    break;
  case PLAN_DYNAMIC:
    plan.chunk = whole && record->threads_most <= 1 ? 0 : record->longest;
    break;
  case PLAN_GUIDED:
    plan.chunk = guided_chunk(record);
    break;
  default:
    break;
  }
  return plan;
}

/* What handing out a chunk costs, as this loop's own threads show; false: they don't. */
static bool own_overhead(const struct loop_record *record, enum plan_kind kind, double *overhead)
{
  if (kind != PLAN_DYNAMIC && kind != PLAN_GUIDED)
    return false;
  if (record->gap_ticks > 0) {
    *overhead = (double)record->gap_ticks / (double)record->gaps;
    return true;
  }
  /* A chunk that lasts until the next one has it inside; the first chunk is handed out before the chunk begins. */
  uint64_t least = record->entry_least < record->chunk_least ? record->entry_least : record->chunk_least;
  *overhead = least == UINT64_MAX ? 0 : (double)least;
  return record->gaps > 0 && least != UINT64_MAX;
}

/* Fills overheads: of the loop itself, else the mean of the trace's other loops of that runtime. */
static void find_overheads(struct schedules *schedules, const struct loop_record *records)
{
  double sums[PLAN_JOMP + 1] = {0}, weights[PLAN_JOMP + 1] = {0};
  for (uint32_t i = 0; i < schedules->count; i++) {
    struct schedule_loop *loop = &schedules->loops[i];
    const struct loop_record *record = &records[loop->region];
    loop->overhead_from = OVERHEAD_UNKNOWN;
    if (!own_overhead(record, loop->recorded.kind, &loop->overhead)) {
      loop->overhead = 0;
      continue;
    }
    loop->overhead_from = OVERHEAD_OF_LOOP;
    sums[loop->runtime] += loop->overhead * (double)record->gaps;
    weights[loop->runtime] += (double)record->gaps;
  }
  for (uint32_t i = 0; i < schedules->count; i++) {
    struct schedule_loop *loop = &schedules->loops[i];
    if (loop->overhead_from == OVERHEAD_OF_LOOP || weights[loop->runtime] <= 0)
      continue;
    loop->overhead_from = OVERHEAD_OF_TRACE;
    loop->overhead = sums[loop->runtime] / weights[loop->runtime];
  }
}

static enum schedule_obstacle obstacle_of(const struct loop_record *record, enum plan_kind recorded)
{
  uint64_t used = record->calls - record->incomplete - record->empty;
  if (used == 0)
    return record->empty > 0 ? OBSTACLE_EMPTY : OBSTACLE_INCOMPLETE;
  if (record->ordered)
    return OBSTACLE_ORDERED;
  if (record->sample_count > 0)
    return OBSTACLE_NONE;
  if (record->scattered > 0)
    return OBSTACLE_SCATTERED;
  /* These hand out all that there is by chunks that can be seen. */
  return recorded == PLAN_DYNAMIC || recorded == PLAN_GUIDED ? OBSTACLE_EMPTY : OBSTACLE_CHUNKLESS;
}

/* A power of two: about 32 chunks a thread. */
static uint64_t suggest_chunk(const struct schedule_loop *loop)
{
  uint64_t used = loop->calls - loop->incomplete, chunk = 1;
  uint64_t iterations = used ? loop->iterations / used : 0;
  while (loop->threads && chunk < 1ull << 46 && chunk * 2 <= iterations / loop->threads / 32)
    chunk *= 2;
  return chunk;
}

static int compare_ticks(const void *a, const void *b)
{
  const struct schedule_loop *left = a, *right = b;
  if (left->ticks != right->ticks)
    return left->ticks < right->ticks ? 1 : -1;
  return (left->region > right->region) - (left->region < right->region);
}

/* One entry a loop that was executed. False: no memory. */
static bool list_loops(const struct trace *trace, const struct loop_record *records, struct schedules *schedules)
{
  schedules->loops = calloc(trace->region_count + 1, sizeof *schedules->loops);
  for (uint32_t i = 0; schedules->loops && i < trace->region_count; i++) {
    const struct loop_record *record = &records[i];
    if (record->calls == 0)
      continue;
    struct schedule_loop *loop = &schedules->loops[schedules->count++];
    *loop = (struct schedule_loop){
        .region = i,
        .calls = record->calls,
        .incomplete = record->incomplete,
        .ticks = record->ticks,
        .ideal = record->ideal,
        .iterations = record->iterations,
        .chunks = record->chunks,
        .threads = record->threads_most,
        .recorded = recorded_plan(&trace->regions[i], record),
        .runtime = runtime_of(trace, &trace->regions[i]),
        .error = NAN,
    };
    loop->obstacle = obstacle_of(record, loop->recorded.kind);
    loop->suggested = suggest_chunk(loop);
  }
  if (schedules->loops)
    qsort(schedules->loops, schedules->count, sizeof *schedules->loops, compare_ticks);
  return schedules->loops != NULL;
}

struct advice_job {
  struct schedules *schedules;
  const struct loop_record *records;
  const uint32_t *threads;
  uint32_t thread_count;
};

/* The advice on one loop, by a worker. */
static bool advise(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  const struct advice_job *job = context;
  struct schedule_loop *loop = &job->schedules->loops[item];
  const struct loop_record *record = &job->records[loop->region];
  if (loop->obstacle != OBSTACLE_NONE)
    return true;
  bool inside = loop->overhead_from == OVERHEAD_OF_LOOP && record->gap_ticks == 0;
  return advice_give(loop, record, inside, job->threads, job->thread_count);
}

bool schedules_find(const struct trace *trace, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                    struct schedules *schedules, struct trace_error *error)
{
  struct job job = {.trace = trace};
  *schedules = (struct schedules){0};
  bool good = prepare(&job);
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && begin(&job, error) && merge(&job, error);
  if (good) {
    struct advice_job advice = {schedules, job.records, threads, thread_count};
    good = list_loops(trace, job.records, schedules);
    if (good)
      find_overheads(schedules, job.records);
    good = good && pool_run(pool, schedules->count, advise, &advice);
    if (!good)
      trace_fail(error, "%s: out of memory", trace->anchor);
  }
  clean(&job);
  return good;
}

void schedules_free(struct schedules *schedules)
{
  for (uint32_t i = 0; schedules->loops && i < schedules->count; i++) {
    for (uint32_t k = 0; k < schedules->loops[i].team_count; k++)
      free(schedules->loops[i].teams[k].candidates);
    free(schedules->loops[i].teams);
  }
  free(schedules->loops);
  *schedules = (struct schedules){0};
}
