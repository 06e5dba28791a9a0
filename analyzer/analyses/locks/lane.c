#include "analyzer/analyses/locks/lane.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/states/machine.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 65536 /* locks that a location requests or holds at a time; more is taken for damage */

#define NO_LOCK LOCK_KINDS
/* Rules of regions that do not request a lock. */
#define UNPARK  (LOCK_KINDS + 1) /* lets another thread continue */
#define WAIT    (LOCK_KINDS + 2) /* releases a monitor and acquires it again */
#define VIRTUAL (LOCK_KINDS + 3) /* runs a virtual thread */
#define HELD    (LOCK_KINDS + 4) /* names the monitor that the next event acquires */
#define COUNT   (LOCK_KINDS + 5) /* has a number of acquisitions */

static unsigned rule_of(const struct trace_region *region)
{
  switch (state_rule_of(region)) {
  case RULE_CRITICAL:
    return LOCK_CRITICAL;
  case RULE_ORDERED:
    return LOCK_ORDERED;
  case RULE_ATOMIC:
    return LOCK_ATOMIC;
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
    return LOCK_ROUTINE;
  case RULE_PTHREAD_MUTEX:
    return trace_region_begins(region, REGION_PTHREAD_SPIN) ? LOCK_PTHREAD_SPIN : LOCK_PTHREAD_MUTEX;
  case RULE_PTHREAD_RWLOCK:
    return LOCK_PTHREAD_RWLOCK;
  case RULE_STATE_BLOCKED_MUTEX:
    return trace_region_begins(region, REGION_MONITOR_ENTER) ? LOCK_MONITOR : LOCK_JAVA;
  case RULE_STATE_BLOCKED_CONDVAR: /* Thread.join waits for the thread's monitor */
    return trace_region_begins(region, REGION_OBJECT_WAIT) || trace_region_begins(region, REGION_JOIN) ? WAIT : NO_LOCK;
  case RULE_NOTE:
    return trace_region_begins(region, REGION_UNPARK)           ? UNPARK
           : trace_region_begins(region, REGION_VIRTUAL_THREAD) ? VIRTUAL
           : trace_region_begins(region, REGION_MONITOR_HELD)   ? HELD
           : trace_region_begins(region, REGION_PTHREAD_COUNT)  ? COUNT
                                                                : NO_LOCK;
  default:
    return NO_LOCK;
  }
}

uint8_t *lock_rules(const struct trace *trace)
{
  uint8_t *rules = malloc(trace->region_count + 1);
  for (uint32_t i = 0; rules && i < trace->region_count; i++)
    rules[i] = (uint8_t)rule_of(&trace->regions[i]);
  return rules;
}

static uint64_t not_measured(const struct lock_lane *lane)
{
  return machine_total(lane->location->view, STATE_UNMEASURED);
}

/* True if a location can request or hold one more lock; false: an error. */
static bool may_have_more(const struct lock_lane *lane, size_t count)
{
  return count < DEPTH_MAX ||
         error_set(lane->error, "%s: %s has more than %d locks at a time: the archive is damaged", lane->trace->anchor,
                   lane->trace->locations[lane->location->number].name, DEPTH_MAX);
}

static bool put(struct lock_lane *lane, const struct lock_event *event)
{
  struct lock_event *place = item_queue_add(&lane->queue);
  if (!place)
    return false;
  *place = *event;
  return true;
}

/* True if the request below still waits for its lock: then the monitor is only the way in which it waits. */
static bool is_inside_request(const struct lock_lane *lane, size_t at)
{
  return at > 0 && lane->requests.items[at - 1].event.lock_kind < LOCK_MONITOR &&
         !lane->requests.items[at - 1].acquired;
}

static void read_object(const struct lock_lane *lane, const struct trace_event *event, struct lock_event *lock)
{
  const struct trace *trace = lane->trace;
  lock->number = trace_attribute(event, trace->object, 0);
  const char *class_name = lock_is_pthread(lock->lock_kind) ? trace_lock_name(trace, lock->number)
                                                            : trace_attribute_text(trace, event, trace->object_class);
  lock->class_name = class_name ? class_name : "";
  lock->owner = trace_attribute(event, trace->owner, 0);
  lock->owner_place = trace_attribute_region(trace, event, trace->owner_place);
  lock->callers = trace_attribute_text(trace, event, trace->callers);
}

