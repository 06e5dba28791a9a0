#include "analyzer/trace/edges/edges.h"

#include "analyzer/trace/live_tasks.h"
#include "analyzer/trace/restriction.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
  FORKS_MAX = 16,       /* of a thread; the innermost ones are followed */
  TASKS_MAX = 1 << 20,  /* live tasks of all processes that are followed, but ... */
  TASKS_LEAST = 1 << 14 /* ... not less a process */
};

#define NEVER UINT64_MAX

struct fork {
  uint64_t time;
  uint32_t region;
  uint32_t team; /* TRACE_NONE: the thread has not joined it yet */
};

struct thread {
  struct fork forks[FORKS_MAX]; /* the innermost last */
  unsigned fork_count;
  uint64_t task; /* number */
};

/* A member of a team in its current instance. */
struct member {
  uint64_t begin; /* NEVER: it has not joined, or its fork is known */
  uint64_t end;
};

struct team {
  struct member *members; /* by rank; NULL: not met yet */
  struct fork fork;
  uint32_t forked_by; /* location; TRACE_NONE: there is no instance, or its fork is unknown yet */
  uint32_t early;     /* members that joined before the fork was known */
};

struct release {
  uint64_t time;
  uint32_t location; /* TRACE_NONE: never released */
};

struct edges {
  const struct trace *trace;
  unsigned kinds;
  edge_sink *sink;
  void *context;
  struct thread *threads; /* by location */
  uint32_t open_forks;    /* whose teams are unknown yet */
  struct team *teams;
  struct hash locks; /* process and number -> its last release */
  VECTOR(struct release) releases;
  struct live_tasks *tasks; /* a process, the last one of threads that are in none */
  uint64_t last_task;       /* number */
  uint32_t ended_team;
};

struct edges *edges_create(const struct trace *trace, unsigned kinds, edge_sink *sink, void *context)
{
  struct edges *edges = calloc(1, sizeof *edges);
  if (!edges)
    return NULL;
  *edges = (struct edges){.trace = trace, .kinds = kinds, .sink = sink, .context = context, .ended_team = TRACE_NONE};
  edges->threads = calloc((size_t)trace->location_count + 1, sizeof *edges->threads);
  edges->teams = calloc((size_t)trace->team_count + 1, sizeof *edges->teams);
  edges->tasks = calloc((size_t)trace->process_count + 1, sizeof *edges->tasks);
  if (!edges->threads || !edges->teams || !edges->tasks) {
    edges_destroy(edges);
    return NULL;
  }
  for (uint32_t i = 0; i < trace->team_count; i++)
    edges->teams[i].forked_by = TRACE_NONE;
  return edges;
}

void edges_destroy(struct edges *edges)
{
  if (!edges)
    return;
  for (uint32_t i = 0; edges->teams && i < edges->trace->team_count; i++)
    free(edges->teams[i].members);
  for (uint32_t i = 0; edges->tasks && i <= edges->trace->process_count; i++)
    live_tasks_free(&edges->tasks[i]);
  free(edges->threads);
  free(edges->teams);
  free(edges->tasks);
  hash_free(&edges->locks);
  vector_free(&edges->releases);
  free(edges);
}

static bool is_looked_at(const struct edges *edges, const struct edge *edge)
{
  const struct trace_location *locations = edges->trace->locations;
  return !locations[edge->from].left_out && !locations[edge->to].left_out &&
         trace_time_is_whole(edges->trace, edge->from_time, edge->time);
}

static bool put(struct edges *edges, const struct edge *edge)
{
  bool wanted = edges->kinds & EDGE_BIT(edge->kind);
  if (!wanted || (edge->from == edge->to && edge->kind != EDGE_TASK) || edge->from_time > edge->time)
    return true;
  return !is_looked_at(edges, edge) || edges->sink(edges->context, edge);
}

/* The innermost fork of a thread, if its team is unknown yet; else NULL. */
static struct fork *open_fork(const struct edges *edges, uint32_t location)
{
  struct thread *thread = &edges->threads[location];
  struct fork *fork = thread->fork_count > 0 ? &thread->forks[thread->fork_count - 1] : NULL;
  return fork && fork->team == TRACE_NONE ? fork : NULL;
}

static void push_fork(struct edges *edges, uint32_t location, uint64_t time, uint32_t region)
{
  struct thread *thread = &edges->threads[location];
  if (thread->fork_count == FORKS_MAX) {
    edges->open_forks -= thread->forks[0].team == TRACE_NONE;
    thread->fork_count--;
    memmove(&thread->forks[0], &thread->forks[1], thread->fork_count * sizeof *thread->forks);
  }
  thread->forks[thread->fork_count++] = (struct fork){time, region, TRACE_NONE};
  edges->open_forks++;
}

