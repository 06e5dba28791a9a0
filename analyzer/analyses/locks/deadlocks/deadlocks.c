#include "analyzer/analyses/locks/deadlocks/deadlocks.h"

#include "analyzer/analyses/locks/deadlocks/thread.h"
#include "analyzer/command/print/units.h"
#include "analyzer/trace/definitions.h"
#include "base/hash.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge {
  uint32_t from, to;
};

struct graph {
  const struct trace *trace;
  const struct thread_end *ends;
  struct hash holders;         /* number of a lock, or object -> location << 32 | index of the hold */
  struct hash java, kernel;    /* process << 32 | id of a thread, Java's or the kernel's -> location */
  struct deadlock_wait *waits; /* by location */
  VECTOR(struct edge) edges;   /* by `from` */
  size_t *first;               /* edge, by location; one more */
  bool *stuck;                 /* by location */
};

/* A monitor of Java's: hold= gives it a number, but a wait knows the object alone. */
static uint64_t object_key(const struct graph *graph, uint32_t location, const char *class_name, uint64_t object)
{
  uint64_t process = graph->trace->locations[location].process;
  return hash_text(hash_mix(object + 1) ^ process, class_name) | 1ull << 63;
}

static bool note_holders(struct graph *graph, uint32_t location)
{
  const struct thread_end *end = &graph->ends[location];
  bool good = true;
  for (size_t i = 0; good && i < end->holds.count; i++) {
    const struct thread_hold *hold = &end->holds.items[i];
    uint64_t value = (uint64_t)location << 32 | i;
    good = hash_put(&graph->holders, hold->lock, value) &&
           (!hold->class_name ||
            hash_put(&graph->holders, object_key(graph, location, hold->class_name, hold->object), value));
  }
  return good;
}

/* True if the holder of a mutex of POSIX threads has released it since the wait for it began. */
static bool has_released(const struct graph *graph, const struct deadlock_wait *wait)
{
  const uint64_t *when = wait->kind == DEADLOCK_LOCK && wait->holder != TRACE_NONE
                             ? hash_find(&graph->ends[wait->holder].unlocks, wait->lock)
                             : NULL;
  return when && *when >= wait->since;
}

/* Who has the lock that a thread waits for, as far as it is known. */
static void find_holder(const struct graph *graph, uint32_t location)
{
  const struct thread_end *end = &graph->ends[location];
  struct deadlock_wait *wait = &graph->waits[location];
  const uint64_t *found = NULL;
  if (wait->kind == DEADLOCK_LOCK && wait->lock != DEADLOCK_NO_LOCK)
    found = hash_find(&graph->holders, wait->lock);
  else if (wait->kind == DEADLOCK_LOCK && wait->class_name && wait->object)
    found = hash_find(&graph->holders, object_key(graph, location, wait->class_name, wait->object));
  if (found) {
    wait->holder = (uint32_t)(*found >> 32);
    const struct thread_hold *hold = &graph->ends[wait->holder].holds.items[(uint32_t)*found];
    wait->holder_region = hold->region;
    wait->acquired = hold->since;
  } else if (end->owner) {
    const struct hash *ids = end->by_kernel ? &graph->kernel : &graph->java;
    wait->holder = thread_ids_find(ids, graph->trace->locations[location].process, end->owner);
    wait->holder_region = end->owner_place;
    if (has_released(graph, wait))
      wait->holder = TRACE_NONE;
  }
}

static bool add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
  return vector_push(&graph->edges, ((struct edge){from, to}));
}

static bool is_in_team(const struct thread_end *end, uint32_t team)
{
  for (size_t i = 0; i < end->teams.count; i++)
    if (end->teams.items[i] == team)
      return true;
  return false;
}

/* A barrier waits for the members that are in the team, but at no barrier of it. */
static bool add_members(struct graph *graph, uint32_t location)
{
  const struct thread_end *end = &graph->ends[location];
  uint32_t number = end->teams.count ? end->teams.items[end->teams.count - 1] : TRACE_NONE;
  if (number == TRACE_NONE)
    return true;
  const struct trace_team *team = &graph->trace->teams[number];
  for (uint32_t i = 0; i < team->size; i++) {
    const struct thread_end *member = &graph->ends[team->members[i]];
    bool here = member->waits && member->wait.kind == DEADLOCK_BARRIER &&
                member->teams.items[member->teams.count - 1] == number;
    if (team->members[i] != location && !here && is_in_team(member, number) &&
        !add_edge(graph, location, team->members[i]))
      return false;
  }
  return true;
}

