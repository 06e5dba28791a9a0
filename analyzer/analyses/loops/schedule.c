#include "analyzer/analyses/loops/schedule.h"

#include "analyzer/analyses/loops/advice.h"
#include "analyzer/analyses/loops/loop_matcher.h"
#include "analyzer/analyses/loops/loop_watcher.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OFF_PERCENT_MOST 10.0 /* of the threads' time; a loop with more gets no advice */

struct schedules_analysis {
  const struct trace *trace;
  struct pool *pool;
  const struct schedules_options *options; /* NULL: the usual ones */
  uint8_t *rules;
  struct loop_record *records; /* a region */
  struct loop_matcher *matcher;
};

static bool begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct schedules_analysis *analysis = context;
  loop_watcher_begin(lane, analysis->trace, location, analysis->rules);
  return true;
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct schedules_analysis *analysis = context;
  struct share *share = item;
  bool good = loop_matcher_take(analysis->matcher, location, share);
  piece_list_free(&share->pieces); /* what the matcher left */
  return good;
}

/* Without loops, as in most Java programs, no lane wants events. */
static void adapt(const void *state, struct subscriber *lanes)
{
  const struct schedules_analysis *analysis = state;
  bool loops = false;
  for (uint32_t i = 0; !loops && i < analysis->trace->region_count; i++)
    loops = analysis->rules[i] == RULE_LOOP;
  if (!loops)
    lanes->event = NULL;
}

static bool schedules_begin(void *state, const struct analysis_input *input)
{
  struct schedules_analysis *analysis = state;
  uint32_t regions = input->trace->region_count;
  analysis->trace = input->trace;
  analysis->pool = input->pool;
  analysis->options = input->options;
  analysis->rules = machine_rules(input->trace);
  analysis->records = calloc(regions + 1, sizeof *analysis->records);
  if (!analysis->rules || !analysis->records)
    return false;
  for (uint32_t i = 0; i < regions; i++)
    loop_record_begin(&analysis->records[i]);
  analysis->matcher = loop_matcher_create(input->trace, analysis->records);
  return analysis->matcher != NULL;
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
  if (!list || list->coarse || list->pieces.count < 2)
    return 0;
  qsort(list->pieces.items, list->pieces.count, sizeof *list->pieces.items, compare_sizes);
  return list->pieces.items[1].iterations;
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

/* Fills overheads: the loop's own, else the mean of the trace's other loops of that runtime. */
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

static double off_percent_of(const struct loop_record *record)
{
  return record->present > 0 ? 100 * (double)record->off / (double)record->present : 0;
}

static enum schedule_obstacle obstacle_of(const struct loop_record *record, enum plan_kind recorded)
{
  uint64_t used = record->calls - record->incomplete - record->empty;
  if (used == 0)
    return record->empty > 0 ? OBSTACLE_EMPTY : OBSTACLE_INCOMPLETE;
  if (record->ordered)
    return OBSTACLE_ORDERED;
  if (off_percent_of(record) > OFF_PERCENT_MOST)
    return OBSTACLE_OFF;
  if (record->sample_count > 0)
    return OBSTACLE_NONE;
  if (record->scattered > 0)
    return OBSTACLE_SCATTERED;
  /* All iterations of these are in recorded chunks. */
  return recorded == PLAN_DYNAMIC || recorded == PLAN_GUIDED ? OBSTACLE_EMPTY : OBSTACLE_CHUNKLESS;
}

/* A power of two: about 32 chunks a thread. */
static uint64_t suggest_chunk(const struct schedule_loop *loop)
{
  uint64_t used = loop->calls - loop->incomplete, chunk = 1;
  uint64_t iterations = used ? (uint64_t)(loop->iterations / used) : 0;
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

/* One entry a loop that was executed. False: out of memory. */
static bool list_loops(const struct trace *trace, const struct loop_record *records, struct schedules *schedules)
{
  schedules->loops = calloc(trace->region_count + 1, sizeof *schedules->loops);
  for (uint32_t i = 0; schedules->loops && i < trace->region_count; i++) {
    const struct loop_record *record = &records[i];
    schedules->excluded += record->excluded;
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
    loop->off_percent = off_percent_of(record);
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
  struct schedules_options options;
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
  return advice_give(loop, record, inside, job->options.threads, job->options.thread_count);
}

static bool schedules_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct schedules_analysis *analysis = state;
  struct schedules *schedules = result;
  struct advice_job advice = {.schedules = schedules, .records = analysis->records};
  if (analysis->options)
    advice.options = *analysis->options;
  loop_matcher_finish(analysis->matcher);
  if (!list_loops(analysis->trace, analysis->records, schedules))
    return false;
  find_overheads(schedules, analysis->records);
  return pool_run(analysis->pool, schedules->count, advise, &advice);
}

static void schedules_drop(void *state)
{
  struct schedules_analysis *analysis = state;
  loop_matcher_destroy(analysis->matcher);
  for (uint32_t i = 0; analysis->records && i < analysis->trace->region_count; i++)
    loop_record_free(&analysis->records[i]);
  free(analysis->rules);
  free(analysis->records);
}

void schedules_merge(struct running_analysis *into, struct running_analysis *from)
{
  const struct schedules_analysis *to = into->state, *other = from->state;
  loop_matcher_finish(to->matcher);
  loop_matcher_finish(other->matcher);
  for (uint32_t i = 0; i < to->trace->region_count; i++)
    loop_record_merge(&to->records[i], &other->records[i], i);
  running_analysis_drop(from, NULL);
}

static void schedules_free(void *result)
{
  struct schedules *schedules = result;
  for (uint32_t i = 0; schedules->loops && i < schedules->count; i++) {
    for (uint32_t k = 0; k < schedules->loops[i].team_count; k++)
      free(schedules->loops[i].teams[k].candidates);
    free(schedules->loops[i].teams);
  }
  free(schedules->loops);
  *schedules = (struct schedules){0};
}

const struct analysis schedules_analysis = {.name = "schedules",
                                            .state_size = sizeof(struct schedules_analysis),
                                            .result_size = sizeof(struct schedules),
                                            .begin = schedules_begin,
                                            .lanes = {.before = true,
                                                      .lane_size = sizeof(struct loop_watcher),
                                                      .begin = begin_lane,
                                                      .event = loop_watcher_event,
                                                      .end = loop_watcher_end,
                                                      .close = loop_watcher_close,
                                                      .queue = loop_watcher_queue,
                                                      .take = take_item},
                                            .adapt = adapt,
                                            .end = schedules_end,
                                            .drop = schedules_drop,
                                            .free = schedules_free};
