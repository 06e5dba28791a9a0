#include "analyzer/report/timeline_json.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <string.h>

#define SUMS_MAX 200000 /* rows */

/* The order of states: as the columns of `heddle states`. */
static const enum state order[STATES] = {STATE_RUN,
                                         STATE_IDLE,
                                         STATE_OVERHEAD,
                                         STATE_SYNCH_IMPLICIT_BARRIER,
                                         STATE_SYNCH_BARRIER,
                                         STATE_SYNCH_MUTEX,
                                         STATE_SYNCH_ORDERED,
                                         STATE_SYNCH_TASKWAIT,
                                         STATE_SYNCH_REDUCTION,
                                         STATE_SYNCH_PTHREAD_MUTEX,
                                         STATE_SYNCH_PTHREAD_RWLOCK,
                                         STATE_SYNCH_PTHREAD_CONDITION,
                                         STATE_SYNCH_SEMAPHORE,
                                         STATE_SYNCH_PTHREAD_BARRIER,
                                         STATE_SYNCH_ATOMIC,
                                         STATE_SYNCH_JOIN,
                                         STATE_BLOCKED_MUTEX,
                                         STATE_BLOCKED_CONDVAR,
                                         STATE_SPIN,
                                         STATE_GC,
                                         STATE_INIT,
                                         STATE_TRACEFLUSH,
                                         STATE_UNMEASURED,
                                         STATE_READY,
                                         STATE_OFF};

static int64_t place_of(const bool listed[STATES], uint32_t state)
{
  int64_t place = 0;
  for (unsigned i = 0; i < STATES; i++) {
    if (order[i] == state)
      return place;
    place += listed[order[i]];
  }
  return -1;
}

static int64_t index_of(uint32_t index)
{
  return index == TRACE_NONE ? -1 : (int64_t)index;
}

/* As OTF2 calls them. */
static const char *role_name(OTF2_RegionRole role)
{
  static const char *const names[] = {"UNKNOWN",
                                      "FUNCTION",
                                      "WRAPPER",
                                      "LOOP",
                                      "CODE",
                                      "PARALLEL",
                                      "SECTIONS",
                                      "SECTION",
                                      "WORKSHARE",
                                      "SINGLE",
                                      "SINGLE_SBLOCK",
                                      "MASTER",
                                      "CRITICAL",
                                      "CRITICAL_SBLOCK",
                                      "ATOMIC",
                                      "BARRIER",
                                      "IMPLICIT_BARRIER",
                                      "FLUSH",
                                      "ORDERED",
                                      "ORDERED_SBLOCK",
                                      "TASK",
                                      "TASK_CREATE",
                                      "TASK_WAIT",
                                      "COLL_ONE2ALL",
                                      "COLL_ALL2ONE",
                                      "COLL_ALL2ALL",
                                      "COLL_OTHER",
                                      "FILE_IO",
                                      "POINT2POINT",
                                      "RMA",
                                      "DATA_TRANSFER",
                                      "ARTIFICIAL",
                                      "THREAD_CREATE",
                                      "THREAD_WAIT",
                                      "TASK_UNTIED",
                                      "ALLOCATE",
                                      "DEALLOCATE",
                                      "REALLOCATE",
                                      "FILE_IO_METADATA"};
  return role < COUNT_OF(names) ? names[role] : "UNKNOWN";
}

static void put_region(struct json_writer *json, const struct trace_region *region, const struct longest *longest)
{
  json_put_object(json, NULL);
  json_put_text(json, "name", region->name);
  if (*region->function)
    json_put_text(json, "function", region->function);
  if (*region->file)
    json_put_text(json, "file", region->file);
  if (region->line)
    json_put_count(json, "line", region->line);
  json_put_text(json, "role", role_name(region->role));
  enum rule rule = state_rule_of(region);
  if (rule_is_off(rule) || strcmp(region->name, REGION_PROCESSOR_FREE) == 0) /* these are no constructs */
    json_put_text(json, "state", state_key((enum state)state_rules[rule].alone));
  json_put_count(json, "longest", longest->end - longest->begin);
  json_put_end(json);
}

