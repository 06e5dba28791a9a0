/* A pass in order of time over more locations than are read in a round: the order, and how much waits. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/trace/pass/pass.h"

#include <stdlib.h>

enum { LOCATIONS = 400, EVENTS = 600, IN_A_ROUND = 128, AT_FIRST = 64 };

struct item {
  uint64_t time;
};

struct lane {
  struct item_queue queue;
  _Atomic size_t *added;
  const struct machine_view *view;
};

struct watch {
  _Atomic size_t added; /* items */
  size_t taken, most;   /* most: that waited */
  uint64_t last;        /* time */
  uint32_t last_location;
  uint32_t of[LOCATIONS];     /* taken */
  const struct watch *others; /* of a subscriber that has its turn before; NULL: of none */
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct watch *watch = context;
  struct lane *lane = malloc(sizeof *lane);
  (void)error;
  assert_non_null(lane);
  *lane = (struct lane){.queue = {.size = sizeof(struct item), .time_at = offsetof(struct item, time)},
                        .added = &watch->added,
                        .view = location->view};
  return lane;
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  item_queue_free(&((struct lane *)lane)->queue);
  free(lane);
}

static bool add_item(void *context, const struct trace_event *event)
{
  struct lane *lane = context;
  struct item *item = item_queue_add(&lane->queue);
  if (item)
    item->time = event->time;
  ++*lane->added;
  return item;
}

static struct item_queue *queue_of(void *lane)
{
  return &((struct lane *)lane)->queue;
}

static bool take_item(void *context, uint32_t location, void *item)
{
  struct watch *watch = context;
  uint64_t time = ((struct item *)item)->time;
  assert_true(!watch->others || watch->others->taken > watch->taken);
  size_t waiting = watch->added - watch->taken++;
  watch->most = waiting > watch->most ? waiting : watch->most;
  /* If times are equal, the item of the lower number comes first. */
  assert_true(time > watch->last || (time == watch->last && location >= watch->last_location));
  watch->last = time;
  watch->last_location = location;
  watch->of[location]++;
  return true;
}

/* So many ticks are between the first events of two locations. Returns how many items waited at most. */
static size_t most_waiting(uint64_t apart)
{
  struct error error = {""};
  struct fixture *fixture = fixture_create();
  uint32_t region = fixture_region(fixture, "f", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 1);
  for (unsigned i = 0; i < LOCATIONS; i++) {
    uint32_t location = fixture_location(fixture, "thread");
    uint64_t first = 10 + apart * (i * 7 % LOCATIONS);
    for (unsigned event = 0; event < EVENTS; event += 2) {
      fixture_enter(fixture, location, first + event, region);
      fixture_leave(fixture, location, first + event + 1, region);
    }
  }
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  struct pool *pool = pool_create(2);
  assert_true(trace && pool);
  struct watch watch = {0}, after = {.others = &watch};
  const struct subscriber subscriber = {.context = &watch,
                                        .open = open_lane,
                                        .event = add_item,
                                        .close = close_lane,
                                        .queue = queue_of,
                                        .take = take_item};
  struct subscriber second = subscriber;
  second.context = &after;
  second.after_others = true;
  const struct subscriber *list[] = {&second, &subscriber};
  assert_true(pass_in_order(trace, pool, list, 2, &error));
  assert_int_equal(after.taken, LOCATIONS * EVENTS);
  assert_int_equal(watch.taken, LOCATIONS * EVENTS);
  for (unsigned i = 0; i < LOCATIONS; i++)
    assert_int_equal(watch.of[i], EVENTS);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(fixture);
  return watch.most;
}

/* Each begins when the one before it has ended: only the first events of each wait, and all events of one round. */
static void those_far_ahead_are_not_read(void **state)
{
  (void)state;
  size_t most = most_waiting(2 * EVENTS);
  assert_true(most <= LOCATIONS * AT_FIRST + IN_A_ROUND * EVENTS);
}

static void those_in_step_come_in_order(void **state)
{
  (void)state;
  most_waiting(0);
  most_waiting(1);
}

UNIT_TEST(in_order)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(those_far_ahead_are_not_read),
      cmocka_unit_test(those_in_step_come_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
