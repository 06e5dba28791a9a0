#include "analyzer/analyses/locks/deadlocks/thread.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 65536 /* regions, locks and teams of a thread at a time; more is taken for damage */

/* What a region means here. */
enum meaning {
  OTHER,
  ASIDE,
  REQUEST,
  ROUTINE,
  MONITOR,
  BARRIER,
  JOIN,
  HELD,
  POSIX_LOCK,
  POSIX_AT_ONCE,
  POSIX_JOIN,
  POSIX_UNLOCK,
  POSIX_WAIT, /* for a condition, a semaphore, a barrier */
  WAIT        /* for tasks, or in Java for a notification, a permit, a time */
};

static enum meaning meaning_of(const struct trace_region *region)
{
  switch (state_rule_of(region)) {
  case RULE_CRITICAL:
  case RULE_ORDERED:
  case RULE_ATOMIC:
    return REQUEST;
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
    return ROUTINE;
  case RULE_STATE_BLOCKED_MUTEX:
    return MONITOR;
  case RULE_BARRIER:
  case RULE_IMPLICIT_BARRIER:
    return BARRIER;
  case RULE_STATE_BLOCKED_CONDVAR:
    return trace_region_begins(region, REGION_JOIN) ? JOIN : WAIT;
  case RULE_PTHREAD_MUTEX:
  case RULE_PTHREAD_RWLOCK:
    return POSIX_LOCK;
  case RULE_JOIN:
    return POSIX_JOIN;
  case RULE_PTHREAD_CONDITION:
  case RULE_SEMAPHORE:
  case RULE_PTHREAD_BARRIER:
  case RULE_ATOMIC_WAIT:
    return POSIX_WAIT;
  case RULE_TASK_WAIT:
  case RULE_STATE_IO:
    return WAIT;
  case RULE_TRACEFLUSH:
  case RULE_STATE_OFF:
  case RULE_STATE_READY:
  case RULE_STATE_GC:
  case RULE_STATE_SAFEPOINT:
    return ASIDE;
  case RULE_NOTE:
    return trace_region_begins(region, REGION_MONITOR_HELD)     ? HELD
           : trace_region_begins(region, REGION_PTHREAD_UNLOCK) ? POSIX_UNLOCK
           : trace_region_begins(region, REGION_PTHREAD_COUNT)  ? POSIX_AT_ONCE
                                                                : OTHER;
  default:
    return OTHER;
  }
}

uint8_t *thread_rules(const struct trace *trace)
{
  uint8_t *rules = malloc(trace->region_count + 1);
  for (uint32_t i = 0; rules && i < trace->region_count; i++)
    rules[i] = (uint8_t)meaning_of(&trace->regions[i]);
  return rules;
}

void thread_lane_begin(struct thread_lane *lane, const struct trace *trace, const struct pass_location *location,
                       const uint8_t *rules, struct thread_end *end)
{
  lane->trace = trace;
  lane->location = location;
  lane->rules = rules;
  lane->end = end;
}

void thread_lane_close(void *context, void *lane)
{
  (void)context;
  vector_free(&((struct thread_lane *)lane)->open);
}

void thread_end_free(struct thread_end *end)
{
  vector_free(&end->holds);
  vector_free(&end->teams);
  hash_free(&end->unlocks);
}

void thread_lane_watch(struct thread_lane *lane, thread_acquires *acquires, void *context)
{
  lane->acquires = acquires;
  lane->context = context;
}

static enum meaning meaning(const struct thread_lane *lane, uint32_t region)
{
  return region == TRACE_NONE ? OTHER : (enum meaning)lane->rules[region];
}

static bool enter(struct thread_lane *lane, const struct trace_event *event)
{
  const struct trace *trace = lane->trace;
  struct thread_open opened = {
      .region = event->index, .since = event->time, .lock = DEADLOCK_NO_LOCK, .owner_place = TRACE_NONE};
  enum meaning what = meaning(lane, event->index);
  if (what == MONITOR || what == JOIN || what == HELD || what == WAIT) {
    opened.class_name = trace_attribute_text(trace, event, trace->object_class);
    if (!opened.class_name && what != WAIT)
      opened.class_name = "";
    opened.object = trace_attribute(event, trace->object, 0);
    opened.owner = trace_attribute(event, trace->owner, 0);
    opened.owner_place = trace_attribute_region(trace, event, trace->owner_place);
  }
  if (what == HELD)
    lane->monitor = opened;
  if (what == POSIX_LOCK || what == POSIX_UNLOCK || what == POSIX_WAIT)
    opened.lock = trace_attribute(event, trace->object, DEADLOCK_NO_LOCK);
  if (what == POSIX_AT_ONCE)
    opened.tried = trace_attribute(event, trace->tried, 0) != 0;
  if (what == POSIX_LOCK || what == POSIX_JOIN)
    opened.owner = trace_attribute(event, what == POSIX_JOIN ? trace->thread : trace->owner, 0);
  if (what == POSIX_UNLOCK && !hash_put(&lane->end->unlocks, opened.lock, event->time))
    return false;
  if (lane->open.count >= DEPTH_MAX)
    return true; /* its Leave is not found, and ignored */
  return vector_push(&lane->open, opened);
}