static bool add_edges(struct graph *graph, uint32_t location)
{
  const struct thread_end *end = &graph->ends[location];
  graph->first[location] = graph->edges.count;
  if (!end->waits)
    return true;
  graph->waits[location] = end->wait;
  if (end->wait.kind == DEADLOCK_BARRIER)
    return add_members(graph, location);
  find_holder(graph, location);
  uint32_t holder = graph->waits[location].holder;
  return holder == TRACE_NONE || add_edge(graph, location, holder);
}

/* True if the thread that is waited for has ended, with the lock; one that is joined may end. */
static bool is_gone(const struct graph *graph, uint32_t from, uint32_t to)
{
  return graph->ends[to].ended && graph->waits[from].kind != DEADLOCK_JOIN;
}

/* A thread can go on if all that it waits for can: what is left over when no more can is stuck. */
static void find_stuck(const struct graph *graph)
{
  uint32_t count = graph->trace->location_count;
  for (uint32_t i = 0; i < count; i++)
    graph->stuck[i] = graph->first[i + 1] > graph->first[i];
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < count; i++) {
      if (!graph->stuck[i])
        continue;
      bool stuck = false;
      for (size_t k = graph->first[i]; k < graph->first[i + 1]; k++)
        stuck |= graph->stuck[graph->edges.items[k].to] || is_gone(graph, i, graph->edges.items[k].to);
      changed |= !stuck;
      graph->stuck[i] = stuck;
    }
  }
}

/* The thread that keeps a stuck thread stuck. */
static uint32_t because_of(const struct graph *graph, uint32_t location)
{
  for (size_t k = graph->first[location]; k < graph->first[location + 1]; k++) {
    uint32_t to = graph->edges.items[k].to;
    if (graph->stuck[to] || is_gone(graph, location, to))
      return to;
  }
  return TRACE_NONE; /* it is not stuck */
}

static void graph_put(const struct graph *graph, struct deadlocks *deadlocks, uint32_t location, uint32_t cycle)
{
  struct deadlock_wait *wait = &deadlocks->list[deadlocks->count++];
  *wait = graph->waits[location];
  wait->holder = because_of(graph, location);
  wait->ended = is_gone(graph, location, wait->holder);
  wait->cycle = cycle;
}

/* Follows each stuck thread to the thread that it waits for, until one thread is met again: a cycle begins there. */
static void list_all(const struct graph *graph, struct deadlocks *deadlocks, uint32_t *met)
{
  uint32_t count = graph->trace->location_count;
  for (uint32_t i = 0; i < count; i++) { /* met: 1 + the thread from which it was first met; 0: not yet */
    uint32_t at = i;
    while (at != TRACE_NONE && graph->stuck[at] && !met[at]) {
      met[at] = i + 1;
      at = because_of(graph, at);
    }
    if (at == TRACE_NONE || !graph->stuck[at] || met[at] != i + 1)
      continue;
    uint32_t cycle = ++deadlocks->cycles, next = at;
    do {
      graph_put(graph, deadlocks, next, cycle);
      met[next] = UINT32_MAX;
      next = because_of(graph, next);
    } while (next != at);
  }
  for (uint32_t i = 0; i < count; i++)
    if (graph->stuck[i] && met[i] != UINT32_MAX)
      graph_put(graph, deadlocks, i, 0);
}

static int compare_since(const void *of_a, const void *of_b)
{
  const struct deadlock_wait *a = of_a, *b = of_b;
  if (a->since != b->since)
    return a->since < b->since ? -1 : 1;
  return (a->location > b->location) - (a->location < b->location);
}

