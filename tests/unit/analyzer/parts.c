#include "tests/unit/analyzer/parts.h"
#include "base/count_of.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

/* A subscriber that sees the events of chosen locations alone. The pass reads the others in vain. */
struct restricted {
  struct subscriber subscriber;
  const struct subscriber *inner;
  const bool *chosen;
};

struct restricted_lane {
  const struct restricted *by;
  bool chosen;
  const struct pass_location *whole;
  struct pass_location location; /* what the inner one sees of it */
  void *inner;
};

static const struct machine_view without_events = {.depth = 1};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct restricted *by = context;
  struct restricted_lane *lane = calloc(1, sizeof *lane);
  assert_non_null(lane);
  *lane = (struct restricted_lane){
      .by = by, .chosen = by->chosen[location->number], .whole = location, .location = *location};
  if (!lane->chosen)
    lane->location.view = &without_events;
  if (by->inner->open) {
    lane->inner = by->inner->open(by->inner->context, &lane->location, error);
  } else {
    lane->inner = calloc(1, by->inner->lane_size);
    assert_true(lane->inner && by->inner->begin(by->inner->context, lane->inner, &lane->location, error));
  }
  assert_non_null(lane->inner);
  return lane;
}

static void brought_by(void *of, unsigned worker)
{
  const struct restricted_lane *lane = of;
  lane->by->inner->brought_by(lane->inner, worker);
}

static bool take_event(void *of, const struct trace_event *event)
{
  const struct restricted_lane *lane = of;
  return !lane->chosen || lane->by->inner->event(lane->inner, event);
}

static void take_interval(void *of, const struct state_interval *interval)
{
  const struct restricted_lane *lane = of;
  if (lane->chosen)
    lane->by->inner->interval(lane->inner, interval);
}

static bool end_lane(void *of)
{
  struct restricted_lane *lane = of;
  if (lane->chosen)
    lane->location = *lane->whole; /* its life is known now */
  return lane->by->inner->end(lane->inner);
}

static void close_lane(void *context, void *of)
{
  struct restricted_lane *lane = of;
  (void)context;
  if (lane->by->inner->close)
    lane->by->inner->close(lane->by->inner->context, lane->inner);
  if (!lane->by->inner->open)
    free(lane->inner);
  free(lane);
}

static struct item_queue *queue(void *of)
{
  const struct restricted_lane *lane = of;
  return lane->by->inner->queue(lane->inner);
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct restricted *by = context;
  return by->inner->take(by->inner->context, location, item);
}

static void restrict_to(struct restricted *restricted, const struct subscriber *inner, const bool *chosen)
{
  *restricted = (struct restricted){.inner = inner, .chosen = chosen};
  restricted->subscriber = (struct subscriber){.context = restricted,
                                               .stateless = inner->stateless,
                                               .open = open_lane,
                                               .brought_by = inner->brought_by ? brought_by : NULL,
                                               .event = inner->event ? take_event : NULL,
                                               .interval = inner->interval ? take_interval : NULL,
                                               .end = inner->end ? end_lane : NULL,
                                               .close = close_lane,
                                               .queue = inner->queue ? queue : NULL,
                                               .take = inner->take ? take_item : NULL};
}

/* Makes the analyses of chosen locations in one pass. False: the trace cannot be read, and all are dropped. */
static bool find(const struct trace *trace, struct pool *pool, const bool *chosen, const struct analysis_task *tasks,
                 struct running_analysis *running, unsigned count)
{
  enum { MOST = 4 };
  struct error error;
  struct restricted restricted[MOST];
  const struct subscriber *subscribers[MOST];
  bool ordered = false;
  assert_true(count <= MOST);
  for (unsigned i = 0; i < count; i++) {
    assert_true(running_analysis_begin(&running[i], tasks[i].analysis, trace, pool, tasks[i].options, &error));
    restrict_to(&restricted[i], &running[i].subscriber, chosen);
    subscribers[i] = &restricted[i].subscriber;
    ordered |= subscribers[i]->queue != NULL;
  }
  if ((ordered ? pass_in_order : pass_locations)(trace, pool, subscribers, count, &error))
    return true;
  for (unsigned i = 0; i < count; i++)
    running_analysis_drop(&running[i], NULL);
  return false;
}

static void end(struct running_analysis *running, const struct analysis_task *tasks, unsigned count)
{
  struct error error;
  for (unsigned i = 0; i < count; i++)
    if (!running_analysis_end(&running[i], tasks[i].result, &error))
      fail_msg("%s", error.message);
}

bool per_location_find(const struct trace *trace, struct pool *pool, const bool *chosen, struct per_location *found)
{
  const struct analysis_task tasks[] = {{&census_analysis, NULL, &found->census},
                                        {&states_sums_analysis, NULL, &found->sums},
                                        {&omitted_analysis, NULL, &found->omitted}};
  struct running_analysis running[COUNT_OF(tasks)];
  if (!find(trace, pool, chosen, tasks, running, COUNT_OF(tasks)))
    return false;
  end(running, tasks, COUNT_OF(tasks));
  return true;
}

/* The schedules are merged before they end: theirs is the last one. */
bool in_order_find(const struct trace *trace, struct pool *pool, const bool *chosen, struct in_order *found)
{
  static const struct imbalance_options all = {.waits = true, .course = true};
  static const uint32_t threads[] = {2, 7};
  static const struct schedules_options teams = {threads, COUNT_OF(threads)};
  *found = (struct in_order){0};
  const struct analysis_task tasks[] = {{&imbalance_analysis, &all, &found->imbalance},
                                        {&locks_analysis, NULL, &found->locks},
                                        {&teamwork_analysis, NULL, &found->teamwork},
                                        {&schedules_analysis, &teams, NULL}};
  struct running_analysis running[COUNT_OF(tasks)];
  if (!find(trace, pool, chosen, tasks, running, COUNT_OF(tasks)))
    return false;
  end(running, tasks, COUNT_OF(tasks) - 1);
  found->schedules = running[COUNT_OF(tasks) - 1];
  return true;
}

void per_location_merge(struct per_location *into, struct per_location *from)
{
  assert_true(analysis_merge(&census_analysis, &into->census, &from->census));
  assert_true(analysis_merge(&states_sums_analysis, &into->sums, &from->sums));
  assert_true(analysis_merge(&omitted_analysis, &into->omitted, &from->omitted));
}

void in_order_merge(struct in_order *into, struct in_order *from)
{
  assert_true(analysis_merge(&imbalance_analysis, &into->imbalance, &from->imbalance));
  assert_true(analysis_merge(&locks_analysis, &into->locks, &from->locks));
  schedules_merge(&into->schedules, &from->schedules);
  assert_true(analysis_merge(&teamwork_analysis, &into->teamwork, &from->teamwork));
}