/* The begin of a request, which is an event at once; its end is one later. */
static bool put_begin(struct lock_lane *lane, enum lock_event_kind kind, const struct lock_event *request)
{
  struct lock_event begin = *request;
  begin.kind = kind;
  begin.time = request->since;
  return is_inside_request(lane, lane->requests.count - 1) || put(lane, &begin);
}

static bool is_monitor(const struct lock_held *held, const struct lock_event *event)
{
  return held->event.class_name && held->event.number == event->number &&
         strcmp(held->event.class_name, event->class_name) == 0;
}

/* Object.wait releases the monitor, however often the thread holds it, and acquires it again at its end. */
static bool release_for_wait(struct lock_lane *lane, const struct lock_event *wait)
{
  for (size_t i = 0; i < lane->held.count; i++) {
    struct lock_held *held = &lane->held.items[i];
    if (held->waits || !is_monitor(held, wait))
      continue;
    held->waits = true;
    held->event.time = wait->since;
    if (!put(lane, &held->event))
      return false;
  }
  return true;
}

static bool acquire_after_wait(struct lock_lane *lane, const struct lock_event *wait)
{
  for (size_t i = 0; i < lane->held.count; i++) {
    struct lock_held *held = &lane->held.items[i];
    if (!held->waits || !is_monitor(held, wait))
      continue;
    held->waits = false;
    held->event.since = wait->time;
    held->not_measured = not_measured(lane);
    struct lock_event again = held->event;
    again.kind = LOCK_REACQUIRED;
    again.time = wait->time;
    if (!put(lane, &again))
      return false;
  }
  return true;
}

static bool lane_take_omitted(struct lock_lane *lane, const struct trace_event *event)
{
  struct trace_omitted omitted = trace_omitted_by(lane->trace, event);
  if (omitted.instances == 0 || lane->rules[omitted.region] >= LOCK_MONITOR)
    return true;
  return put(lane, &(struct lock_event){.kind = LOCK_OMITTED,
                                        .time = event->time,
                                        .region = omitted.region,
                                        .weight = omitted.instances,
                                        .owner = trace_attribute(event, lane->trace->thread, 0)});
}

static bool put_counted(struct lock_lane *lane, const struct trace_event *event)
{
  const struct trace *trace = lane->trace;
  struct lock_event counted = {.kind = LOCK_COUNTED,
                               .lock_kind = LOCK_PTHREAD_MUTEX,
                               .time = event->time,
                               .since = event->time,
                               .region = trace->regions[event->index].line ? event->index : TRACE_NONE,
                               .weight = trace_attribute(event, trace->uncontended, 0)};
  read_object(lane, event, &counted);
  lane->counted = counted;
  return counted.weight == 0 || trace_attribute(event, trace->object, UINT64_MAX) == UINT64_MAX || put(lane, &counted);
}

static bool enter(struct lock_lane *lane, const struct trace_event *event)
{
  const struct trace *trace = lane->trace;
  if (event->attributes && !lane_take_omitted(lane, event))
    return false;
  unsigned rule = event->index == TRACE_NONE ? NO_LOCK : lane->rules[event->index];
  if (rule == NO_LOCK)
    return true;
  if (rule == UNPARK)
    return put(lane, &(struct lock_event){.kind = LOCK_UNPARKED,
                                          .time = event->time,
                                          .region = trace->regions[event->index].line ? event->index : TRACE_NONE,
                                          .owner = trace_attribute(event, trace->thread, 0)});
  if (rule == VIRTUAL) {
    lane->mounted = trace_attribute(event, trace->virtual_thread, 0);
    return put(lane, &(struct lock_event){.kind = LOCK_MOUNTED, .time = event->time, .owner = lane->mounted});
  }
  if (rule == COUNT)
    return put_counted(lane, event);
  if (rule == HELD) {
    lane->monitor = (struct lock_event){.lock_kind = LOCK_MONITOR, .time = event->time, .region = event->index};
    read_object(lane, event, &lane->monitor);
    return true;
  }
  enum lock_kind kind = rule == WAIT ? LOCK_MONITOR : (enum lock_kind)rule;
  struct lock_request begun = {.event = {.kind = rule == WAIT ? LOCK_WAIT_ENDS : LOCK_WAITED,
                                         .lock_kind = kind,
                                         .since = event->time,
                                         .region = event->index,
                                         .owner_place = TRACE_NONE,
                                         .weight = event->weight},
                               .not_measured = not_measured(lane)};
  if (!may_have_more(lane, lane->requests.count))
    return false;
  if (!vector_push(&lane->requests, begun))
    return false;
  if (kind < LOCK_MONITOR)
    return true;
  struct lock_request *request = &lane->requests.items[lane->requests.count - 1];
  read_object(lane, event, &request->event);
  if (rule == WAIT && !release_for_wait(lane, &request->event))
    return false;
  return put_begin(lane, rule == WAIT ? LOCK_WAIT_BEGINS : LOCK_REQUESTED, &request->event);
}