static void put_dictionaries(struct json_writer *json, const struct timeline *timeline)
{
  bool listed[STATES];
  states_listed(timeline->trace, listed);
  json_put_array(json, "states");
  for (unsigned i = 0; i < STATES; i++)
    if (listed[order[i]])
      json_put_text(json, NULL, state_name(order[i]));
  json_put_end(json);
  json_put_array(json, "state_keys");
  for (unsigned i = 0; i < STATES; i++)
    if (listed[order[i]])
      json_put_text(json, NULL, state_key(order[i]));
  json_put_end(json);
  json_put_array(json, "regions");
  for (uint32_t i = 0; i < timeline->trace->region_count; i++)
    put_region(json, &timeline->trace->regions[i], &timeline->longest[i]);
  json_put_end(json);
  json_put_array(json, "codes");
  for (uint32_t i = 0; i < codes_count(timeline->codes); i++) {
    struct code code = codes_get(timeline->codes, i);
    json_put_array(json, NULL);
    json_put_signed(json, NULL, code.state == TRACE_NONE ? -1 : place_of(listed, code.state));
    json_put_signed(json, NULL, index_of(code.region));
    json_put_end(json);
  }
  json_put_end(json);
}

static unsigned lanes_of(const struct location_lanes *location, const struct bundle_shape *shape)
{
  return location->count < shape->lanes ? location->count : shape->lanes;
}

static bool has_threads(const struct location_lanes *location, const struct bundle_shape *shape)
{
  return shape->threads && location->threads.levels > 0;
}

bool timeline_has_threads(const struct timeline *timeline)
{
  for (uint32_t i = 0; i < timeline->trace->location_count; i++)
    if (timeline->locations[i].threads.levels > 0)
      return true;
  return false;
}

void timeline_put_blocks(struct json_writer *json, const char *name, const struct block_list *blocks, uint64_t offset)
{
  json_put_array(json, name);
  for (uint32_t i = 0; i < blocks->count; i++) {
    const struct block *block = &blocks->list[i];
    json_put_array(json, NULL);
    json_put_count(json, NULL, block->begin);
    json_put_count(json, NULL, block->end);
    json_put_count(json, NULL, block->segments);
    json_put_count(json, NULL, block->longest);
    json_put_count(json, NULL, offset == UINT64_MAX ? block->offset : offset);
    json_put_count(json, NULL, block->bytes);
    json_put_end(json);
    if (offset != UINT64_MAX)
      offset += block->bytes;
  }
  json_put_end(json);
}

static uint64_t bytes_of(const struct block_list *blocks)
{
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < blocks->count; i++)
    bytes += blocks->list[i].bytes;
  return bytes;
}

/* True if a level is written as the number of the level that has its blocks. */
static bool is_shared(const struct lane *lane, unsigned level, const struct bundle_shape *shape)
{
  return level > shape->from && lane->level[level].same;
}

static void put_levels(struct json_writer *json, const struct lane *lane, const struct bundle_shape *shape,
                       uint64_t *offset)
{
  json_put_array(json, "levels");
  for (unsigned level = shape->from; level < lane->levels; level++) {
    if (is_shared(lane, level, shape)) {
      json_put_count(json, NULL, level - 1 - shape->from);
      continue;
    }
    const struct block_list *blocks = &lane->level[lane_level_of(lane, level)].blocks;
    timeline_put_blocks(json, NULL, blocks, *offset);
    *offset += bytes_of(blocks);
  }
  json_put_end(json);
}

static void put_states_lane(struct json_writer *json, const char *kind, unsigned depth, const struct lane *lane,
                            const struct bundle_shape *shape, uint64_t *offset)
{
  json_put_object(json, NULL);
  json_put_text(json, "kind", kind);
  json_put_count(json, "depth", depth);
  if (shape->view)
    json_put_raw(json, "levels", NULL);
  else
    put_levels(json, lane, shape, offset);
  json_put_end(json);
}

static void put_location(struct json_writer *json, const struct timeline *timeline, uint32_t at,
                         const struct bundle_shape *shape, uint64_t *offset)
{
  const struct trace *trace = timeline->trace;
  const struct location_lanes *location = &timeline->locations[at];
  uint32_t process = trace->locations[at].process;
  const char *group = trace_property(trace, TRACE_OF_LOCATION, at, LOCATION_THREAD_GROUP);
  json_put_object(json, NULL);
  json_put_text(json, "name", trace->locations[at].name);
  json_put_text(json, "process", process == TRACE_NONE ? "" : trace->processes[process].name);
  json_put_text(json, "group", group ? group : "");
  if (!trace_is_thread(trace, at))
    json_put_text(json, "kind", trace_is_processor(trace, at) ? "processor" : "device");
  json_put_count(json, "begin", location->begin);
  json_put_count(json, "end", location->end);
  json_put_array(json, "lanes");
  for (unsigned i = 0; i < lanes_of(location, shape); i++)
    put_states_lane(json, i == 0 ? "states" : "constructs", i == 0 ? 0 : i - 1, &location->lanes[i], shape, offset);
  if (has_threads(location, shape))
    put_states_lane(json, "threads", 0, &location->threads, shape, offset);
  json_put_end(json);
  json_put_end(json);
}

