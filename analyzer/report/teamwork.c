#include "analyzer/report/teamwork.h"

#include "analyzer/report/team_loops.h"
#include "analyzer/report/teamwork_reader.h"
#include "analyzer/trace/live_tasks.h"

#include <stdlib.h>

enum {
  NESTED_MAX = 16,      /* forks and teams a thread is in that are followed */
  TASKS_MAX = 1 << 20,  /* tasks of all processes that were created and have not begun, but ... */
  TASKS_LEAST = 1 << 14 /* ... not less a process; more at a time are not followed */
};

/* A member of the team in its current instance. UINT64_MAX: not yet. */
struct member {
  uint64_t begin, end;
};

struct team {
  struct member *members; /* by rank; NULL: not met yet */
  struct team_loops loops;
};

struct fork {
  uint64_t time;
  uint32_t region;
  uint32_t team; /* TRACE_NONE: not joined yet by the thread itself */
};

/* A thread is in this team, and has met so many loops in it. */
struct membership {
  uint32_t team, rank, loops;
  bool in_loop;
  struct team_loop *loop; /* the one it is in; NULL: none that is followed */
};

struct thread {
  struct fork forks[NESTED_MAX];
  struct membership teams[NESTED_MAX];
  unsigned fork_count, team_count; /* also of those that are too deep */
};

struct teamwork_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  struct teamwork *teamwork;
  struct thread *threads; /* by location */
  struct team *teams;
  struct live_tasks *tasks; /* that have not begun: a process, the last one of what is in none */
  uint8_t *rules;
};

static bool add_arrow(struct teamwork_finder *job, enum arrow_kind kind, uint32_t from, uint64_t from_time, uint32_t to,
                      uint64_t time, uint32_t region)
{
  struct arrow arrow = {kind, from, to, region, from_time, time, time - from_time};
  return from == to || from_time > time || !trace_time_is_whole(job->trace, from_time, time) ||
         arrows_add(&job->teamwork->arrows, &arrow);
}

/* The instance of the team is over: its members are known now. */
static bool end_instance(struct teamwork_finder *job, uint32_t location, const struct fork *fork, uint64_t time)
{
  const struct trace_team *who = &job->trace->teams[fork->team];
  struct team *team = &job->teams[fork->team];
  bool good = true;
  for (uint32_t i = 0; good && i < who->size; i++) {
    struct member *member = &team->members[i];
    if (member->begin != UINT64_MAX)
      good = add_arrow(job, ARROW_FORK, location, fork->time, who->members[i], member->begin, fork->region);
    if (good && member->end != UINT64_MAX)
      good = add_arrow(job, ARROW_JOIN, who->members[i], member->end, location, time, fork->region);
    *member = (struct member){UINT64_MAX, UINT64_MAX};
  }
  team_loops_end(&team->loops, job->teamwork->chunks);
  return good;
}

static bool begin_member(struct teamwork_finder *job, uint32_t location, uint32_t number, uint64_t time)
{
  struct thread *thread = &job->threads[location];
  struct team *team = &job->teams[number];
  uint32_t size = job->trace->teams[number].size;
  if (thread->team_count++ >= NESTED_MAX)
    return true;
  uint32_t rank = trace_team_rank(&job->trace->teams[number], location);
  thread->teams[thread->team_count - 1] = (struct membership){.team = number, .rank = rank};
  if (!team->members) {
    team->members = malloc((size + 1) * sizeof *team->members);
    for (uint32_t i = 0; team->members && i < size; i++)
      team->members[i] = (struct member){UINT64_MAX, UINT64_MAX};
  }
  if (team->members && rank != TRACE_NONE)
    team->members[rank] = (struct member){time, UINT64_MAX};
  struct fork *fork =
      thread->fork_count > 0 && thread->fork_count <= NESTED_MAX ? &thread->forks[thread->fork_count - 1] : NULL;
  if (fork && fork->team == TRACE_NONE)
    fork->team = number;
  return team->members != NULL;
}

static void end_member(struct teamwork_finder *job, uint32_t location, uint64_t time)
{
  struct thread *thread = &job->threads[location];
  if (thread->team_count == 0 || thread->team_count-- > NESTED_MAX)
    return;
  const struct membership *membership = &thread->teams[thread->team_count];
  if (membership->rank != TRACE_NONE)
    job->teams[membership->team].members[membership->rank].end = time;
}

static bool take_join(struct teamwork_finder *job, uint32_t location, uint64_t time)
{
  struct thread *thread = &job->threads[location];
  if (thread->fork_count == 0 || thread->fork_count-- > NESTED_MAX)
    return true;
  const struct fork *fork = &thread->forks[thread->fork_count];
  return fork->team == TRACE_NONE || end_instance(job, location, fork, time);
}

static struct membership *membership_of(struct thread *thread)
{
  bool followed = thread->team_count > 0 && thread->team_count <= NESTED_MAX;
  return followed ? &thread->teams[thread->team_count - 1] : NULL;
}

static bool begin_loop(struct teamwork_finder *job, uint32_t location, uint32_t region, uint64_t time)
{
  struct membership *membership = membership_of(&job->threads[location]);
  bool other = false;
  if (!membership || membership->in_loop) /* a loop in a loop is a team's of one: not shared */
    return true;
  membership->in_loop = true;
  membership->loop = team_loops_get(&job->teams[membership->team].loops, membership->loops++, region, time,
                                    job->teamwork->chunks, &other);
  return membership->loop || other;
}

static void end_loop(struct teamwork_finder *job, uint32_t location, uint32_t region, uint64_t time)
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
    team_loop_end(loop, job->teamwork->chunks);
}

