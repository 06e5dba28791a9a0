#include "analyzer/analyses/waits/lane.h"

#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* Regions of threads, by the construct in their names. */
static const struct {
  const char *name;
  struct wait_kind kind;
} thread_kinds[] = {
    {REGION_OBJECT_WAIT, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_JAVA}},
    {REGION_NOTIFY, {MATCH_NONE, SIGNAL_ONE, DOMAIN_JAVA}},
    {REGION_NOTIFY_ALL, {MATCH_NONE, SIGNAL_ALL, DOMAIN_JAVA}},
    {REGION_PARK, {MATCH_PERMIT, SIGNAL_NONE, 0}},
    {REGION_IDLE, {MATCH_IDLE, SIGNAL_NONE, 0}},
    {REGION_JAVA_LOCK, {MATCH_PERMIT, SIGNAL_NONE, 0}},
    {REGION_UNPARK, {MATCH_NONE, SIGNAL_THREAD, 0}},
    {REGION_INTERRUPT, {MATCH_NONE, SIGNAL_INTERRUPT, 0}},
    {REGION_START_THREAD, {MATCH_NONE, SIGNAL_START, 0}},
    {REGION_VIRTUAL_THREAD, {MATCH_NONE, SIGNAL_MOUNT, 0}},
    {REGION_MONITOR_ENTER, {MATCH_OWNER, SIGNAL_NONE, DOMAIN_MONITOR}},
    {REGION_CLASS_INIT, {MATCH_OWNER, SIGNAL_NONE, DOMAIN_MONITOR}},
    {REGION_SLEEP, {MATCH_CLOCK, SIGNAL_NONE, 0}},
    {REGION_SOCKET_READ, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_SOCKET_WRITE, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_ACCEPT, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_CONNECT, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_SELECT, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_FILE_READ, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_FILE_WRITE, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_LOOKUP, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_JOIN, {MATCH_END, SIGNAL_NONE, DOMAIN_JAVA}},
    {REGION_PTHREAD_MUTEX, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_READ, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_WRITE, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_SPIN, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_UNLOCK, {MATCH_NONE, SIGNAL_RELEASE, DOMAIN_LOCK}},
    {REGION_PTHREAD_CONDITION, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_CONDITION}},
    {REGION_PTHREAD_SIGNAL, {MATCH_NONE, SIGNAL_ONE, DOMAIN_CONDITION}},
    {REGION_PTHREAD_BROADCAST, {MATCH_NONE, SIGNAL_ALL, DOMAIN_CONDITION}},
    {REGION_PTHREAD_SEMAPHORE, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_SEMAPHORE}},
    {REGION_PTHREAD_POST, {MATCH_NONE, SIGNAL_ONE, DOMAIN_SEMAPHORE}},
    {REGION_PTHREAD_BARRIER, {MATCH_ARRIVAL, SIGNAL_NONE, DOMAIN_BARRIER}},
    {REGION_PTHREAD_ATOMIC, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_ATOMIC}},
    {REGION_PTHREAD_NOTIFY_ONE, {MATCH_NONE, SIGNAL_ONE, DOMAIN_ATOMIC}},
    {REGION_PTHREAD_NOTIFY_ALL, {MATCH_NONE, SIGNAL_ALL, DOMAIN_ATOMIC}},
    {REGION_PTHREAD_JOIN, {MATCH_END, SIGNAL_NONE, DOMAIN_POSIX}},
};

static struct wait_kind thread_kind(const struct trace_region *region)
{
  const char *at = strstr(region->name, NAME_AT);
  size_t size = at ? (size_t)(at - region->name) : strlen(region->name);
  for (size_t i = 0; i < COUNT_OF(thread_kinds); i++)
    if (strlen(thread_kinds[i].name) == size && strncmp(region->name, thread_kinds[i].name, size) == 0)
      return thread_kinds[i].kind;
  return (struct wait_kind){MATCH_NONE, SIGNAL_NONE, 0};
}

