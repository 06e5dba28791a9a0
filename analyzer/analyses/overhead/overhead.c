#include "analyzer/analyses/overhead/overhead.h"

#include "analyzer/trace/definitions.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define SLACK    1.25 /* the recorder's prices, and ours, are estimates */
#define BURST_MS 20   /* a thread may record for so long in advance, so that short programs are recorded whole */

struct budget_lane {
  struct budget_analysis *analysis;
  const struct pass_location *location;
};

struct budget_analysis {
  const struct trace *trace;
  struct life {
    bool any;
    uint64_t first, last;
  } *lives; /* one a location */
};

const char *overhead_budget_of(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  return process == TRACE_NONE ? NULL : trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_BUDGET);
}

bool overhead_budget_keeps(const struct trace *trace, uint32_t location, uint32_t construct)
{
  uint32_t process = trace->locations[location].process;
  const char *list = process == TRACE_NONE ? NULL : trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_KEEP);
  for (const char *end; list && *list; list = *end ? end + 1 : end) {
    end = strchrnul(list, ';');
    const char *ranges = memrchr(list, '@', (size_t)(end - list));
    if (trace_region_is_at(&trace->regions[construct], list, (size_t)((ranges ? ranges : end) - list)))
      return true;
  }
  return false;
}

uint64_t overhead_budget_ticks(const struct trace *trace, uint32_t location, uint64_t lifetime)
{
  char *end;
  const char *text = overhead_budget_of(trace, location);
  double percent = text ? strtod(text, &end) : 0;
  if (!text || end[strspn(end, " ")] != '%' || !(percent >= 0 && percent <= 100)) /* no share of the time, or damage */
    return 0;
  double ticks = SLACK * ((double)lifetime * percent / 100 + (double)trace->ticks_per_second / 1000 * BURST_MS);
  return ticks < 0x1p63 ? (uint64_t)ticks : UINT64_MAX; /* more is damage */
}

static bool budget_begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  *(struct budget_lane *)opened = (struct budget_lane){context, location};
  return true;
}

static bool budget_end_lane(void *opened)
{
  const struct budget_lane *lane = opened;
  const struct pass_location *location = lane->location;
  const struct trace *trace = lane->analysis->trace;
  bool counts = !trace->restriction.timed && trace_is_thread(trace, location->number) &&
                overhead_budget_of(trace, location->number);
  if (counts && location->alive)
    lane->analysis->lives[location->number] = (struct life){true, location->first, location->last};
  return true;
}

static bool budget_begin(void *state, const struct analysis_input *input)
{
  struct budget_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->lives = calloc(input->trace->location_count + 1, sizeof *analysis->lives);
  return analysis->lives != NULL;
}

static void add_thread(struct budget *budget, const struct trace *trace, uint32_t location, uint64_t lifetime)
{
  const char *text = overhead_budget_of(trace, location);
  const char *ticks = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_RECORDING_TICKS);
  uint64_t recording = ticks ? strtoull(ticks, NULL, 10) : 0;
  uint64_t allowed = overhead_budget_ticks(trace, location, lifetime);
  bool over = allowed > 0 && recording > allowed;
  budget->several |= budget->text && strcmp(budget->text, text) != 0;
  budget->text = budget->text ? budget->text : text;
  budget->recording += recording;
  budget->lifetimes += lifetime;
  budget->over += over;
}

/* Ticks that it took to record the switches of all threads. */
static uint64_t cost_of_switches(const struct trace *trace)
{
  const char *ns = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SWITCHES_COST);
  return ns ? (uint64_t)(strtod(ns, NULL) * (double)trace->ticks_per_second / 1e9) : 0;
}

static bool budget_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct budget_analysis *analysis = state;
  for (uint32_t i = 0; i < analysis->trace->location_count; i++)
    if (analysis->lives[i].any)
      add_thread(result, analysis->trace, i, analysis->lives[i].last - analysis->lives[i].first);
  struct budget *budget = result;
  if (budget->text)
    budget->recording += cost_of_switches(analysis->trace);
  return true;
}

