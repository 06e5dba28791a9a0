#include "analyzer/imbalance/follower.h"

#include <stdlib.h>
#include <string.h>

#define TEAM_LEVELS 64 /* nested teams that are analyzed; deeper ones are passed over */

enum open_kind { OPEN_PARALLEL, OPEN_TEAM, OPEN_CONSTRUCT, OPEN_BARRIER };

/* Something that has begun and that a piece will be about. */
struct open {
  enum open_kind kind;
  size_t depth;    /* of the machine, with this open */
  uint32_t region; /* TEAM: its parallel region, TRACE_NONE as long as it is unknown */
  uint32_t level;  /* TEAM: how many teams are around it */
  uint64_t enter;  /* TEAM: of the fork, where this thread forked it; then begin is later */
  uint64_t begin;
  uint64_t run;      /* ticks in RUN ... */
  uint64_t overhead; /* ... OVERHEAD ... */
  uint64_t waited;   /* ... and SYNCH implicit barrier up to the beginning */
  uint64_t chunks, iterations;
  /* TEAM: its last implicit barrier so far. */
  bool has_barrier;
  uint64_t arrival, wait;
};

struct occurrence {
  uint32_t stamp; /* of the team it was counted in; else the count is 0 */
  uint32_t count;
};

/* A construct that is over, kept back because its barrier may be next. One a level of teams. */
struct held {
  bool there;
  size_t depth; /* of the construct, and of its barrier */
  struct piece piece;
};

struct follower {
  const struct trace *trace;
  const uint8_t *rules;
  uint32_t location;
  struct trace_error *error;
  struct trace_stream *stream;
  struct machine *machine;
  struct piece_queue queue;
  struct open *open;
  size_t open_count, open_capacity;
  struct occurrence *occurrences[TEAM_LEVELS]; /* a level and region */
  uint32_t level, stamp;
  uint64_t fork; /* when the last fork was, and at what depth */
  size_t fork_depth;
  struct held held[TEAM_LEVELS];
  bool ended;
};

static bool no_memory(struct follower *follower)
{
  return trace_fail(follower->error, "%s: out of memory", follower->trace->anchor);
}

static bool emit(struct follower *follower, const struct piece *piece, uint64_t time)
{
  struct piece_queue *queue = &follower->queue;
  if (queue->head + queue->count == queue->capacity && queue->head > queue->capacity / 2) {
    memmove(queue->items, queue->items + queue->head, queue->count * sizeof *queue->items);
    queue->head = 0;
  }
  if (queue->head + queue->count == queue->capacity) {
    size_t capacity = queue->capacity ? 2 * queue->capacity : 256;
    struct piece *items = reallocarray(queue->items, capacity, sizeof *items);
    if (!items)
      return no_memory(follower);
    queue->items = items;
    queue->capacity = capacity;
  }
  struct piece *slot = &queue->items[queue->head + queue->count++];
  *slot = *piece;
  slot->time = time;
  return true;
}

/* The slot of the innermost team; NULL outside teams. */
static struct held *current_held(struct follower *follower)
{
  return follower->level > 0 ? &follower->held[follower->level - 1] : NULL;
}

static bool release_held(struct follower *follower, uint64_t time)
{
  struct held *held = current_held(follower);
  if (!held || !held->there)
    return true;
  held->there = false;
  return emit(follower, &held->piece, time);
}

static struct open *top(struct follower *follower)
{
  return follower->open_count ? &follower->open[follower->open_count - 1] : NULL;
}

static struct open *push(struct follower *follower, enum open_kind kind, uint32_t region, uint64_t time)
{
  if (follower->open_count == follower->open_capacity) {
    size_t capacity = follower->open_capacity ? 2 * follower->open_capacity : 16;
    struct open *open = reallocarray(follower->open, capacity, sizeof *open);
    if (!open) {
      no_memory(follower);
      return NULL;
    }
    follower->open = open;
    follower->open_capacity = capacity;
  }
  struct open *open = &follower->open[follower->open_count++];
  *open = (struct open){
      .kind = kind, .depth = machine_depth(follower->machine), .region = region, .enter = time, .begin = time};
  open->run = machine_total(follower->machine, STATE_RUN);
  open->overhead = machine_total(follower->machine, STATE_OVERHEAD);
  open->waited = machine_total(follower->machine, STATE_SYNCH_IMPLICIT_BARRIER);
  return open;
}

static struct open *innermost_team(struct follower *follower)
{
  for (size_t i = follower->open_count; i-- > 0;) {
    if (follower->open[i].kind == OPEN_TEAM)
      return &follower->open[i];
  }
  return NULL;
}