static void put_bins(struct json_writer *json, const struct timeline *timeline)
{
  const struct bins *bins = timeline->bins;
  bool listed[STATES];
  states_listed(timeline->trace, listed);
  json_put_object(json, "bins");
  json_put_count(json, "count", BINS_COUNT);
  json_put_array(json, "ticks");
  for (unsigned i = 0; i < STATES; i++) {
    if (!listed[order[i]])
      continue;
    json_put_array(json, NULL);
    for (unsigned bin = 0; bin < BINS_COUNT; bin++)
      json_put_count(json, NULL, bins->ticks[order[i]][bin]);
    json_put_end(json);
  }
  json_put_end(json);
  json_put_end(json);
}

/* Converts ticks of the trace to ticks of the run; a time before its first event is an archive's own damage. */
static uint64_t since_start(const struct timeline *timeline, uint64_t time)
{
  return time > timeline->start ? time - timeline->start : 0;
}

static void put_arrows(struct json_writer *json, const struct timeline *timeline)
{
  json_put_array(json, "arrows");
  for (unsigned kind = 0; kind < ARROW_KINDS; kind++) {
    const struct arrow_heap *heap = &timeline->teamwork.arrows.kinds[kind];
    for (uint32_t i = 0; i < heap->count; i++) {
      const struct arrow *arrow = &heap->list[i];
      json_put_array(json, NULL);
      json_put_text(json, NULL, arrow_kind_name(arrow->kind));
      json_put_count(json, NULL, arrow->from);
      json_put_count(json, NULL, since_start(timeline, arrow->from_time));
      json_put_count(json, NULL, arrow->to);
      json_put_count(json, NULL, since_start(timeline, arrow->time));
      json_put_signed(json, NULL, index_of(arrow->region));
      if (kind == ARROW_LOCK) /* the begin of the wait */
        json_put_count(json, NULL, since_start(timeline, arrow->time - arrow->weight));
      json_put_end(json);
    }
  }
  json_put_end(json);
}

/* The stretches of each critical path: [location, begin, end], in order. */
static void put_paths(struct json_writer *json, const struct timeline *timeline)
{
  json_put_array(json, "paths");
  for (size_t i = 0; i < timeline->paths.count; i++) {
    const struct path_line *line = &timeline->paths.list[i].line;
    json_put_array(json, NULL);
    for (size_t k = 0; k < line->stretches.count; k++) {
      json_put_array(json, NULL);
      json_put_count(json, NULL, line->stretches.items[k].location);
      json_put_count(json, NULL, since_start(timeline, line->stretches.items[k].begin));
      json_put_count(json, NULL, since_start(timeline, line->stretches.items[k].end));
      json_put_end(json);
    }
    json_put_end(json);
  }
  json_put_end(json);
}

static void put_chunk_map(struct json_writer *json, const struct timeline *timeline, uint32_t region)
{
  const struct chunk_map *map = &timeline->teamwork.chunks[region];
  json_put_object(json, NULL);
  json_put_count(json, "region", region);
  json_put_count(json, "instance_begin", since_start(timeline, map->begin));
  json_put_count(json, "instance_end", since_start(timeline, map->end));
  json_put_signed(json, "first", chunk_map_first(map));
  json_put_count(json, "iterations", map->iterations);
  json_put_count(json, "beyond_limit", map->beyond_limit);
  json_put_array(json, "list");
  for (size_t i = 0; i < map->chunks.count; i++) {
    json_put_array(json, NULL);
    json_put_count(json, NULL, map->chunks.items[i].location);
    json_put_count(json, NULL, since_start(timeline, map->chunks.items[i].begin));
    json_put_count(json, NULL, since_start(timeline, map->chunks.items[i].end));
    json_put_signed(json, NULL, map->chunks.items[i].first);
    json_put_count(json, NULL, map->chunks.items[i].iterations);
    json_put_end(json);
  }
  json_put_end(json);
  json_put_end(json);
}

static void put_chunk_maps(struct json_writer *json, const struct timeline *timeline)
{
  json_put_array(json, "chunks");
  for (uint32_t i = 0; i < timeline->teamwork.regions; i++)
    if (timeline->teamwork.chunks[i].chunks.count > 0)
      put_chunk_map(json, timeline, i);
  json_put_end(json);
}