/* What else waited when the run was killed. */
static void list_others(const struct graph *graph, struct deadlocks *deadlocks)
{
  for (uint32_t i = 0; i < graph->trace->location_count; i++) {
    bool jvm = graph->trace->locations[i].type == TRACE_THREAD_JVM;
    if (graph->ends[i].killed && !graph->stuck[i] && !jvm)
      deadlocks->others[deadlocks->other_count++] = graph->ends[i].waits ? graph->waits[i] : graph->ends[i].wait;
  }
  if (deadlocks->other_count > 0)
    qsort(deadlocks->others, deadlocks->other_count, sizeof *deadlocks->others, compare_since);
}

bool graph_find(const struct trace *trace, const struct thread_end *ends, struct deadlocks *deadlocks)
{
  uint32_t count = trace->location_count;
  struct graph graph = {.trace = trace,
                        .ends = ends,
                        .waits = calloc((size_t)count + 1, sizeof *graph.waits),
                        .first = calloc((size_t)count + 1, sizeof *graph.first),
                        .stuck = calloc((size_t)count + 1, sizeof *graph.stuck)};
  uint32_t *met = calloc((size_t)count + 1, sizeof *met);
  *deadlocks = (struct deadlocks){.list = calloc((size_t)count + 1, sizeof *deadlocks->list),
                                  .others = calloc((size_t)count + 1, sizeof *deadlocks->others)};
  bool good = graph.waits && graph.first && graph.stuck && met && deadlocks->list && deadlocks->others &&
              thread_ids_of_java(&graph.java, graph.trace) && thread_ids_of_kernel(&graph.kernel, graph.trace);
  for (uint32_t i = 0; good && i < count; i++)
    good = note_holders(&graph, i);
  for (uint32_t i = 0; good && i < count; i++)
    good = add_edges(&graph, i);
  if (good) {
    graph.first[count] = graph.edges.count;
    find_stuck(&graph);
    list_all(&graph, deadlocks, met);
    list_others(&graph, deadlocks);
  }
  free(met);
  free(graph.stuck);
  free(graph.first);
  free(graph.waits);
  vector_free(&graph.edges);
  hash_free(&graph.kernel);
  hash_free(&graph.java);
  hash_free(&graph.holders);
  return good;
}

#define THREADS_SAID 6 /* of a longer cycle the rest is counted */

const char *deadlock_object(const struct trace *trace, const struct deadlock_wait *wait, char name[DEADLOCK_NAME_SIZE])
{
  const char *known = wait->lock != DEADLOCK_NO_LOCK ? trace_lock_name(trace, wait->lock) : NULL;
  if (wait->kind == DEADLOCK_BARRIER)
    return "the barrier";
  if (known)
    return known;
  if (wait->class_name && wait->object)
    snprintf(name, DEADLOCK_NAME_SIZE, "%s@%" PRIx64, *wait->class_name ? wait->class_name : "an object", wait->object);
  else if (wait->class_name)
    snprintf(name, DEADLOCK_NAME_SIZE, "%s", *wait->class_name ? wait->class_name : "an object");
  else
    return trace->regions[wait->region].name; /* a critical section's place */
  return name;
}

/* ` (omp_set_lock @a.c:3, from 1.2 ms on)`, as far as it is known. Java: where the owner was then. */
static void put_place(FILE *out, const struct trace *trace, uint32_t region, uint64_t since)
{
  char text[UNITS_SIZE];
  bool timed = since != UINT64_MAX;
  if (region == TRACE_NONE && !timed)
    return;
  const char *name = region == TRACE_NONE ? "" : trace->regions[region].name, *at = strstr(name, NAME_AT);
  bool owner = region != TRACE_NONE && at && trace_region_begins(&trace->regions[region], REGION_MONITOR_OWNER);
  fprintf(out, " (%s%s%s", owner ? "it is" : "", owner ? at : name, region != TRACE_NONE && timed ? ", " : "");
  if (timed)
    fprintf(out, "from %s on",
            units_duration(since > trace->first_tick ? since - trace->first_tick : 0, trace->ticks_per_second, text));
  fputc(')', out);
}