/* Counts a region met in the innermost team; the number of times it was met before. */
static bool count_occurrence(struct follower *follower, uint32_t region, uint32_t *before)
{
  struct occurrence **level = &follower->occurrences[follower->level - 1];
  if (!*level && !(*level = calloc(follower->trace->region_count, sizeof **level)))
    return no_memory(follower);
  struct occurrence *occurrence = &(*level)[region];
  const struct open *team = innermost_team(follower);
  if (occurrence->stamp != team->level)
    *occurrence = (struct occurrence){team->level, 0};
  *before = occurrence->count++;
  return true;
}

static bool close_construct(struct follower *follower, const struct open *open, uint64_t time)
{
  const struct open *team = innermost_team(follower);
  if (!team)
    return true;
  if (!release_held(follower, time))
    return false;
  struct held *held = current_held(follower);
  held->there = true;
  held->depth = open->depth;
  held->piece = (struct piece){
      .kind = PIECE_CONSTRUCT,
      .region = open->region,
      .parallel = team->region,
      .enter = open->enter,
      .begin = open->begin,
      .end = time,
      .busy = machine_total(follower->machine, STATE_RUN) - open->run,
      .overhead = machine_total(follower->machine, STATE_OVERHEAD) - open->overhead,
      .chunks = open->chunks,
      .iterations = open->iterations,
  };
  return count_occurrence(follower, open->region, &held->piece.occurrence);
}

static bool close_barrier(struct follower *follower, const struct open *open, uint64_t time)
{
  uint64_t wait = machine_total(follower->machine, STATE_SYNCH_IMPLICIT_BARRIER) - open->waited;
  struct open *outer = top(follower);
  if (outer && outer->kind == OPEN_TEAM) {
    outer->has_barrier = true;
    outer->arrival = open->enter;
    outer->wait = wait;
  }
  struct held *held = current_held(follower);
  if (!held || !held->there || held->depth != open->depth)
    return true;
  held->piece.has_barrier = true;
  held->piece.arrival = open->enter;
  held->piece.wait = wait;
  held->piece.end = time;
  held->piece.overhead += machine_total(follower->machine, STATE_OVERHEAD) - open->overhead;
  return release_held(follower, time);
}

static bool close_team(struct follower *follower, const struct open *open, uint64_t time)
{
  if (!release_held(follower, time))
    return false;
  follower->level--;
  struct piece piece = {
      .kind = PIECE_TEAM_END,
      .region = open->region,
      .has_barrier = open->has_barrier,
      .enter = open->enter,
      .begin = open->begin,
      .end = time,
      .busy = machine_total(follower->machine, STATE_RUN) - open->run,
      .overhead = machine_total(follower->machine, STATE_OVERHEAD) - open->overhead,
      .arrival = open->arrival,
      .wait = open->wait,
  };
  return emit(follower, &piece, time);
}

/* Closes what the last event ended; damaged archives can end several at once. */
static bool close_ended(struct follower *follower, uint64_t time)
{
  size_t depth = machine_depth(follower->machine);
  while (follower->open_count > 0 && top(follower)->depth > depth) {
    struct open open = *top(follower);
    follower->open_count--;
    bool good = open.kind == OPEN_TEAM        ? close_team(follower, &open, time)
                : open.kind == OPEN_CONSTRUCT ? close_construct(follower, &open, time)
                : open.kind == OPEN_BARRIER   ? close_barrier(follower, &open, time)
                                              : true;
    if (!good)
      return false;
  }
  return true;
}

static bool begin_team(struct follower *follower, uint32_t index, uint32_t region, uint64_t time)
{
  if (follower->level == TEAM_LEVELS)
    return true;
  struct open *open = push(follower, OPEN_TEAM, region, time);
  if (!open)
    return false;
  if (follower->fork_depth != 0 && follower->fork_depth + 1 == open->depth)
    open->enter = follower->fork;
  open->level = ++follower->stamp;
  follower->level++;
  struct piece piece = {.kind = PIECE_TEAM_BEGIN, .team = index, .enter = open->enter};
  return emit(follower, &piece, time);
}

/*
 * The encountering thread enters the region, then forks; others join the team, then enter it. An archive without any
 * teams has but the region: then all threads of the process are taken for the team.
 */
static bool enter_parallel(struct follower *follower, const struct trace_event *event)
{
  struct open *outer = top(follower);
  if (outer && outer->kind == OPEN_TEAM && outer->region == TRACE_NONE &&
      outer->depth + 1 == machine_depth(follower->machine)) {
    outer->region = event->index;
    return true;
  }
  const struct trace *trace = follower->trace;
  if (trace->team_count > 0)
    return push(follower, OPEN_PARALLEL, event->index, event->time) != NULL;
  uint32_t process = trace->locations[follower->location].process;
  return begin_team(follower, process == TRACE_NONE ? trace->process_count : process, event->index, event->time);
}