static void budget_drop(void *state)
{
  free(((struct budget_analysis *)state)->lives);
}

const struct analysis budget_analysis = {
    .name = "budget",
    .state_size = sizeof(struct budget_analysis),
    .result_size = sizeof(struct budget),
    .begin = budget_begin,
    .lanes = {.lane_size = sizeof(struct budget_lane), .begin = budget_begin_lane, .end = budget_end_lane},
    .end = budget_end,
    .drop = budget_drop};

#define LEAST_MS 1 /* of recording; less is negligible */

#define LOCKS_HELD 64 /* locks that are distinguished; deeper ones count as the last of these */

/* A lock that the thread holds, and the routine that acquired it. */
struct held {
  uint32_t lock, region;
};

/* Counts a thread's events by construct. */
struct overhead_analysis {
  struct overhead found; /* what the definitions say */
  bool wanted;           /* the events of its thread are */
  const struct trace *trace;
  uint8_t *rules;
  uint64_t *events; /* a region */
  uint64_t all, first, last;
  VECTOR(uint32_t) open; /* for each open region the construct to which its events belong; TRACE_NONE: none */
  uint32_t routine;      /* the lock routine that ended last; it may have acquired its lock */
  struct held held[LOCKS_HELD];
  size_t held_count;
  uint64_t task_events; /* creations, switches and ends of tasks, which do not name the construct */
};

/* The kind of a construct that the advice can name; OVERHEAD_KINDS: it is a part of the construct around it. */
static enum overhead_kind kind_of(enum rule rule)
{
  switch (rule) {
  case RULE_LOOP:
    return OVERHEAD_LOOPS;
  case RULE_PARALLEL:
  case RULE_SECTIONS:
  case RULE_SINGLE:
  case RULE_WORKSHARE:
    return OVERHEAD_INSTANCES;
  case RULE_CRITICAL:
  case RULE_ORDERED:
  case RULE_ATOMIC:
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
    return OVERHEAD_LOCKS;
  case RULE_TASK:
  case RULE_TASK_UNTIED:
    return OVERHEAD_TASKS;
  case RULE_USER:
    return OVERHEAD_USER;
  case RULE_MASTER:
  case RULE_BARRIER:
  case RULE_TASK_WAIT:
    return OVERHEAD_OTHER;
  default:
    return OVERHEAD_KINDS;
  }
}

static uint32_t top(const struct overhead_analysis *counter)
{
  return counter->open.count > 0 ? counter->open.items[counter->open.count - 1] : TRACE_NONE;
}

static bool enter(struct overhead_analysis *counter, uint32_t region)
{
  uint32_t around = top(counter);
  enum rule rule = region == TRACE_NONE ? RULE_INHERIT : (enum rule)counter->rules[region];
  /* The waiting part of a barrier is a region of the same kind. */
  bool part =
      around != TRACE_NONE && counter->rules[around] == rule && (rule == RULE_BARRIER || rule == RULE_TASK_WAIT);
  uint32_t construct = kind_of(rule) != OVERHEAD_KINDS && !part ? region : around;
  return counter->open.count < MACHINE_DEPTH_LIMIT && vector_push(&counter->open, construct);
}

/* The events of a lock that a routine acquired belong to the routine, which has ended, not to the construct around. */
static uint32_t acquired(struct overhead_analysis *counter, uint32_t lock)
{
  uint32_t around = top(counter);
  bool by_construct = around != TRACE_NONE && kind_of((enum rule)counter->rules[around]) == OVERHEAD_LOCKS;
  uint32_t region = by_construct ? around : counter->routine;
  if (region == TRACE_NONE)
    return around;
  size_t at = counter->held_count < LOCKS_HELD ? counter->held_count++ : LOCKS_HELD - 1;
  counter->held[at] = (struct held){lock, region};
  return region;
}