static struct wait_kind kind_of(const struct trace_region *region, unsigned rule)
{
  switch (rule) {
  case RULE_BARRIER:
  case RULE_IMPLICIT_BARRIER:
    return (struct wait_kind){MATCH_ARRIVAL, SIGNAL_NONE, DOMAIN_TEAM};
  case RULE_TASK_WAIT:
    return (struct wait_kind){MATCH_TASKS, SIGNAL_NONE, 0};
  case RULE_CRITICAL:
  case RULE_ORDERED:
  case RULE_ATOMIC:
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
    return (struct wait_kind){MATCH_LOCK, SIGNAL_NONE, 0};
  default:
    return region->paradigm == OTF2_PARADIGM_PTHREAD ? thread_kind(region)
                                                     : (struct wait_kind){MATCH_NONE, SIGNAL_NONE, 0};
  }
}

struct wait_kind *wait_kinds(const struct trace *trace, const uint8_t *rules)
{
  struct wait_kind *kinds = calloc((size_t)trace->region_count + 1, sizeof *kinds);
  for (uint32_t i = 0; kinds && i < trace->region_count; i++)
    kinds[i] = kind_of(&trace->regions[i], rules[i]);
  return kinds;
}

#define NEVER UINT64_MAX

enum {
  UNMATCHED_DEPTH = 64,   /* how far down a leave looks for its enter */
  HELD_BACK_MAX = 1 << 16 /* steps whose state is undecided; of more the state is taken as RUN */
};

void waker_lane_begin(struct waker_lane *lane, const struct trace *trace, const struct pass_location *location,
                      const uint8_t *rules, const struct wait_kind *kinds)
{
  unsigned edges = EDGE_BIT(EDGE_FORK) | EDGE_BIT(EDGE_LOCK) | EDGE_BIT(EDGE_TASK) | EDGE_BIT(EDGE_JOIN);
  *lane = (struct waker_lane){
      .trace = trace,
      .location = location,
      .rules = rules,
      .kinds = kinds,
      .reader = edge_reader_of(rules, edges),
      .queue = {.size = sizeof(struct waker_step), .time_at = offsetof(struct waker_step, time)},
      .put_until = NEVER,
      .task_region = TRACE_NONE,
  };
}

void waker_lane_close(struct waker_lane *lane)
{
  edge_reader_free(&lane->reader);
  vector_free(&lane->waits);
  vector_free(&lane->teams);
  vector_free(&lane->held_back);
  item_queue_free(&lane->queue);
}

bool waker_lane_is_thread(const void *opened)
{
  const struct waker_lane *lane = opened;
  return trace_is_program_thread(lane->trace, lane->location->number);
}

static void lane_add(struct waker_lane *lane, const struct waker_step *step)
{
  struct waker_step *place = item_queue_add(&lane->queue);
  if (place)
    *place = *step;
  else
    lane->failed = true;
}

static void begin(struct waker_lane *lane, uint64_t time)
{
  if (lane->put_until != NEVER)
    return;
  uint64_t first = trace_time_from(lane->trace, lane->location->view->first);
  lane->put_until = first < time ? first : time;
  lane_add(lane, &(struct waker_step){
                     .kind = WAKER_BEGIN, .time = lane->put_until, .state = STATES, .construct = TRACE_NONE});
}

/* Up to `time` the location did this. */
static void put_did(struct waker_lane *lane, uint64_t time, unsigned state, uint32_t construct)
{
  begin(lane, time);
  if (time <= lane->put_until)
    return;
  lane->put_until = time;
  lane_add(lane,
           &(struct waker_step){.kind = WAKER_DID, .time = time, .state = (uint8_t)state, .construct = construct});
}

static void put_held_back(struct waker_lane *lane, uint64_t before, unsigned state, uint32_t construct)
{
  for (; lane->first_held_back < lane->held_back.count; lane->first_held_back++) {
    struct waker_step *step = &lane->held_back.items[lane->first_held_back];
    if (step->time >= before)
      return;
    put_did(lane, step->time, state, construct);
    step->state = (uint8_t)state;
    step->construct = construct;
    lane_add(lane, step);
  }
  lane->first_held_back = lane->held_back.count = 0;
}

