#include "analyzer/analyses/tasks/lane.h"

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

enum await_kind await_kind(const struct trace *trace, const struct trace_event *enter, bool in_join)
{
  static const char *const classes[] = {"java.util.concurrent.FutureTask", "java.util.concurrent.CompletableFuture",
                                        "java.util.concurrent.ForkJoinTask$",
                                        "java.util.concurrent.ExecutorCompletionService$QueueingFuture",
                                        "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask"};
  if (enter->index == TRACE_NONE || !trace_region_begins(&trace->regions[enter->index], REGION_PARK))
    return AWAIT_NOTHING;
  const char *name = trace_attribute_text(trace, enter, trace->object_class);
  for (size_t i = 0; name && i < COUNT_OF(classes); i++)
    if (strncmp(name, classes[i], strlen(classes[i])) == 0)
      return AWAIT_SUBMITTED;
  return in_join ? AWAIT_FORKED : AWAIT_NOTHING;
}

#define LANE_NEVER UINT64_MAX

enum {
  UNMATCHED_DEPTH = 64,   /* how far down a leave looks for its enter */
  HELD_BACK_MAX = 1 << 16 /* steps whose state is undecided; of more the state is taken as RUN */
};

static enum task_region region_of_java(const struct trace_region *region)
{
  return trace_region_begins(region, REGION_VIRTUAL_THREAD) ? TASK_REGION_VIRTUAL
         : trace_region_begins(region, REGION_START_THREAD) ? TASK_REGION_START
                                                            : TASK_REGION_OTHER;
}

uint8_t *task_regions(const struct trace *trace, const uint8_t *rules)
{
  uint8_t *regions = calloc((size_t)trace->region_count + 1, 1);
  for (uint32_t i = 0; regions && i < trace->region_count; i++) {
    unsigned rule = rules[i];
    bool group = trace_region_is_directive(&trace->regions[i], REGION_TASKGROUP);
    regions[i] = rule == RULE_TASK || rule == RULE_TASK_UNTIED                 ? TASK_REGION_TASK
                 : rule == RULE_BARRIER || rule == RULE_IMPLICIT_BARRIER       ? TASK_REGION_BARRIER
                 : rule == RULE_TASK_WAIT && group                             ? TASK_REGION_GROUP_WAIT
                 : rule == RULE_TASK_WAIT                                      ? TASK_REGION_WAIT
                 : group && trace->regions[i].paradigm == OTF2_PARADIGM_OPENMP ? TASK_REGION_GROUP
                                                                               : region_of_java(&trace->regions[i]);
  }
  return regions;
}

void task_lane_begin(struct task_lane *lane, const struct trace *trace, const struct pass_location *location,
                     const uint8_t *rules, const uint8_t *regions)
{
  *lane = (struct task_lane){
      .trace = trace,
      .java = trace_is_of_java(trace),
      .location = location,
      .rules = rules,
      .regions = regions,
      .reader = edge_reader_of(rules, EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_JOIN)),
      .queue = {.size = sizeof(struct task_step), .time_at = offsetof(struct task_step, time)},
      .until = LANE_NEVER,
      .created = LANE_NEVER,
  };
}

void task_lane_close(struct task_lane *lane)
{
  edge_reader_free(&lane->reader);
  vector_free(&lane->open);
  vector_free(&lane->held_back);
  item_queue_free(&lane->queue);
}

bool task_lane_is_thread(const void *opened)
{
  const struct task_lane *lane = opened;
  return trace_is_program_thread(lane->trace, lane->location->number) &&
         !lane->trace->locations[lane->location->number].excluded;
}

bool task_lane_wants_events(const void *opened)
{
  const struct task_lane *lane = opened;
  return task_lane_is_thread(opened) || lane->trace->locations[lane->location->number].type == TRACE_THREAD_JVM;
}

