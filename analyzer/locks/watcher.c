#include "analyzer/locks/watcher.h"

#include "analyzer/states/states.h"
#include "analyzer/trace/region.h"
#include "common/archive_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 65536 /* requests open at a time on one location, and locks held; more is taken for damage */

#define NO_LOCK LOCK_KINDS
/* Rules of what is no wait: what gives a lock to another thread, what gives a monitor up, what runs a virtual thread,
 * what tells which monitor is acquired next. */
#define UNPARK  (LOCK_KINDS + 1)
#define WAIT    (LOCK_KINDS + 2)
#define VIRTUAL (LOCK_KINDS + 3)
#define HELD    (LOCK_KINDS + 4)

/* A construct or routine that asks for a lock, as long as it is open. */
struct request {
  struct lock_event event;
  uint64_t unmeasured; /* ticks of the location up to its begin */
  bool acquired;
};

struct held {
  uint64_t index;          /* of the lock in the archive */
  struct lock_event event; /* RELEASED, as far as it is known */
  uint64_t unmeasured;     /* up to event.since */
  bool given_up;           /* Java: meanwhile, by Object.wait */
};

struct watcher {
  const struct trace *trace;
  const uint8_t *rules;
  struct error *error;
  const struct pass_location *place;
  const struct machine_view *view;
  uint32_t location;
  struct request *requests;
  size_t request_count, request_room;
  struct held *held;
  size_t held_count, held_room;
  struct lock_event routine; /* the routine that was left last: if it got the lock, that is told now */
  struct lock_event monitor; /* the monitor that is acquired now, if one is */
  struct item_queue queue;   /* of struct lock_event */
};

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
  case RULE_STATE_BLOCKED_MUTEX:
    return trace_region_begins(region, REGION_MONITOR_ENTER) ? LOCK_MONITOR : LOCK_JAVA;
  case RULE_STATE_BLOCKED_CONDVAR: /* Thread.join waits for the thread's monitor */
    return trace_region_begins(region, REGION_OBJECT_WAIT) || trace_region_begins(region, REGION_JOIN) ? WAIT : NO_LOCK;
  case RULE_NOTE:
    return trace_region_begins(region, REGION_UNPARK)           ? UNPARK
           : trace_region_begins(region, REGION_VIRTUAL_THREAD) ? VIRTUAL
           : trace_region_begins(region, REGION_MONITOR_HELD)   ? HELD
                                                                : NO_LOCK;
  default:
    return NO_LOCK;
  }
}

bool watcher_tables_make(const struct trace *trace, struct watcher_tables *tables)
{
  tables->rules = malloc(trace->region_count + 1);
  for (uint32_t i = 0; tables->rules && i < trace->region_count; i++)
    tables->rules[i] = (uint8_t)rule_of(&trace->regions[i]);
  return tables->rules;
}

void watcher_tables_free(struct watcher_tables *tables)
{
  free(tables->rules);
}

static uint64_t unmeasured(const struct watcher *watcher)
{
  return machine_total(watcher->view, STATE_UNMEASURED);
}

/* Room for one more; false: an error. */
static bool reserve(struct watcher *watcher, void **items, size_t count, size_t *room, size_t size)
{
  if (count < *room)
    return true;
  if (count >= DEPTH_MAX)
    return error_set(watcher->error, "%s: %s has more than %d locks at a time: the archive is damaged",
                     watcher->trace->anchor, watcher->trace->locations[watcher->location].name, DEPTH_MAX);
  size_t more = *room ? 2 * *room : 16;
  void *bigger = reallocarray(*items, more, size);
  if (!bigger)
    return error_set(watcher->error, "%s: out of memory", watcher->trace->anchor);
  *items = bigger;
  *room = more;
  return true;
}

static bool put(struct watcher *watcher, const struct lock_event *event)
{
  struct lock_event *place = item_queue_add(&watcher->queue);
  if (!place)
    return error_set(watcher->error, "%s: out of memory", watcher->trace->anchor);
  *place = *event;
  return true;
}

/* Whether the request below waits for its lock: then a monitor is only how that one waits. */
static bool is_inside_request(const struct watcher *watcher, size_t at)
{
  return at > 0 && watcher->requests[at - 1].event.lock_kind < LOCK_MONITOR && !watcher->requests[at - 1].acquired;
}

static void read_object(const struct watcher *watcher, const struct trace_event *event, struct lock_event *lock)
{
  const struct trace *trace = watcher->trace;
  const char *class_name = trace_attribute_text(trace, event, trace->object_class);
  lock->class_name = class_name ? class_name : "";
  lock->number = trace_attribute(event, trace->object, 0);
  lock->owner = trace_attribute(event, trace->owner, 0);
  lock->owner_place = trace_attribute_region(trace, event, trace->owner_place);
}

