#include "analyzer/report/teamwork.h"

#include <stddef.h>
#include <stdlib.h>

/* Executions of loops of one team that have not ended. At most TEAM_LOOPS_MAX: so far threads may be ahead of each
 * other (nowait). */
#define TEAM_LOOPS_MAX 256

/* The members of a team meet the same loops in the same order: the n-th of one is the n-th of all. */
struct team_loop {
  uint32_t ordinal;
  uint32_t region;
  uint32_t done; /* members */
  struct chunk_map map;
};

struct team_loops {
  struct team_loop *list; /* TEAM_LOOPS_MAX; the loop of ordinal n is at n % TEAM_LOOPS_MAX */
};

/* Work of one location together with others, in order of time. The arrows of locks come from locks/. */
#define WORK_EDGES (EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_JOIN) | EDGE_BIT(EDGE_TASK))

enum work_kind {
  WORK_STEP,
  /* Steps of chosen locations: */
  WORK_LOOP_BEGIN,
  WORK_LOOP_END,
  WORK_CHUNK /* has ended */
};

struct work {
  enum work_kind kind;
  uint32_t region; /* LOOP_... */
  uint64_t time;
  union {
    struct edge_step step; /* STEP */
    struct chunk chunk;    /* CHUNK */
  };
};

struct work_reader;

/* If weights are equal, the earlier arrow counts as longer. Two arrows are equal only if all fields are: the trace
 * alone decides which ones are kept. */
static bool is_less(const struct arrow *a, const struct arrow *b)
{
  if (a->weight != b->weight)
    return a->weight < b->weight;
  if (a->time != b->time)
    return a->time > b->time;
  if (a->to != b->to || a->from != b->from)
    return a->to != b->to ? a->to > b->to : a->from > b->from;
  return a->from_time != b->from_time ? a->from_time > b->from_time : a->region > b->region;
}

static void sift_down(struct arrow_heap *arrows, const struct arrow *moving)
{
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < arrows->count; at = child) {
    if (child + 1 < arrows->count && is_less(&arrows->list[child + 1], &arrows->list[child]))
      child++;
    if (is_less(moving, &arrows->list[child]))
      break;
    arrows->list[at] = arrows->list[child];
  }
  arrows->list[at] = *moving;
}

static void sift_up(struct arrow_heap *arrows, uint32_t at)
{
  struct arrow moving = arrows->list[at];
  for (; at > 0 && is_less(&moving, &arrows->list[(at - 1) / 2]); at = (at - 1) / 2)
    arrows->list[at] = arrows->list[(at - 1) / 2];
  arrows->list[at] = moving;
}

bool arrows_add(struct arrows *arrows, const struct arrow *arrow)
{
  struct arrow_heap *heap = &arrows->kinds[arrow->kind];
  if (!heap->list && !(heap->list = malloc(ARROWS_OF_KIND * sizeof *heap->list)))
    return false;
  if (heap->count < ARROWS_OF_KIND) {
    heap->list[heap->count] = *arrow;
    sift_up(heap, heap->count++);
    return true;
  }
  heap->beyond_limit++;
  if (is_less(&heap->list[0], arrow))
    sift_down(heap, arrow);
  return true;
}

bool arrows_merge(struct arrows *into, const struct arrows *from)
{
  for (unsigned i = 0; i < ARROW_KINDS; i++) {
    into->kinds[i].beyond_limit += from->kinds[i].beyond_limit;
    for (uint32_t k = 0; k < from->kinds[i].count; k++)
      if (!arrows_add(into, &from->kinds[i].list[k]))
        return false;
  }
  return true;
}

static int compare(const void *a, const void *b)
{
  return is_less(a, b) ? 1 : is_less(b, a) ? -1 : 0;
}

void arrows_sort(struct arrows *arrows)
{
  for (unsigned i = 0; i < ARROW_KINDS; i++) {
    struct arrow_heap *heap = &arrows->kinds[i];
    if (heap->count > 0)
      qsort(heap->list, heap->count, sizeof *heap->list, compare);
  }
}