void waker_lane_interval(void *opened, const struct state_interval *interval)
{
  struct waker_lane *lane = opened;
  if (!waker_lane_is_thread(lane))
    return;
  begin(lane, interval->start);
  put_held_back(lane, interval->end, interval->state, interval->construct);
  put_did(lane, interval->end, interval->state, interval->construct);
}

static void put(struct waker_lane *lane, const struct waker_step *step)
{
  const struct machine_view *view = lane->location->view;
  begin(lane, step->time);
  bool decided = view->state < STATES;
  if (!decided && lane->held_back.count < HELD_BACK_MAX) {
    lane->failed |= !vector_push(&lane->held_back, *step);
    return;
  }
  unsigned state = decided ? view->state : STATE_RUN;
  put_held_back(lane, NEVER, state, view->construct);
  put_did(lane, step->time, state, view->construct);
  struct waker_step now = *step;
  now.state = (uint8_t)state;
  now.construct = view->construct;
  lane_add(lane, &now);
}

static struct waker_open_wait *innermost(const struct waker_lane *lane)
{
  return lane->waits.count ? &lane->waits.items[lane->waits.count - 1] : NULL;
}

static void read_object(const struct waker_lane *lane, const struct trace_event *event, struct waker_step *step)
{
  const struct trace *trace = lane->trace;
  const char *class_name = trace_attribute_text(trace, event, trace->object_class);
  bool by_thread = step->match == MATCH_END || step->signal >= SIGNAL_THREAD;
  step->class_name = class_name ? class_name : "";
  step->callers = trace_attribute_text(trace, event, trace->callers);
  step->number = trace_attribute(event, by_thread ? trace->thread : trace->object, 0);
  step->owner = trace_attribute(event, trace->owner, 0);
  step->owner_place = trace_attribute_region(trace, event, trace->owner_place);
  uint32_t pinned = trace_attribute_region(trace, event, trace->pinned);
  step->pinned = pinned == TRACE_NONE ? 0 : pinned + 1;
  if (step->match == MATCH_ARRIVAL && step->domain == 0)
    step->number = lane->teams.count ? (uint64_t)lane->teams.items[lane->teams.count - 1] + 1 : 0;
}

static bool is_task(unsigned rule)
{
  return rule == RULE_TASK || rule == RULE_TASK_UNTIED;
}

static void open(struct waker_lane *lane, const struct waker_open_wait *wait)
{
  lane->failed |= lane->waits.count >= MACHINE_DEPTH_LIMIT || !vector_push(&lane->waits, *wait);
}

static void enter_wait(struct waker_lane *lane, const struct trace_event *event, struct wait_kind kind)
{
  struct waker_open_wait *outer = innermost(lane);
  if (outer && !outer->is_task) {
    outer->nested++;
    return;
  }
  struct waker_open_wait wait = {.step = {.kind = WAKER_WAIT,
                                          .match = kind.match,
                                          .domain = kind.domain,
                                          .time = event->time,
                                          .begin = event->time,
                                          .since = event->time,
                                          .region = event->index,
                                          .weight = event->weight}};
  read_object(lane, event, &wait.step);
  open(lane, &wait);
  if (kind.match != MATCH_LOCK)
    put(lane, &wait.step);
}