/* What is told at once, and what is to be told at its end. */
static bool put_begin(struct watcher *watcher, enum lock_event_kind kind, const struct lock_event *request)
{
  struct lock_event begin = *request;
  begin.kind = kind;
  begin.time = request->since;
  return is_inside_request(watcher, watcher->request_count - 1) || put(watcher, &begin);
}

static bool is_monitor(const struct held *held, const struct lock_event *event)
{
  return held->event.class_name && held->event.number == event->number &&
         strcmp(held->event.class_name, event->class_name) == 0;
}

/* Object.wait gives the monitor up, however often the thread has it, and ends when it has it again. */
static bool give_up(struct watcher *watcher, const struct lock_event *wait)
{
  for (size_t i = 0; i < watcher->held_count; i++) {
    struct held *held = &watcher->held[i];
    if (held->given_up || !is_monitor(held, wait))
      continue;
    held->given_up = true;
    held->event.time = wait->since;
    if (!put(watcher, &held->event))
      return false;
  }
  return true;
}

static bool regain(struct watcher *watcher, const struct lock_event *wait)
{
  for (size_t i = 0; i < watcher->held_count; i++) {
    struct held *held = &watcher->held[i];
    if (!held->given_up || !is_monitor(held, wait))
      continue;
    held->given_up = false;
    held->event.since = wait->time;
    held->unmeasured = unmeasured(watcher);
    struct lock_event again = held->event;
    again.kind = LOCK_HAD_AGAIN;
    again.time = wait->time;
    if (!put(watcher, &again))
      return false;
  }
  return true;
}

static bool enter(struct watcher *watcher, const struct trace_event *event)
{
  const struct trace *trace = watcher->trace;
  unsigned rule = event->index == TRACE_NONE ? NO_LOCK : watcher->rules[event->index];
  if (rule == NO_LOCK)
    return true;
  if (rule == UNPARK)
    return put(watcher, &(struct lock_event){.kind = LOCK_UNPARKED,
                                             .time = event->time,
                                             .region = trace->regions[event->index].line ? event->index : TRACE_NONE,
                                             .owner = trace_attribute(event, trace->thread, 0)});
  if (rule == VIRTUAL)
    return put(watcher, &(struct lock_event){.kind = LOCK_MOUNTED,
                                             .time = event->time,
                                             .owner = trace_attribute(event, trace->virtual_thread, 0)});
  if (rule == HELD) {
    watcher->monitor = (struct lock_event){.lock_kind = LOCK_MONITOR, .time = event->time, .region = event->index};
    read_object(watcher, event, &watcher->monitor);
    return true;
  }
  enum lock_kind kind = rule == WAIT ? LOCK_MONITOR : (enum lock_kind)rule;
  if (!reserve(watcher, (void **)&watcher->requests, watcher->request_count, &watcher->request_room,
               sizeof *watcher->requests))
    return false;
  struct request *request = &watcher->requests[watcher->request_count++];
  *request = (struct request){.event = {.kind = rule == WAIT ? LOCK_REGAINED : LOCK_BLOCKED,
                                        .lock_kind = kind,
                                        .since = event->time,
                                        .region = event->index},
                              .unmeasured = unmeasured(watcher)};
  if (kind < LOCK_MONITOR)
    return true;
  read_object(watcher, event, &request->event);
  if (rule == WAIT && !give_up(watcher, &request->event))
    return false;
  return put_begin(watcher, rule == WAIT ? LOCK_GIVEN_UP : LOCK_ASKED, &request->event);
}

static bool leave(struct watcher *watcher, const struct trace_event *event)
{
  unsigned rule = event->index == TRACE_NONE ? NO_LOCK : watcher->rules[event->index];
  if (rule >= NO_LOCK && rule != WAIT)
    return true;
  size_t at = watcher->request_count;
  while (at > 0 && watcher->requests[at - 1].event.region != event->index)
    at--;
  if (at == 0)
    return true; /* its begin is not in the trace */
  struct request *request = &watcher->requests[at - 1];
  watcher->request_count = at - 1;
  request->event.time = event->time;
  request->event.since += unmeasured(watcher) - request->unmeasured;
  if (rule == WAIT && !regain(watcher, &request->event))
    return false;
  if (request->event.lock_kind == LOCK_ROUTINE && !request->acquired)
    watcher->routine = request->event;
  if (request->event.lock_kind < LOCK_MONITOR || is_inside_request(watcher, at - 1))
    return true;
  if (trace_attribute_text(watcher->trace, event, watcher->trace->closed)) {
    if (rule == WAIT)
      return true;
    request->event.kind = LOCK_LEFT;
  }
  return put(watcher, &request->event);
}

