#include "analyzer/imbalance/follower.h"

#include "analyzer/trace/region.h"
#include "analyzer/trace/restriction.h"
#include "common/archive_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TEAM_LEVELS 64 /* nested teams that are analyzed; deeper ones are passed over */

/* What entering a region means here, unless it is a part of the construct around it. */
enum interest {
  INTEREST_NONE,
  INTEREST_PASSING, /* may stand between a construct and its barrier: the tool's own, reductions */
  INTEREST_BARRIER,
  INTEREST_PARALLEL,
  INTEREST_CONSTRUCT, /* work-sharing */
  INTEREST_CHUNK      /* only as a part: a chunk or section of the construct */
};

enum open_kind { OPEN_PARALLEL, OPEN_TEAM, OPEN_CONSTRUCT, OPEN_BARRIER };

/* Something that has begun and that a piece will be about. */
struct open {
  enum open_kind kind;
  uint32_t region; /* TEAM: its parallel region, TRACE_NONE as long as it is unknown */
  size_t depth;    /* of the machine, with this open */
  uint64_t enter;  /* TEAM: of the fork, where this thread forked it; then begin is later */
  uint64_t begin;
  uint64_t run;      /* ticks in RUN ... */
  uint64_t overhead; /* ... OVERHEAD ... */
  uint64_t waited;   /* ... SYNCH implicit barrier ... */
  uint64_t missing;  /* ... and UNMEASURED up to the beginning */
  uint32_t gaps;     /* up to then */
  uint64_t chunks, iterations;
  uint64_t locked, waits;    /* ticks up to the beginning: locks and ordered; barriers, tasks, reductions */
  uint64_t tasks, dependent; /* made up to then */
  /* TEAM: its last implicit barrier so far. */
  uint64_t arrival, wait;
  bool has_barrier;
  uint32_t barrier_gaps; /* up to its end */
};

struct occurrence {
  uint32_t stamp; /* of the team it was counted in; else the count is 0 */
  uint32_t count;
};

/* A team that the thread is in; what it has allocated is used again by later teams of the same level. */
struct level {
  size_t team;                    /* place in `open` */
  uint32_t stamp;                 /* another one for each team the thread was ever in */
  struct occurrence *occurrences; /* a region; allocated when first needed */
  /* A construct that is over is kept back, because its barrier may be next. */
  bool holds;
  size_t held_depth; /* of the construct, and of its barrier */
  struct piece held;
};

struct follower {
  const struct trace *trace;
  const struct follower_tables *tables;
  uint32_t location;
  struct error *error;
  const struct pass_location *place;
  const struct machine_view *view;
  struct item_queue queue; /* of struct piece */
  struct open *open;
  size_t open_count, open_capacity;
  size_t open_depth;    /* of the innermost open one; 0: there is none */
  struct level *levels; /* the innermost last */
  uint32_t level_count, level_capacity;
  uint32_t stamp;
  uint32_t gaps;               /* how often measurement was switched off */
  bool off;                    /* it is */
  uint64_t gap_begin, gap_end; /* the last time that it was */
  uint64_t tasks, dependent;   /* made so far; and those of them that have dependences */
  uint64_t team_run;           /* looked at ticks in RUN up to the beginning of the outermost team */
  uint64_t in_teams;           /* ... and in outermost teams that are over */
  uint64_t fork;               /* when the last fork was, and at what depth */
  size_t fork_depth;
};

static bool no_memory(struct follower *follower)
{
  return error_set(follower->error, "%s: out of memory", follower->trace->anchor);
}

/* The place of the next piece, for the caller to fill. NULL: no memory. */
static struct piece *emit(struct follower *follower)
{
  struct piece *piece = item_queue_add(&follower->queue);
  if (!piece)
    no_memory(follower);
  return piece;
}

/* The innermost team; NULL outside teams. */
static struct level *innermost(struct follower *follower)
{
  return follower->level_count > 0 ? &follower->levels[follower->level_count - 1] : NULL;
}

static bool release_held(struct follower *follower, struct level *level, uint64_t time)
{
  if (!level || !level->holds)
    return true;
  level->holds = false;
  struct piece *piece = emit(follower);
  if (!piece)
    return false;
  *piece = level->held;
  piece->time = time;
  return true;
}