static void enter(struct waker_lane *lane, const struct trace_event *event)
{
  if (event->index == TRACE_NONE)
    return;
  unsigned rule = lane->rules[event->index];
  struct wait_kind kind = lane->kinds[event->index];
  struct waker_open_wait *outer = innermost(lane);
  if (is_task(rule))
    lane->task_region = event->index;
  if (is_task(rule) && outer) {
    if (!outer->is_task && !outer->paused) {
      outer->paused = true;
      outer->step.waited += event->time - outer->step.since;
    }
    open(lane, &(struct waker_open_wait){.step = {.region = event->index}, .is_task = true});
  } else if (kind.match != MATCH_NONE) {
    enter_wait(lane, event, kind);
  } else if (kind.signal == SIGNAL_MOUNT) {
    lane->mounted = trace_attribute(event, lane->trace->virtual_thread, 0);
    put(lane, &(struct waker_step){.kind = WAKER_MOUNTED, .time = event->time, .thread = lane->mounted});
  } else if (kind.signal != SIGNAL_NONE) {
    struct waker_step step = {.kind = WAKER_SIGNAL,
                              .signal = kind.signal,
                              .domain = kind.domain,
                              .time = event->time,
                              .region = event->index};
    read_object(lane, event, &step);
    put(lane, &step);
  }
}

/* The thread is back in the wait: it arrives once more. */
static void go_on(struct waker_lane *lane, uint64_t time)
{
  struct waker_open_wait *wait = innermost(lane);
  if (!wait || wait->is_task || wait->over)
    return;
  wait->paused = false;
  wait->step.since = time;
  struct waker_step again = wait->step;
  again.time = time;
  again.flags |= WAIT_AGAIN;
  put(lane, &again);
}

static uint8_t ending(const struct waker_lane *lane, const struct trace_event *event)
{
  const struct trace *trace = lane->trace;
  const char *closed = trace_attribute_text(trace, event, trace->closed);
  bool unmounted = closed && lane->mounted && strcmp(closed, VALUE_CLOSED_UNMOUNTED) == 0;
  return (uint8_t)((trace_attribute(event, trace->timed_out, 0) ? WAIT_TIMED_OUT : 0) |
                   (trace_attribute(event, trace->interrupted, 0) ? WAIT_INTERRUPTED : 0) |
                   (unmounted ? WAIT_UNMOUNTED
                    : closed  ? WAIT_CUT
                              : 0));
}

static void end_wait(struct waker_lane *lane, const struct trace_event *event, const struct waker_open_wait *wait)
{
  struct waker_step step = wait->step;
  step.kind = WAKER_WAIT_END;
  step.time = event->time;
  step.flags = ending(lane, event);
  if (step.flags & WAIT_UNMOUNTED)
    step.thread = lane->mounted;
  step.waited += wait->paused ? 0 : event->time - step.since;
  put(lane, &step);
}

/* A construct can have a part that waits, and then goes on. */
static void leave_nested(struct waker_lane *lane, const struct trace_event *event, struct waker_open_wait *wait)
{
  unsigned match = lane->kinds[event->index].match;
  wait->nested--;
  if (wait->over || match != wait->step.match || (match != MATCH_ARRIVAL && match != MATCH_TASKS))
    return;
  wait->over = true;
  end_wait(lane, event, wait);
}

static void leave(struct waker_lane *lane, const struct trace_event *event)
{
  if (event->index == TRACE_NONE || lane->waits.count == 0)
    return;
  bool task = is_task(lane->rules[event->index]);
  if (!task && lane->kinds[event->index].match == MATCH_NONE)
    return;
  struct waker_open_wait *top = innermost(lane);
  if (!task && !top->is_task && top->nested > 0) {
    leave_nested(lane, event, top);
    return;
  }
  size_t at = lane->waits.count;
  for (size_t i = 0; i < UNMATCHED_DEPTH && at > 0 && lane->waits.items[at - 1].step.region != event->index; i++)
    at--;
  if (at == 0 || lane->waits.items[at - 1].step.region != event->index)
    return;
  struct waker_open_wait left = lane->waits.items[at - 1];
  lane->waits.count = at - 1;
  if (left.is_task) {
    go_on(lane, event->time);
    return;
  }
  if (left.step.match != MATCH_LOCK && !left.over)
    end_wait(lane, event, &left);
}

