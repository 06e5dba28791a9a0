/* The program's events: attributes, sums, order, relations, and what is kept of many; hand-made with known answers. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/writing.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/events/events.h"
#include "analyzer/analyses/events/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, MANY = 1000 };

/*
 * Thread t has event `step` at 10 i + t, i = 0 .. 9, with `i` and with `weight` = 100 - i, which is the program's, and
 * no weight. Thread 0 has `odd` in between: no number, and the same name with two types. Thread 1 has `many`.
 */
struct made {
  struct fixture *fixture;
  struct trace *trace;
  struct pool *pool;
  struct error error;
};

static uint32_t event_region(struct fixture *fixture, const char *name)
{
  uint32_t region = fixture_region(fixture, name, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, 0);
  fixture_describe(fixture, region, "kind: event");
  return region;
}

static void put_steps(struct fixture *fixture, uint32_t thread, uint32_t step, uint32_t i, uint32_t weight)
{
  for (uint32_t k = 0; k < 10; k++) {
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    CHECK(OTF2_AttributeList_AddInt64(list, i, k));
    CHECK(OTF2_AttributeList_AddDouble(list, weight, 100 - (double)k));
    fixture_user_event(fixture, thread, 100 + 10 * k + thread, step, list);
  }
}

static struct made make(void)
{
  struct made made = {.fixture = fixture_create()};
  struct fixture *f = made.fixture;
  uint32_t step = event_region(f, "step"), odd = event_region(f, "odd"), many = event_region(f, "many");
  uint32_t skipped =
      fixture_region(f, "skipped instances", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  uint32_t unpark = fixture_region(f, "unpark @A.java:3", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD, 3);
  uint32_t i = fixture_attribute(f, "i", OTF2_TYPE_INT64), weight = fixture_attribute(f, "weight", OTF2_TYPE_DOUBLE);
  uint32_t same = fixture_attribute(f, "same", OTF2_TYPE_INT64),
           same_too = fixture_attribute(f, "same", OTF2_TYPE_DOUBLE);
  for (uint32_t t = 0; t < THREADS; t++) {
    uint32_t thread = fixture_location(f, "thread");
    put_steps(f, thread, step, i, weight);
  }
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  CHECK(OTF2_AttributeList_AddInt64(list, same, INT64_MIN));
  CHECK(OTF2_AttributeList_AddDouble(list, same_too, NAN));
  fixture_user_event(f, 0, 300, odd, list);
  fixture_unpark(f, 0, 310, unpark, 7);
  for (uint32_t k = 0; k < MANY; k++) {
    list = OTF2_AttributeList_New();
    CHECK(OTF2_AttributeList_AddInt64(list, i, k));
    fixture_user_event(f, 1, 400 + k, many, list);
  }
  fixture_enter_weighted(f, 1, 2000, many, 50);
  fixture_leave(f, 1, 2000, many);
  fixture_omitted(f, 1, 2100, skipped, (struct fixture_instances){many, 7});
  made.trace = trace_open(fixture_finish(f), &made.error);
  assert_non_null(made.trace);
  made.pool = pool_create(2);
  assert_non_null(made.pool);
  return made;
}

static void drop(struct made *made)
{
  pool_destroy(made->pool);
  trace_close(made->trace);
  fixture_destroy(made->fixture);
}

static const struct points_values *values_of(const struct made *made, const struct points_row *row, const char *name)
{
  for (size_t i = 0; i < row->values.count; i++)
    if (strcmp(point_attribute_name(made->trace, row->values.items[i].attribute), name) == 0)
      return &row->values.items[i];
  return NULL;
}

static void sums_are_exact(void **state)
{
  (void)state;
  struct made made = make();
  struct points_sums sums;
  const struct point_selection selection = {.origin = POINTS_OF_USER};
  assert_true(points_add_up(made.trace, made.pool, &selection, &sums, &made.error));
  assert_int_equal(sums.totals.count, 3);
  const struct points_row *many = &sums.totals.items[0], *step = &sums.totals.items[1], *odd = &sums.totals.items[2];
  assert_string_equal(point_type_name(made.trace, many->type), "many");
  assert_int_equal(many->count, MANY + 50 + 7);
  assert_int_equal(many->recorded, MANY + 1);
  assert_int_equal(many->locations, 1);
  assert_int_equal(step->count, 20);
  assert_int_equal(step->locations, 2);
  assert_int_equal(step->first, 100);
  assert_int_equal(step->last, 191);
  const struct points_values *i = values_of(&made, step, "i"), *weight = values_of(&made, step, "weight");
  assert_int_equal(i->numbers, 20);
  assert_int_equal(i->least.integer, 0);
  assert_int_equal(i->most.integer, 9);
  assert_true(i->sum == 90);
  assert_true(weight->least.real == 91 && weight->most.real == 100 && weight->sum == 2 * 955);
  const struct points_values *same = values_of(&made, odd, "same");
  assert_int_equal(odd->values.count, 1); /* one name, two types */
  assert_int_equal(same->numbers, 1);
  assert_int_equal(same->nans, 1);
  assert_true(same->least.integer == INT64_MIN);
  assert_int_equal(sums.rows.count, 4);
  points_sums_free(&sums);
  drop(&made);
}

struct seen {
  const struct trace *trace;
  uint64_t last;
  uint32_t count, unparks;
  int64_t i;
};

static bool take(void *context, const struct point *point)
{
  struct seen *seen = context;
  assert_true(point->time >= seen->last);
  seen->last = point->time;
  seen->count++;
  if (!point_type_is_of_user(seen->trace, point->type)) {
    assert_string_equal(point_attribute_name(seen->trace, point->values[0].attribute), "thread");
    assert_int_equal(point->values[0].natural, 7);
    seen->unparks++;
  } else if (strcmp(point_type_name(seen->trace, point->type), "step") == 0) {
    assert_int_equal(point->count, 2);
    assert_int_equal(point->time, 100 + 10 * point->values[0].integer + point->location);
    assert_true(point->values[1].real == 100 - (double)point->values[0].integer);
  } else if (point->count == 1) {
    assert_int_equal(point->values[0].integer, seen->i++);
  }
  return true;
}

static void all_threads_come_in_order_of_time(void **state)
{
  (void)state;
  struct made made = make();
  struct seen seen = {.trace = made.trace};
  const struct point_selection all = {.origin = POINTS_OF_ALL};
  assert_true(points_in_order(made.trace, made.pool, &all, take, &seen, &made.error));
  assert_int_equal(seen.count, 20 + 1 + 1 + MANY + 1);
  assert_int_equal(seen.unparks, 1);
  assert_int_equal(seen.i, MANY);
  drop(&made);
}

static void types_and_relations_choose(void **state)
{
  (void)state;
  struct made made = make();
  struct point_relation relations[2];
  const char *const types[] = {"st?p", "none"};
  assert_true(point_relation_read("i>=3", &relations[0]));
  assert_true(point_relation_read(" weight != 95 ", &relations[1]));
  const struct point_selection some = {
      .origin = POINTS_OF_USER, .types = types, .type_count = 2, .relations = relations, .relation_count = 2};
  struct seen seen = {.trace = made.trace};
  assert_true(points_in_order(made.trace, made.pool, &some, take, &seen, &made.error));
  assert_int_equal(seen.count, 2 * (7 - 1));
  drop(&made);
}

static void relations_are_read(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double value;
    bool holds;
  } good[] = {{"a=1", 1, true},    {"a == 1", 1, true}, {"a!=1", 1, false},   {"a<1", 0.5, true}, {"a<=1", 1, true},
              {"a > 1", 1, false}, {"a>=1", 1, true},   {"a>-1e3", -5, true}, {"a=x", 1, false},  {"a!=x", 1, true}};
  static const char *const bad[] = {"", "a", "=1", "a=", "a>x", "a!1", "a 1", " <3"};
  struct point_relation relation;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct trace_value value = {.type = TRACE_REAL, .real = good[i].value};
    assert_true(point_relation_read(good[i].text, &relation));
    assert_true(point_relation_is_about(&relation, "a"));
    assert_int_equal(point_relation_holds(&relation, &value), good[i].holds);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(point_relation_read(bad[i], &relation));
  assert_true(point_relation_read("object class = java.lang.Object", &relation));
  assert_true(point_relation_holds(&relation, &(struct trace_value){.type = TRACE_TEXT, .text = "java.lang.Object"}));
  assert_true(point_relation_read("a = 9223372036854775807", &relation)); /* no double distinguishes it from its
                                                                           * neighbour */
  assert_true(point_relation_holds(&relation, &(struct trace_value){.type = TRACE_INTEGER, .integer = INT64_MAX}));
  assert_false(point_relation_holds(&relation, &(struct trace_value){.type = TRACE_INTEGER, .integer = INT64_MAX - 1}));
}