/* Where the run's end cut the innermost region: what the thread waited for. */
static void note_wait(struct thread_lane *lane, const struct trace_event *event, const struct thread_open *open)
{
  struct thread_end *end = lane->end;
  enum meaning what = meaning(lane, open->region);
  lane->closing = true;
  end->waits = ((what == REQUEST || what == ROUTINE || what == POSIX_LOCK) && !open->acquired) || what == MONITOR ||
               what == BARRIER || what == JOIN || what == POSIX_JOIN;
  end->killed = (end->waits || what == POSIX_WAIT || what == WAIT) &&
                strcmp(trace_attribute_text(lane->trace, event, lane->trace->closed), VALUE_CLOSED_KILLED) == 0;
  end->owner = open->owner;
  end->by_kernel = what == POSIX_LOCK || what == POSIX_JOIN;
  end->owner_place = open->owner_place;
  end->wait = (struct deadlock_wait){.kind = what == BARRIER                      ? DEADLOCK_BARRIER
                                             : what == JOIN || what == POSIX_JOIN ? DEADLOCK_JOIN
                                             : what == POSIX_WAIT || what == WAIT ? DEADLOCK_OTHER
                                                                                  : DEADLOCK_LOCK,
                                     .location = lane->location->number,
                                     .region = open->region,
                                     .since = open->since,
                                     .lock = what == POSIX_LOCK || what == POSIX_WAIT
                                                 ? open->lock
                                                 : trace_attribute(event, lane->trace->lock, DEADLOCK_NO_LOCK),
                                     .class_name = open->class_name,
                                     .object = open->object,
                                     .holder = TRACE_NONE,
                                     .holder_region = TRACE_NONE,
                                     .acquired = UINT64_MAX};
}

/* True if the run's end cut the region: nobody saw the end of it. */
static bool is_cut(const struct thread_lane *lane, const struct trace_event *event)
{
  const char *closed = event->attributes ? trace_attribute_text(lane->trace, event, lane->trace->closed) : NULL;
  return closed && (strcmp(closed, VALUE_CLOSED_KILLED) == 0 || strcmp(closed, VALUE_CLOSED_ENDED) == 0);
}

static void leave(struct thread_lane *lane, const struct trace_event *event)
{
  size_t at = lane->open.count;
  while (at > 0 && lane->open.items[at - 1].region != event->index)
    at--;
  if (at == 0)
    return;
  const struct thread_open open = lane->open.items[at - 1];
  lane->open.count = at - 1;
  enum meaning what = meaning(lane, open.region);
  if (what == ROUTINE && !open.acquired) {
    lane->routine = open;
    lane->routine_end = event->time;
  }
  if (what != ASIDE && is_cut(lane, event))
    note_wait(lane, event, &open);
}

/* True if a region asks for a lock, and the thread has it before the region's end. */
static bool asks(const struct thread_lane *lane, const struct thread_open *open)
{
  enum meaning what = meaning(lane, open->region);
  return !open->acquired && (what == REQUEST || what == POSIX_LOCK || what == POSIX_AT_ONCE);
}

static bool acquire(struct thread_lane *lane, const struct trace_event *event)
{
  bool tried = false;
  struct thread_hold hold = {.lock = event->index, .region = TRACE_NONE, .since = event->time};
  struct thread_open *top = lane->open.count > 0 ? &lane->open.items[lane->open.count - 1] : NULL;
  if (lane->monitor.class_name && lane->monitor.since == event->time) {
    hold.region = lane->monitor.region;
    hold.class_name = lane->monitor.class_name;
    hold.object = lane->monitor.object;
    lane->monitor.class_name = NULL;
  } else if (top && asks(lane, top)) {
    top->acquired = true;
    tried = top->tried;
    hold.region = top->region;
  } else if (lane->routine.since > 0 && lane->routine_end == event->time) {
    hold.region = lane->routine.region;
    lane->routine.since = 0;
  }
  tried |= hold.region != TRACE_NONE && trace_region_begins(&lane->trace->regions[hold.region], NAME_TEST_LOCK);
  if (lane->acquires && !tried && !lane->acquires(lane->context, lane->end, &hold))
    return false;
  return lane->end->holds.count >= DEPTH_MAX || vector_push(&lane->end->holds, hold);
}

static void release(struct thread_lane *lane, uint64_t lock)
{
  struct thread_end *end = lane->end;
  size_t at = end->holds.count;
  while (at > 0 && end->holds.items[at - 1].lock != lock)
    at--;
  if (at == 0)
    return;
  memmove(&end->holds.items[at - 1], &end->holds.items[at], (end->holds.count - at) * sizeof *end->holds.items);
  end->holds.count--;
}

bool thread_lane_event(void *opened, const struct trace_event *event)
{
  struct thread_lane *lane = opened;
  struct thread_end *end = lane->end;
  if (lane->closing)
    return true;
  switch (event->kind) {
  case TRACE_Enter:
    return enter(lane, event);
  case TRACE_Leave:
    leave(lane, event);
    return true;
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    return acquire(lane, event);
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpReleaseLock:
    release(lane, event->index);
    return true;
  case TRACE_ThreadTeamBegin:
    return end->teams.count >= DEPTH_MAX || vector_push(&end->teams, event->index);
  case TRACE_ThreadTeamEnd:
    end->teams.count -= end->teams.count > 0;
    return true;
  case TRACE_ThreadEnd:
    end->ended = !event->attributes || !trace_attribute_text(lane->trace, event, lane->trace->closed);
    return true;
  case TRACE_MeasurementOnOff: /* releases are not recorded meanwhile */
    end->holds.count = 0;
    return true;
  default:
    return true;
  }
}
