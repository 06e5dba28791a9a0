#include "analyzer/analyses/tasks/tasks.h"

#include "analyzer/analyses/tasks/graph.h"
#include "analyzer/analyses/tasks/pools.h"

#include <stdlib.h>

#define GRAIN_SMALL_FACTOR 10
#define TASKS_NEVER        UINT64_MAX

/* Steps of one tick that follow the steps of other locations: the ends of waits, and the locations' next steps. */
struct late_step {
  struct task_step step;
  uint32_t location;
};

struct tasks_analysis {
  const struct trace *trace;
  uint8_t *rules, *regions;
  struct task_sums sums;
  struct graph graph;
  struct virtual_threads virtual;
  VECTOR(struct late_step) late;
  bool *is_late; /* by location */
  uint64_t first, last;
};

static bool begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct tasks_analysis *analysis = context;
  task_lane_begin(lane, analysis->trace, location, analysis->rules, analysis->regions);
  return true;
}

static void close_lane(void *context, void *opened)
{
  struct tasks_analysis *analysis = context;
  struct task_lane *lane = opened;
  if (task_lane_is_thread(lane)) {
    analysis->sums.whole.lifetimes += pass_measured(lane->location);
    analysis->sums.whole.not_measured += lane->location->ticks[STATE_UNMEASURED];
    if (lane->location->view->first < analysis->first)
      analysis->first = lane->location->view->first;
    if (lane->location->last > analysis->last)
      analysis->last = lane->location->last;
  }
  task_lane_close(lane);
}

static bool ends_a_wait(const struct task_step *step)
{
  return step->kind == TASK_STEP_PASS || step->kind == TASK_STEP_JOIN || step->kind == TASK_STEP_UNGROUP ||
         (step->kind == TASK_STEP_EDGE && step->edge.kind == STEP_JOIN);
}

static bool take_late(struct tasks_analysis *analysis)
{
  bool good = true;
  for (size_t i = 0; i < analysis->late.count; i++) {
    good = good && graph_take(&analysis->graph, analysis->late.items[i].location, &analysis->late.items[i].step);
    analysis->is_late[analysis->late.items[i].location] = false;
  }
  analysis->late.count = 0;
  return good;
}

static bool take_item(void *context, uint32_t location, void *item)
{
  struct tasks_analysis *analysis = context;
  const struct task_step *step = item;
  if (analysis->late.count > 0 && step->time > analysis->late.items[0].step.time && !take_late(analysis))
    return false;
  if (!virtual_threads_take(&analysis->virtual, location, step))
    return false;
  if (!analysis->is_late[location] && !ends_a_wait(step))
    return graph_take(&analysis->graph, location, step);
  struct late_step late = {*step, location};
  analysis->is_late[location] = true;
  return vector_push(&analysis->late, late);
}

/* Pools are Java's. */
static bool has_pools(const struct trace *trace)
{
  bool tasks = false;
  for (uint32_t i = 0; i < trace->region_count; i++)
    tasks |= trace->regions[i].role == OTF2_REGION_ROLE_TASK;
  return tasks && trace_is_of_java(trace);
}

static bool tasks_begin(void *state, const struct analysis_input *input)
{
  struct tasks_analysis *analysis = state;
  const struct trace *trace = input->trace;
  analysis->trace = trace;
  analysis->first = TASKS_NEVER;
  virtual_threads_init(&analysis->virtual, trace);
  return (analysis->rules = machine_rules(trace)) != NULL &&
         (analysis->regions = task_regions(trace, analysis->rules)) != NULL &&
         (analysis->is_late = calloc((size_t)trace->location_count + 1, sizeof *analysis->is_late)) != NULL &&
         graph_init(&analysis->graph, trace, &analysis->sums);
}

static void tasks_drop(void *state)
{
  struct tasks_analysis *analysis = state;
  if (analysis->graph.trace)
    graph_free(&analysis->graph);
  task_sums_free(&analysis->sums);
  virtual_threads_free(&analysis->virtual);
  vector_free(&analysis->late);
  free(analysis->rules);
  free(analysis->regions);
  free(analysis->is_late);
}

static bool count_threads(struct tasks *tasks, const struct trace *trace)
{
  bool *used = calloc((size_t)trace->location_count + 1, sizeof *used);
  for (size_t i = 0; used && i < tasks->thread_count; i++)
    if (tasks->threads[i].ran > 0 && !used[tasks->threads[i].location]) {
      used[tasks->threads[i].location] = true;
      tasks->threads_used++;
    }
  free(used);
  return used;
}

static bool tasks_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct tasks_analysis *analysis = state;
  struct tasks *tasks = result;
  bool good = take_late(analysis) && graph_finish(&analysis->graph);
  if (good)
    task_sums_finish(&analysis->sums, tasks);
  good = good && virtual_threads_finish(&analysis->virtual, tasks);
  tasks->elapsed = analysis->last > analysis->first ? analysis->last - analysis->first : 0;
  return good && count_threads(tasks, analysis->trace) &&
         (!analysis->graph.java || task_pools_finish(&analysis->graph.pools, tasks));
}

static void tasks_free(void *result)
{
  struct tasks *tasks = result;
  task_sites_clear(tasks->sites, tasks->site_count);
  virtual_sites_clear(tasks->virtual_sites, tasks->virtual_count);
  for (size_t i = 0; i < tasks->pool_count; i++)
    free(tasks->pools[i].name);
  free(tasks->virtual_sites);
  free(tasks->pools);
  free(tasks->members);
  free(tasks->sites);
  free(tasks->threads);
  *tasks = (struct tasks){0};
}

#define TASKS_ANALYSIS                                                                                                 \
  .state_size = sizeof(struct tasks_analysis), .result_size = sizeof(struct tasks), .begin = tasks_begin,              \
  .lanes = {.lane_size = sizeof(struct task_lane),                                                                     \
            .begin = begin_lane,                                                                                       \
            .others = true,                                                                                            \
            .wants_events = task_lane_wants_events,                                                                    \
            .event = task_lane_event,                                                                                  \
            .interval = task_lane_interval,                                                                            \
            .end = task_lane_end,                                                                                      \
            .close = close_lane,                                                                                       \
            .queue = task_lane_queue,                                                                                  \
            .reached = task_lane_reached,                                                                              \
            .take = take_item},                                                                                        \
  .end = tasks_end, .drop = tasks_drop, .free = tasks_free

const struct analysis tasks_analysis = {.name = "tasks", TASKS_ANALYSIS};
const struct analysis pool_tasks_analysis = {.name = "tasks of pools", .exists = has_pools, TASKS_ANALYSIS};

enum task_grain task_site_grain(const struct tasks *tasks, const struct task_site *site)
{
  double run = lengths_mean(&site->run), make = (double)lengths_percentile(&site->apart, 0.5);
  if (site->run.count == 0)
    return GRAIN_UNKNOWN;
  if (tasks->threads_used > 1 && site->run.count > 1 &&
      (wide_total)site->run.max * tasks->threads_used > site->run.total && site->run.max > 2 * run)
    return GRAIN_TOO_LARGE;
  if (site->apart.count == 0)
    return GRAIN_UNKNOWN;
  if (tasks->pool_count > 0 && site->blocked * 2 > site->run.total) /* a pool has them to wait beside each other */
    return GRAIN_FINE;
  double own = (double)site->busy / (double)site->run.count;
  return own < make ? GRAIN_TOO_SMALL : own < GRAIN_SMALL_FACTOR * make ? GRAIN_SMALL : GRAIN_FINE;
}