static struct points_kept keep(struct made *made, size_t most)
{
  static const struct point_selection of_user = {.origin = POINTS_OF_USER};
  struct points_kept kept;
  const struct points_options options = {&of_user, most};
  assert_true(analysis_find(&points_analysis, made->trace, made->pool, &options, &kept, &made->error));
  return kept;
}

/* Weights of all kept ones add up to all, however few are kept; each is the first of its group. */
static void few_stand_for_many(void **state)
{
  (void)state;
  static const size_t limits[] = {100000, 500, 200, 1};
  struct made made = make();
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    struct points_kept kept = keep(&made, limits[k]);
    assert_int_equal(kept.lists.count, 4);
    const struct points_list *many = &kept.lists.items[3];
    uint64_t weights = 0;
    for (size_t i = 0; i < many->points.count; i++) {
      weights += many->points.items[i].weight;
      if (many->points.items[i].count > 0) {
        assert_int_equal(many->values.items[many->points.items[i].first].integer, i * many->every);
        assert_int_equal(many->points.items[i].time, 400 + i * many->every);
      }
    }
    assert_int_equal(weights, MANY + 50);
    assert_int_equal(many->missing, 7);
    assert_int_equal(many->points.count, (MANY + many->every) / many->every);
    assert_true(k > 0 || many->every == 1);
    assert_true(many->points.count <= (limits[k] > POINTS_KEPT_LEAST ? limits[k] : POINTS_KEPT_LEAST));
    analysis_free(&points_analysis, &kept);
  }
  drop(&made);
}