static struct open *top(struct follower *follower)
{
  return follower->open_count ? &follower->open[follower->open_count - 1] : NULL;
}

/*
 * Ticks in RUN up to the last event, as far as they are looked at. Exact whenever no state is undecided, which is so
 * where a team begins or ends.
 */
static uint64_t run_looked_at(const struct follower *follower)
{
  const struct machine_view *view = follower->view;
  const struct trace *trace = follower->trace;
  if (!trace->restriction.timed)
    return machine_total(view, STATE_RUN);
  uint64_t run = follower->place->ticks[STATE_RUN];
  uint64_t from = trace_time_from(trace, view->since), to = trace_time_to(trace, view->last);
  return view->state == STATE_RUN && from < to ? run + to - from : run;
}

/* Ticks of waiting for what another thread has, or for its turn. */
static uint64_t locked_total(const struct machine_view *view)
{
  return machine_total(view, STATE_SYNCH_MUTEX) + machine_total(view, STATE_SYNCH_ORDERED) +
         machine_total(view, STATE_BLOCKED_MUTEX);
}

/* Ticks of waiting for others to come, or for something to do. */
static uint64_t waits_total(const struct machine_view *view)
{
  return machine_total(view, STATE_SYNCH_IMPLICIT_BARRIER) + machine_total(view, STATE_SYNCH_BARRIER) +
         machine_total(view, STATE_SYNCH_TASKWAIT) + machine_total(view, STATE_SYNCH_REDUCTION);
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
  const struct machine_view *view = follower->view;
  struct open *open = &follower->open[follower->open_count++];
  follower->open_depth = follower->view->depth;
  *open = (struct open){
      .kind = kind,
      .region = region,
      .depth = follower->open_depth,
      .enter = time,
      .begin = time,
      .run = machine_total(view, STATE_RUN),
      .overhead = machine_total(view, STATE_OVERHEAD),
      .waited = machine_total(view, STATE_SYNCH_IMPLICIT_BARRIER),
      .missing = machine_total(view, STATE_UNMEASURED),
      .locked = locked_total(view),
      .waits = waits_total(view),
      .tasks = follower->tasks,
      .dependent = follower->dependent,
      .gaps = follower->gaps - follower->off,
  };
  return open;
}

/* The one that was innermost is open no longer; valid until the next push(). */
static const struct open *pop(struct follower *follower)
{
  const struct open *open = &follower->open[--follower->open_count];
  follower->open_depth = follower->open_count ? open[-1].depth : 0;
  return open;
}

/* Counts a region met in a team; the number of times it was met before. */
static bool count_occurrence(struct follower *follower, struct level *level, uint32_t region, uint32_t *before)
{
  if (!level->occurrences) {
    level->occurrences = calloc(follower->trace->region_count, sizeof *level->occurrences);
    if (!level->occurrences)
      return no_memory(follower);
  }
  struct occurrence *occurrence = &level->occurrences[region];
  if (occurrence->stamp != level->stamp)
    *occurrence = (struct occurrence){level->stamp, 0};
  *before = occurrence->count++;
  return true;
}

/* What was not measured of the time from when `open` began to the piece's end. A piece that was over when measurement
 * came on again was over at some time while it was off: what is known of it ends where that began. */
static void add_unmeasured(const struct follower *follower, struct piece *piece, const struct open *open)
{
  piece->unmeasured += machine_total(follower->view, STATE_UNMEASURED) - open->missing;
  piece->cut |= follower->gaps != open->gaps;
  piece->stopped = follower->gaps != open->gaps && (follower->off || follower->gap_end == piece->end);
  if (!piece->stopped)
    return;
  uint64_t end = follower->gap_begin > open->begin ? follower->gap_begin : open->begin;
  piece->unmeasured -= piece->end - end < piece->unmeasured ? piece->end - end : piece->unmeasured;
  piece->end = end;
}

