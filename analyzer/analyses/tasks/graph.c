#include "analyzer/analyses/tasks/graph.h"

#include <stdlib.h>

/* Two data of one key, which damage or rare luck causes, count as one. */
static uint64_t key_of(uint64_t parent, uint64_t data)
{
  return hash_mix(parent) ^ data;
}

static void drop(struct depends *depends, uint32_t place)
{
  while (place > 0) {
    struct depend_group *group = &depends->groups.items[place - 1];
    if (--group->users > 0)
      return;
    uint32_t before = group->before;
    group->next = depends->free_group;
    depends->free_group = place;
    place = before;
  }
}

/* A group behind `before`, with one user. 0: no memory. */
static uint32_t new_group(struct depends *depends, uint32_t before, enum depend_kind kind)
{
  struct depend_group group = {.before = before, .users = 1, .kind = (uint8_t)kind};
  uint32_t place = depends->free_group;
  if (place == 0) {
    if (!vector_push(&depends->groups, group))
      return 0;
    return (uint32_t)depends->groups.count;
  }
  depends->free_group = depends->groups.items[place - 1].next;
  depends->groups.items[place - 1] = group;
  return place;
}

/* The place of the datum; 0: no memory. */
static uint32_t datum_of(struct depends *depends, uint64_t parent, uint32_t *first, uint64_t data)
{
  uint64_t key = key_of(parent, data);
  const uint64_t *at = hash_find(&depends->by_key, key);
  if (at)
    return (uint32_t)*at;
  uint32_t place = depends->free_datum;
  struct depend_datum datum = {.parent = parent, .data = data, .next = *first};
  if (place == 0 && !vector_push(&depends->data, datum))
    return 0;
  if (place == 0)
    place = (uint32_t)depends->data.count;
  else
    depends->free_datum = depends->data.items[place - 1].next;
  depends->data.items[place - 1] = datum;
  *first = place;
  return hash_add(&depends->by_key, key, place) ? place : 0;
}

uint32_t depends_join(struct depends *depends, uint64_t parent, uint32_t *first, uint64_t data, enum depend_kind kind)
{
  uint32_t place = datum_of(depends, parent, first, data);
  if (place == 0)
    return 0;
  kind = kind == DEPEND_INOUT ? DEPEND_OUT : kind;
  uint32_t last = depends->data.items[place - 1].group;
  if (last == 0 || kind == DEPEND_OUT || depends->groups.items[last - 1].kind != kind) {
    last = new_group(depends, last, kind); /* it takes over the datum's use of the one before */
    if (last == 0)
      return 0;
    depends->data.items[place - 1].group = last;
  }
  depends->groups.items[last - 1].users++;
  return last;
}