void arrows_free(struct arrows *arrows)
{
  for (unsigned i = 0; i < ARROW_KINDS; i++)
    free(arrows->kinds[i].list);
  *arrows = (struct arrows){0};
}

const char *arrow_kind_name(enum arrow_kind kind)
{
  static const char *const names[ARROW_KINDS] = {
      [ARROW_LOCK] = "lock", [ARROW_FORK] = "fork", [ARROW_JOIN] = "join", [ARROW_TASK] = "task"};
  return names[kind];
}

/* False: out of memory. */
static bool chunk_map_add(struct chunk_map *map, const struct chunk *chunk)
{
  if (__builtin_add_overflow(map->iterations, chunk->iterations, &map->iterations))
    map->iterations = UINT64_MAX;
  if (map->chunks.count == CHUNKS_MAX) {
    map->beyond_limit++;
    return true;
  }
  return vector_push(&map->chunks, *chunk);
}

static void chunk_map_free(struct chunk_map *map)
{
  vector_free(&map->chunks);
  *map = (struct chunk_map){0};
}

/* If lengths are equal, the earliest execution is first, then the execution of the lowest location: the trace alone
 * decides. */
static bool is_longer(const struct chunk_map *a, const struct chunk_map *b)
{
  if (a->end - a->begin != b->end - b->begin)
    return a->end - a->begin > b->end - b->begin;
  return a->begin != b->begin ? a->begin < b->begin : a->chunks.items[0].location < b->chunks.items[0].location;
}

/* The lists are swapped, so that their memory is used again. */
static void chunk_map_keep(struct chunk_map *longest, struct chunk_map *map)
{
  if (map->chunks.count > 0 && (longest->chunks.count == 0 || is_longer(map, longest))) {
    struct chunk_map kept = *map;
    *map = *longest;
    *longest = kept;
  }
  map->chunks.count = 0;
  *map = (struct chunk_map){.chunks = map->chunks};
}

int64_t chunk_map_first(const struct chunk_map *map)
{
  int64_t first = map->chunks.count ? map->chunks.items[0].first : 0;
  for (size_t i = 1; i < map->chunks.count; i++)
    if (map->chunks.items[i].first < first)
      first = map->chunks.items[i].first;
  return first;
}

#define NO_REGION UINT32_MAX

/* Ends an execution, and keeps it if it is the longest of its loop. */
static void team_loop_end(struct team_loop *loop, struct chunk_map *longest)
{
  if (loop->region != NO_REGION)
    chunk_map_keep(&longest[loop->region], &loop->map);
  loop->region = NO_REGION;
}

/* Returns the execution of that number, perhaps a new one. Ends the execution that had its place. NULL: out of memory,
 * or (*other) the members do not agree which loop it is. */
static struct team_loop *team_loops_get(struct team_loops *loops, uint32_t ordinal, uint32_t region, uint64_t time,
                                        struct chunk_map *longest, bool *other)
{
  *other = false;
  if (!loops->list) {
    loops->list = calloc(TEAM_LOOPS_MAX, sizeof *loops->list);
    if (!loops->list)
      return NULL;
    for (unsigned i = 0; i < TEAM_LOOPS_MAX; i++)
      loops->list[i].region = NO_REGION;
  }
  struct team_loop *loop = &loops->list[ordinal % TEAM_LOOPS_MAX];
  if (loop->region != NO_REGION && loop->ordinal != ordinal)
    team_loop_end(loop, longest);
  if (loop->region == NO_REGION) {
    loop->ordinal = ordinal;
    loop->region = region;
    loop->done = 0;
    loop->map.begin = loop->map.end = time;
  }
  *other = loop->region != region;
  return *other ? NULL : loop;
}

/* Ends all executions. */
static void team_loops_end(struct team_loops *loops, struct chunk_map *longest)
{
  for (unsigned i = 0; loops->list && i < TEAM_LOOPS_MAX; i++)
    team_loop_end(&loops->list[i], longest);
}

static void team_loops_free(struct team_loops *loops)
{
  for (unsigned i = 0; loops->list && i < TEAM_LOOPS_MAX; i++)
    chunk_map_free(&loops->list[i].map);
  free(loops->list);
  loops->list = NULL;
}

