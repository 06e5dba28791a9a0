#include "analyzer/analyses/waits/wakers.h"

#include "analyzer/analyses/waits/tick.h"

#include <stdlib.h>

struct wakers {
  struct subscriber subscriber;
  const struct trace *trace;
  uint8_t *rules;
  struct wait_kind *kinds;
  struct matcher matcher;
  struct tick tick;
  wide_total lifetimes, unmeasured;
  uint64_t last; /* the last event of all threads */
};

struct lane {
  struct waker_lane *steps;
  const struct pass_location *location;
  struct error *error;
  const struct trace *trace;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct wakers *wakers = context;
  struct lane *lane = calloc(1, sizeof *lane);
  if (lane && (lane->steps = waker_lane_open(wakers->trace, location, wakers->rules, wakers->kinds)) != NULL) {
    lane->location = location;
    lane->error = error;
    lane->trace = wakers->trace;
    return lane;
  }
  free(lane);
  error_set(error, "%s: out of memory", wakers->trace->anchor);
  return NULL;
}

static bool wants_events(const void *of)
{
  const struct lane *lane = of;
  return waker_lane_is_thread(lane->steps);
}

static bool take_event(void *of, const struct trace_event *event)
{
  struct lane *lane = of;
  return waker_lane_event(lane->steps, event) || error_set(lane->error, "%s: out of memory", lane->trace->anchor);
}

static void take_interval(void *of, const struct state_interval *interval)
{
  struct lane *lane = of;
  waker_lane_interval(lane->steps, interval);
}

static bool end_lane(void *of)
{
  struct lane *lane = of;
  return waker_lane_end(lane->steps) || error_set(lane->error, "%s: out of memory", lane->trace->anchor);
}

static void close_lane(void *context, void *of)
{
  struct wakers *wakers = context;
  struct lane *lane = of;
  if (trace_is_thread(wakers->trace, lane->location->number)) {
    wakers->last = lane->location->last > wakers->last ? lane->location->last : wakers->last;
    wakers->lifetimes += pass_measured(lane->location);
    wakers->unmeasured += lane->location->ticks[STATE_UNMEASURED];
  }
  waker_lane_close(lane->steps);
  free(lane);
}

static struct item_queue *queue(void *of)
{
  struct lane *lane = of;
  return waker_lane_queue(lane->steps);
}

static uint64_t reached(void *of)
{
  struct lane *lane = of;
  return waker_lane_reached(lane->steps);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  struct wakers *wakers = context;
  return tick_take(&wakers->tick, &wakers->matcher, location, item);
}

struct wakers *wakers_begin(const struct trace *trace, struct error *error)
{
  struct wakers *wakers = calloc(1, sizeof *wakers);
  bool good = wakers && (wakers->rules = machine_rules(trace)) != NULL &&
              (wakers->kinds = wait_kinds(trace, wakers->rules)) != NULL && matcher_init(&wakers->matcher, trace);
  if (!good) {
    error_set(error, "%s: out of memory", trace->anchor);
    wakers_drop(wakers);
    return NULL;
  }
  wakers->trace = trace;
  wakers->subscriber = (struct subscriber){.context = wakers,
                                           .open = open_lane,
                                           .wants_events = wants_events,
                                           .event = take_event,
                                           .interval = take_interval,
                                           .end = end_lane,
                                           .close = close_lane,
                                           .queue = queue,
                                           .reached = reached,
                                           .take = take_item};
  return wakers;
}

const struct subscriber *wakers_subscriber(const struct wakers *wakers)
{
  return &wakers->subscriber;
}

void wakers_listen(struct wakers *wakers, const struct wakers_listener *listener)
{
  wakers->matcher.listener = listener;
}

void wakers_drop(struct wakers *wakers)
{
  if (!wakers)
    return;
  tick_free(&wakers->tick);
  matcher_free(&wakers->matcher);
  free(wakers->rules);
  free(wakers->kinds);
  free(wakers);
}

/* The run of a process ends with the thread that worked last; of several ones with the initial one. */
static uint32_t last_location(const struct wakers *wakers, uint32_t process, uint64_t *end)
{
  uint32_t last = TRACE_NONE;
  *end = 0;
  for (uint32_t i = 0; i < wakers->trace->location_count; i++) {
    const struct matched_thread *threads = wakers->matcher.threads;
    uint64_t reached = paths_reached(wakers->matcher.paths, i);
    if (wakers->trace->locations[i].process != process || reached == 0)
      continue;
    *end = reached > *end ? reached : *end;
    bool first = wakers->trace->locations[i].type == TRACE_THREAD_INITIAL;
    if (last == TRACE_NONE || threads[i].busy_until > threads[last].busy_until ||
        (threads[i].busy_until == threads[last].busy_until && first &&
         wakers->trace->locations[last].type != TRACE_THREAD_INITIAL))
      last = i;
  }
  return last;
}