static bool close_construct(struct follower *follower, const struct open *open, uint64_t time)
{
  struct level *level = innermost(follower);
  if (!level)
    return true;
  if (!release_held(follower, level, time))
    return false;
  level->holds = true;
  level->held_depth = open->depth;
  level->held = (struct piece){
      .kind = PIECE_CONSTRUCT,
      .region = open->region,
      .parallel = follower->open[level->team].region,
      .enter = open->enter,
      .begin = open->begin,
      .end = time,
      .busy = machine_total(follower->view, STATE_RUN) - open->run,
      .overhead = machine_total(follower->view, STATE_OVERHEAD) - open->overhead,
      .chunks = open->chunks,
      .iterations = open->iterations,
      .tasks = follower->tasks - open->tasks,
      .dependent = follower->dependent - open->dependent,
      .after_gap = open->gaps != follower->open[level->team].gaps,
  };
  add_unmeasured(follower, &level->held, open);
  return count_occurrence(follower, level, open->region, &level->held.occurrence);
}

static bool close_barrier(struct follower *follower, const struct open *open, uint64_t time)
{
  uint64_t wait = machine_total(follower->view, STATE_SYNCH_IMPLICIT_BARRIER) - open->waited;
  struct open *outer = top(follower);
  if (outer && outer->kind == OPEN_TEAM) {
    outer->has_barrier = true;
    outer->barrier_gaps = follower->gaps;
    outer->arrival = open->enter;
    outer->wait = wait;
  }
  struct level *level = innermost(follower);
  if (!level || !level->holds || level->held_depth != open->depth)
    return true;
  level->held.has_barrier = true;
  level->held.arrival = open->enter;
  level->held.wait = wait;
  level->held.end = time;
  level->held.overhead += machine_total(follower->view, STATE_OVERHEAD) - open->overhead;
  add_unmeasured(follower, &level->held, open);
  return release_held(follower, level, time);
}

static bool close_team(struct follower *follower, const struct open *open, uint64_t time)
{
  if (!release_held(follower, innermost(follower), time))
    return false;
  follower->level_count--;
  struct piece *piece = emit(follower);
  if (!piece)
    return false;
  if (follower->level_count == 0)
    follower->in_teams += run_looked_at(follower) - follower->team_run;
  bool has_barrier = open->has_barrier && open->barrier_gaps == follower->gaps;
  const struct level *around = innermost(follower); /* of a nested team, on the thread that forked it */
  *piece = (struct piece){
      .kind = PIECE_TEAM_END,
      .region = open->region,
      .parallel = around ? follower->open[around->team].region : TRACE_NONE,
      .has_barrier = has_barrier,
      .time = time,
      .enter = open->enter,
      .begin = open->begin,
      .end = time,
      .busy = machine_total(follower->view, STATE_RUN) - open->run,
      .overhead = machine_total(follower->view, STATE_OVERHEAD) - open->overhead,
      .arrival = open->arrival,
      .wait = has_barrier ? open->wait : 0,
      .locked = locked_total(follower->view) - open->locked,
      .waited = waits_total(follower->view) - open->waits,
      .tasks = follower->tasks - open->tasks,
      .dependent = follower->dependent - open->dependent,
  };
  add_unmeasured(follower, piece, open);
  return true;
}

/* Closes what the last event ended; damaged archives can end several at once. */
static bool close_ended(struct follower *follower, uint64_t time)
{
  while (follower->view->depth < follower->open_depth) {
    const struct open *open = pop(follower);
    bool good = open->kind == OPEN_TEAM        ? close_team(follower, open, time)
                : open->kind == OPEN_CONSTRUCT ? close_construct(follower, open, time)
                : open->kind == OPEN_BARRIER   ? close_barrier(follower, open, time)
                                               : true;
    if (!good)
      return false;
  }
  return true;
}

/* One more level. NULL: no memory. */
static struct level *push_level(struct follower *follower)
{
  if (follower->level_count == follower->level_capacity) {
    uint32_t capacity = follower->level_capacity ? 2 * follower->level_capacity : 1;
    struct level *levels = reallocarray(follower->levels, capacity, sizeof *levels);
    if (!levels) {
      no_memory(follower);
      return NULL;
    }
    memset(levels + follower->level_capacity, 0, (capacity - follower->level_capacity) * sizeof *levels);
    follower->levels = levels;
    follower->level_capacity = capacity;
  }
  return &follower->levels[follower->level_count++];
}