enum { TEAMWORK_READER_NESTED_MAX = 64 /* loops and chunks that are followed */ };

/* A loop or chunk that is open. */
struct teamwork_reader_open {
  uint32_t region;
  enum rule rule;
  struct chunk chunk;
};

struct work_reader {
  const struct trace *trace;
  const uint8_t *rules;
  struct error *error;
  uint32_t location;
  struct edge_reader steps;
  struct teamwork_reader_open open[TEAMWORK_READER_NESTED_MAX];
  unsigned open_count;
  struct item_queue queue; /* of struct work */
};

static bool fail(const struct work_reader *reader)
{
  return error_set(reader->error, "%s: out of memory", reader->trace->anchor);
}

static bool teamwork_reader_put(struct work_reader *reader, const struct work *work)
{
  struct work *place = item_queue_add(&reader->queue);
  if (!place)
    return fail(reader);
  *place = *work;
  return true;
}

static bool enter(struct work_reader *reader, const struct trace_event *event)
{
  enum rule rule = event->index == TRACE_NONE ? RULE_INHERIT : reader->rules[event->index];
  if ((rule != RULE_LOOP && rule != RULE_CHUNK) || reader->open_count == TEAMWORK_READER_NESTED_MAX)
    return true;
  struct teamwork_reader_open *open = &reader->open[reader->open_count++];
  *open = (struct teamwork_reader_open){.region = event->index, .rule = rule};
  if (rule == RULE_CHUNK)
    open->chunk = (struct chunk){.location = reader->location,
                                 .begin = event->time,
                                 .first = trace_attribute_signed(event, reader->trace->first_iteration, 0),
                                 .iterations = trace_attribute(event, reader->trace->iterations, 0)};
  struct work work = {.kind = WORK_LOOP_BEGIN, .region = event->index, .time = event->time};
  return rule != RULE_LOOP || teamwork_reader_put(reader, &work);
}

static bool close_open(struct work_reader *reader, struct teamwork_reader_open *open, uint64_t time)
{
  struct work work = {.kind = WORK_LOOP_END, .region = open->region, .time = time};
  if (open->rule == RULE_CHUNK) {
    work.kind = WORK_CHUNK;
    work.chunk = open->chunk;
    work.chunk.end = time;
  }
  return teamwork_reader_put(reader, &work);
}

/* Ends all that is open inside of the region, too. Ignores a region that was never entered. */
static bool leave(struct work_reader *reader, const struct trace_event *event)
{
  unsigned at = reader->open_count;
  while (at > 0 && reader->open[at - 1].region != event->index)
    at--;
  while (at > 0 && reader->open_count >= at)
    if (!close_open(reader, &reader->open[--reader->open_count], event->time))
      return false;
  return true;
}

/* Takes the next event of the location. False: an error. */
static bool work_reader_event(struct work_reader *reader, const struct trace_event *event)
{
  struct work work = {.kind = WORK_STEP, .time = event->time};
  bool found;
  if (!edge_reader_take(&reader->steps, event, &work.step, &found))
    return fail(reader);
  if (found)
    return teamwork_reader_put(reader, &work);
  if (reader->trace->locations[reader->location].excluded)
    return true;
  return event->kind == TRACE_Enter ? enter(reader, event) : event->kind != TRACE_Leave || leave(reader, event);
}

/* `rules` from machine_rules(); these and `error` outlive it. NULL: an error. */
static struct work_reader *work_reader_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                                            struct error *error)
{
  struct work_reader *reader = calloc(1, sizeof *reader);
  if (!reader) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  reader->trace = trace;
  reader->rules = rules;
  reader->error = error;
  reader->location = location;
  reader->steps = edge_reader_of(rules, WORK_EDGES);
  reader->queue = (struct item_queue){.size = sizeof(struct work), .time_at = offsetof(struct work, time)};
  return reader;
}

static void work_reader_close(struct work_reader *reader)
{
  if (!reader)
    return;
  item_queue_free(&reader->queue);
  edge_reader_free(&reader->steps);
  free(reader);
}