/* False: no memory. */
static bool find_members(struct team *team, uint32_t size)
{
  if (team->members)
    return true;
  team->members = malloc(((size_t)size + 1) * sizeof *team->members);
  for (uint32_t i = 0; team->members && i < size; i++)
    team->members[i] = (struct member){NEVER, NEVER};
  return team->members;
}

static bool put_fork(struct edges *edges, uint32_t number, uint32_t to, uint64_t time)
{
  const struct team *team = &edges->teams[number];
  return put(edges, &(struct edge){.kind = EDGE_FORK,
                                   .from = team->forked_by,
                                   .to = to,
                                   .from_time = team->fork.time,
                                   .time = time,
                                   .region = team->fork.region,
                                   .object = number});
}

/* Now it is known whose fork it was that others may have followed already. */
static bool begin_instance(struct edges *edges, uint32_t location, uint32_t number, struct fork *fork)
{
  const struct trace_team *who = &edges->trace->teams[number];
  struct team *team = &edges->teams[number];
  fork->team = number;
  edges->open_forks--;
  team->fork = *fork;
  team->forked_by = location;
  bool good = true;
  for (uint32_t i = 0; good && team->early > 0 && i < who->size; i++) {
    uint64_t begin = team->members[i].begin;
    team->members[i].begin = NEVER;
    good = begin == NEVER || put_fork(edges, number, who->members[i], begin);
  }
  team->early = 0;
  return good;
}

/*
 * A member joins a team before the thread that forked it: that one is the member that has forked and joined no team
 * since. TRACE_NONE: none has.
 */
static uint32_t find_forker(const struct edges *edges, uint32_t number)
{
  const struct trace_team *who = &edges->trace->teams[number];
  for (uint32_t i = 0; edges->open_forks > 0 && i < who->size; i++)
    if (open_fork(edges, who->members[i]))
      return who->members[i];
  return TRACE_NONE;
}

static bool begin_member(struct edges *edges, uint32_t location, uint32_t number, uint64_t time)
{
  uint32_t rank = trace_team_rank(&edges->trace->teams[number], location);
  struct team *team = &edges->teams[number];
  struct fork *fork = open_fork(edges, location);
  if (!find_members(team, edges->trace->teams[number].size))
    return false;
  if (rank != TRACE_NONE)
    team->members[rank].end = NEVER;
  if (fork)
    return begin_instance(edges, location, number, fork);
  if (rank == TRACE_NONE)
    return true;
  uint32_t forker = team->forked_by == TRACE_NONE ? find_forker(edges, number) : TRACE_NONE;
  if (forker != TRACE_NONE && !begin_instance(edges, forker, number, open_fork(edges, forker)))
    return false;
  if (team->forked_by != TRACE_NONE)
    return put_fork(edges, number, location, time);
  team->early += team->members[rank].begin == NEVER;
  team->members[rank].begin = time;
  return true;
}

static void end_member(struct edges *edges, uint32_t location, uint32_t number, uint64_t time)
{
  uint32_t rank = trace_team_rank(&edges->trace->teams[number], location);
  if (edges->teams[number].members && rank != TRACE_NONE)
    edges->teams[number].members[rank].end = time;
}

static bool end_instance(struct edges *edges, uint32_t location, uint64_t time)
{
  struct thread *thread = &edges->threads[location];
  if (thread->fork_count == 0)
    return true;
  const struct fork fork = thread->forks[--thread->fork_count];
  if (fork.team == TRACE_NONE) {
    edges->open_forks--;
    return true;
  }
  const struct trace_team *who = &edges->trace->teams[fork.team];
  struct team *team = &edges->teams[fork.team];
  bool good = true;
  for (uint32_t i = 0; good && i < who->size; i++) {
    if (team->members[i].end != NEVER)
      good = put(edges, &(struct edge){.kind = EDGE_JOIN,
                                       .from = who->members[i],
                                       .to = location,
                                       .from_time = team->members[i].end,
                                       .time = time,
                                       .region = fork.region,
                                       .object = fork.team});
    team->members[i] = (struct member){NEVER, NEVER};
  }
  team->forked_by = TRACE_NONE;
  team->early = 0;
  edges->ended_team = fork.team;
  return good;
}