/* The sums of each location's states; null if there are very many. */
static void put_sums(struct json_writer *json, const struct timeline *timeline)
{
  uint64_t rows = 0;
  for (uint32_t at = 0; at < timeline->trace->location_count; at++)
    rows += timeline->locations[at].sum_count;
  if (rows > SUMS_MAX) {
    json_put_raw(json, "sums", NULL);
    return;
  }
  json_put_array(json, "sums");
  for (uint32_t at = 0; at < timeline->trace->location_count; at++) {
    for (uint32_t i = 0; i < timeline->locations[at].sum_count; i++) {
      const struct code_sum *sum = &timeline->locations[at].sums[i];
      json_put_array(json, NULL);
      json_put_count(json, NULL, at);
      json_put_count(json, NULL, sum->code);
      json_put_count(json, NULL, sum->ticks);
      json_put_count(json, NULL, sum->count);
      json_put_end(json);
    }
  }
  json_put_end(json);
}

/* Visits that took no time; null if there are very many. */
static void put_instants(struct json_writer *json, const struct timeline *timeline)
{
  uint64_t rows = 0;
  for (uint32_t at = 0; at < timeline->trace->location_count; at++)
    rows += timeline->locations[at].instant_count;
  if (rows > SUMS_MAX) {
    json_put_raw(json, "instants", NULL);
    return;
  }
  json_put_object(json, "instants");
  json_put_count(json, "bins", INSTANT_BINS);
  json_put_array(json, "list");
  for (uint32_t at = 0; at < timeline->trace->location_count; at++) {
    for (uint32_t i = 0; i < timeline->locations[at].instant_count; i++) {
      const struct code_sum *sum = &timeline->locations[at].instants[i];
      json_put_array(json, NULL);
      json_put_count(json, NULL, at);
      json_put_count(json, NULL, codes_get(timeline->codes, sum->code / INSTANT_BINS).region);
      json_put_count(json, NULL, sum->code % INSTANT_BINS);
      json_put_count(json, NULL, sum->count);
      json_put_end(json);
    }
  }
  json_put_end(json);
  json_put_end(json);
}

void timeline_put(struct json_writer *json, const struct timeline *timeline, const struct bundle_shape *shape)
{
  char start[32];
  uint64_t offset = 0;
  snprintf(start, sizeof start, "%" PRIu64, timeline->start);
  json_put_object(json, "timeline");
  json_put_count(json, "ticks_per_second", timeline->trace->ticks_per_second);
  json_put_text(json, "start", start);
  uint64_t origin = timeline->trace->first_tick;
  json_put_count(json, "since_begin", timeline->start > origin ? timeline->start - origin : 0);
  json_put_count(json, "duration", timeline->duration);
  put_dictionaries(json, timeline);
  json_put_array(json, "locations");
  for (uint32_t i = 0; i < timeline->trace->location_count; i++)
    put_location(json, timeline, i, shape, &offset);
  json_put_end(json);
  json_put_array(json, "level_thresholds");
  for (unsigned i = 0; i < timeline->detail.levels; i++)
    json_put_count(json, NULL, timeline->detail.thresholds[i]);
  json_put_end(json);
  json_put_count(json, "levels_kept_from", shape->view ? 0 : shape->from);
  put_bins(json, timeline);
  put_arrows(json, timeline);
  put_paths(json, timeline);
  put_chunk_maps(json, timeline);
  put_sums(json, timeline);
  put_instants(json, timeline);
  json_put_end(json);
}

bool timeline_each_level(const struct timeline *timeline, const struct bundle_shape *shape,
                         bool (*take)(void *context, const struct block_list *blocks), void *context)
{
  for (uint32_t at = 0; at < timeline->trace->location_count; at++) {
    const struct location_lanes *location = &timeline->locations[at];
    for (unsigned i = 0; i < lanes_of(location, shape) + has_threads(location, shape); i++) {
      const struct lane *lane = i < lanes_of(location, shape) ? &location->lanes[i] : &location->threads;
      for (unsigned level = shape->from; level < lane->levels; level++) {
        if (!is_shared(lane, level, shape) && !take(context, &lane->level[lane_level_of(lane, level)].blocks))
          return false;
      }
    }
  }
  return true;
}

static bool add_bytes(void *context, const struct block_list *blocks)
{
  *(uint64_t *)context += bytes_of(blocks);
  return true;
}

uint64_t timeline_blob_size(const struct timeline *timeline, const struct bundle_shape *shape)
{
  uint64_t bytes = 0;
  timeline_each_level(timeline, shape, add_bytes, &bytes);
  return bytes;
}
