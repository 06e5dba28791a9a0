#include "analyzer/locks/locks.h"

#include "analyzer/locks/table.h"

#include <stdlib.h>

/* All locations, those that have an event ready as a heap in the order of its time. */
struct job {
  const struct trace *trace;
  struct watcher **watchers;        /* by location */
  const struct lock_event **events; /* the next of each */
  uint32_t *heap;                   /* locations */
  uint32_t heap_count;
};

static bool is_before(const struct job *job, uint32_t a, uint32_t b)
{
  uint64_t left = job->events[a]->time, right = job->events[b]->time;
  return left != right ? left < right : a < b;
}

static void sift_down(struct job *job, uint32_t at)
{
  uint32_t *heap = job->heap, moving = heap[at];
  for (uint32_t child; (child = 2 * at + 1) < job->heap_count; at = child) {
    if (child + 1 < job->heap_count && is_before(job, heap[child + 1], heap[child]))
      child++;
    if (is_before(job, moving, heap[child]))
      break;
    heap[at] = heap[child];
  }
  heap[at] = moving;
}

/* Opens all locations; those that are read to their end in one go are closed again. */
static bool begin(struct job *job, const uint8_t *rules, struct trace_error *error)
{
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    bool good;
    job->watchers[i] = watcher_open(job->trace, i, rules, error);
    if (!job->watchers[i])
      return false;
    job->events[i] = watcher_next(job->watchers[i], &good);
    if (!good)
      return false;
    if (job->events[i])
      job->heap[job->heap_count++] = i;
  }
  for (uint32_t i = job->heap_count / 2; i-- > 0;)
    sift_down(job, i);
  return true;
}

static bool merge(struct job *job, struct lock_table *table, struct trace_error *error)
{
  while (job->heap_count > 0) {
    uint32_t location = job->heap[0];
    bool good;
    if (!lock_table_take(table, location, job->events[location]))
      return trace_fail(error, "%s: out of memory", job->trace->anchor);
    job->events[location] = watcher_next(job->watchers[location], &good);
    if (!good)
      return false;
    if (!job->events[location])
      job->heap[0] = job->heap[--job->heap_count];
    if (job->heap_count > 0)
      sift_down(job, 0);
  }
  return true;
}

bool locks_find(const struct trace *trace, struct locks *locks, struct trace_error *error)
{
  struct job job = {.trace = trace};
  uint32_t count = trace->location_count;
  *locks = (struct locks){0};
  trace_allow_many_streams();
  job.watchers = calloc(count + 1, sizeof *job.watchers);
  job.events = calloc(count + 1, sizeof *job.events);
  job.heap = calloc(count + 1, sizeof *job.heap);
  uint8_t *rules = watcher_rules(trace);
  struct lock_table *table = lock_table_create(trace);
  bool good = job.watchers && job.events && job.heap && rules && table;
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && begin(&job, rules, error) && merge(&job, table, error);
  if (good && !lock_table_finish(table, locks))
    good = trace_fail(error, "%s: out of memory", trace->anchor);
  for (uint32_t i = 0; job.watchers && i < count; i++) {
    if (job.watchers[i])
      locks->lifetimes += watcher_lifetime(job.watchers[i]);
    watcher_close(job.watchers[i]);
  }
  lock_table_destroy(table);
  free(rules);
  free(job.watchers);
  free(job.events);
  free(job.heap);
  return good;
}

void locks_free(struct locks *locks)
{
  free(locks->list);
  free(locks->threads.list);
  free(locks->places.list);
  *locks = (struct locks){0};
}

const char *lock_kind_name(enum lock_kind kind)
{
  static const char *const names[LOCK_KINDS] = {
      [LOCK_CRITICAL] = "critical", [LOCK_ORDERED] = "ordered", [LOCK_ATOMIC] = "atomic",
      [LOCK_ROUTINE] = "lock",      [LOCK_MONITOR] = "monitor", [LOCK_JAVA] = "Java lock"};
  return names[kind];
}
