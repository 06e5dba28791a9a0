#include "analyzer/trace/edges/reader.h"

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