static bool is_work_sharing(const struct trace_region *region, unsigned rule)
{
  if (rule == RULE_LOOP) /* a taskloop is executed by one thread; its tasks are everybody's */
    return strncmp(region->name, "!$omp taskloop", strlen("!$omp taskloop")) != 0;
  return rule == RULE_SECTIONS || rule == RULE_SINGLE || rule == RULE_WORKSHARE;
}

static void count_chunk(struct follower *follower, const struct trace_event *event)
{
  struct open *outer = top(follower);
  if (!outer || outer->kind != OPEN_CONSTRUCT || outer->depth + 1 != machine_depth(follower->machine))
    return;
  outer->chunks += trace_attribute(event, follower->trace->chunks, 1);
  outer->iterations += trace_attribute(event, follower->trace->iterations, 0);
}

static bool after_enter(struct follower *follower, const struct trace_event *event)
{
  unsigned rule = event->index == TRACE_NONE ? RULE_INHERIT : follower->rules[event->index];
  if (machine_in_part(follower->machine)) {
    if (rule == RULE_CHUNK || rule == RULE_SECTION)
      count_chunk(follower, event);
    return true;
  }
  if (rule == RULE_TRACEFLUSH || rule == RULE_BUFFER_FLUSH || rule == RULE_REDUCTION)
    return true; /* may stand between a construct and its barrier */
  if (rule == RULE_IMPLICIT_BARRIER)
    return push(follower, OPEN_BARRIER, event->index, event->time) != NULL;
  const struct held *held = current_held(follower);
  bool inside_barrier = held && machine_depth(follower->machine) > held->depth; /* a task of the barrier */
  if (!inside_barrier && !release_held(follower, event->time))
    return false;
  if (event->index == TRACE_NONE)
    return true;
  if (rule == RULE_PARALLEL)
    return enter_parallel(follower, event);
  if (follower->level > 0 && is_work_sharing(&follower->trace->regions[event->index], rule))
    return push(follower, OPEN_CONSTRUCT, event->index, event->time) != NULL;
  return true;
}

static bool take_event(void *context, const struct trace_event *event)
{
  struct follower *follower = context;
  if (!machine_event(follower->machine, event, follower->error) || !close_ended(follower, event->time))
    return false;
  struct open *outer;
  switch (event->kind) {
  case TRACE_Enter:
    return after_enter(follower, event);
  case TRACE_ThreadFork:
    follower->fork = event->time;
    follower->fork_depth = machine_depth(follower->machine);
    return true;
  case TRACE_ThreadJoin:
    follower->fork_depth = 0;
    return true;
  case TRACE_ThreadTeamBegin:
    if (event->index == TRACE_NONE)
      return true;
    outer = top(follower);
    return begin_team(follower, event->index, outer && outer->kind == OPEN_PARALLEL ? outer->region : TRACE_NONE,
                      event->time);
  default:
    return true;
  }
}

struct follower *follower_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                               struct trace_error *error)
{
  struct follower *follower = calloc(1, sizeof *follower);
  if (!follower) {
    trace_fail(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  follower->trace = trace;
  follower->location = location;
  follower->rules = rules;
  follower->error = error;
  follower->machine = machine_create(trace, location, rules, NULL, NULL);
  if (!follower->machine)
    no_memory(follower);
  else
    follower->stream = trace_stream_open(trace, location, take_event, follower, error);
  if (!follower->stream) {
    follower_close(follower);
    return NULL;
  }
  return follower;
}

void follower_close(struct follower *follower)
{
  if (!follower)
    return;
  trace_stream_close(follower->stream);
  machine_destroy(follower->machine);
  for (size_t i = 0; i < TEAM_LEVELS; i++)
    free(follower->occurrences[i]);
  free(follower->queue.items);
  free(follower->open);
  free(follower);
}

/* What the archive leaves open is over with its last event. */
static bool end(struct follower *follower)
{
  uint64_t last = machine_last(follower->machine);
  follower->ended = true;
  if (!machine_end(follower->machine, follower->error))
    return false;
  while (follower->open_count > 0) {
    struct open open = *top(follower);
    follower->open_count--;
    if (open.kind == OPEN_TEAM && !close_team(follower, &open, last))
      return false;
  }
  return true;
}

bool follower_read(struct follower *follower, uint64_t limit)
{
  uint64_t read;
  if (!trace_stream_read(follower->stream, limit, &read))
    return false;
  if (read == limit)
    return true;
  trace_stream_close(follower->stream); /* its buffers are large, and pieces may wait long for those of others */
  follower->stream = NULL;
  return end(follower);
}

bool follower_ended(const struct follower *follower)
{
  return follower->ended;
}

uint64_t follower_reached(const struct follower *follower)
{
  return machine_last(follower->machine);
}

uint64_t follower_first(const struct follower *follower)
{
  return machine_first(follower->machine);
}

struct piece_queue *follower_queue(struct follower *follower)
{
  return &follower->queue;
}