struct parts {
  struct critical_paths *paths;
  struct hash place_of;
  size_t path;
  uint64_t sum;
};

static bool add_part(void *context, struct path_part part, uint64_t ticks)
{
  struct parts *parts = context;
  struct critical_paths *paths = parts->paths;
  uint64_t key = (uint64_t)part.location << 40 | (uint64_t)(part.construct + 1) << 8 | part.state;
  const uint64_t *at = hash_find(&parts->place_of, key);
  parts->sum += ticks;
  if (at) {
    paths->parts[*at].ticks += ticks;
    return true;
  }
  if (!array_make_room(paths->parts, paths->part_count) || !hash_add(&parts->place_of, key, paths->part_count))
    return false;
  paths->parts[paths->part_count++] =
      (struct critical_part){parts->path, part.location, part.construct, part.state, ticks};
  return true;
}

static bool add_path(struct wakers *wakers, uint32_t process, struct critical_paths *paths, struct error *error)
{
  uint64_t end;
  uint32_t last = last_location(wakers, process, &end);
  if (last == TRACE_NONE)
    return true;
  uint32_t index = process == TRACE_NONE ? wakers->trace->process_count : process;
  struct parts parts = {.paths = paths, .path = paths->count};
  bool good = paths_extend(wakers->matcher.paths, (struct path_part){last, TRACE_NONE, PATH_AFTER}, end) &&
              array_make_room(paths->list, paths->count);
  if (good)
    paths->list[paths->count++] = (struct critical_path){.process = process,
                                                         .last = last,
                                                         .ticks = end - paths_origin(wakers->matcher.paths, last),
                                                         .hops = wakers->matcher.hops[index],
                                                         .lost = wakers->matcher.lost[index]};
  good = good && paths_line(wakers->matcher.paths, last, &paths->list[parts.path].line) &&
         paths_visit(wakers->matcher.paths, last, add_part, &parts);
  hash_free(&parts.place_of);
  if (!good)
    return error_set(error, "%s: out of memory", wakers->trace->anchor);
  return parts.sum == paths->list[parts.path].ticks ||
         error_set(error, "%s: the parts of the critical path do not add up: this is a defect of heddle",
                   wakers->trace->anchor);
}

static int compare_parts(const void *of_a, const void *of_b)
{
  const struct critical_part *a = of_a, *b = of_b;
  if (a->path != b->path)
    return a->path < b->path ? -1 : 1;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  if (a->location != b->location)
    return a->location < b->location ? -1 : 1;
  if (a->construct != b->construct)
    return a->construct < b->construct ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

static bool finish_paths(struct wakers *wakers, struct critical_paths *paths, struct error *error)
{
  bool good = add_path(wakers, TRACE_NONE, paths, error);
  for (uint32_t i = 0; good && i < wakers->trace->process_count; i++)
    good = add_path(wakers, i, paths, error);
  if (good && paths->part_count > 0)
    qsort(paths->parts, paths->part_count, sizeof *paths->parts, compare_parts);
  return good;
}

bool wakers_end(struct wakers *wakers, struct waits *waits, struct critical_paths *paths, struct error *error)
{
  *waits = (struct waits){.lifetimes = wakers->lifetimes, .unmeasured = wakers->unmeasured};
  *paths = (struct critical_paths){0};
  bool finished = tick_finish(&wakers->tick, &wakers->matcher);
  matcher_cut(&wakers->matcher, wakers->last);
  bool good = (finished && !wakers->matcher.failed && wait_sums_finish(&wakers->matcher.sums, waits)) ||
              error_set(error, "%s: out of memory", wakers->trace->anchor);
  good = good && finish_paths(wakers, paths, error);
  wakers_drop(wakers);
  return good;
}

bool wakers_find(const struct trace *trace, struct pool *pool, struct waits *waits, struct critical_paths *paths,
                 struct error *error)
{
  *waits = (struct waits){0};
  *paths = (struct critical_paths){0};
  struct wakers *wakers = wakers_begin(trace, error);
  const struct subscriber *subscriber = wakers ? wakers_subscriber(wakers) : NULL;
  if (wakers && pass_in_order(trace, pool, &subscriber, 1, error))
    return wakers_end(wakers, waits, paths, error);
  wakers_drop(wakers);
  return false;
}

void waits_free(struct waits *waits)
{
  free(waits->places);
  free(waits->causes);
  callers_free(&waits->callers);
  callers_free(&waits->pinned);
  *waits = (struct waits){0};
}

void critical_paths_free(struct critical_paths *paths)
{
  for (size_t i = 0; i < paths->count; i++)
    line_free(&paths->list[i].line);
  free(paths->list);
  free(paths->parts);
  *paths = (struct critical_paths){0};
}
