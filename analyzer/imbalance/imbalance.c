#include "analyzer/imbalance/imbalance.h"

#include "analyzer/imbalance/follower.h"
#include "analyzer/imbalance/matcher.h"
#include "analyzer/pass/pass.h"

#include <stdlib.h>

struct imbalance_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  struct imbalance *imbalance;
  struct follower_tables tables;
  struct matcher *matcher;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct imbalance_finder *finder = context;
  return follower_open(finder->trace, location, &finder->tables, error);
}

static bool take_event(void *lane, const struct trace_event *event)
{
  return follower_event(lane, event);
}

static bool end_lane(void *lane)
{
  return follower_end(lane);
}

static void close_lane(void *context, void *lane)
{
  const struct imbalance_finder *finder = context;
  uint32_t location = follower_location(lane);
  bool jvm = finder->trace->locations[location].type == TRACE_THREAD_JVM; /* nothing can be won there */
  if (trace_is_thread(finder->trace, location) && !jvm) {
    finder->imbalance->lifetimes += follower_lifetime(lane);
    finder->imbalance->unmeasured += follower_unmeasured(lane);
    finder->imbalance->alone[follower_location(lane)] = follower_alone(lane);
  }
  follower_close(lane);
}

static struct item_queue *queue(void *lane)
{
  return follower_queue(lane);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct imbalance_finder *finder = context;
  return matcher_take(finder->matcher, location, item);
}

static bool prepare(struct imbalance_finder *finder, const struct trace *trace, bool with_waits,
                    struct imbalance *imbalance)
{
  imbalance->count = trace->region_count;
  imbalance->constructs = calloc(trace->region_count + 1, sizeof *imbalance->constructs);
  imbalance->alone = calloc(trace->location_count + 1, sizeof *imbalance->alone);
  if (!finder || !imbalance->constructs || !imbalance->alone || !follower_tables_make(trace, &finder->tables))
    return false;
  finder->trace = trace;
  finder->imbalance = imbalance;
  finder->matcher = matcher_create(trace, imbalance, with_waits);
  imbalance->locations = trace->location_count;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    imbalance->constructs[i].parallel = TRACE_NONE;
    imbalance->constructs[i].first_end = UINT64_MAX;
  }
  finder->subscriber = (struct subscriber){.context = finder,
                                           .before = true,
                                           .open = open_lane,
                                           .event = take_event,
                                           .end = end_lane,
                                           .close = close_lane,
                                           .queue = queue,
                                           .take = take_item};
  return finder->matcher != NULL;
}

struct imbalance_finder *imbalance_begin(const struct trace *trace, bool with_waits, struct imbalance *imbalance,
                                         struct error *error)
{
  *imbalance = (struct imbalance){0};
  struct imbalance_finder *finder = calloc(1, sizeof *finder);
  if (prepare(finder, trace, with_waits, imbalance))
    return finder;
  error_set(error, "%s: out of memory", trace->anchor);
  imbalance_drop(finder);
  return NULL;
}

const struct subscriber *imbalance_subscriber(const struct imbalance_finder *finder)
{
  return &finder->subscriber;
}

void imbalance_drop(struct imbalance_finder *finder)
{
  if (!finder)
    return;
  matcher_destroy(finder->matcher);
  follower_tables_free(&finder->tables);
  free(finder);
}

bool imbalance_end(struct imbalance_finder *finder, struct error *error)
{
  bool good = matcher_finish(finder->matcher) || error_set(error, "%s: out of memory", finder->trace->anchor);
  imbalance_drop(finder);
  return good;
}

bool imbalance_analyze(const struct trace *trace, struct pool *pool, bool with_waits, struct imbalance *imbalance,
                       struct error *error)
{
  struct imbalance_finder *finder = imbalance_begin(trace, with_waits, imbalance, error);
  if (!finder)
    return false;
  const struct subscriber *subscribers[] = {&finder->subscriber};
  if (pass_in_order(trace, pool, subscribers, 1, error))
    return imbalance_end(finder, error);
  imbalance_drop(finder);
  return false;
}

void imbalance_free(struct imbalance *imbalance)
{
  for (uint32_t i = 0; imbalance->constructs && i < imbalance->count; i++)
    free(imbalance->constructs[i].by_thread);
  free(imbalance->constructs);
  free(imbalance->waits);
  free(imbalance->alone);
  *imbalance = (struct imbalance){0};
}

uint32_t imbalance_forker(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t forker = TRACE_NONE;
  wide_total most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].lost_as_forker.parts > most) {
      most = construct->by_thread[i].lost_as_forker.parts;
      forker = i;
    }
  }
  return forker;
}

double imbalance_side_by_side(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t forker = imbalance_forker(construct, location_count);
  struct fine_total all = {0};
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++)
    fine_total_merge(&all, construct->by_thread[i].lost_as_forker);
  return forker == TRACE_NONE ? 1
                              : fine_total_ticks(construct->by_thread[forker].lost_as_forker) / fine_total_ticks(all);
}

uint32_t imbalance_slowest(const struct imbalance_construct *construct, uint32_t location_count)
{
  uint32_t slowest = TRACE_NONE;
  uint64_t most = 0;
  for (uint32_t i = 0; construct->by_thread && i < location_count; i++) {
    if (construct->by_thread[i].waited_for > most) {
      most = construct->by_thread[i].waited_for;
      slowest = i;
    }
  }
  return slowest;
}