/* Up to `time` the location was in this state. */
static void account(struct task_lane *lane, uint64_t time, unsigned state)
{
  if (lane->until == LANE_NEVER) {
    uint64_t first = trace_time_from(lane->trace, lane->location->view->first);
    lane->until = first < time ? first : time;
  }
  if (time <= lane->until)
    return;
  uint64_t ticks = time - lane->until;
  lane->until = time;
  lane->total += ticks;
  lane->busy += state == STATE_RUN || state == STATE_OFF ? ticks : 0;
  lane->blocked += state == STATE_OFF || state == STATE_SPIN || state_is_wait((enum state)state) ? ticks : 0;
  lane->locked += state == STATE_BLOCKED_MUTEX ? ticks : 0;
}

static void add(struct task_lane *lane, const struct task_step *step)
{
  struct task_step *place = item_queue_add(&lane->queue);
  if (!place) {
    lane->failed = true;
    return;
  }
  *place = *step;
  place->total = lane->total;
  place->busy = lane->busy;
  place->blocked = lane->blocked;
  place->locked = lane->locked;
  lane->total = lane->busy = lane->blocked = lane->locked = 0;
}

static void put_held_back(struct task_lane *lane, uint64_t before, unsigned state)
{
  for (; lane->first_held_back < lane->held_back.count; lane->first_held_back++) {
    const struct task_step *step = &lane->held_back.items[lane->first_held_back];
    if (step->time >= before)
      return;
    account(lane, step->time, state);
    add(lane, step);
  }
  lane->first_held_back = lane->held_back.count = 0;
}

void task_lane_interval(void *opened, const struct state_interval *interval)
{
  struct task_lane *lane = opened;
  if (!task_lane_is_thread(lane))
    return;
  put_held_back(lane, interval->end, interval->state);
  account(lane, interval->end, interval->state);
}

static void put(struct task_lane *lane, const struct task_step *step)
{
  const struct machine_view *view = lane->location->view;
  bool decided = view->state < STATES;
  if (!decided && lane->held_back.count < HELD_BACK_MAX) {
    lane->failed |= !vector_push(&lane->held_back, *step);
    return;
  }
  unsigned state = decided ? view->state : STATE_RUN;
  put_held_back(lane, LANE_NEVER, state);
  account(lane, step->time, state);
  add(lane, step);
}

static bool is_in_join(const struct task_lane *lane)
{
  return lane->open.count > 0 && lane->regions[lane->open.items[lane->open.count - 1].region] == TASK_REGION_WAIT;
}

static void begin_await(struct task_lane *lane, const struct trace_event *event)
{
  enum await_kind kind = await_kind(lane->trace, event, is_in_join(lane));
  if (kind == AWAIT_NOTHING)
    return;
  lane->await = kind;
  lane->awaits = event->index;
  lane->awaits_since = event->time;
}

static void end_await(struct task_lane *lane, const struct trace_event *event)
{
  if (lane->await == AWAIT_NOTHING || lane->awaits != event->index)
    return;
  put(lane, &(struct task_step){.kind = TASK_STEP_AWAITED,
                                .time = event->time,
                                .waited = event->time - lane->awaits_since,
                                .await = (uint8_t)lane->await});
  lane->await = AWAIT_NOTHING;
}

static void enter_thread(struct task_lane *lane, const struct trace_event *event, enum task_region kind)
{
  struct task_step step = {.kind = TASK_STEP_START, .time = event->time, .region = event->index};
  step.data = trace_attribute(event, lane->trace->virtual_thread, 0); /* other threads' starts have none */
  if (kind == TASK_REGION_VIRTUAL) {
    step.kind = TASK_STEP_MOUNT;
    lane->mounted = step.data;
  }
  if (step.data != 0)
    put(lane, &step);
}

static void leave_virtual(struct task_lane *lane, const struct trace_event *event)
{
  struct task_step step = {.kind = TASK_STEP_UNMOUNT, .time = event->time, .data = lane->mounted};
  step.ended = trace_attribute(event, lane->trace->ended, 0) == 1;
  if (step.data != 0)
    put(lane, &step);
  lane->mounted = 0;
}

