#include "analyzer/analyses/imbalance/imbalance.h"

#include "analyzer/analyses/imbalance/follower.h"
#include "analyzer/analyses/imbalance/instance_matcher.h"

#include <stdlib.h>

struct imbalance_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  struct imbalance *imbalance;
  uint8_t *interests;
  struct instance_matcher *matcher;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct imbalance_finder *finder = context;
  return follower_open(finder->trace, location, finder->interests, error);
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
  if (trace_is_program_thread(finder->trace, location)) { /* nothing can be won on others */
    finder->imbalance->lifetimes += follower_lifetime(lane) + follower_skipped(lane);
    finder->imbalance->estimated += follower_skipped(lane);
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
  return instance_matcher_take(finder->matcher, location, item);
}

/* Without teams, as in most Java programs, no lane wants events. */
static bool has_teams(const struct imbalance_finder *finder)
{
  bool teams = finder->trace->team_count > 0;
  for (uint32_t i = 0; !teams && i < finder->trace->region_count; i++)
    teams = region_interest(finder->interests, i) == INTEREST_PARALLEL;
  return teams;
}

static bool imbalance_prepare(struct imbalance_finder *finder, const struct trace *trace,
                              struct imbalance_options options, struct imbalance *imbalance)
{
  imbalance->count = trace->region_count;
  imbalance->constructs = calloc(trace->region_count + 1, sizeof *imbalance->constructs);
  imbalance->alone = calloc(trace->location_count + 1, sizeof *imbalance->alone);
  if (finder)
    finder->interests = region_interests_make(trace);
  if (!finder || !finder->interests || !imbalance->constructs || !imbalance->alone)
    return false;
  finder->trace = trace;
  finder->imbalance = imbalance;
  finder->matcher = instance_matcher_create(trace, imbalance, options);
  imbalance->locations = trace->location_count;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    imbalance->constructs[i].parallel = TRACE_NONE;
    imbalance->constructs[i].first_end = UINT64_MAX;
  }
  finder->subscriber = (struct subscriber){.context = finder,
                                           .before = true,
                                           .open = open_lane,
                                           .event = has_teams(finder) ? take_event : NULL,
                                           .end = end_lane,
                                           .close = close_lane,
                                           .queue = queue,
                                           .take = take_item};
  return finder->matcher != NULL;
}

struct imbalance_finder *imbalance_begin(const struct trace *trace, struct imbalance_options options,
                                         struct imbalance *imbalance, struct error *error)
{
  *imbalance = (struct imbalance){0};
  struct imbalance_finder *finder = calloc(1, sizeof *finder);
  if (imbalance_prepare(finder, trace, options, imbalance))
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
  instance_matcher_destroy(finder->matcher);
  free(finder->interests);
  free(finder);
}

bool imbalance_end(struct imbalance_finder *finder, struct error *error)
{
  bool good = instance_matcher_finish(finder->matcher) || error_set(error, "%s: out of memory", finder->trace->anchor);
  imbalance_drop(finder);
  return good;
}
