#include "analyzer/analyses/waits/waits.h"

#include "analyzer/analyses/waits/lane.h"
#include "analyzer/analyses/waits/matcher.h"

#include <stdlib.h>

struct waits_analysis {
  const struct trace *trace;
  uint8_t *rules;
  struct wait_kind *kinds;
  struct matcher matcher;
  struct tick tick;
  wide_total lifetimes, not_measured;
  uint64_t last; /* the last event of all threads */
};

static bool begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct waits_analysis *analysis = context;
  waker_lane_begin(lane, analysis->trace, location, analysis->rules, analysis->kinds);
  return true;
}

static void close_lane(void *context, void *opened)
{
  struct waits_analysis *analysis = context;
  struct waker_lane *lane = opened;
  if (trace_is_thread(analysis->trace, lane->location->number)) {
    analysis->last = lane->location->last > analysis->last ? lane->location->last : analysis->last;
    analysis->lifetimes += pass_measured(lane->location);
    analysis->not_measured += lane->location->ticks[STATE_UNMEASURED];
  }
  waker_lane_close(lane);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  struct waits_analysis *analysis = context;
  return tick_take(&analysis->tick, &analysis->matcher, location, item);
}

static bool waits_begin(void *state, const struct analysis_input *input)
{
  struct waits_analysis *analysis = state;
  const struct waits_options *options = input->options;
  analysis->trace = input->trace;
  analysis->rules = machine_rules(input->trace);
  analysis->kinds = analysis->rules ? wait_kinds(input->trace, analysis->rules) : NULL;
  if (!analysis->kinds || !matcher_init(&analysis->matcher, input->trace))
    return false;
  analysis->matcher.listener = options ? options->listener : NULL;
  return true;
}

static void waits_drop(void *state)
{
  struct waits_analysis *analysis = state;
  tick_free(&analysis->tick);
  matcher_free(&analysis->matcher);
  free(analysis->rules);
  free(analysis->kinds);
}

/* The run of a process ends with the thread that worked last; of several ones with the initial one. */
static uint32_t last_location(const struct waits_analysis *analysis, uint32_t process, uint64_t *end)
{
  uint32_t last = TRACE_NONE;
  *end = 0;
  for (uint32_t i = 0; i < analysis->trace->location_count; i++) {
    const struct matched_thread *threads = analysis->matcher.threads;
    uint64_t reached = paths_reached(analysis->matcher.paths, i);
    if (analysis->trace->locations[i].process != process || reached == 0)
      continue;
    *end = reached > *end ? reached : *end;
    bool first = analysis->trace->locations[i].type == TRACE_THREAD_INITIAL;
    if (last == TRACE_NONE || threads[i].busy_until > threads[last].busy_until ||
        (threads[i].busy_until == threads[last].busy_until && first &&
         analysis->trace->locations[last].type != TRACE_THREAD_INITIAL))
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

static bool add_path(struct waits_analysis *analysis, uint32_t process, struct critical_paths *paths,
                     struct error *error)
{
  uint64_t end;
  uint32_t last = last_location(analysis, process, &end);
  if (last == TRACE_NONE)
    return true;
  uint32_t index = process == TRACE_NONE ? analysis->trace->process_count : process;
  struct parts parts = {.paths = paths, .path = paths->count};
  bool good = paths_extend(analysis->matcher.paths, (struct path_part){last, TRACE_NONE, PATH_AFTER}, end) &&
              array_make_room(paths->list, paths->count);
  if (good)
    paths->list[paths->count++] = (struct critical_path){.process = process,
                                                         .last = last,
                                                         .ticks = end - paths_origin(analysis->matcher.paths, last),
                                                         .hops = analysis->matcher.hops[index],
                                                         .lost = analysis->matcher.lost[index]};
  good = good && paths_line(analysis->matcher.paths, last, &paths->list[parts.path].line) &&
         paths_visit(analysis->matcher.paths, last, add_part, &parts);
  hash_free(&parts.place_of);
  if (!good)
    return error_set(error, "%s: out of memory", analysis->trace->anchor);
  return parts.sum == paths->list[parts.path].ticks ||
         error_set(error, "%s: the parts of the critical path do not add up: this is a defect of heddle",
                   analysis->trace->anchor);
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

static bool finish_paths(struct waits_analysis *analysis, struct critical_paths *paths, struct error *error)
{
  bool good = add_path(analysis, TRACE_NONE, paths, error);
  for (uint32_t i = 0; good && i < analysis->trace->process_count; i++)
    good = add_path(analysis, i, paths, error);
  if (good && paths->part_count > 0)
    qsort(paths->parts, paths->part_count, sizeof *paths->parts, compare_parts);
  return good;
}

static bool waits_end(void *state, void *result, struct error *error)
{
  struct waits_analysis *analysis = state;
  struct waits_found *found = result;
  found->waits = (struct waits){.lifetimes = analysis->lifetimes, .not_measured = analysis->not_measured};
  bool finished = tick_finish(&analysis->tick, &analysis->matcher);
  matcher_cut(&analysis->matcher, analysis->last);
  return finished && !analysis->matcher.failed && wait_sums_finish(&analysis->matcher.sums, &found->waits) &&
         finish_paths(analysis, &found->paths, error);
}

void critical_paths_free(struct critical_paths *paths)
{
  for (size_t i = 0; i < paths->count; i++)
    line_free(&paths->list[i].line);
  free(paths->list);
  free(paths->parts);
  *paths = (struct critical_paths){0};
}

static void waits_free(void *result)
{
  struct waits_found *found = result;
  free(found->waits.places);
  free(found->waits.causes);
  callers_free(&found->waits.callers);
  callers_free(&found->waits.pinned);
  critical_paths_free(&found->paths);
  *found = (struct waits_found){0};
}

const struct analysis waits_analysis = {.name = "waits",
                                        .state_size = sizeof(struct waits_analysis),
                                        .result_size = sizeof(struct waits_found),
                                        .begin = waits_begin,
                                        .lanes = {.lane_size = sizeof(struct waker_lane),
                                                  .begin = begin_lane,
                                                  .wants_events = waker_lane_is_thread,
                                                  .event = waker_lane_event,
                                                  .interval = waker_lane_interval,
                                                  .end = waker_lane_end,
                                                  .close = close_lane,
                                                  .queue = waker_lane_queue,
                                                  .reached = waker_lane_reached,
                                                  .take = take_item},
                                        .end = waits_end,
                                        .drop = waits_drop,
                                        .free = waits_free};