static bool begin_team(struct follower *follower, uint32_t index, uint32_t region, uint64_t time)
{
  if (follower->level_count == TEAM_LEVELS)
    return true;
  struct open *open = push(follower, OPEN_TEAM, region, time);
  struct level *level = open ? push_level(follower) : NULL;
  struct piece *piece = level ? emit(follower) : NULL;
  if (!piece)
    return false;
  if (follower->level_count == 1)
    follower->team_run = run_looked_at(follower);
  bool forked = follower->fork_depth != 0 && follower->fork_depth + 1 == open->depth;
  if (forked)
    open->enter = follower->fork;
  level->team = follower->open_count - 1;
  level->stamp = ++follower->stamp;
  *piece =
      (struct piece){.kind = PIECE_TEAM_BEGIN, .team = index, .time = time, .enter = open->enter, .forked = forked};
  return true;
}

/*
 * The encountering thread enters the region, then forks; others join the team, then enter it. An archive without any
 * teams has but the region: then all threads of the process are taken for the team.
 */
static bool enter_parallel(struct follower *follower, const struct trace_event *event)
{
  struct open *outer = top(follower);
  if (outer && outer->kind == OPEN_TEAM && outer->region == TRACE_NONE && outer->depth + 1 == follower->view->depth) {
    outer->region = event->index;
    return true;
  }
  const struct trace *trace = follower->trace;
  if (trace->team_count > 0)
    return push(follower, OPEN_PARALLEL, event->index, event->time) != NULL;
  uint32_t process = trace->locations[follower->location].process;
  return begin_team(follower, process == TRACE_NONE ? trace->process_count : process, event->index, event->time);
}

static void count_chunk(struct follower *follower, const struct trace_event *event)
{
  struct open *outer = top(follower);
  if (!outer || outer->kind != OPEN_CONSTRUCT || outer->depth + 1 != follower->view->depth)
    return;
  outer->chunks += trace_attribute(event, follower->trace->chunks, 1);
  outer->iterations += trace_attribute(event, follower->trace->iterations, 0);
}

static bool after_enter(struct follower *follower, const struct trace_event *event)
{
  bool known = event->index != TRACE_NONE;
  enum interest interest = known ? follower->tables->interests[event->index] : INTEREST_NONE;
  if (follower->view->in_part) {
    if (interest == INTEREST_CHUNK)
      count_chunk(follower, event);
    return true;
  }
  if (interest == INTEREST_PASSING)
    return true;
  if (interest == INTEREST_BARRIER)
    return push(follower, OPEN_BARRIER, event->index, event->time) != NULL;
  struct level *level = innermost(follower);
  bool inside_barrier = level && follower->view->depth > level->held_depth; /* a task of the barrier */
  if (!inside_barrier && !release_held(follower, level, event->time))
    return false;
  if (interest == INTEREST_PARALLEL)
    return enter_parallel(follower, event);
  if (interest == INTEREST_CONSTRUCT && level)
    return push(follower, OPEN_CONSTRUCT, event->index, event->time) != NULL;
  return true;
}

/* A construct that is kept back for its barrier may have one that is not seen. */
static void switch_measurement(struct follower *follower, bool on, uint64_t time)
{
  struct level *level = innermost(follower);
  if (on && follower->off)
    follower->gap_end = time;
  if (!on && !follower->off) {
    follower->gap_begin = follower->gaps > 0 && follower->gap_end == time ? follower->gap_begin : time;
    follower->gaps++;
  }
  follower->off = !on;
  if (!on && level && level->holds)
    level->held.cut = level->held.stopped = true;
}

/* Events other than Enter and Leave. */
static bool after_other(struct follower *follower, const struct trace_event *event)
{
  const struct open *outer = top(follower);
  switch (event->kind) {
  case TRACE_ThreadFork:
    follower->fork = event->time;
    follower->fork_depth = follower->view->depth;
    return true;
  case TRACE_ThreadJoin:
    follower->fork_depth = 0;
    return true;
  case TRACE_ThreadTaskCreate:
    follower->tasks++;
    follower->dependent += trace_task_depends(follower->trace, event);
    return true;
  case TRACE_MeasurementOnOff:
    switch_measurement(follower, event->on, event->time);
    return true;
  case TRACE_ThreadTeamBegin:
    if (event->index == TRACE_NONE)
      return true;
    return begin_team(follower, event->index, outer && outer->kind == OPEN_PARALLEL ? outer->region : TRACE_NONE,
                      event->time);
  default:
    return true;
  }
}