static void the_command_prints_them(void **state)
{
  (void)state;
  struct made made = make();
  struct outcome o;
  const char *directory = made.trace->anchor;
  run(&o, KEEP_OUTPUT, "events --list --csv --type odd --type step --where 'i<1' %s", directory);
  assert_int_equal(o.status, 0);
  assert_string_equal(o.out, "time_ticks,time_s,thread,thread_name,event,weight,attribute.i,attribute.weight\n"
                             "100,0.000100000,0,thread,step,1,0,100\n"
                             "101,0.000101000,1,thread,step,1,0,100\n");
  run(&o, KEEP_OUTPUT, "events --list --type odd %s", directory);
  assert_non_null(strstr(o.out, "same=-9223372036854775808 same=nan\n"));
  run(&o, KEEP_OUTPUT, "events --csv --type none %s", directory);
  assert_int_equal(o.status, 0);
  run(&o, KEEP_ERRORS, "events --where 'i>>1' %s", directory);
  assert_int_equal(o.status, 2);
  assert_one_line(o.out);
  drop(&made);
}

UNIT_TEST(points)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_exact),
      cmocka_unit_test(all_threads_come_in_order_of_time),
      cmocka_unit_test(types_and_relations_choose),
      cmocka_unit_test(relations_are_read),
      cmocka_unit_test(few_stand_for_many),
      cmocka_unit_test(the_command_prints_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
