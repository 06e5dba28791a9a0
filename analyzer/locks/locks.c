#include "analyzer/locks/locks.h"

#include "analyzer/locks/table.h"
#include "analyzer/trace/time_heap.h"

#include <stdlib.h>

struct job {
  const struct trace *trace;
  struct watcher **watchers;        /* by location */
  const struct lock_event **events; /* the next of each */
  struct time_heap heap;            /* locations that have an event */
};

/* Opens all locations; those that are read to their end in one go are closed again. */
static bool begin(struct job *job, const struct watcher_tables *tables, struct trace_error *error)
{
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    bool good;
    job->watchers[i] = watcher_open(job->trace, i, tables, error);
    if (!job->watchers[i])
      return false;
    job->events[i] = watcher_next(job->watchers[i], &good);
    if (!good)
      return false;
    if (job->events[i])
      time_heap_add(&job->heap, job->events[i]->time, i);
  }
  return true;
}

static bool merge(struct job *job, struct lock_table *table, struct trace_error *error)
{
  while (job->heap.count > 0) {
    uint32_t location = job->heap.entries[0].location;
    bool good;
    if (!lock_table_take(table, location, job->events[location]))
      return trace_fail(error, "%s: out of memory", job->trace->anchor);
    job->events[location] = watcher_next(job->watchers[location], &good);
    if (!good)
      return false;
    if (job->events[location])
      time_heap_move_first(&job->heap, job->events[location]->time);
    else
      time_heap_drop_first(&job->heap);
  }
  return true;
}

bool locks_find(const struct trace *trace, struct locks *locks, struct trace_error *error)
{
  return locks_follow(trace, NULL, NULL, locks, error);
}

bool locks_follow(const struct trace *trace, lock_sink *sink, void *context, struct locks *locks,
                  struct trace_error *error)
{
  struct job job = {.trace = trace};
  uint32_t count = trace->location_count;
  *locks = (struct locks){0};
  job.watchers = calloc(count + 1, sizeof *job.watchers);
  job.events = calloc(count + 1, sizeof *job.events);
  struct watcher_tables tables;
  bool made = watcher_tables_make(trace, &tables);
  struct lock_table *table = lock_table_create(trace, sink, context);
  bool good = time_heap_init(&job.heap, count) && job.watchers && job.events && made && table;
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && begin(&job, &tables, error) && merge(&job, table, error);
  if (good && !lock_table_finish(table, locks))
    good = trace_fail(error, "%s: out of memory", trace->anchor);
  for (uint32_t i = 0; job.watchers && i < count; i++) {
    if (job.watchers[i])
      locks->lifetimes += watcher_lifetime(job.watchers[i]);
    watcher_close(job.watchers[i]);
  }
  lock_table_destroy(table);
  watcher_tables_free(&tables);
  free(job.watchers);
  free(job.events);
  time_heap_free(&job.heap);
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
