#include "analyzer/report/teamwork.h"

#include "analyzer/report/team_loops.h"
#include "analyzer/report/teamwork_reader.h"

#include <stdlib.h>

enum { TEAMWORK_NESTED_MAX = 16 /* teams a thread is in that are followed */ };

/* A thread is in this team, and has met so many loops in it. */
struct membership {
  uint32_t team, loops;
  bool in_loop;
  struct team_loop *loop; /* the one it is in; NULL: none that is followed */
};

struct thread {
  struct membership teams[TEAMWORK_NESTED_MAX];
  unsigned team_count; /* also of those that are too deep */
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

/* Where the stretch of time ends early, loops that are open may go on behind it. */
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
