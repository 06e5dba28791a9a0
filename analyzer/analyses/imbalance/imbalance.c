#include "analyzer/analyses/imbalance/imbalance.h"

#include "analyzer/analyses/imbalance/follower.h"
#include "analyzer/analyses/imbalance/instance.h"
#include "analyzer/analyses/imbalance/instance_matcher.h"
#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

enum imbalance_schedule imbalance_schedule(const struct trace_region *region)
{
  if (!trace_region_fact(region, FACT_SCHEDULE))
    return SCHEDULE_NONE;
  return trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_STATIC)    ? SCHEDULE_STATIC
         : trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_DYNAMIC) ? SCHEDULE_DYNAMIC
         : trace_region_says(region, FACT_SCHEDULE, VALUE_SCHEDULE_GUIDED)  ? SCHEDULE_GUIDED
                                                                            : SCHEDULE_OTHER;
}

const char *imbalance_schedule_name(enum imbalance_schedule schedule)
{
  static const char *const names[] = {NULL, "static", "dynamic", "guided", "other"};
  return names[schedule];
}

struct imbalance_analysis {
  const struct trace *trace;
  struct imbalance imbalance;
  uint8_t *interests;
  struct instance_matcher *matcher;
};

static bool begin_lane(void *context, void *lane, const struct pass_location *location, struct error *error)
{
  (void)error;
  const struct imbalance_analysis *analysis = context;
  follower_begin(lane, analysis->trace, location, analysis->interests);
  return true;
}

static void close_lane(void *context, void *lane)
{
  struct imbalance_analysis *analysis = context;
  struct follower *follower = lane;
  struct imbalance *imbalance = &analysis->imbalance;
  if (trace_is_program_thread(analysis->trace, follower->location)) { /* nothing can be won on others */
    imbalance->lifetimes += follower_lifetime(follower) + follower_omitted(follower);
    imbalance->estimated += follower_omitted(follower);
    imbalance->not_measured += follower_not_measured(follower);
    imbalance->alone[follower->location] = follower_alone(follower);
  }
  follower_close(follower);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct imbalance_analysis *analysis = context;
  return instance_matcher_take(analysis->matcher, location, item);
}

/* Without teams, as in most Java programs, no lane wants events. */
static void adapt(const void *state, struct subscriber *lanes)
{
  const struct imbalance_analysis *analysis = state;
  bool teams = analysis->trace->team_count > 0;
  for (uint32_t i = 0; !teams && i < analysis->trace->region_count; i++)
    teams = region_interest(analysis->interests, i) == INTEREST_PARALLEL;
  if (!teams)
    lanes->event = NULL;
}

static bool imbalance_begin(void *state, const struct analysis_input *input)
{
  const struct trace *trace = input->trace;
  const struct imbalance_options *options = input->options;
  struct imbalance_analysis *analysis = state;
  struct imbalance *imbalance = &analysis->imbalance;
  analysis->trace = trace;
  imbalance->count = trace->region_count;
  imbalance->locations = trace->location_count;
  imbalance->constructs = calloc(trace->region_count + 1, sizeof *imbalance->constructs);
  imbalance->alone = calloc(trace->location_count + 1, sizeof *imbalance->alone);
  analysis->interests = region_interests_make(trace);
  if (!analysis->interests || !imbalance->constructs || !imbalance->alone)
    return false;
  for (uint32_t i = 0; i < trace->region_count; i++) {
    imbalance->constructs[i].parallel = TRACE_NONE;
    imbalance->constructs[i].first_end = UINT64_MAX;
  }
  analysis->matcher =
      instance_matcher_create(trace, imbalance, options ? *options : (struct imbalance_options){.waits = false});
  return analysis->matcher != NULL;
}

static bool imbalance_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct imbalance_analysis *analysis = state;
  bool good = instance_matcher_finish(analysis->matcher);
  *(struct imbalance *)result = analysis->imbalance;
  analysis->imbalance = (struct imbalance){0};
  return good;
}

static void imbalance_free(void *result)
{
  struct imbalance *imbalance = result;
  for (uint32_t i = 0; imbalance->constructs && i < imbalance->count; i++) {
    free(imbalance->constructs[i].by_thread);
    free(imbalance->constructs[i].more);
    course_free(imbalance->constructs[i].course);
  }
  free(imbalance->constructs);
  vector_free(&imbalance->waits);
  free(imbalance->alone);
  *imbalance = (struct imbalance){0};
}

