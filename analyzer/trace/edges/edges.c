#include "analyzer/trace/edges/edges.h"

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
  return !locations[edge->from].excluded && !locations[edge->to].excluded &&
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

/* Limit for one process: the choice must not depend on other processes. */
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

enum { UNMATCHED_DEPTH = 64 }; /* how far down a leave looks for its enter */

static bool asks_for_lock(unsigned rule)
{
  return rule == RULE_CRITICAL || rule == RULE_ORDERED || rule == RULE_ATOMIC || rule == RULE_SET_LOCK ||
         rule == RULE_SET_NEST_LOCK || rule == RULE_TEST_LOCK;
}

static bool enter(struct edge_reader *reader, const struct trace_event *event)
{
  unsigned rule = event->index == TRACE_NONE ? RULE_INHERIT : reader->rules[event->index];
  struct edge_region region = {.since = event->time, .region = event->index, .asks = asks_for_lock(rule)};
  return (rule != RULE_PARALLEL && !region.asks) || vector_push(&reader->open, region);
}

/* What is open inside the region that is left ends with it. */
static void leave(struct edge_reader *reader, const struct trace_event *event)
{
  size_t at = reader->open.count;
  for (size_t i = 0; i < UNMATCHED_DEPTH && at > 0 && reader->open.items[at - 1].region != event->index; i++)
    at--;
  if (at == 0 || reader->open.items[at - 1].region != event->index)
    return;
  const struct edge_region *left = &reader->open.items[at - 1];
  if (left->asks && !left->acquired) {
    reader->routine = *left;
    reader->routine_left = event->time;
  }
  reader->open.count = at - 1;
}

static uint32_t innermost_parallel(const struct edge_reader *reader)
{
  for (size_t i = reader->open.count; i-- > 0;)
    if (!reader->open.items[i].asks)
      return reader->open.items[i].region;
  return TRACE_NONE;
}

/* What asked for the lock that is acquired now; each asks once. NULL: the trace does not say. */
static struct edge_region *find_request(struct edge_reader *reader, uint64_t time)
{
  struct edge_region *top = reader->open.count > 0 ? &reader->open.items[reader->open.count - 1] : NULL;
  if (top && top->asks && !top->acquired)
    return top;
  return !reader->routine.acquired && reader->routine_left == time ? &reader->routine : NULL;
}

static void acquire(struct edge_reader *reader, const struct trace_event *event, struct edge_step *step)
{
  struct edge_region *request = find_request(reader, event->time);
  *step = (struct edge_step){.kind = STEP_ACQUIRE, .since = event->time, .index = event->index, .region = TRACE_NONE};
  if (!request)
    return;
  request->acquired = true;
  step->since = request->since;
  step->region = request->region;
}

static bool is_wanted(const struct edge_reader *reader, enum edge_step_kind kind)
{
  unsigned teams = EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_JOIN);
  unsigned wants = kind == STEP_TEAM_END  ? EDGE_BIT(EDGE_JOIN)
                   : kind < STEP_TEAM_END ? teams
                   : kind <= STEP_RELEASE ? EDGE_BIT(EDGE_LOCK)
                                          : EDGE_BIT(EDGE_TASK);
  return reader->kinds & wants;
}

static bool kind_of(enum trace_kind kind, enum edge_step_kind *step)
{
  static const uint8_t kinds[TRACE_KINDS] = {
      [TRACE_ThreadFork] = 1 + STEP_FORK,
      [TRACE_OmpFork] = 1 + STEP_FORK,
      [TRACE_ThreadJoin] = 1 + STEP_JOIN,
      [TRACE_OmpJoin] = 1 + STEP_JOIN,
      [TRACE_ThreadTeamBegin] = 1 + STEP_TEAM_BEGIN,
      [TRACE_ThreadTeamEnd] = 1 + STEP_TEAM_END,
      [TRACE_ThreadAcquireLock] = 1 + STEP_ACQUIRE,
      [TRACE_OmpAcquireLock] = 1 + STEP_ACQUIRE,
      [TRACE_ThreadReleaseLock] = 1 + STEP_RELEASE,
      [TRACE_OmpReleaseLock] = 1 + STEP_RELEASE,
      [TRACE_ThreadTaskCreate] = 1 + STEP_TASK_CREATE,
      [TRACE_ThreadTaskSwitch] = 1 + STEP_TASK_SWITCH,
      [TRACE_ThreadTaskComplete] = 1 + STEP_TASK_COMPLETE,
  };
  *step = (enum edge_step_kind)(kinds[kind] - 1);
  return kinds[kind] > 0;
}

