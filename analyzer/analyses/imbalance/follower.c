#include "analyzer/analyses/imbalance/follower.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/restriction.h"
#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <stddef.h>
#include <stdlib.h>

void gaps_switch(struct gaps *gaps, bool on, uint64_t time)
{
  if (on && gaps->off)
    gaps->end = time;
  if (!on && !gaps->off) {
    gaps->begin = gaps->count > 0 && gaps->end == time ? gaps->begin : time;
    gaps->count++;
  }
  gaps->off = !on;
}

/* A piece may end while measurement is off. Its end counts at the gap's begin, the last known time. */
void gaps_cut(const struct gaps *gaps, struct piece *piece, const struct gaps_before *before, uint64_t not_measured)
{
  bool gap = gaps->count != before->count;
  piece->not_measured += not_measured - before->not_measured;
  piece->cut |= gap;
  piece->stopped = gap && (gaps->off || gaps->end == piece->end);
  if (!piece->stopped)
    return;
  uint64_t end = gaps->begin > before->time ? gaps->begin : before->time;
  piece->not_measured -= piece->end - end < piece->not_measured ? piece->end - end : piece->not_measured;
  piece->end = end;
}

struct opened_sums opened_sums_now(const struct machine_view *view)
{
  return (struct opened_sums){
      .run = machine_total(view, STATE_RUN),
      .overhead = machine_total(view, STATE_OVERHEAD),
      .at_barrier = machine_total(view, STATE_SYNCH_IMPLICIT_BARRIER),
      .locked = machine_total(view, STATE_SYNCH_MUTEX) + machine_total(view, STATE_SYNCH_ORDERED) +
                machine_total(view, STATE_BLOCKED_MUTEX) + machine_total(view, STATE_SYNCH_PTHREAD_MUTEX) +
                machine_total(view, STATE_SYNCH_PTHREAD_RWLOCK),
      .waited = machine_total(view, STATE_SYNCH_IMPLICIT_BARRIER) + machine_total(view, STATE_SYNCH_BARRIER) +
                machine_total(view, STATE_SYNCH_TASKWAIT) + machine_total(view, STATE_SYNCH_REDUCTION),
  };
}

struct opened *opened_push(struct opened_list *opened, const struct opened *one)
{
  if (!vector_push(&opened->list, *one))
    return NULL;
  opened->depth = one->depth;
  return opened_top(opened);
}

const struct opened *opened_pop(struct opened_list *opened)
{
  const struct opened *one = opened_top(opened);
  opened->list.count--;
  opened->depth = opened->list.count ? one[-1].depth : 0;
  return one;
}

void opened_free(struct opened_list *opened)
{
  vector_free(&opened->list);
}

struct team_level *team_levels_push(struct team_levels *levels, size_t team)
{
  if (levels->depth == levels->list.count && !vector_resize(&levels->list, levels->list.count + 1))
    return NULL;
  struct team_level *level = &levels->list.items[levels->depth++];
  level->team = team;
  level->stamp = ++levels->stamp;
  return level;
}

void team_levels_pop(struct team_levels *levels)
{
  levels->depth--;
}

void team_levels_free(struct team_levels *levels)
{
  for (size_t i = 0; i < levels->list.count; i++)
    free(levels->list.items[i].occurrences);
  vector_free(&levels->list);
}

bool team_level_count(struct team_level *level, uint32_t region, uint32_t region_count, uint32_t *before)
{
  if (!level->occurrences && !(level->occurrences = calloc(region_count, sizeof *level->occurrences)))
    return false;
  struct team_occurrence *occurrence = &level->occurrences[region];
  if (occurrence->stamp != level->stamp)
    *occurrence = (struct team_occurrence){level->stamp, 0};
  *before = occurrence->count++;
  return true;
}

