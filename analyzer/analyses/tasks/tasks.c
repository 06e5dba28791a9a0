#include "analyzer/analyses/tasks/tasks.h"

#include "analyzer/analyses/tasks/graph.h"
#include "analyzer/analyses/tasks/virtual.h"

#include <stdlib.h>

#define GRAIN_SMALL_FACTOR 10
#define TASKS_NEVER        UINT64_MAX

/* Steps of one tick that come after those of other locations: the ends of waits, and what their locations do then. */
struct late_step {
  struct task_step step;
  uint32_t location;
};

struct tasks_search {
  struct subscriber subscriber;
  const struct trace *trace;
  uint8_t *rules, *regions;
  struct task_sums sums;
  struct graph graph;
  struct virtual_threads virtual;
  VECTOR(struct late_step) late;
  bool *is_late; /* by location */
  uint64_t first, last;
};

struct lane {
  struct task_lane *steps;
  const struct pass_location *location;
  struct error *error;
  const struct trace *trace;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct tasks_search *search = context;
  struct lane *lane = calloc(1, sizeof *lane);
  if (lane && (lane->steps = task_lane_open(search->trace, location, search->rules, search->regions)) != NULL) {
    lane->location = location;
    lane->error = error;
    lane->trace = search->trace;
    return lane;
  }
  free(lane);
  error_set(error, "%s: out of memory", search->trace->anchor);
  return NULL;
}

static bool wants_events(const void *of)
{
  const struct lane *lane = of;
  return task_lane_is_thread(lane->steps);
}

static bool take_event(void *of, const struct trace_event *event)
{
  struct lane *lane = of;
  return task_lane_event(lane->steps, event) || error_set(lane->error, "%s: out of memory", lane->trace->anchor);
}

static void take_interval(void *of, const struct state_interval *interval)
{
  struct lane *lane = of;
  if (task_lane_is_thread(lane->steps))
    task_lane_interval(lane->steps, interval);
}

static bool end_lane(void *of)
{
  struct lane *lane = of;
  return !task_lane_is_thread(lane->steps) || task_lane_end(lane->steps) ||
         error_set(lane->error, "%s: out of memory", lane->trace->anchor);
}

static void close_lane(void *context, void *of)
{
  struct tasks_search *search = context;
  struct lane *lane = of;
  if (task_lane_is_thread(lane->steps)) {
    search->sums.whole.lifetimes += pass_measured(lane->location);
    search->sums.whole.unmeasured += lane->location->ticks[STATE_UNMEASURED];
    if (lane->location->view->first < search->first)
      search->first = lane->location->view->first;
    if (lane->location->last > search->last)
      search->last = lane->location->last;
  }
  task_lane_close(lane->steps);
  free(lane);
}

static struct item_queue *queue(void *of)
{
  struct lane *lane = of;
  return task_lane_queue(lane->steps);
}

static uint64_t reached(void *of)
{
  struct lane *lane = of;
  return task_lane_is_thread(lane->steps) ? task_lane_reached(lane->steps) : lane->location->view->last;
}

static bool ends_a_wait(const struct task_step *step)
{
  return step->kind == TASK_STEP_PASS || step->kind == TASK_STEP_JOIN || step->kind == TASK_STEP_UNGROUP ||
         (step->kind == TASK_STEP_EDGE && step->edge.kind == STEP_JOIN);
}

static bool take_late(struct tasks_search *search)
{
  bool good = true;
  for (size_t i = 0; i < search->late.count; i++) {
    good = good && graph_take(&search->graph, search->late.items[i].location, &search->late.items[i].step);
    search->is_late[search->late.items[i].location] = false;
  }
  search->late.count = 0;
  return good;
}

static bool take_item(void *context, uint32_t location, void *item)
{
  struct tasks_search *search = context;
  const struct task_step *step = item;
  if (search->late.count > 0 && step->time > search->late.items[0].step.time && !take_late(search))
    return false;
  if (!virtual_threads_take(&search->virtual, location, step))
    return false;
  if (!search->is_late[location] && !ends_a_wait(step))
    return graph_take(&search->graph, location, step);
  struct late_step late = {*step, location};
  search->is_late[location] = true;
  return vector_push(&search->late, late);
}

struct tasks_search *tasks_begin(const struct trace *trace, struct error *error)
{
  struct tasks_search *search = calloc(1, sizeof *search);
  bool good = search && (search->rules = machine_rules(trace)) != NULL &&
              (search->regions = task_regions(trace, search->rules)) != NULL &&
              (search->is_late = calloc((size_t)trace->location_count + 1, sizeof *search->is_late)) != NULL &&
              graph_init(&search->graph, trace, &search->sums);
  if (!good) {
    error_set(error, "%s: out of memory", trace->anchor);
    tasks_drop(search);
    return NULL;
  }
  search->trace = trace;
  virtual_threads_init(&search->virtual, trace);
  search->first = TASKS_NEVER;
  search->subscriber = (struct subscriber){.context = search,
                                           .open = open_lane,
                                           .wants_events = wants_events,
                                           .event = take_event,
                                           .interval = take_interval,
                                           .end = end_lane,
                                           .close = close_lane,
                                           .queue = queue,
                                           .reached = reached,
                                           .take = take_item};
  return search;
}

const struct subscriber *tasks_subscriber(const struct tasks_search *search)
{
  return &search->subscriber;
}

void tasks_drop(struct tasks_search *search)
{
  if (!search)
    return;
  if (search->graph.trace)
    graph_free(&search->graph);
  task_sums_free(&search->sums);
  virtual_threads_free(&search->virtual);
  vector_free(&search->late);
  free(search->rules);
  free(search->regions);
  free(search->is_late);
  free(search);
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

bool tasks_end(struct tasks_search *search, struct tasks *tasks, struct error *error)
{
  const struct trace *trace = search->trace;
  *tasks = (struct tasks){0};
  bool good = take_late(search) && graph_finish(&search->graph);
  if (good)
    task_sums_finish(&search->sums, tasks);
  good = good && virtual_threads_finish(&search->virtual, tasks);
  tasks->elapsed = search->last > search->first ? search->last - search->first : 0;
  good = good && count_threads(tasks, trace) && (!search->graph.java || task_pools_finish(&search->graph.pools, tasks));
  tasks_drop(search);
  return good || error_set(error, "%s: out of memory", trace->anchor);
}

bool tasks_find(const struct trace *trace, struct pool *pool, struct tasks *tasks, struct error *error)
{
  *tasks = (struct tasks){0};
  struct tasks_search *search = tasks_begin(trace, error);
  const struct subscriber *subscriber = search ? tasks_subscriber(search) : NULL;
  if (search && pass_in_order(trace, pool, &subscriber, 1, error))
    return tasks_end(search, tasks, error);
  tasks_drop(search);
  return false;
}

void tasks_free(struct tasks *tasks)
{
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