static void enter(struct task_lane *lane, const struct trace_event *event)
{
  unsigned kind = event->index == TRACE_NONE ? TASK_REGION_OTHER : lane->regions[event->index];
  struct task_open_region region = {event->index, kind != TASK_REGION_GROUP_WAIT && !lane->location->view->in_part};
  if (kind == TASK_REGION_TASK)
    put(lane, &(struct task_step){.kind = TASK_STEP_SITE, .time = event->time, .region = event->index});
  if (lane->java && kind == TASK_REGION_OTHER)
    begin_await(lane, event);
  if (kind >= TASK_REGION_START)
    enter_thread(lane, event, (enum task_region)kind);
  if (kind <= TASK_REGION_TASK || kind >= TASK_REGION_START)
    return;
  lane->failed |= lane->open.count >= MACHINE_DEPTH_LIMIT || !vector_push(&lane->open, region);
  if (region.counts && (kind == TASK_REGION_BARRIER || kind == TASK_REGION_GROUP))
    put(lane, &(struct task_step){.kind = kind == TASK_REGION_BARRIER ? TASK_STEP_ARRIVE : TASK_STEP_GROUP,
                                  .time = event->time});
}

static void leave(struct task_lane *lane, const struct trace_event *event)
{
  if (lane->java)
    end_await(lane, event);
  static const uint8_t steps[] = {[TASK_REGION_BARRIER] = TASK_STEP_PASS,
                                  [TASK_REGION_WAIT] = TASK_STEP_JOIN,
                                  [TASK_REGION_GROUP] = TASK_STEP_UNGROUP};
  unsigned kind = event->index == TRACE_NONE ? TASK_REGION_OTHER : lane->regions[event->index];
  if (kind == TASK_REGION_VIRTUAL)
    leave_virtual(lane, event);
  if (kind <= TASK_REGION_TASK || kind >= TASK_REGION_START)
    return;
  size_t at = lane->open.count;
  for (size_t i = 0; i < UNMATCHED_DEPTH && at > 0 && lane->open.items[at - 1].region != event->index; i++)
    at--;
  if (at == 0 || lane->open.items[at - 1].region != event->index)
    return;
  lane->open.count = at - 1;
  if (lane->open.items[at - 1].counts)
    put(lane, &(struct task_step){.kind = steps[lane->regions[event->index]], .time = event->time});
}

/* DEPEND_KINDS: the attribute is of no dependence. */
static enum depend_kind depend_kind(const char *name)
{
#define X(constant, text) text " ",
  static const char *const names[] = {DEPEND_NAMES(X)};
#undef X
  const size_t length = strlen(NAME_DEPEND);
  if (strncmp(name, NAME_DEPEND, length) != 0 || name[length] != ' ')
    return DEPEND_KINDS;
  unsigned kind = 0;
  while (kind < DEPEND_KINDS && strncmp(name + length + 1, names[kind], strlen(names[kind])) != 0)
    kind++;
  return (enum depend_kind)kind;
}

static void put_dependences(struct task_lane *lane, const struct trace_event *event)
{
  uint32_t count = trace_value_count(event);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_value value;
    if (!trace_value_at(lane->trace, event, i, &value) || value.type != TRACE_NATURAL ||
        lane->trace->attributes[value.attribute].of_user)
      continue;
    enum depend_kind kind = depend_kind(lane->trace->attributes[value.attribute].name);
    if (kind != DEPEND_KINDS)
      put(lane, &(struct task_step){
                    .kind = TASK_STEP_DEPEND, .time = event->time, .data = value.natural, .depend = (uint8_t)kind});
  }
}