static enum region_interest interest_of(const struct trace_region *region)
{
  switch (state_rule_of(region)) {
  case RULE_TRACEFLUSH:
  case RULE_BUFFER_FLUSH:
  case RULE_REDUCTION:
    return INTEREST_PASSING;
  case RULE_MEASUREMENT_OFF:
    return INTEREST_MEASUREMENT_OFF;
  case RULE_OMITTED:
    return INTEREST_OMITTED;
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

uint8_t *region_interests_make(const struct trace *trace)
{
  uint8_t *interests = malloc(trace->region_count + 1);
  for (uint32_t i = 0; interests && i < trace->region_count; i++)
    interests[i] = (uint8_t)interest_of(&trace->regions[i]);
  return interests;
}

/* Hands on a piece. False: out of memory. */
static bool emit(struct follower *follower, const struct piece *piece)
{
  struct piece *place = item_queue_add(&follower->queue);
  if (!place)
    return false;
  *place = *piece;
  return true;
}

static bool release_held(struct follower *follower, struct team_level *level, uint64_t time)
{
  if (!level || !level->holds)
    return true;
  level->holds = false;
  level->held.time = time;
  return emit(follower, &level->held);
}

/* Ticks in RUN within the restriction up to the last event. Exact if no state is undecided, as where teams begin or
 * end. */
static uint64_t run_within(const struct follower *follower)
{
  const struct machine_view *view = follower->view;
  const struct trace *trace = follower->trace;
  if (!trace->restriction.timed)
    return machine_total(view, STATE_RUN);
  uint64_t run = follower->place->ticks[STATE_RUN];
  uint64_t from = trace_time_from(trace, view->since), to = trace_time_to(trace, view->last);
  return view->state == STATE_RUN && from < to ? run + to - from : run;
}

static uint64_t omitted_now(const struct follower *follower)
{
  uint64_t not_measured = machine_total(follower->view, STATE_UNMEASURED);
  return follower->omitted_ticks + (follower->omitted_open > 0 ? not_measured - follower->omitted_from : 0);
}

/* The other ticks in UNMEASURED. */
static uint64_t not_measured_now(const struct follower *follower)
{
  return machine_total(follower->view, STATE_UNMEASURED) - omitted_now(follower);
}

static void begin_omitted(struct follower *follower)
{
  if (follower->omitted_open++ == 0)
    follower->omitted_from = machine_total(follower->view, STATE_UNMEASURED);
}

static void end_omitted(struct follower *follower, uint64_t time)
{
  uint64_t omitted_ticks = omitted_now(follower) - follower->omitted_ticks;
  if (follower->omitted_open == 0 || --follower->omitted_open > 0)
    return;
  follower->omitted_ticks += omitted_ticks;
  if (trace_time_is_inside(follower->trace, time))
    follower->omitted_within += omitted_ticks;
}

static struct opened_sums sums_now(const struct follower *follower)
{
  struct opened_sums sums = opened_sums_now(follower->view);
  sums.tasks = follower->tasks;
  sums.dependent = follower->dependent;
  sums.omitted_ticks = omitted_now(follower);
  return sums;
}

/* NULL: out of memory. */
static struct opened *push(struct follower *follower, enum opened_kind kind, uint32_t region, uint64_t time)
{
  struct opened one = {
      .kind = kind,
      .region = region,
      .depth = follower->view->depth,
      .enter = time,
      .sums = sums_now(follower),
      .gaps = {time, not_measured_now(follower), follower->gaps.count - follower->gaps.off},
  };
  struct opened *open = opened_push(&follower->open, &one);
  if (!open)
    false;
  return open;
}

/* The region that a team executes. */
static uint32_t region_of(const struct follower *follower, const struct team_level *level)
{
  return level ? follower->open.list.items[level->team].region : TRACE_NONE;
}

/* What a thread did since something began. */
static struct piece piece_since(const struct follower *follower, const struct opened *open, uint64_t time)
{
  struct opened_sums now = sums_now(follower);
  struct piece piece = {
      .region = open->region,
      .time = time,
      .enter = open->enter,
      .begin = open->gaps.time,
      .end = time,
      .busy = now.run - open->sums.run,
      .overhead = now.overhead - open->sums.overhead,
      .tasks = now.tasks - open->sums.tasks,
      .dependent = now.dependent - open->sums.dependent,
      .omitted_ticks = now.omitted_ticks - open->sums.omitted_ticks,
  };
  gaps_cut(&follower->gaps, &piece, &open->gaps, not_measured_now(follower));
  return piece;
}

static bool close_construct(struct follower *follower, const struct opened *open, uint64_t time)
{
  struct team_level *level = team_levels_innermost(&follower->levels);
  if (!level)
    return true;
  if (!release_held(follower, level, time))
    return false;
  level->holds = true;
  level->held_depth = open->depth;
  level->held = piece_since(follower, open, time);
  level->held.kind = PIECE_CONSTRUCT;
  level->held.parallel = region_of(follower, level);
  level->held.chunks = open->chunks;
  level->held.iterations = open->iterations;
  level->held.after_gap = open->gaps.count != follower->open.list.items[level->team].gaps.count;
  return team_level_count(level, open->region, follower->trace->region_count, &level->held.occurrence) || false;
}

static bool close_barrier(struct follower *follower, const struct opened *open, uint64_t time)
{
  struct opened_sums now = sums_now(follower);
  uint64_t wait = now.at_barrier - open->sums.at_barrier;
  struct opened *outer = opened_top(&follower->open);
  if (outer && outer->kind == OPENED_TEAM) {
    outer->has_barrier = true;
    outer->barrier_gaps = follower->gaps.count;
    outer->arrival = open->enter;
    outer->wait = wait;
  }
  struct team_level *level = team_levels_innermost(&follower->levels);
  if (!level || !level->holds || level->held_depth != open->depth)
    return true;
  level->held.has_barrier = true;
  level->held.arrival = open->enter;
  level->held.wait = wait;
  level->held.end = time;
  level->held.overhead += now.overhead - open->sums.overhead;
  gaps_cut(&follower->gaps, &level->held, &open->gaps, not_measured_now(follower));
  return release_held(follower, level, time);
}

static bool close_team(struct follower *follower, const struct opened *open, uint64_t time)
{
  if (!release_held(follower, team_levels_innermost(&follower->levels), time))
    return false;
  team_levels_pop(&follower->levels);
  if (follower->levels.depth == 0)
    follower->in_teams += run_within(follower) - follower->team_run;
  bool has_barrier = open->has_barrier && open->barrier_gaps == follower->gaps.count;
  struct opened_sums now = sums_now(follower);
  struct piece piece = piece_since(follower, open, time);
  piece.kind = PIECE_TEAM_END;
  /* The region around a nested team is known on the thread that forked it. */
  piece.parallel = region_of(follower, team_levels_innermost(&follower->levels));
  piece.has_barrier = has_barrier;
  piece.arrival = open->arrival;
  piece.wait = has_barrier ? open->wait : 0;
  piece.locked = now.locked - open->sums.locked;
  piece.waited = now.waited - open->sums.waited;
  return emit(follower, &piece);
}

/* Closes what the last event ended; damaged archives can end several at once. */
static bool close_ended(struct follower *follower, uint64_t time)
{
  while (follower->view->depth < follower->open.depth) {
    const struct opened *open = opened_pop(&follower->open);
    bool good = open->kind == OPENED_TEAM        ? close_team(follower, open, time)
                : open->kind == OPENED_CONSTRUCT ? close_construct(follower, open, time)
                : open->kind == OPENED_BARRIER   ? close_barrier(follower, open, time)
                                                 : true;
    if (!good)
      return false;
  }
  return true;
}

static bool follower_begin_team(struct follower *follower, uint32_t index, uint32_t region, uint64_t time)
{
  if (follower->levels.depth == TEAM_LEVELS_MOST)
    return true;
  struct opened *open = push(follower, OPENED_TEAM, region, time);
  if (!open)
    return false;
  if (!team_levels_push(&follower->levels, follower->open.list.count - 1))
    return false;
  if (follower->levels.depth == 1)
    follower->team_run = run_within(follower);
  bool forked = follower->fork_depth != 0 && follower->fork_depth + 1 == open->depth;
  if (forked)
    open->enter = follower->fork;
  struct piece piece = {.kind = PIECE_TEAM_BEGIN, .team = index, .time = time, .enter = open->enter, .forked = forked};
  return emit(follower, &piece);
}

/*
 * The encountering thread enters the region, then forks; other threads join the team, then enter the region. An archive
 * without teams has only the region: all threads of the process then are the team.
 */
static bool enter_parallel(struct follower *follower, const struct trace_event *event)
{
  struct opened *outer = opened_top(&follower->open);
  if (outer && outer->kind == OPENED_TEAM && outer->region == TRACE_NONE && outer->depth + 1 == follower->view->depth) {
    outer->region = event->index;
    return true;
  }
  const struct trace *trace = follower->trace;
  if (trace->team_count > 0)
    return push(follower, OPENED_PARALLEL, event->index, event->time) != NULL;
  uint32_t process = trace->locations[follower->location].process;
  return follower_begin_team(follower, process == TRACE_NONE ? trace->process_count : process, event->index,
                             event->time);
}

static void count_chunk(struct follower *follower, const struct trace_event *event)
{
  struct opened *outer = opened_top(&follower->open);
  if (!outer || outer->kind != OPENED_CONSTRUCT || outer->depth + 1 != follower->view->depth)
    return;
  outer->chunks += trace_attribute(event, follower->trace->chunks, 1);
  outer->iterations += trace_attribute(event, follower->trace->iterations, 0);
}

/* Instances that the thread led and that are not recorded: the stretch of time in which they were has begun. */
static bool follower_take_omitted(struct follower *follower, const struct trace_event *event)
{
  const struct trace *trace = follower->trace;
  if (!event->attributes || trace->omitted_construct == OTF2_UNDEFINED_ATTRIBUTE ||
      trace_attribute(event, trace->time, UINT64_MAX) == UINT64_MAX)
    return true;
  struct piece piece = {.kind = PIECE_OMITTED,
                        .time = event->time,
                        .region = trace_attribute_region(trace, event, trace->omitted_construct),
                        .omitted = trace_attribute(event, trace->instances, 0),
                        .inside = trace_attribute(event, trace->inside, 0) != 0};
  return piece.region == TRACE_NONE || piece.omitted == 0 || !trace_time_is_inside(trace, event->time) ||
         emit(follower, &piece);
}

static bool after_enter(struct follower *follower, const struct trace_event *event)
{
  enum region_interest interest = region_interest(follower->interests, event->index);
  if (interest == INTEREST_OMITTED)
    begin_omitted(follower);
  if (!follower_take_omitted(follower, event))
    return false;
  if (follower->view->in_part) {
    if (interest == INTEREST_CHUNK)
      count_chunk(follower, event);
    return true;
  }
  if (interest == INTEREST_PASSING || interest == INTEREST_MEASUREMENT_OFF)
    return true;
  if (interest == INTEREST_BARRIER)
    return push(follower, OPENED_BARRIER, event->index, event->time) != NULL;
  struct team_level *level = team_levels_innermost(&follower->levels);
  bool inside_barrier = level && follower->view->depth > level->held_depth; /* a task of the barrier */
  if (!inside_barrier && !release_held(follower, level, event->time))
    return false;
  if (interest == INTEREST_PARALLEL)
    return enter_parallel(follower, event);
  if (interest == INTEREST_CONSTRUCT && level)
    return push(follower, OPENED_CONSTRUCT, event->index, event->time) != NULL;
  return true;
}

/* A construct that is kept back for its barrier may have a barrier that is not recorded. */
static void switch_measurement(struct follower *follower, bool on, uint64_t time)
{
  struct team_level *level = team_levels_innermost(&follower->levels);
  gaps_switch(&follower->gaps, on, time);
  if (!on && level && level->holds)
    level->held.cut = level->held.stopped = true;
}

/* Events other than Enter and Leave. */
static bool after_other(struct follower *follower, const struct trace_event *event)
{
  const struct opened *outer = opened_top(&follower->open);
  switch (event->kind) {
  case TRACE_ThreadFork:
    follower->fork = event->time;
    follower->fork_depth = follower->view->depth;
    return true;
  case TRACE_ThreadJoin:
    follower->fork_depth = 0;
    return true;
  case TRACE_ThreadTaskCreate:
    follower->tasks += event->weight;
    follower->dependent += trace_task_depends(follower->trace, event) ? event->weight : 0;
    return true;
  case TRACE_MeasurementOnOff:
    switch_measurement(follower, event->on, event->time);
    return true;
  case TRACE_ThreadTeamBegin:
    if (event->index == TRACE_NONE)
      return true;
    return follower_begin_team(follower, event->index,
                               outer && outer->kind == OPENED_PARALLEL ? outer->region : TRACE_NONE, event->time);
  default:
    return true;
  }
}

bool follower_event(void *lane, const struct trace_event *event)
{
  struct follower *follower = lane;
  if (follower->view->depth < follower->open.depth && !close_ended(follower, event->time))
    return false;
  bool enters = event->kind == TRACE_Enter, leaves = event->kind == TRACE_Leave;
  if ((enters || leaves) && region_interest(follower->interests, event->index) == INTEREST_MEASUREMENT_OFF)
    switch_measurement(follower, leaves, event->time);
  if (enters)
    return after_enter(follower, event);
  if (leaves && region_interest(follower->interests, event->index) == INTEREST_OMITTED)
    end_omitted(follower, event->time);
  return leaves || after_other(follower, event);
}

void follower_begin(struct follower *follower, const struct trace *trace, const struct pass_location *location,
                    const uint8_t *interests)
{
  follower->trace = trace;
  follower->location = location->number;
  follower->interests = interests;
  follower->place = location;
  follower->view = location->view;
  follower->queue = (struct item_queue){.size = sizeof(struct piece), .time_at = offsetof(struct piece, time)};
}

void follower_close(struct follower *follower)
{
  team_levels_free(&follower->levels);
  opened_free(&follower->open);
  item_queue_free(&follower->queue);
}

bool follower_end(void *lane)
{
  struct follower *follower = lane;
  uint64_t last = follower->view->last;
  while (follower->open.list.count > 0) {
    const struct opened *open = opened_pop(&follower->open);
    struct team_level *level = team_levels_innermost(&follower->levels);
    if (level && level->holds && follower->place->cut)
      level->held.end = last; /* its barrier may be behind the restriction */
    if (open->kind == OPENED_TEAM && !close_team(follower, open, last))
      return false;
    if (open->kind == OPENED_CONSTRUCT && follower->place->cut && !close_construct(follower, open, last))
      return false;
  }
  return true;
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

uint64_t follower_omitted(const struct follower *follower)
{
  uint64_t not_measured = follower->place->ticks[STATE_UNMEASURED];
  return follower->omitted_within < not_measured ? follower->omitted_within : not_measured;
}

uint64_t follower_not_measured(const struct follower *follower)
{
  return follower->place->ticks[STATE_UNMEASURED] - follower_omitted(follower);
}

struct item_queue *follower_queue(void *lane)
{
  return &((struct follower *)lane)->queue;
}