/* The work of the events so far: struct work, in order of time. */
static struct item_queue *work_reader_queue(struct work_reader *reader)
{
  return &reader->queue;
}

enum { TEAMWORK_NESTED_MAX = 16 /* teams a thread is in that are followed */ };

/* A thread is in this team, and has met so many loops in it. */
struct membership {
  uint32_t team, loops;
  bool in_loop;
  struct team_loop *loop; /* the one it is in; NULL: none that is followed */
};

struct thread {
  struct membership teams[TEAMWORK_NESTED_MAX];
  unsigned team_count; /* number of teams, including teams that are too deep */
};

struct teamwork_analysis {
  const struct trace *trace;
  struct teamwork teamwork;
  struct edges *edges;
  struct thread *threads;   /* by location */
  struct team_loops *loops; /* by team */
  uint8_t *rules;
};

static bool add_arrow(void *context, const struct edge *edge)
{
  static const enum arrow_kind kinds[EDGE_KINDS] = {
      [EDGE_FORK] = ARROW_FORK, [EDGE_LOCK] = ARROW_LOCK, [EDGE_TASK] = ARROW_TASK, [EDGE_JOIN] = ARROW_JOIN};
  struct teamwork_analysis *job = context;
  struct arrow arrow = {.kind = kinds[edge->kind],
                        .from = edge->from,
                        .to = edge->to,
                        .region = edge->region,
                        .from_time = edge->from_time,
                        .time = edge->time,
                        .weight = edge->time - edge->from_time};
  return edge->from == edge->to || arrows_add(&job->teamwork.arrows, &arrow);
}

static void begin_member(struct thread *thread, uint32_t team)
{
  if (thread->team_count++ < TEAMWORK_NESTED_MAX)
    thread->teams[thread->team_count - 1] = (struct membership){.team = team};
}

static bool take_step(struct teamwork_analysis *job, uint32_t location, uint64_t time, const struct edge_step *step)
{
  struct thread *thread = &job->threads[location];
  if (step->kind == STEP_TEAM_BEGIN && step->index != TRACE_NONE)
    begin_member(thread, step->index);
  else if (step->kind == STEP_TEAM_END && step->index != TRACE_NONE)
    thread->team_count -= thread->team_count > 0;
  if (!edges_take(job->edges, location, time, step))
    return false;
  uint32_t ended = edges_ended_team(job->edges);
  if (ended != TRACE_NONE)
    team_loops_end(&job->loops[ended], job->teamwork.chunks);
  return true;
}

static struct membership *membership_of(struct thread *thread)
{
  bool followed = thread->team_count > 0 && thread->team_count <= TEAMWORK_NESTED_MAX;
  return followed ? &thread->teams[thread->team_count - 1] : NULL;
}

static bool begin_loop(struct teamwork_analysis *job, uint32_t location, uint32_t region, uint64_t time)
{
  struct membership *membership = membership_of(&job->threads[location]);
  bool other = false;
  if (!membership || membership->in_loop) /* a loop in a loop is a team's of one: not shared */
    return true;
  membership->in_loop = true;
  membership->loop =
      team_loops_get(&job->loops[membership->team], membership->loops++, region, time, job->teamwork.chunks, &other);
  return membership->loop || other;
}

static void end_loop(struct teamwork_analysis *job, uint32_t location, uint32_t region, uint64_t time)
{
  struct membership *membership = membership_of(&job->threads[location]);
  struct team_loop *loop = membership ? membership->loop : NULL;
  if (membership)
    membership->in_loop = false;
  if (!loop)
    return;
  membership->loop = NULL;
  if (loop->region != region || loop->ordinal + 1 != membership->loops)
    return; /* its place was needed for another one */
  if (time > loop->map.end)
    loop->map.end = time;
  if (++loop->done == job->trace->teams[membership->team].size)
    team_loop_end(loop, job->teamwork.chunks);
}

static bool take_chunk(struct teamwork_analysis *job, uint32_t location, const struct chunk *chunk)
{
  struct membership *membership = membership_of(&job->threads[location]);
  struct team_loop *loop = membership ? membership->loop : NULL;
  bool same = loop && loop->region != TRACE_NONE && loop->ordinal + 1 == membership->loops;
  return !same || !trace_time_is_inside(job->trace, loop->map.begin) || chunk_map_add(&loop->map, chunk);
}