bool edge_reader_take(struct edge_reader *reader, const struct trace_event *event, struct edge_step *step, bool *found)
{
  enum edge_step_kind kind;
  *found = false;
  if (event->kind == TRACE_Enter)
    return enter(reader, event);
  if (event->kind == TRACE_Leave)
    leave(reader, event);
  if (!kind_of(event->kind, &kind) || !is_wanted(reader, kind))
    return true;
  *found = true;
  if (kind == STEP_ACQUIRE) {
    acquire(reader, event, step);
    return true;
  }
  *step = (struct edge_step){.kind = (uint8_t)kind, .index = event->index, .region = TRACE_NONE};
  if (kind == STEP_FORK) {
    step->region = innermost_parallel(reader);
  } else if (kind >= STEP_TASK_CREATE) {
    step->creator = event->creator;
    step->generation = event->generation;
  }
  return true;
}

void edge_reader_free(struct edge_reader *reader)
{
  vector_free(&reader->open);
}

static uint64_t key_of(const struct live_task *task)
{
  return live_tasks_key(task->team, task->creator, task->generation);
}

/* The task among those whose names have its key; `first` is the place of the first one, NULL: there is none. */
static struct live_task *find_named(const struct live_tasks *tasks, const uint64_t *first, uint32_t team,
                                    uint32_t creator, uint32_t generation)
{
  for (uint64_t at = first ? *first : 0; at > 0; at = tasks->places.items[at - 1].next) {
    struct live_task *task = &tasks->places.items[at - 1];
    if (task->team == team && task->creator == creator && task->generation == generation)
      return task;
  }
  return NULL;
}

struct live_task *live_tasks_find(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation)
{
  const uint64_t *first = hash_find(&tasks->first, live_tasks_key(team, creator, generation));
  return find_named(tasks, first, team, creator, generation);
}

/* A free place becomes the first one of a key, before `first`. NULL: no memory. */
static struct live_task *take_place(struct live_tasks *tasks, uint64_t key, uint64_t *first)
{
  if (tasks->free == 0) {
    if (!vector_push(&tasks->places, ((struct live_task){0})))
      return NULL;
    tasks->free = (uint32_t)tasks->places.count;
  }
  uint32_t at = tasks->free, second = first ? (uint32_t)*first : 0;
  if (first)
    *first = at;
  else if (!hash_add(&tasks->first, key, at))
    return NULL;
  struct live_task *place = &tasks->places.items[at - 1];
  tasks->free = place->next;
  place->next = second;
  tasks->count++;
  return place;
}

bool live_tasks_create(struct live_tasks *tasks, struct live_task task)
{
  uint64_t key = key_of(&task), *first = hash_find(&tasks->first, key);
  struct live_task *place = find_named(tasks, first, task.team, task.creator, task.generation);
  if (!place && !(place = take_place(tasks, key, first)))
    return false;
  task.next = place->next;
  task.number = ++tasks->last_number;
  *place = task;
  return true;
}

void live_tasks_end(struct live_tasks *tasks, struct live_task *task)
{
  uint32_t at = (uint32_t)(task - tasks->places.items) + 1;
  uint64_t key = key_of(task), *first = hash_find(&tasks->first, key);
  if (*first != at) {
    struct live_task *before = &tasks->places.items[*first - 1];
    while (before->next != at)
      before = &tasks->places.items[before->next - 1];
    before->next = task->next;
  } else if (task->next > 0) {
    *first = task->next;
  } else {
    hash_remove(&tasks->first, key);
  }
  task->next = tasks->free;
  tasks->free = at;
  tasks->count--;
}

void live_tasks_free(struct live_tasks *tasks)
{
  vector_free(&tasks->places);
  hash_free(&tasks->first);
  *tasks = (struct live_tasks){0};
}
