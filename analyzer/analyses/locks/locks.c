#include "analyzer/analyses/locks/locks.h"

#include "analyzer/analyses/locks/lane.h"
#include "analyzer/analyses/locks/table.h"
#include "analyzer/trace/pass/pass.h"

#include <stdlib.h>

struct locks_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  uint8_t *rules;
  struct lock_table *table;
  wide_total lifetimes;
  uint64_t open;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct locks_finder *finder = context;
  return lock_lane_open(finder->trace, location, finder->rules, error);
}

static bool take_event(void *lane, const struct trace_event *event)
{
  return lock_lane_take(lane, event);
}

static void close_lane(void *context, void *lane)
{
  struct locks_finder *finder = context;
  if (trace_is_thread(finder->trace, lock_lane_location(lane)))
    finder->lifetimes += lock_lane_lifetime(lane);
  finder->open += lock_lane_open_requests(lane);
  lock_lane_close(lane);
}

static struct item_queue *queue(void *lane)
{
  return lock_lane_queue(lane);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct locks_finder *finder = context;
  return lock_table_take(finder->table, location, item);
}

struct locks_finder *locks_begin(const struct trace *trace, lock_sink *sink, void *context, struct error *error)
{
  struct locks_finder *finder = calloc(1, sizeof *finder);
  bool good = finder && (finder->rules = lock_rules(trace)) != NULL &&
              (finder->table = lock_table_create(trace, sink, context)) != NULL;
  if (!good) {
    error_set(error, "%s: out of memory", trace->anchor);
    locks_drop(finder);
    return NULL;
  }
  finder->trace = trace;
  finder->subscriber = (struct subscriber){.context = finder,
                                           .before = true,
                                           .others = true,
                                           .open = open_lane,
                                           .event = take_event,
                                           .close = close_lane,
                                           .queue = queue,
                                           .take = take_item};
  return finder;
}

const struct subscriber *locks_subscriber(const struct locks_finder *finder)
{
  return &finder->subscriber;
}

bool locks_end(struct locks_finder *finder, struct locks *locks, struct error *error)
{
  *locks = (struct locks){0};
  bool good = lock_table_finish(finder->table, locks) || error_set(error, "%s: out of memory", finder->trace->anchor);
  locks->lifetimes = finder->lifetimes;
  locks->open = finder->open;
  locks_drop(finder);
  return good;
}

void locks_drop(struct locks_finder *finder)
{
  if (!finder)
    return;
  lock_table_destroy(finder->table);
  free(finder->rules);
  free(finder);
}

struct estimate locks_more_wait(const struct locks *locks)
{
  struct estimate more = {0};
  for (size_t i = 0; i < locks->count; i++)
    estimate_add(&more, &locks->list[i].sums.more[LOCK_WAIT]);
  return more;
}

void locks_free(struct locks *locks)
{
  free(locks->list);
  free(locks->threads.list);
  free(locks->places.list);
  callers_free(&locks->callers);
  *locks = (struct locks){0};
}