static void put_wait(FILE *out, const struct trace *trace, const struct deadlock_wait *wait)
{
  char name[DEADLOCK_NAME_SIZE];
  const char *holder = trace_thread_said(trace, wait->holder);
  fprintf(out, "%s waits for %s", trace_thread_said(trace, wait->location),
          wait->kind == DEADLOCK_JOIN ? holder : deadlock_object(trace, wait, name));
  put_place(out, trace, wait->region, wait->since);
  if (wait->kind == DEADLOCK_JOIN)
    return;
  if (wait->kind == DEADLOCK_BARRIER)
    fprintf(out, ", to which %s %s", holder, wait->ended ? "cannot come, because it has ended" : "does not come");
  else if (wait->holder == wait->location)
    fputs(", which it holds itself", out);
  else
    fprintf(out, ", which %s %s", holder, wait->ended ? "held when it ended" : "holds");
  if (wait->kind == DEADLOCK_LOCK)
    put_place(out, trace, wait->holder_region, wait->acquired);
}

/* Threads outside of all cycles, which wait for others that can never go on. */
static size_t behind(const struct deadlocks *deadlocks)
{
  size_t count = 0;
  for (size_t i = 0; i < deadlocks->count; i++)
    count += deadlocks->list[i].cycle == 0 && !deadlocks->list[i].ended;
  return count;
}

char *deadlock_sentence(const struct trace *trace, const struct deadlocks *deadlocks, size_t first)
{
  char *text = NULL;
  size_t size, members = 1, more = behind(deadlocks);
  const struct deadlock_wait *wait = &deadlocks->list[first];
  while (wait->cycle && first + members < deadlocks->count && wait[members].cycle == wait->cycle)
    members++;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  if (wait->cycle)
    fprintf(out, "the deadlock of %zu thread%s: ", members, members == 1 ? "" : "s");
  else
    fputs("the lock of a thread that has ended: ", out);
  for (size_t i = 0; i < members && i < THREADS_SAID; i++) {
    fputs(i > 0 ? "; " : "", out);
    put_wait(out, trace, &wait[i]);
  }
  if (members > THREADS_SAID)
    fprintf(out, "; and so on, %zu threads more", members - THREADS_SAID);
  fputc('.', out);
  if (more > 0 && first == 0)
    fprintf(out, " %zu more thread%s behind %s.", more, more == 1 ? " waits" : "s wait",
            members > 1 || deadlocks->cycles > 1 ? "them" : "it");
  return fclose(out) == 0 ? text : (free(text), NULL);
}

struct deadlocks_analysis {
  const struct trace *trace;
  uint8_t *rules;
  struct thread_end *ends; /* by location */
};

static bool deadlocks_begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct deadlocks_analysis *analysis = context;
  thread_lane_begin(lane, analysis->trace, location, analysis->rules, &analysis->ends[location->number]);
  return true;
}

static bool deadlocks_begin(void *state, const struct analysis_input *input)
{
  struct deadlocks_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->rules = thread_rules(input->trace);
  analysis->ends = calloc((size_t)input->trace->location_count + 1, sizeof *analysis->ends);
  return analysis->rules && analysis->ends;
}

static bool deadlocks_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct deadlocks_analysis *analysis = state;
  return graph_find(analysis->trace, analysis->ends, result);
}

static void deadlocks_drop(void *state)
{
  struct deadlocks_analysis *analysis = state;
  for (uint32_t i = 0; analysis->ends && i < analysis->trace->location_count; i++)
    thread_end_free(&analysis->ends[i]);
  free(analysis->ends);
  free(analysis->rules);
}

static void deadlocks_free(void *result)
{
  struct deadlocks *deadlocks = result;
  free(deadlocks->list);
  free(deadlocks->others);
  *deadlocks = (struct deadlocks){0};
}

const struct analysis deadlocks_analysis = {.name = "deadlocks",
                                            .state_size = sizeof(struct deadlocks_analysis),
                                            .result_size = sizeof(struct deadlocks),
                                            .begin = deadlocks_begin,
                                            .lanes = {.stateless = true,
                                                      .before = true,
                                                      .others = true,
                                                      .lane_size = sizeof(struct thread_lane),
                                                      .begin = deadlocks_begin_lane,
                                                      .event = thread_lane_event,
                                                      .close = thread_lane_close},
                                            .end = deadlocks_end,
                                            .drop = deadlocks_drop,
                                            .free = deadlocks_free};