bool follower_event(struct follower *follower, const struct trace_event *event)
{
  if (follower->view->depth < follower->open_depth && !close_ended(follower, event->time))
    return false;
  bool enters = event->kind == TRACE_Enter, leaves = event->kind == TRACE_Leave;
  bool switches =
      (enters || leaves) && event->index != TRACE_NONE && follower->tables->rules[event->index] == RULE_MEASUREMENT_OFF;
  if (switches)
    switch_measurement(follower, leaves, event->time);
  if (enters)
    return after_enter(follower, event);
  return leaves || after_other(follower, event);
}

static enum interest interest_of(const struct trace_region *region, enum rule rule)
{
  switch (rule) {
  case RULE_TRACEFLUSH:
  case RULE_BUFFER_FLUSH:
  case RULE_MEASUREMENT_OFF:
  case RULE_REDUCTION:
    return INTEREST_PASSING;
  case RULE_IMPLICIT_BARRIER:
    return INTEREST_BARRIER;
  case RULE_PARALLEL:
    return INTEREST_PARALLEL;
  case RULE_LOOP: /* a taskloop is executed by one thread; its tasks are everybody's */
    return trace_region_begins(region, REGION_TASKLOOP) ? INTEREST_NONE : INTEREST_CONSTRUCT;
  case RULE_SECTIONS:
  case RULE_SINGLE:
  case RULE_WORKSHARE:
    return INTEREST_CONSTRUCT;
  case RULE_CHUNK:
  case RULE_SECTION:
    return INTEREST_CHUNK;
  default:
    return INTEREST_NONE;
  }
}

bool follower_tables_make(const struct trace *trace, struct follower_tables *tables)
{
  tables->rules = machine_rules(trace);
  tables->interests = malloc(trace->region_count + 1);
  if (!tables->rules || !tables->interests)
    return false;
  for (uint32_t i = 0; i < trace->region_count; i++)
    tables->interests[i] = (uint8_t)interest_of(&trace->regions[i], tables->rules[i]);
  return true;
}

void follower_tables_free(struct follower_tables *tables)
{
  free(tables->rules);
  free(tables->interests);
}

struct follower *follower_open(const struct trace *trace, const struct pass_location *location,
                               const struct follower_tables *tables, struct error *error)
{
  struct follower *follower = calloc(1, sizeof *follower);
  if (!follower) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  follower->trace = trace;
  follower->location = location->number;
  follower->tables = tables;
  follower->place = location;
  follower->view = location->view;
  follower->error = error;
  follower->queue = (struct item_queue){.size = sizeof(struct piece), .time_at = offsetof(struct piece, time)};
  return follower;
}

void follower_close(struct follower *follower)
{
  if (!follower)
    return;
  for (uint32_t i = 0; i < follower->level_capacity; i++)
    free(follower->levels[i].occurrences);
  free(follower->levels);
  item_queue_free(&follower->queue);
  free(follower->open);
  free(follower);
}

bool follower_end(struct follower *follower)
{
  uint64_t last = follower->view->last;
  while (follower->open_count > 0) {
    const struct open *open = pop(follower);
    struct level *level = innermost(follower);
    if (level && level->holds && follower->place->cut)
      level->held.end = last; /* its barrier may be behind what is looked at */
    if (open->kind == OPEN_TEAM && !close_team(follower, open, last))
      return false;
    if (open->kind == OPEN_CONSTRUCT && follower->place->cut && !close_construct(follower, open, last))
      return false;
  }
  return true;
}

uint32_t follower_location(const struct follower *follower)
{
  return follower->location;
}

uint64_t follower_lifetime(const struct follower *follower)
{
  return pass_measured(follower->place);
}

uint64_t follower_alone(const struct follower *follower)
{
  uint64_t run = follower->place->ticks[STATE_RUN];
  return run > follower->in_teams ? run - follower->in_teams : 0;
}

uint64_t follower_unmeasured(const struct follower *follower)
{
  return follower->place->ticks[STATE_UNMEASURED];
}

struct item_queue *follower_queue(struct follower *follower)
{
  return &follower->queue;
}