/* What asked for the lock that is acquired now; NULL: nothing that the trace tells of. */
static const struct lock_event *find_request(struct watcher *watcher, uint64_t time)
{
  struct request *request = watcher->request_count ? &watcher->requests[watcher->request_count - 1] : NULL;
  if (request && request->event.lock_kind < LOCK_MONITOR && !request->acquired) {
    request->acquired = true;
    request->event.since += unmeasured(watcher) - request->unmeasured;
    request->unmeasured = unmeasured(watcher);
    return &request->event;
  }
  bool routine = watcher->routine.lock_kind == LOCK_ROUTINE && watcher->routine.time == time;
  return routine ? &watcher->routine : NULL;
}

static bool acquire(struct watcher *watcher, const struct trace_event *event)
{
  struct lock_event acquired = {.kind = LOCK_ACQUIRED,
                                .lock_kind = LOCK_ROUTINE,
                                .time = event->time,
                                .since = event->time,
                                .number = event->index,
                                .region = TRACE_NONE};
  bool monitor = watcher->monitor.lock_kind == LOCK_MONITOR && watcher->monitor.time == event->time;
  const struct lock_event *request = monitor ? NULL : find_request(watcher, event->time);
  if (monitor) {
    acquired.lock_kind = LOCK_MONITOR;
    acquired.class_name = watcher->monitor.class_name;
    acquired.number = watcher->monitor.number;
    acquired.region = watcher->monitor.region;
    watcher->monitor = (struct lock_event){.lock_kind = NO_LOCK};
  } else if (request) {
    acquired.lock_kind = request->lock_kind;
    acquired.since = request->since;
    acquired.region = request->region;
    watcher->routine = (struct lock_event){.lock_kind = NO_LOCK};
  }
  if (!put(watcher, &acquired) ||
      !reserve(watcher, (void **)&watcher->held, watcher->held_count, &watcher->held_room, sizeof *watcher->held))
    return false;
  struct held *held = &watcher->held[watcher->held_count++];
  *held = (struct held){.index = event->index, .event = acquired, .unmeasured = unmeasured(watcher)};
  held->event.kind = LOCK_RELEASED;
  held->event.since = event->time;
  return true;
}

static bool release(struct watcher *watcher, const struct trace_event *event)
{
  for (size_t i = watcher->held_count; i-- > 0;) {
    struct held held = watcher->held[i];
    if (held.index != event->index)
      continue;
    memmove(&watcher->held[i], &watcher->held[i + 1], (watcher->held_count - i - 1) * sizeof held);
    watcher->held_count--;
    held.event.time = event->time;
    held.event.since += unmeasured(watcher) - held.unmeasured;
    return held.given_up || put(watcher, &held.event);
  }
  return true;
}

bool watcher_event(struct watcher *watcher, const struct trace_event *event)
{
  switch (event->kind) {
  case TRACE_Enter:
    return enter(watcher, event);
  case TRACE_Leave:
    return leave(watcher, event);
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    return acquire(watcher, event);
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpReleaseLock:
    return release(watcher, event);
  default:
    return true;
  }
}

struct watcher *watcher_open(const struct trace *trace, const struct pass_location *location,
                             const struct watcher_tables *tables, struct error *error)
{
  struct watcher *watcher = calloc(1, sizeof *watcher);
  if (!watcher) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  *watcher =
      (struct watcher){.trace = trace,
                       .rules = tables->rules,
                       .error = error,
                       .location = location->number,
                       .place = location,
                       .view = location->view,
                       .queue = {.size = sizeof(struct lock_event), .time_at = offsetof(struct lock_event, time)},
                       .routine.lock_kind = NO_LOCK,
                       .monitor.lock_kind = NO_LOCK};
  return watcher;
}

void watcher_close(struct watcher *watcher)
{
  if (!watcher)
    return;
  free(watcher->requests);
  free(watcher->held);
  item_queue_free(&watcher->queue);
  free(watcher);
}

struct item_queue *watcher_queue(struct watcher *watcher)
{
  return &watcher->queue;
}

uint32_t watcher_location(const struct watcher *watcher)
{
  return watcher->location;
}

uint64_t watcher_lifetime(const struct watcher *watcher)
{
  return pass_measured(watcher->place);
}

uint64_t watcher_open_requests(const struct watcher *watcher)
{
  uint64_t count = 0;
  for (size_t i = 0; watcher->place->cut && watcher->place->alive && i < watcher->request_count; i++)
    count += watcher->requests[i].event.kind == LOCK_BLOCKED && !watcher->requests[i].acquired &&
             !is_inside_request(watcher, i);
  return count;
}