static void take_task(struct task_lane *lane, const struct trace_event *event)
{
  struct task_step step = {.kind = event->kind == TRACE_ThreadTaskCreate   ? TASK_STEP_CREATE
                                   : event->kind == TRACE_ThreadTaskSwitch ? TASK_STEP_SWITCH
                                                                           : TASK_STEP_COMPLETE,
                           .time = event->time,
                           .team = event->index,
                           .creator = event->creator,
                           .generation = event->generation,
                           .weight = event->weight};
  bool just_made = lane->created != LANE_NEVER;
  if (step.kind == TASK_STEP_CREATE && just_made)
    step.apart = event->time - lane->created;
  if (step.kind == TASK_STEP_SWITCH)
    step.at_once =
        just_made && lane->team == step.team && lane->creator == step.creator && lane->generation == step.generation;
  put(lane, &step);
  lane->created = LANE_NEVER;
  if (step.kind != TASK_STEP_CREATE)
    return;
  lane->created = event->time;
  lane->team = step.team;
  lane->creator = step.creator;
  lane->generation = step.generation;
  if (trace_task_depends(lane->trace, event))
    put_dependences(lane, event);
}

/* The event is not an action of the program: measurement, the kernel, or a garbage collection caused it. */
static bool is_of_others(const struct task_lane *lane, const struct trace_event *event)
{
  if (event->kind != TRACE_Enter && event->kind != TRACE_Leave)
    return event->kind == TRACE_Metric || event->kind == TRACE_BufferFlush;
  unsigned rule = event->index == TRACE_NONE ? RULE_INHERIT : lane->rules[event->index];
  return rule_is_tool((enum rule)rule) || rule_is_off((enum rule)rule) || rule == RULE_STATE_GC ||
         rule == RULE_STATE_SAFEPOINT;
}

bool task_lane_event(void *opened, const struct trace_event *event)
{
  struct task_lane *lane = opened;
  struct trace_omitted omitted = trace_omitted_by(lane->trace, event);
  struct edge_step edge;
  bool found, is_thread = task_lane_is_thread(lane);
  if (omitted.instances > 0 && omitted.region != TRACE_NONE && lane->regions[omitted.region] == TASK_REGION_TASK)
    (is_thread ? put : add)(lane, &(struct task_step){.kind = TASK_STEP_OMITTED,
                                                      .time = event->time,
                                                      .region = omitted.region,
                                                      .weight = omitted.instances});
  if (!is_thread)
    return !lane->failed;
  switch (event->kind) {
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
    take_task(lane, event);
    return !lane->failed;
  case TRACE_Enter:
    enter(lane, event);
    break;
  case TRACE_Leave:
    leave(lane, event);
    break;
  default:
    break;
  }
  if (!is_of_others(lane, event))
    lane->created = LANE_NEVER;
  if (!edge_reader_take(&lane->reader, event, &edge, &found))
    return false;
  if (found)
    put(lane, &(struct task_step){.kind = TASK_STEP_EDGE, .time = event->time, .edge = edge});
  return !lane->failed;
}

bool task_lane_end(void *opened)
{
  struct task_lane *lane = opened;
  lane->ended = true;
  if (!lane->location->alive || !task_lane_is_thread(lane))
    return true;
  put_held_back(lane, LANE_NEVER, STATE_RUN);
  account(lane, lane->location->last, STATE_RUN);
  add(lane, &(struct task_step){.kind = TASK_STEP_STOP, .time = lane->until});
  return !lane->failed;
}

struct item_queue *task_lane_queue(void *lane)
{
  return &((struct task_lane *)lane)->queue;
}

uint64_t task_lane_reached(void *opened)
{
  const struct task_lane *lane = opened;
  const struct machine_view *view = lane->location->view;
  if (lane->ended)
    return LANE_NEVER;
  if (!task_lane_is_thread(lane))
    return view->last;
  if (view->state < STATES && lane->first_held_back == lane->held_back.count)
    return view->last;
  return lane->until == LANE_NEVER ? view->first : lane->until;
}
