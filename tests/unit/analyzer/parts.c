#include "tests/unit/analyzer/parts.h"
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
  lane->inner = by->inner->open(by->inner->context, &lane->location, error);
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
  lane->by->inner->close(lane->by->inner->context, lane->inner);
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

bool per_location_find(const struct trace *trace, struct pool *pool, const bool *chosen, struct per_location *found)
{
  struct error error = {0};
  struct census_taker *census = census_begin(trace, pool, &error);
  struct states_adder *sums = states_sums_begin(trace, pool, &error);
  struct unrecorded_taker *skipped = unrecorded_begin(trace, pool, &error);
  assert_true(census && sums && skipped);
  struct restricted restricted[3];
  restrict_to(&restricted[0], census_subscriber(census), chosen);
  restrict_to(&restricted[1], states_sums_subscriber(sums), chosen);
  restrict_to(&restricted[2], unrecorded_subscriber(skipped), chosen);
  const struct subscriber *subscribers[] = {&restricted[0].subscriber, &restricted[1].subscriber,
                                            &restricted[2].subscriber};
  bool good = pass_locations(trace, pool, subscribers, 3, &error);
  if (good) {
    census_end(census, &found->census);
    states_sums_end(sums, &found->sums);
    unrecorded_end(skipped, &found->skipped);
  } else {
    census_drop(census);
    states_sums_drop(sums);
    unrecorded_drop(skipped);
  }
  return good;
}

bool in_order_find(const struct trace *trace, struct pool *pool, const bool *chosen, struct in_order *found)
{
  struct error error = {0};
  *found = (struct in_order){0};
  struct imbalance_options all = {.waits = true, .course = true};
  struct imbalance_finder *imbalance = imbalance_begin(trace, all, &found->imbalance, &error);
  struct locks_finder *locks = locks_begin(trace, NULL, NULL, &error);
  struct teamwork_finder *teamwork = teamwork_begin(trace, &found->teamwork, &error);
  found->schedules = schedules_begin(trace, &error);
  assert_true(imbalance && locks && teamwork && found->schedules);
  struct restricted restricted[4];
  restrict_to(&restricted[0], imbalance_subscriber(imbalance), chosen);
  restrict_to(&restricted[1], locks_subscriber(locks), chosen);
  restrict_to(&restricted[2], teamwork_subscriber(teamwork), chosen);
  restrict_to(&restricted[3], schedules_subscriber(found->schedules), chosen);
  const struct subscriber *subscribers[] = {&restricted[0].subscriber, &restricted[1].subscriber,
                                            &restricted[2].subscriber, &restricted[3].subscriber};
  if (pass_in_order(trace, pool, subscribers, 4, &error)) {
    assert_true(imbalance_end(imbalance, &error) && locks_end(locks, &found->locks, &error));
    teamwork_end(teamwork);
    return true;
  }
  imbalance_drop(imbalance);
  imbalance_free(&found->imbalance);
  locks_drop(locks);
  teamwork_drop(teamwork);
  teamwork_free(&found->teamwork);
  schedules_drop(found->schedules);
  return false;
}

void per_location_merge(struct per_location *into, struct per_location *from)
{
  census_merge(&into->census, &from->census);
  census_free(&from->census);
  assert_true(states_sums_merge(&into->sums, &from->sums));
  states_sums_free(&from->sums);
  unrecorded_merge(&into->skipped, &from->skipped);
  unrecorded_free(&from->skipped);
}

void in_order_merge(struct in_order *into, struct in_order *from)
{
  assert_true(imbalance_merge(&into->imbalance, &from->imbalance));
  imbalance_free(&from->imbalance);
  assert_true(locks_merge(&into->locks, &from->locks));
  locks_free(&from->locks);
  schedules_merge(into->schedules, from->schedules);
  assert_true(teamwork_merge(&into->teamwork, &from->teamwork));
  teamwork_free(&from->teamwork);
}