static uint32_t released(struct overhead_analysis *counter, uint32_t lock)
{
  for (size_t i = counter->held_count; i-- > 0;) {
    struct held held = counter->held[i];
    if (held.lock != lock)
      continue;
    memmove(&counter->held[i], &counter->held[i + 1], (counter->held_count - i - 1) * sizeof held);
    counter->held_count--;
    return held.region;
  }
  return top(counter);
}

static void left(struct overhead_analysis *counter)
{
  uint32_t region = top(counter);
  enum rule rule = region == TRACE_NONE ? RULE_INHERIT : (enum rule)counter->rules[region];
  counter->routine = rule >= RULE_SET_LOCK && rule <= RULE_TEST_LOCK ? region : TRACE_NONE;
  counter->open.count -= counter->open.count > 0;
}

/* The lane of a location. */
struct overhead_lane {
  struct overhead_analysis *counter; /* NULL: it is not the thread whose events are counted */
  struct error *error;
};

static bool overhead_begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  struct overhead_analysis *counter = context;
  struct overhead_lane *lane = opened;
  lane->counter = counter->wanted && location->number == counter->found.location ? counter : NULL;
  lane->error = error;
  return true;
}

static bool overhead_wants_events(const void *opened)
{
  return ((const struct overhead_lane *)opened)->counter != NULL;
}

/* Instances that were omitted according to the event: the tool's calls for one instance cost about as much as an
 * event. */
static void count_without_records(struct overhead_analysis *counter, const struct trace_event *event)
{
  struct trace_omitted count = trace_omitted_by(counter->trace, event);
  if (count.instances == 0)
    count = trace_omitted_construct_by(counter->trace, event); /* an event says one of both */
  if (count.instances == 0)
    return;
  counter->events[count.region] += count.instances;
  counter->all += count.instances;
}

static bool overhead_take_event(void *opened, const struct trace_event *event)
{
  const struct overhead_lane *lane = opened;
  struct overhead_analysis *counter = lane->counter;
  if (counter->all++ == 0)
    counter->first = event->time;
  counter->last = event->time;
  if (event->kind == TRACE_Enter && !enter(counter, event->index))
    return error_set(lane->error, "%s: out of memory, or regions are nested too deeply", counter->trace->anchor);
  uint32_t whose = top(counter);
  uint64_t omitted = event->weight - 1;
  count_without_records(counter, event);
  counter->all += omitted;
  switch (event->kind) {
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
    counter->task_events += 1 + omitted;
    return true;
  case TRACE_ThreadAcquireLock:
    whose = acquired(counter, event->index);
    break;
  case TRACE_ThreadReleaseLock:
    whose = released(counter, event->index);
    break;
  default:
    break;
  }
  if (whose != TRACE_NONE)
    counter->events[whose] += 1 + omitted;
  if (event->kind == TRACE_Leave)
    left(counter);
  return true;
}

/* The thread with the highest cost of recording, which the archive has. */
static void find_location(const struct trace *trace, struct overhead *overhead)
{
  for (uint32_t i = 0; i < trace->location_count; i++) {
    const char *value = trace_property(trace, TRACE_OF_LOCATION, i, LOCATION_RECORDING_TICKS);
    uint64_t ticks = value ? strtoull(value, NULL, 10) : 0;
    if (!value || trace->locations[i].excluded || (overhead->location != TRACE_NONE && ticks <= overhead->recording))
      continue;
    overhead->location = i;
    overhead->recording = ticks;
  }
}

/* Events of tasks count for the task with the most other events (perhaps one that the thread only created). */
static void give_task_events(struct overhead_analysis *counter)
{
  uint32_t most = TRACE_NONE;
  for (uint32_t i = 0; i < counter->trace->region_count; i++)
    if (kind_of((enum rule)counter->rules[i]) == OVERHEAD_TASKS &&
        (most == TRACE_NONE || counter->events[i] > counter->events[most]))
      most = i;
  if (most != TRACE_NONE)
    counter->events[most] += counter->task_events;
}