static bool take_chunk(struct teamwork_finder *job, uint32_t location, const struct chunk *chunk)
{
  struct membership *membership = membership_of(&job->threads[location]);
  struct team_loop *loop = membership ? membership->loop : NULL;
  bool same = loop && loop->region != TRACE_NONE && loop->ordinal + 1 == membership->loops;
  return !same || !trace_time_is_inside(job->trace, loop->map.begin) || chunk_map_add(&loop->map, chunk);
}

static struct live_tasks *tasks_of(const struct teamwork_finder *job, uint32_t location)
{
  uint32_t process = job->trace->locations[location].process;
  return &job->tasks[process < job->trace->process_count ? process : job->trace->process_count];
}

/* Of one process: what is followed must not depend on other processes. */
static size_t tasks_max(const struct teamwork_finder *job)
{
  uint32_t processes = job->trace->process_count;
  size_t share = processes ? TASKS_MAX / processes : TASKS_MAX;
  return share > TASKS_LEAST ? share : TASKS_LEAST;
}

static bool take_task(struct teamwork_finder *job, uint32_t location, const struct work *work)
{
  struct live_tasks *tasks = tasks_of(job, location);
  if (work->kind == WORK_TASK_CREATE)
    return tasks->count >= tasks_max(job) || live_tasks_create(tasks, (struct live_task){.team = work->team,
                                                                                         .creator = work->creator,
                                                                                         .generation = work->generation,
                                                                                         .location = location,
                                                                                         .created = work->time});
  struct live_task *task = live_tasks_find(tasks, work->team, work->creator, work->generation);
  if (!task)
    return true;
  struct live_task begun = *task;
  live_tasks_end(tasks, task);
  return add_arrow(job, ARROW_TASK, begun.location, begun.created, location, work->time, TRACE_NONE);
}

/* False: no memory. */
static bool take(struct teamwork_finder *job, uint32_t location, const struct work *work)
{
  struct thread *thread = &job->threads[location];
  switch (work->kind) {
  case WORK_FORK:
    if (thread->fork_count++ < NESTED_MAX)
      thread->forks[thread->fork_count - 1] = (struct fork){work->time, work->index, TRACE_NONE};
    return true;
  case WORK_JOIN:
    return take_join(job, location, work->time);
  case WORK_TEAM_BEGIN:
    return begin_member(job, location, work->index, work->time);
  case WORK_TEAM_END:
    end_member(job, location, work->time);
    return true;
  case WORK_LOOP_BEGIN:
    return begin_loop(job, location, work->index, work->time);
  case WORK_LOOP_END:
    end_loop(job, location, work->index, work->time);
    return true;
  case WORK_CHUNK:
    return take_chunk(job, location, &work->chunk);
  default:
    return take_task(job, location, work);
  }
}

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct teamwork_finder *job = context;
  return work_reader_open(job->trace, location->number, job->rules, error);
}

static bool take_event(void *lane, const struct trace_event *event)
{
  return work_reader_event(lane, event);
}

static void close_lane(void *context, void *lane)
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

struct teamwork_finder *teamwork_begin(const struct trace *trace, struct teamwork *teamwork, struct error *error)
{
  *teamwork = (struct teamwork){.regions = trace->region_count};
  teamwork->chunks = calloc(trace->region_count + 1, sizeof *teamwork->chunks);
  struct teamwork_finder *job = calloc(1, sizeof *job);
  if (job) {
    job->trace = trace;
    job->teamwork = teamwork;
    job->threads = calloc(trace->location_count + 1, sizeof *job->threads);
    job->teams = calloc(trace->team_count + 1, sizeof *job->teams);
    job->tasks = calloc(trace->process_count + 1, sizeof *job->tasks);
    job->rules = machine_rules(trace);
    job->subscriber = (struct subscriber){.context = job,
                                          .stateless = true,
                                          .before = true,
                                          .open = open_lane,
                                          .event = take_event,
                                          .close = close_lane,
                                          .queue = queue,
                                          .take = take_item};
  }
  if (job && teamwork->chunks && job->threads && job->teams && job->tasks && job->rules)
    return job;
  error_set(error, "%s: out of memory", trace->anchor);
  teamwork_drop(job);
  return NULL;
}

const struct subscriber *teamwork_subscriber(const struct teamwork_finder *job)
{
  return &job->subscriber;
}

/* Loops that are not over then may go on behind what is looked at. */
void teamwork_end(struct teamwork_finder *job)
{
  const struct trace_restriction *restriction = &job->trace->restriction;
  bool cut = restriction->timed && restriction->to < UINT64_MAX;
  for (uint32_t i = 0; !cut && i < job->trace->team_count; i++)
    team_loops_end(&job->teams[i].loops, job->teamwork->chunks);
  teamwork_drop(job);
}

void teamwork_drop(struct teamwork_finder *job)
{
  if (!job)
    return;
  for (uint32_t i = 0; job->teams && i < job->trace->team_count; i++) {
    free(job->teams[i].members);
    team_loops_free(&job->teams[i].loops);
  }
  for (uint32_t i = 0; job->tasks && i <= job->trace->process_count; i++)
    live_tasks_free(&job->tasks[i]);
  free(job->tasks);
  free(job->threads);
  free(job->teams);
  free(job->rules);
  free(job);
}

bool teamwork_merge(struct teamwork *into, struct teamwork *from)
{
  for (uint32_t i = 0; i < from->regions; i++)
    chunk_map_keep(&into->chunks[i], &from->chunks[i]);
  return arrows_merge(&into->arrows, &from->arrows);
}

void teamwork_free(struct teamwork *teamwork)
{
  for (uint32_t i = 0; teamwork->chunks && i < teamwork->regions; i++)
    chunk_map_free(&teamwork->chunks[i]);
  free(teamwork->chunks);
  arrows_free(&teamwork->arrows);
  *teamwork = (struct teamwork){0};
}