/* False: no memory. */
static bool take(struct teamwork_analysis *job, uint32_t location, const struct work *work)
{
  switch (work->kind) {
  case WORK_STEP:
    return take_step(job, location, work->time, &work->step);
  case WORK_LOOP_BEGIN:
    return begin_loop(job, location, work->region, work->time);
  case WORK_LOOP_END:
    end_loop(job, location, work->region, work->time);
    return true;
  case WORK_CHUNK:
    return take_chunk(job, location, &work->chunk);
  }
  return true;
}

static void *teamwork_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct teamwork_analysis *job = context;
  return work_reader_open(job->trace, location->number, job->rules, error);
}

static bool teamwork_take_event(void *lane, const struct trace_event *event)
{
  return work_reader_event(lane, event);
}

static void teamwork_close_lane(void *context, void *lane)
{
  (void)context;
  work_reader_close(lane);
}

static struct item_queue *queue(void *lane)
{
  return work_reader_queue(lane);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  return take(context, location, item);
}

static bool teamwork_begin(void *state, const struct analysis_input *input)
{
  struct teamwork_analysis *job = state;
  const struct trace *trace = input->trace;
  job->trace = trace;
  job->teamwork = (struct teamwork){.chunks = calloc(trace->region_count + 1, sizeof *job->teamwork.chunks),
                                    .regions = trace->region_count};
  job->threads = calloc(trace->location_count + 1, sizeof *job->threads);
  job->loops = calloc(trace->team_count + 1, sizeof *job->loops);
  job->edges = edges_create(trace, WORK_EDGES, add_arrow, job);
  job->rules = machine_rules(trace);
  return job->teamwork.chunks && job->threads && job->loops && job->edges && job->rules;
}

/* If the analyzed part ends early, open loops may go on after it. */
static bool teamwork_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct teamwork_analysis *job = state;
  const struct trace_restriction *restriction = &job->trace->restriction;
  bool cut = restriction->timed && restriction->to < UINT64_MAX;
  for (uint32_t i = 0; !cut && i < job->trace->team_count; i++)
    team_loops_end(&job->loops[i], job->teamwork.chunks);
  *(struct teamwork *)result = job->teamwork;
  job->teamwork = (struct teamwork){0};
  return true;
}

static void teamwork_free(void *result)
{
  struct teamwork *teamwork = result;
  for (uint32_t i = 0; teamwork->chunks && i < teamwork->regions; i++)
    chunk_map_free(&teamwork->chunks[i]);
  free(teamwork->chunks);
  arrows_free(&teamwork->arrows);
  *teamwork = (struct teamwork){0};
}

static void teamwork_drop(void *state)
{
  struct teamwork_analysis *job = state;
  for (uint32_t i = 0; job->loops && i < job->trace->team_count; i++)
    team_loops_free(&job->loops[i]);
  edges_destroy(job->edges);
  free(job->threads);
  free(job->loops);
  free(job->rules);
  teamwork_free(&job->teamwork);
}

static bool teamwork_merge(void *to, void *other)
{
  struct teamwork *into = to, *from = other;
  for (uint32_t i = 0; i < from->regions; i++)
    chunk_map_keep(&into->chunks[i], &from->chunks[i]);
  return arrows_merge(&into->arrows, &from->arrows);
}

const struct analysis teamwork_analysis = {.name = "teamwork",
                                           .state_size = sizeof(struct teamwork_analysis),
                                           .result_size = sizeof(struct teamwork),
                                           .begin = teamwork_begin,
                                           .lanes = {.stateless = true,
                                                     .before = true,
                                                     .others = true,
                                                     .open = teamwork_open_lane,
                                                     .event = teamwork_take_event,
                                                     .close = teamwork_close_lane,
                                                     .queue = queue,
                                                     .take = take_item},
                                           .end = teamwork_end,
                                           .drop = teamwork_drop,
                                           .merge = teamwork_merge,
                                           .free = teamwork_free};