static void find_construct(const struct overhead_analysis *counter, struct overhead *overhead)
{
  uint64_t kinds[OVERHEAD_KINDS + 1] = {0}, most = 0;
  for (uint32_t i = 0; i < counter->trace->region_count; i++)
    kinds[kind_of((enum rule)counter->rules[i])] += counter->events[i];
  for (unsigned kind = 0; kind < OVERHEAD_KINDS; kind++)
    if (kinds[kind] > kinds[overhead->kind])
      overhead->kind = (enum overhead_kind)kind;
  for (uint32_t i = 0; i < counter->trace->region_count; i++)
    if (kind_of((enum rule)counter->rules[i]) == overhead->kind && counter->events[i] > most) {
      most = counter->events[i];
      overhead->construct = i;
    }
  overhead->share = counter->all ? (double)most / (double)counter->all : 0;
  overhead->kind_share = counter->all ? (double)kinds[overhead->kind] / (double)counter->all : 0;
}

/* The slowdown of a thread matters only in proportion to the run. */
static bool is_of_interest(const struct trace *trace, const struct overhead *overhead)
{
  return overhead->location != TRACE_NONE && overhead->recording >= trace->ticks_per_second / 1000 * LEAST_MS &&
         overhead->recording >= trace->length / 1000;
}

static bool overhead_begin(void *state, const struct analysis_input *input)
{
  struct overhead_analysis *counter = state;
  counter->found = (struct overhead){.location = TRACE_NONE, .construct = TRACE_NONE};
  counter->trace = input->trace;
  counter->routine = TRACE_NONE;
  if (!input->trace->restriction.timed) /* the archive has a sum a thread, and not when it arose */
    find_location(input->trace, &counter->found);
  counter->wanted = is_of_interest(input->trace, &counter->found);
  counter->rules = machine_rules(input->trace);
  counter->events = calloc(input->trace->region_count + 1, sizeof *counter->events);
  return counter->rules && counter->events;
}

static bool overhead_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct overhead_analysis *counter = state;
  struct overhead *overhead = result;
  *overhead = counter->found;
  if (counter->wanted) {
    overhead->lifetime = counter->last - counter->first;
    overhead->bearable = overhead_budget_ticks(counter->trace, overhead->location, overhead->lifetime);
    give_task_events(counter);
    find_construct(counter, overhead);
  }
  return true;
}

static void overhead_drop(void *state)
{
  struct overhead_analysis *counter = state;
  vector_free(&counter->open);
  free(counter->events);
  free(counter->rules);
}

const struct analysis overhead_analysis = {.name = "overhead",
                                           .state_size = sizeof(struct overhead_analysis),
                                           .result_size = sizeof(struct overhead),
                                           .begin = overhead_begin,
                                           .lanes = {.stateless = true,
                                                     .lane_size = sizeof(struct overhead_lane),
                                                     .begin = overhead_begin_lane,
                                                     .wants_events = overhead_wants_events,
                                                     .event = overhead_take_event},
                                           .end = overhead_end,
                                           .drop = overhead_drop};

bool overhead_estimate(const struct trace *trace, struct overhead *overhead, struct error *error)
{
  *overhead = (struct overhead){.location = TRACE_NONE, .construct = TRACE_NONE};
  struct running_analysis running;
  if (!running_analysis_begin(&running, &overhead_analysis, trace, NULL, NULL, error))
    return false;
  const struct overhead_analysis *counter = running.state;
  const struct subscriber *list[] = {&running.subscriber};
  if (!counter->wanted || pass_location(trace, counter->found.location, list, 1, error))
    return running_analysis_end(&running, overhead, error);
  running_analysis_drop(&running, error);
  return false;
}