/* The thread has the lock that it waited for. */
static bool hold_pthread(struct lock_lane *lane, const struct lock_event *request, uint64_t index)
{
  struct lock_event acquired = *request;
  acquired.kind = LOCK_ACQUIRED;
  acquired.since = acquired.time;
  struct lock_held held = {.index = index, .event = acquired, .not_measured = not_measured(lane)};
  held.event.kind = LOCK_RELEASED;
  return put(lane, &acquired) && may_have_more(lane, lane->held.count) && (vector_push(&lane->held, held));
}

static bool leave(struct lock_lane *lane, const struct trace_event *event)
{
  unsigned rule = event->index == TRACE_NONE ? NO_LOCK : lane->rules[event->index];
  if (rule >= NO_LOCK && rule != WAIT)
    return true;
  size_t at = lane->requests.count;
  while (at > 0 && lane->requests.items[at - 1].event.region != event->index)
    at--;
  if (at == 0)
    return true; /* its begin is not in the trace */
  struct lock_request *request = &lane->requests.items[at - 1];
  lane->requests.count = at - 1;
  request->event.time = event->time;
  request->event.since += not_measured(lane) - request->not_measured;
  if (rule == WAIT && !acquire_after_wait(lane, &request->event))
    return false;
  if (request->event.lock_kind == LOCK_ROUTINE && !request->acquired)
    lane->routine = request->event;
  if (request->event.lock_kind < LOCK_MONITOR)
    return true;
  if (is_inside_request(lane, at - 1)) {
    struct lock_event *below = &lane->requests.items[at - 2].event;
    below->owner = request->event.owner;
    below->owner_place = request->event.owner_place;
    below->blocked = true;
    return true;
  }
  const char *closed = trace_attribute_text(lane->trace, event, lane->trace->closed);
  if (closed) {
    if (rule == WAIT)
      return true;
    bool unmounted = lane->mounted && strcmp(closed, VALUE_CLOSED_UNMOUNTED) == 0;
    request->event.kind = unmounted ? LOCK_UNMOUNTED : LOCK_CUT;
    request->event.virtual_thread = lane->mounted;
  }
  if (!lock_is_pthread(request->event.lock_kind))
    return put(lane, &request->event);
  if (!request->acquired) /* it timed out */
    request->event.kind = LOCK_CUT;
  return put(lane, &request->event) && (!request->acquired || hold_pthread(lane, &request->event, request->index));
}

/* The request of the lock that is acquired now; NULL: the trace has none. */
static const struct lock_event *find_request(struct lock_lane *lane, uint64_t time)
{
  struct lock_request *request = lane->requests.count ? &lane->requests.items[lane->requests.count - 1] : NULL;
  if (request && request->event.lock_kind < LOCK_MONITOR && !request->acquired) {
    request->acquired = true;
    request->event.since += not_measured(lane) - request->not_measured;
    request->not_measured = not_measured(lane);
    return &request->event;
  }
  bool routine = lane->routine.lock_kind == LOCK_ROUTINE && lane->routine.time == time;
  return routine ? &lane->routine : NULL;
}

/* True if an acquisition is one that was counted. How long such ones hold their lock is not summed. */
static bool lane_is_counted(struct lock_lane *lane, const struct trace_event *event)
{
  bool is =
      lane->counted.lock_kind != NO_LOCK && lane->counted.time == event->time && lane->counted.number == event->index;
  lane->counted.lock_kind = NO_LOCK;
  return is;
}