/* Locks of different processes are different. NULL: no memory. */
static struct release *release_of(struct edges *edges, uint32_t location, uint32_t lock)
{
  uint64_t key = (uint64_t)(edges->trace->locations[location].process + 1) << 32 | lock;
  const uint64_t *at = hash_find(&edges->locks, key);
  if (at)
    return &edges->releases.items[*at];
  struct release never = {0, TRACE_NONE};
  if (!vector_push(&edges->releases, never) || !hash_add(&edges->locks, key, edges->releases.count - 1))
    return NULL;
  return &edges->releases.items[edges->releases.count - 1];
}

static bool take_lock(struct edges *edges, uint32_t location, uint64_t time, const struct edge_step *step)
{
  struct release *release = release_of(edges, location, step->index);
  if (!release)
    return false;
  if (step->kind == STEP_RELEASE) {
    *release = (struct release){time, location};
    return true;
  }
  if (release->location == TRACE_NONE || release->time <= step->since)
    return true;
  return put(edges, &(struct edge){.kind = EDGE_LOCK,
                                   .from = release->location,
                                   .to = location,
                                   .from_time = release->time,
                                   .time = time,
                                   .region = step->region,
                                   .object = step->index});
}

static struct live_tasks *tasks_of(const struct edges *edges, uint32_t location)
{
  uint32_t process = edges->trace->locations[location].process;
  return &edges->tasks[process < edges->trace->process_count ? process : edges->trace->process_count];
}

/* Of one process: what is followed must not depend on other processes. */
static size_t tasks_max(const struct edges *edges)
{
  uint32_t processes = edges->trace->process_count;
  size_t share = processes ? TASKS_MAX / processes : TASKS_MAX;
  return share > TASKS_LEAST ? share : TASKS_LEAST;
}

static bool create_task(struct edges *edges, uint32_t location, uint64_t time, const struct edge_step *step)
{
  struct live_tasks *tasks = tasks_of(edges, location);
  if (tasks->count >= tasks_max(edges))
    return true;
  tasks->last_number = edges->last_task++; /* in the order of creation over all processes */
  return live_tasks_create(tasks, (struct live_task){.team = step->index,
                                                     .creator = step->creator,
                                                     .generation = step->generation,
                                                     .location = location,
                                                     .created = time});
}

static bool switch_task(struct edges *edges, uint32_t location, uint64_t time, const struct edge_step *step)
{
  struct live_task *task = live_tasks_find(tasks_of(edges, location), step->index, step->creator, step->generation);
  edges->threads[location].task = task ? task->number : 0;
  if (!task || task->started)
    return true;
  task->started = true;
  return put(edges, &(struct edge){.kind = EDGE_TASK,
                                   .from = task->location,
                                   .to = location,
                                   .from_time = task->created,
                                   .time = time,
                                   .region = TRACE_NONE,
                                   .object = (uint64_t)step->creator << 32 | step->generation});
}

static void complete_task(struct edges *edges, uint32_t location, const struct edge_step *step)
{
  struct live_tasks *tasks = tasks_of(edges, location);
  struct live_task *task = live_tasks_find(tasks, step->index, step->creator, step->generation);
  if (task)
    live_tasks_end(tasks, task);
}

bool edges_take(struct edges *edges, uint32_t location, uint64_t time, const struct edge_step *step)
{
  edges->ended_team = TRACE_NONE;
  switch ((enum edge_step_kind)step->kind) {
  case STEP_FORK:
    push_fork(edges, location, time, step->region);
    return true;
  case STEP_JOIN:
    return end_instance(edges, location, time);
  case STEP_TEAM_BEGIN:
    return step->index == TRACE_NONE || begin_member(edges, location, step->index, time);
  case STEP_TEAM_END:
    if (step->index != TRACE_NONE)
      end_member(edges, location, step->index, time);
    return true;
  case STEP_ACQUIRE:
  case STEP_RELEASE:
    return take_lock(edges, location, time, step);
  case STEP_TASK_CREATE:
    return create_task(edges, location, time, step);
  case STEP_TASK_SWITCH:
    return switch_task(edges, location, time, step);
  case STEP_TASK_COMPLETE:
    complete_task(edges, location, step);
  }
  return true;
}

uint32_t edges_ended_team(const struct edges *edges)
{
  return edges->ended_team;
}

uint64_t edges_task(const struct edges *edges, uint32_t location)
{
  return edges->threads[location].task;
}

const char *edge_kind_name(enum edge_kind kind)
{
  static const char *const names[EDGE_KINDS] = {
      [EDGE_FORK] = "fork", [EDGE_LOCK] = "lock", [EDGE_TASK] = "task", [EDGE_JOIN] = "join"};
  return names[kind];
}