static void drop(void *state)
{
  struct imbalance_analysis *analysis = state;
  instance_matcher_destroy(analysis->matcher);
  free(analysis->interests);
  imbalance_free(&analysis->imbalance);
}

static void add_thread(struct imbalance_thread *into, const struct imbalance_thread *from)
{
  into->calls += from->calls;
  into->busy += from->busy;
  into->wait += from->wait;
  into->waited_for += from->waited_for;
  into->last += from->last;
  into->chunks += from->chunks;
  into->iterations += from->iterations;
  fine_total_merge(&into->lost_as_forker, from->lost_as_forker);
}

static bool merge_add_threads(struct imbalance_construct *into, const struct imbalance_construct *from,
                              uint32_t locations)
{
  if (!from->by_thread)
    return true;
  if (!into->by_thread && !(into->by_thread = calloc(locations, sizeof *into->by_thread)))
    return false;
  for (uint32_t i = 0; i < locations; i++)
    add_thread(&into->by_thread[i], &from->by_thread[i]);
  return true;
}

static void merge_add_parts(struct imbalance_parts *into, const struct imbalance_parts *from)
{
  fine_total_merge(&into->uneven, from->uneven);
  fine_total_merge(&into->late, from->late);
  fine_total_merge(&into->overhead, from->overhead);
  fine_total_merge(&into->locked, from->locked);
  fine_total_merge(&into->starved, from->starved);
}

static void merge_add_construct(struct imbalance_construct *into, const struct imbalance_construct *from)
{
  into->calls += from->calls;
  into->partial += from->partial;
  into->incomplete += from->incomplete;
  if (from->threads > into->threads)
    into->threads = from->threads;
  construct_ended(into, from->first_end, from->parallel);
  into->elapsed += from->elapsed;
  into->busy += from->busy;
  into->capacity += from->capacity;
  into->busy_max += from->busy_max;
  into->busy_min += from->busy_min;
  fine_total_merge(&into->busy_mean, from->busy_mean);
  fine_total_merge(&into->imbalance, from->imbalance);
  fine_total_merge(&into->imbalance_scaled, from->imbalance_scaled);
  fine_total_merge(&into->lost, from->lost);
  fine_total_merge(&into->to_win, from->to_win);
  fine_total_merge(&into->lost_capacity, from->lost_capacity);
  fine_total_merge(&into->overhead, from->overhead);
  into->late += from->late;
  into->wait += from->wait;
  into->chunks += from->chunks;
  into->iterations += from->iterations;
  merge_add_parts(&into->parts, &from->parts);
  into->locked += from->locked;
  into->tasks += from->tasks;
  into->dependent += from->dependent;
}

static bool add_estimates(struct imbalance_construct *into, const struct imbalance_construct *from)
{
  into->omitted += from->omitted;
  if (!from->more)
    return true;
  if (!into->more && !(into->more = calloc(IMBALANCE_FIGURES, sizeof *into->more)))
    return false;
  for (size_t i = 0; i < IMBALANCE_FIGURES; i++)
    estimate_add(&into->more[i], &from->more[i]);
  return true;
}

static bool imbalance_merge(void *to, void *other)
{
  struct imbalance *into = to;
  const struct imbalance *from = other;
  for (uint32_t i = 0; i < from->count; i++) {
    if (!merge_add_threads(&into->constructs[i], &from->constructs[i], from->locations) ||
        !add_estimates(&into->constructs[i], &from->constructs[i]) ||
        !course_merge(&into->constructs[i].course, from->constructs[i].course))
      return false;
    merge_add_construct(&into->constructs[i], &from->constructs[i]);
  }
  for (uint32_t i = 0; i < from->locations; i++)
    into->alone[i] += from->alone[i];
  into->lifetimes += from->lifetimes;
  into->estimated += from->estimated;
  into->not_measured += from->not_measured;
  into->excluded += from->excluded;
  return wait_pairs_merge(into, from);
}

const struct analysis imbalance_analysis = {.name = "imbalance",
                                            .state_size = sizeof(struct imbalance_analysis),
                                            .result_size = sizeof(struct imbalance),
                                            .begin = imbalance_begin,
                                            .lanes = {.before = true,
                                                      .lane_size = sizeof(struct follower),
                                                      .begin = begin_lane,
                                                      .event = follower_event,
                                                      .end = follower_end,
                                                      .close = close_lane,
                                                      .queue = follower_queue,
                                                      .take = take_item},
                                            .adapt = adapt,
                                            .end = imbalance_end,
                                            .drop = drop,
                                            .merge = imbalance_merge,
                                            .free = imbalance_free};