static bool acquire(struct lock_lane *lane, const struct trace_event *event)
{
  if (lane_is_counted(lane, event))
    return true;
  struct lock_event acquired = {.kind = LOCK_ACQUIRED,
                                .lock_kind = LOCK_ROUTINE,
                                .time = event->time,
                                .since = event->time,
                                .number = event->index,
                                .region = TRACE_NONE,
                                .owner_place = TRACE_NONE,
                                .weight = 1};
  bool monitor = lane->monitor.lock_kind == LOCK_MONITOR && lane->monitor.time == event->time;
  struct lock_request *top = lane->requests.count ? &lane->requests.items[lane->requests.count - 1] : NULL;
  if (!monitor && top && lock_is_pthread(top->event.lock_kind) && top->event.number == event->index) {
    top->acquired = true; /* the end of the wait follows */
    top->index = event->index;
    return true;
  }
  const struct lock_event *request = monitor ? NULL : find_request(lane, event->time);
  if (monitor) {
    acquired.lock_kind = LOCK_MONITOR;
    acquired.class_name = lane->monitor.class_name;
    acquired.number = lane->monitor.number;
    acquired.region = lane->monitor.region;
    lane->monitor = (struct lock_event){.lock_kind = NO_LOCK};
  } else if (request) {
    acquired.lock_kind = request->lock_kind;
    acquired.since = request->since;
    acquired.region = request->region;
    acquired.owner = request->owner;
    acquired.owner_place = request->owner_place;
    acquired.blocked = request->blocked;
    acquired.weight = request->weight;
    lane->routine = (struct lock_event){.lock_kind = NO_LOCK};
  }
  if (!put(lane, &acquired) || !may_have_more(lane, lane->held.count))
    return false;
  struct lock_held held = {.index = event->index, .event = acquired, .not_measured = not_measured(lane)};
  held.event.kind = LOCK_RELEASED;
  held.event.since = event->time;
  return vector_push(&lane->held, held);
}

static bool release(struct lock_lane *lane, const struct trace_event *event)
{
  for (size_t i = lane->held.count; i-- > 0;) {
    struct lock_held held = lane->held.items[i];
    if (held.index != event->index)
      continue;
    memmove(&lane->held.items[i], &lane->held.items[i + 1], (lane->held.count - i - 1) * sizeof held);
    lane->held.count--;
    held.event.time = event->time;
    held.event.since += not_measured(lane) - held.not_measured;
    return held.waits || put(lane, &held.event);
  }
  return true;
}

/* A routine that has ended, without the acquisition that would follow at once. */
static bool put_failed(struct lock_lane *lane)
{
  struct lock_event failed = lane->routine;
  failed.kind = LOCK_FAILED;
  lane->routine = (struct lock_event){.lock_kind = NO_LOCK};
  return lane->trace->weight == OTF2_UNDEFINED_ATTRIBUTE || put(lane, &failed);
}

static bool is_acquisition(const struct trace_event *event)
{
  return event->kind == TRACE_ThreadAcquireLock || event->kind == TRACE_OmpAcquireLock;
}

bool lock_lane_event(void *opened, const struct trace_event *event)
{
  struct lock_lane *lane = opened;
  bool routine = lane->routine.lock_kind == LOCK_ROUTINE;
  if (routine && !(is_acquisition(event) && event->time == lane->routine.time) && !put_failed(lane))
    return false;
  switch (event->kind) {
  case TRACE_Enter:
    return enter(lane, event);
  case TRACE_Leave:
    return leave(lane, event);
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    return acquire(lane, event);
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpReleaseLock:
    return release(lane, event);
  default:
    return true;
  }
}

void lock_lane_begin(struct lock_lane *lane, const struct trace *trace, const struct pass_location *location,
                     const uint8_t *rules, struct error *error)
{
  *lane = (struct lock_lane){
      .trace = trace,
      .rules = rules,
      .error = error,
      .location = location,
      .queue = {.size = sizeof(struct lock_event), .time_at = offsetof(struct lock_event, time)},
      .routine.lock_kind = NO_LOCK,
      .monitor.lock_kind = NO_LOCK,
      .counted.lock_kind = NO_LOCK,
  };
}

void lock_lane_close(struct lock_lane *lane)
{
  vector_free(&lane->requests);
  vector_free(&lane->held);
  item_queue_free(&lane->queue);
}

struct item_queue *lock_lane_queue(void *lane)
{
  return &((struct lock_lane *)lane)->queue;
}

uint64_t lock_lane_open_requests(const struct lock_lane *lane)
{
  uint64_t count = 0;
  for (size_t i = 0; lane->location->cut && lane->location->alive && i < lane->requests.count; i++)
    count += lane->requests.items[i].event.kind == LOCK_WAITED && !lane->requests.items[i].acquired &&
             !is_inside_request(lane, i);
  return count;
}