static uint64_t depend_later(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

void depends_after(const struct depends *depends, uint32_t group, uint64_t *path, uint64_t *ended)
{
  const struct depend_group *of = &depends->groups.items[group - 1];
  const struct depend_group *before = of->before ? &depends->groups.items[of->before - 1] : NULL;
  *path = depend_later(*path, before ? before->path : of->after_path);
  *ended = depend_later(*ended, before ? before->ended : of->after_ended);
}

/* Where a member ended, all of the group before have, which is not needed any more. */
void depends_leave(struct depends *depends, uint32_t group, uint64_t path, uint64_t ended)
{
  struct depend_group *of = &depends->groups.items[group - 1];
  of->path = depend_later(of->path, path);
  of->ended = depend_later(of->ended, ended);
  if (of->before > 0) {
    of->after_path = depends->groups.items[of->before - 1].path;
    of->after_ended = depends->groups.items[of->before - 1].ended;
    drop(depends, of->before);
    of->before = 0;
  }
  drop(depends, group);
}

void depends_forget(struct depends *depends, uint32_t *first)
{
  while (*first > 0) {
    struct depend_datum *datum = &depends->data.items[*first - 1];
    uint32_t next = datum->next;
    hash_remove(&depends->by_key, key_of(datum->parent, datum->data));
    drop(depends, datum->group);
    datum->next = depends->free_datum;
    depends->free_datum = *first;
    *first = next;
  }
}

void depends_free(struct depends *depends)
{
  vector_free(&depends->groups);
  vector_free(&depends->data);
  hash_free(&depends->by_key);
}

#define GRAPH_NEVER UINT64_MAX

enum {
  TASKS_MAX = 1 << 20,  /* live tasks of all processes that are followed, but ... */
  TASKS_LEAST = 1 << 14 /* ... not less a process */
};

static uint64_t graph_later(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static struct process_tasks *process_of(const struct graph *graph, uint32_t location)
{
  uint32_t process = graph->trace->locations[location].process;
  return &graph->processes[process < graph->trace->process_count ? process : graph->trace->process_count];
}

/* NULL: it has ended. Valid until the next task is made, or the next team begins. */
static struct chain *chain_of(const struct graph *graph, struct chain_at at)
{
  struct chain *chain = NULL;
  if (at.id > 0 && at.of_task)
    chain = &process_of(graph, at.location)->lives.items[at.at - 1].chain;
  else if (at.id > 0 && at.at < graph->threads[at.location].chains.count)
    chain = &graph->threads[at.location].chains.items[at.at];
  return chain && chain->id == at.id ? chain : NULL;
}

/* The task that a place is of; NULL: it has ended. */
static struct live *live_of(const struct graph *graph, struct chain_at at)
{
  return at.of_task && chain_of(graph, at) ? &process_of(graph, at.location)->lives.items[at.at - 1] : NULL;
}

/* What a location is in now: its task, else the innermost team. */
static struct chain_at current(const struct graph *graph, uint32_t location)
{
  const struct graph_thread *thread = &graph->threads[location];
  if (chain_of(graph, thread->current))
    return thread->current;
  size_t top = thread->chains.count - 1;
  return (struct chain_at){.id = thread->chains.items[top].id, .location = location, .at = (uint32_t)top};
}

static bool push_chain(struct graph *graph, uint32_t location, uint32_t team, uint64_t path, bool follows)
{
  struct chain chain = {.path = path, .id = ++graph->last_id, .team = team, .follows = follows};
  return vector_push(&graph->threads[location].chains, chain);
}

static void use_taskgroup(struct graph *graph, uint32_t group)
{
  if (group > 0)
    graph->taskgroups.items[group - 1].users++;
}

static void drop_taskgroup(struct graph *graph, uint32_t group, uint64_t path)
{
  if (group == 0)
    return;
  struct taskgroup *of = &graph->taskgroups.items[group - 1];
  of->path = graph_later(of->path, path);
  if (--of->users > 0)
    return;
  of->next = graph->free_taskgroup;
  graph->free_taskgroup = group;
}

static bool begin_taskgroup(struct graph *graph, struct chain *chain)
{
  struct taskgroup group = {.outer = chain->group, .users = 1};
  uint32_t place = graph->free_taskgroup;
  if (place > 0) {
    graph->free_taskgroup = graph->taskgroups.items[place - 1].next;
    graph->taskgroups.items[place - 1] = group;
  } else if (!vector_push(&graph->taskgroups, group)) {
    return false;
  } else {
    place = (uint32_t)graph->taskgroups.count;
  }
  chain->group = place;
  return true;
}

static void end_taskgroup(struct graph *graph, struct chain *chain)
{
  uint32_t group = chain->group;
  if (group == 0)
    return;
  chain->path = graph_later(chain->path, graph->taskgroups.items[group - 1].path);
  chain->group = graph->taskgroups.items[group - 1].outer;
  drop_taskgroup(graph, group, 0);
}

/* The task ends, or is not followed further. */
static void let_go(struct graph *graph, struct live *live, uint64_t time)
{
  while (live->membership > 0) {
    struct membership *membership = &graph->memberships.items[live->membership - 1];
    uint32_t next = membership->next;
    depends_leave(&graph->depends, membership->group, live->chain.path, time);
    membership->next = graph->free_membership;
    graph->free_membership = live->membership;
    live->membership = next;
  }
  depends_forget(&graph->depends, &live->chain.data);
  while (live->chain.group != live->taskgroup && live->chain.group > 0)
    end_taskgroup(graph, &live->chain);
  drop_taskgroup(graph, live->taskgroup, live->chain.path);
  live->chain.id = 0;
}

static size_t tasks_max(const struct graph *graph)
{
  uint32_t processes = graph->trace->process_count;
  size_t share = processes ? TASKS_MAX / processes : TASKS_MAX;
  return share > TASKS_LEAST ? share : TASKS_LEAST;
}

/* Follows a task. *at: 0: it is one too many. False: no memory. */
static bool add_live(struct graph *graph, uint32_t location, const struct task_step *step, const struct live *live,
                     struct chain_at *at)
{
  struct process_tasks *tasks = process_of(graph, location);
  *at = (struct chain_at){0};
  const struct live_task *task = live_tasks_find(&tasks->names, step->team, step->creator, step->generation);
  if (task) /* it never ended */
    let_go(graph, &tasks->lives.items[task - tasks->names.places.items], step->time);
  if (!task && tasks->names.count >= tasks_max(graph)) {
    graph->sums->whole.unfollowed++;
    return true;
  }
  struct live_task name = {.team = step->team, .creator = step->creator, .generation = step->generation};
  if (!live_tasks_create(&tasks->names, name))
    return false;
  task = live_tasks_find(&tasks->names, step->team, step->creator, step->generation);
  size_t place = (size_t)(task - tasks->names.places.items);
  if (tasks->lives.count <= place && !vector_resize(&tasks->lives, place + 1))
    return false;
  tasks->lives.items[place] = *live;
  tasks->lives.items[place].chain.id = ++graph->last_id;
  tasks->lives.items[place].chain.team = step->team;
  *at = (struct chain_at){.id = graph->last_id, .location = location, .at = (uint32_t)place + 1, .of_task = true};
  return true;
}

static bool create(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct chain_at maker = current(graph, location);
  const struct chain *chain = chain_of(graph, maker);
  struct live live = {.chain = {.path = chain->path, .group = chain->group, .follows = true},
                      .maker = maker,
                      .created = step->time,
                      .ready = step->time,
                      .started = GRAPH_NEVER,
                      .apart = step->apart,
                      .weight = step->weight,
                      .site = TRACE_NONE,
                      .taskgroup = chain->group};
  uint32_t group = chain->group;
  struct tasks *whole = &graph->sums->whole;
  maker.location = location;
  whole->made++;
  if (!add_live(graph, location, step, &live, &graph->threads[location].made))
    return false;
  if (graph->threads[location].made.id == 0)
    return true;
  use_taskgroup(graph, group);
  graph->waiting++;
  if (!graph->java)
    whole->most_waiting = graph_later(whole->most_waiting, graph->waiting);
  return true;
}

static bool depend(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct live *live = live_of(graph, graph->threads[location].made);
  struct chain *maker = live ? chain_of(graph, live->maker) : NULL;
  if (!maker || step->depend == DEPEND_ALL_MEMORY || step->depend == DEPEND_OTHER)
    return true;
  uint32_t place = graph->free_membership;
  struct membership none = {0};
  uint32_t group = depends_join(&graph->depends, maker->id, &maker->data, step->data, (enum depend_kind)step->depend);
  if (group == 0 || (place == 0 && !vector_push(&graph->memberships, none)))
    return false;
  if (place > 0)
    graph->free_membership = graph->memberships.items[place - 1].next;
  else
    place = (uint32_t)graph->memberships.count;
  graph->sums->whole.depend += live->membership == 0;
  graph->memberships.items[place - 1] = (struct membership){group, live->membership};
  live->membership = place;
  return true;
}

/* Its maker is known, and when it was made. */
static bool is_submitted(const struct graph *graph, const struct live *live)
{
  return live->created != GRAPH_NEVER && !(graph->java && live->at_once);
}

static void start(struct graph *graph, uint32_t location, const struct task_step *step, struct live *live)
{
  live->started = step->time;
  live->runner = location;
  live->at_once = step->at_once;
  if (graph->java && is_submitted(graph, live))
    graph->sums->whole.most_waiting = graph_later(graph->sums->whole.most_waiting, graph->waiting);
  graph->waiting -= live->created != GRAPH_NEVER;
  for (uint32_t at = live->membership; at > 0; at = graph->memberships.items[at - 1].next)
    depends_after(&graph->depends, graph->memberships.items[at - 1].group, &live->chain.path, &live->ready);
  if (!graph->java)
    return;
  task_pools_serve(&graph->pools, is_submitted(graph, live) ? live->maker.location : TRACE_NONE, location);
  if (is_submitted(graph, live))
    task_pools_begin(&graph->pools, location, live->ready, graph->threads[location].task_ended, step->time);
}

static bool switch_to(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct graph_thread *thread = &graph->threads[location];
  const struct process_tasks *tasks = process_of(graph, location);
  const struct live_task *task = live_tasks_find(&tasks->names, step->team, step->creator, step->generation);
  thread->current = (struct chain_at){0};
  if (!task && step->generation == 0)
    return true; /* a member of a team: an implicit task */
  if (task) {
    uint32_t place = (uint32_t)(task - tasks->names.places.items);
    uint64_t id = tasks->lives.items[place].chain.id;
    thread->current = (struct chain_at){.id = id, .location = location, .at = place + 1, .of_task = true};
  } else { /* its creation was not seen */
    struct live live = {
        .chain.follows = true, .created = GRAPH_NEVER, .started = GRAPH_NEVER, .weight = 1, .site = TRACE_NONE};
    if (!add_live(graph, location, step, &live, &thread->current))
      return false;
  }
  struct live *live = live_of(graph, thread->current);
  if (live && live->started == GRAPH_NEVER)
    start(graph, location, step, live);
  return true;
}

static bool set_site(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct live *live = live_of(graph, graph->threads[location].current);
  if (!live || live->site != TRACE_NONE)
    return true;
  live->site = task_sums_site(graph->sums, step->region);
  return live->site != TRACE_NONE;
}

/* Adds a task to the sums of its site and threads. */
static bool graph_add_up(struct graph *graph, struct live *live, bool ended)
{
  struct tasks *whole = &graph->sums->whole;
  bool seen = live->created != GRAPH_NEVER, submitted = is_submitted(graph, live);
  if (live->started == GRAPH_NEVER && (!ended || graph->java)) { /* a pool that refuses a task ends it */
    whole->never_ran++;
    return true;
  }
  if (live->site == TRACE_NONE)
    live->site = task_sums_site(graph->sums, TRACE_NONE);
  if (live->site == TRACE_NONE)
    return false;
  bool stolen = submitted && live->started != GRAPH_NEVER && live->runner != live->maker.location;
  struct task_thread *runner = task_sums_thread(graph->sums, live->site, live->runner);
  if (!runner)
    return false;
  runner->ran += live->started != GRAPH_NEVER;
  runner->stolen += stolen;
  struct task_thread *maker = submitted ? task_sums_thread(graph->sums, live->site, live->maker.location) : NULL;
  if (submitted && !maker)
    return false;
  if (maker)
    maker->made++;
  struct task_site *site = &graph->sums->sites.items[live->site];
  site->made += seen;
  site->submitted += submitted;
  site->omitted += live->weight - 1;
  whole->omitted += live->weight - 1;
  site->at_once += submitted && live->at_once;
  site->stolen += stolen;
  site->busy += live->busy;
  site->blocked += live->blocked;
  site->ended += ended;
  whole->ended += ended;
  if (graph->java && live->started != GRAPH_NEVER)
    task_pools_task(&graph->pools, live->runner, live->blocked, live->locked);
  if (live->started == GRAPH_NEVER)
    return true;
  return (!ended || lengths_add(&site->run, live->total)) &&
         (!submitted || lengths_add(&site->queue, live->started - live->ready)) &&
         (!seen || live->ready == live->created || lengths_add(&site->held, live->ready - live->created)) &&
         (live->apart == 0 || !submitted || lengths_add(&site->apart, live->apart));
}

static bool complete(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct process_tasks *tasks = process_of(graph, location);
  struct live_task *task = live_tasks_find(&tasks->names, step->team, step->creator, step->generation);
  if (!task)
    return true;
  struct live *live = &tasks->lives.items[task - tasks->names.places.items];
  struct graph_thread *thread = &graph->threads[location];
  thread->task_ended = step->time;
  struct chain *maker = chain_of(graph, live->maker);
  const struct chain *team = &thread->chains.items[thread->chains.count - 1];
  uint64_t path = live->chain.path;
  graph->waiting -= live->started == GRAPH_NEVER && live->created != GRAPH_NEVER;
  if (!graph_add_up(graph, live, true))
    return false;
  if (maker)
    maker->children = graph_later(maker->children, path);
  if (maker && live->at_once)
    maker->path = graph_later(maker->path, path);
  if (team->team != TRACE_NONE) {
    uint64_t *arrived = &graph->teams[team->team].arrived[team->barriers % 2];
    *arrived = graph_later(*arrived, path);
  }
  if (thread->current.id == live->chain.id)
    thread->current = (struct chain_at){0};
  let_go(graph, live, step->time);
  live_tasks_end(&tasks->names, task);
  return true;
}

/* A member of a team comes after the fork, and the thread that forked it after the ends of its members. */
static bool take_edge(void *context, const struct edge *edge)
{
  struct graph *graph = context;
  const struct graph_thread *from = &graph->threads[edge->from];
  struct graph_thread *to = &graph->threads[edge->to];
  struct chain *chain = &to->chains.items[to->chains.count - 1];
  if (edge->kind == EDGE_JOIN) {
    chain->path = graph_later(chain->path, from->ended);
  } else if (!chain->follows) {
    chain->path += from->forks ? from->forked : graph->teams[edge->object].forked;
    chain->follows = true;
  }
  graph->sums->whole.span = graph_later(graph->sums->whole.span, chain->path);
  return true;
}

static void end_member(struct graph *graph, uint32_t location)
{
  struct graph_thread *thread = &graph->threads[location];
  thread->current = (struct chain_at){0};
  if (thread->chains.count == 1)
    return;
  struct chain *chain = &thread->chains.items[--thread->chains.count];
  thread->ended = chain->path;
  depends_forget(&graph->depends, &chain->data);
  while (chain->group > 0)
    end_taskgroup(graph, chain);
  chain[-1].path = graph_later(chain[-1].path, thread->ended);
}

static bool take_team(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct graph_thread *thread = &graph->threads[location];
  const struct edge_step *edge = &step->edge;
  uint64_t path = thread->chains.items[thread->chains.count - 1].path;
  bool known = edge->index != TRACE_NONE;
  if (edge->kind == STEP_FORK) {
    thread->forked = path;
    thread->forks = true;
  } else if (edge->kind == STEP_TEAM_BEGIN && known) {
    if (thread->forks)
      graph->teams[edge->index].forked = path;
    if (!push_chain(graph, location, edge->index, thread->forks ? path : 0, thread->forks))
      return false;
    thread->forks = false;
  } else if (edge->kind == STEP_TEAM_END && known) {
    end_member(graph, location);
  } else if (edge->kind == STEP_JOIN) {
    thread->forks = false;
  }
  return edges_take(graph->edges, location, step->time, edge);
}

static void arrive(struct graph *graph, const struct chain *chain)
{
  if (chain->team == TRACE_NONE)
    return;
  uint64_t *arrived = &graph->teams[chain->team].arrived[chain->barriers % 2];
  *arrived = graph_later(*arrived, chain->path);
}

static void pass(const struct graph *graph, struct chain *chain)
{
  if (chain->team == TRACE_NONE)
    return;
  chain->path = graph_later(chain->path, graph->teams[chain->team].arrived[chain->barriers % 2]);
  chain->barriers++;
}

/* What the location did since its last step is the work of what it is in. */
static bool charge(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct chain_at at = current(graph, location);
  struct chain *chain = chain_of(graph, at);
  struct live *live = live_of(graph, at);
  chain->path += step->busy;
  graph->sums->whole.work += step->busy;
  graph->sums->whole.span = graph_later(graph->sums->whole.span, chain->path);
  if (!live)
    return true;
  live->total += step->total;
  live->busy += step->busy;
  live->blocked += step->blocked;
  live->locked += step->locked;
  struct task_thread *thread = live->site != TRACE_NONE ? task_sums_thread(graph->sums, live->site, location) : NULL;
  if (thread)
    thread->run += step->total;
  return thread || live->site == TRACE_NONE;
}

static bool add_omitted(struct graph *graph, const struct task_step *step)
{
  uint32_t site = task_sums_site(graph->sums, step->region);
  if (site == TRACE_NONE)
    return false;
  graph->sums->sites.items[site].omitted += step->weight;
  graph->sums->whole.omitted += step->weight;
  return true;
}

static bool take(struct graph *graph, uint32_t location, const struct task_step *step)
{
  struct chain *chain = chain_of(graph, current(graph, location));
  switch ((enum task_step_kind)step->kind) {
  case TASK_STEP_EDGE:
    return take_team(graph, location, step);
  case TASK_STEP_CREATE:
    return create(graph, location, step);
  case TASK_STEP_DEPEND:
    return depend(graph, location, step);
  case TASK_STEP_SWITCH:
    return switch_to(graph, location, step);
  case TASK_STEP_COMPLETE:
    return complete(graph, location, step);
  case TASK_STEP_SITE:
    return set_site(graph, location, step);
  case TASK_STEP_ARRIVE:
    arrive(graph, chain);
    return true;
  case TASK_STEP_PASS:
    pass(graph, chain);
    return true;
  case TASK_STEP_JOIN:
    chain->path = graph_later(chain->path, chain->children);
    return true;
  case TASK_STEP_GROUP:
    return begin_taskgroup(graph, chain);
  case TASK_STEP_UNGROUP:
    end_taskgroup(graph, chain);
    return true;
  case TASK_STEP_AWAITED:
    task_pools_await(&graph->pools, location, (enum await_kind)step->await, step->waited);
    return true;
  case TASK_STEP_OMITTED:
    return add_omitted(graph, step);
  case TASK_STEP_START:
  case TASK_STEP_MOUNT:
  case TASK_STEP_UNMOUNT:
  case TASK_STEP_STOP:
    return true;
  }
  return true;
}

bool graph_take(struct graph *graph, uint32_t location, const struct task_step *step)
{
  if (!charge(graph, location, step) || !take(graph, location, step))
    return false;
  bool at_work = step->kind != TASK_STEP_STOP && live_of(graph, graph->threads[location].current) != NULL;
  if (graph->java)
    task_pools_turn(&graph->pools, location, step->time, at_work);
  return true;
}

bool graph_finish(struct graph *graph)
{
  bool good = true;
  graph->sums->whole.most_waiting = graph_later(graph->sums->whole.most_waiting, graph->waiting);
  for (uint32_t i = 0; i <= graph->trace->process_count; i++)
    for (size_t k = 0; good && k < graph->processes[i].lives.count; k++) {
      struct live *live = &graph->processes[i].lives.items[k];
      good = live->chain.id == 0 || graph_add_up(graph, live, false);
    }
  return good;
}

bool graph_init(struct graph *graph, const struct trace *trace, struct task_sums *sums)
{
  *graph = (struct graph){.trace = trace, .sums = sums, .java = trace_is_of_java(trace)};
  graph->threads = calloc((size_t)trace->location_count + 1, sizeof *graph->threads);
  graph->teams = calloc((size_t)trace->team_count + 1, sizeof *graph->teams);
  graph->processes = calloc((size_t)trace->process_count + 1, sizeof *graph->processes);
  graph->edges = edges_create(trace, EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_JOIN), take_edge, graph);
  bool good = graph->threads && graph->teams && graph->processes && graph->edges &&
              (!graph->java || task_pools_init(&graph->pools, trace));
  for (uint32_t i = 0; good && i < trace->location_count; i++)
    good = push_chain(graph, i, TRACE_NONE, 0, true);
  return good;
}

void graph_free(struct graph *graph)
{
  for (uint32_t i = 0; graph->threads && i < graph->trace->location_count; i++)
    vector_free(&graph->threads[i].chains);
  for (uint32_t i = 0; graph->processes && i <= graph->trace->process_count; i++) {
    live_tasks_free(&graph->processes[i].names);
    vector_free(&graph->processes[i].lives);
  }
  free(graph->threads);
  free(graph->teams);
  free(graph->processes);
  edges_destroy(graph->edges);
  vector_free(&graph->memberships);
  vector_free(&graph->taskgroups);
  depends_free(&graph->depends);
  task_pools_free(&graph->pools);
}