/* Creation and join name POSIX threads by their number. */
static void take_thread(struct waker_lane *lane, const struct trace_event *event, enum waker_step_kind kind)
{
  if (event->number != 0)
    put(lane, &(struct waker_step){.kind = kind, .time = event->time, .thread = event->number});
}

static void take_join(const struct waker_lane *lane, const struct trace_event *event)
{
  struct waker_open_wait *wait = innermost(lane);
  if (wait && wait->step.match == MATCH_END)
    wait->step.thread = event->number;
}

/* What asked for the lock waits no more. */
static void end_request(struct waker_lane *lane, struct waker_step *step)
{
  struct waker_open_wait *top = innermost(lane);
  step->begin = step->since = step->edge.since;
  step->waited = step->time - step->since;
  step->region = step->edge.region;
  step->weight = 1;
  if (!top || top->step.match != MATCH_LOCK || top->is_task)
    return;
  step->weight = top->step.weight;
  lane->waits.count--;
}

static void lane_take_edge(struct waker_lane *lane, const struct trace_event *event, const struct edge_step *edge)
{
  const struct waker_open_wait *wait = innermost(lane);
  if (wait && wait->is_task)
    wait = lane->waits.count > 1 ? wait - 1 : NULL;
  struct waker_step step = {.kind = WAKER_EDGE,
                            .time = event->time,
                            .begin = wait ? wait->step.begin : NEVER,
                            .since = wait ? wait->step.since : NEVER,
                            .region = lane->task_region,
                            .edge = *edge};
  if (edge->kind == STEP_TASK_CREATE && trace_task_depends(lane->trace, event))
    step.flags = TASK_DEPENDS;
  if (edge->kind == STEP_ACQUIRE)
    end_request(lane, &step);
  if (edge->kind == STEP_TEAM_BEGIN)
    lane->failed |= lane->teams.count >= MACHINE_DEPTH_LIMIT || !vector_push(&lane->teams, edge->index);
  if (edge->kind == STEP_TEAM_END && lane->teams.count > 0)
    lane->teams.count--;
  put(lane, &step);
}

bool waker_lane_event(void *opened, const struct trace_event *event)
{
  struct waker_lane *lane = opened;
  struct edge_step edge;
  bool found;
  begin(lane, event->time);
  switch (event->kind) {
  case TRACE_Enter:
    enter(lane, event);
    break;
  case TRACE_Leave:
    leave(lane, event);
    break;
  case TRACE_ThreadCreate:
    take_thread(lane, event, WAKER_CREATE);
    break;
  case TRACE_ThreadBegin:
    take_thread(lane, event, WAKER_CREATED);
    break;
  case TRACE_ThreadWait:
    take_join(lane, event);
    break;
  default:
    break;
  }
  if (!edge_reader_take(&lane->reader, event, &edge, &found))
    return false;
  if (found)
    lane_take_edge(lane, event, &edge);
  return !lane->failed;
}

bool waker_lane_end(void *opened)
{
  struct waker_lane *lane = opened;
  lane->ended = true;
  if (!waker_lane_is_thread(lane) || !lane->location->alive)
    return true;
  uint64_t last = lane->location->last;
  begin(lane, last);
  put_held_back(lane, NEVER, STATE_RUN, TRACE_NONE);
  put_did(lane, last, STATE_RUN, TRACE_NONE);
  lane_add(lane,
           &(struct waker_step){.kind = WAKER_STOP, .time = lane->put_until, .state = STATES, .construct = TRACE_NONE});
  return !lane->failed;
}

struct item_queue *waker_lane_queue(void *lane)
{
  return &((struct waker_lane *)lane)->queue;
}

uint64_t waker_lane_reached(void *opened)
{
  const struct waker_lane *lane = opened;
  const struct machine_view *view = lane->location->view;
  if (lane->ended)
    return NEVER;
  if (!waker_lane_is_thread(lane) || (view->state < STATES && lane->first_held_back == lane->held_back.count))
    return view->last;
  return lane->put_until == NEVER ? view->first : lane->put_until;
}
