/* What lies inside slow intervals equals what a list of all states says, interval by interval. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/intervals/interval_contents.h"
#include "analyzer/analyses/states/survey.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, KINDS = 2, REGIONS = 2, STEPS = 60, END = 10000 };

struct scene {
  struct fixture *f;
  struct trace *trace;
  struct pool *pool;
};

/* Numbers that look random and are the same every time. */
static uint32_t next_number(uint32_t *state, uint32_t below)
{
  *state = *state * 1664525 + 1013904223;
  return (*state >> 8) % below;
}

static int set_up(void **state)
{
  static struct scene s;
  uint32_t random = 7, regions[REGIONS];
  s = (struct scene){.f = fixture_create(), .pool = pool_create(2)};
  regions[0] = fixture_region(s.f, "park @A.java:4", OTF2_REGION_ROLE_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, 4);
  regions[1] = fixture_region(s.f, "!$omp for @a.c:3", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP, 3);
  for (uint32_t i = 0; i < THREADS; i++) {
    uint32_t location = fixture_location(s.f, "thread");
    uint64_t time = 10;
    for (unsigned k = 0; k < STEPS; k++) {
      uint32_t region = regions[next_number(&random, REGIONS)];
      fixture_enter(s.f, location, time += next_number(&random, 80), region);
      fixture_leave(s.f, location, time += next_number(&random, 80), region);
    }
  }
  struct error error;
  s.trace = trace_open(fixture_finish(s.f), &error);
  assert_non_null(s.trace);
  *state = &s;
  return 0;
}

static int tear_down(void **state)
{
  struct scene *s = *state;
  pool_destroy(s->pool);
  trace_close(s->trace);
  fixture_destroy(s->f);
  return 0;
}

static void put(struct intervals_taken *taken, uint32_t kind, uint32_t from, uint32_t to, uint64_t begin, uint64_t end)
{
  const struct spec_interval interval = {.index = kind};
  struct match_point start = {.time = begin, .thread = from}, last = {.time = end, .thread = to};
  assert_true(intervals_take(taken, &interval, &start, &last));
}

/* The ticks of one row, by trying all pairs of an interval and a state. */
struct counted {
  const struct intervals_taken *taken;
  const struct inside_row *row;
  uint32_t location;
  wide_total slow, others;
};

static enum inside_thread thread_of(const struct interval_taken *one, uint32_t location, bool *is)
{
  *is = one->from == location || one->to == location;
  return one->from == one->to ? INSIDE_SAME : one->from == location ? INSIDE_FROM : INSIDE_TO;
}

static void count_state(void *context, const struct state_interval *state)
{
  struct counted *counted = context;
  if (state->state != counted->row->state || state->construct != counted->row->construct)
    return;
  for (size_t i = 0; i < counted->taken->list.count; i++) {
    const struct interval_taken *one = &counted->taken->list.items[i];
    bool is;
    enum inside_thread thread = thread_of(one, counted->location, &is);
    uint64_t begin = one->begin > state->start ? one->begin : state->start;
    uint64_t end = one->end < state->end ? one->end : state->end;
    if (is && thread == counted->row->thread && one->kind == counted->row->kind && end > begin)
      *(one->slow ? &counted->slow : &counted->others) += end - begin;
  }
}

/* Every row has the right sums, and no time is missing: the rows are as many ticks as intervals and states share. */
static void check_rows(const struct scene *s, const struct intervals_taken *taken, const struct inside *inside)
{
  struct error error;
  for (size_t i = 0; i < inside->row_count; i++) {
    struct counted counted = {.taken = taken, .row = &inside->rows[i]};
    for (uint32_t k = 0; k < THREADS; k++) {
      counted.location = k;
      assert_true(states_list(s->trace, k, count_state, &counted, &error));
    }
    assert_true(counted.slow == inside->rows[i].slow && counted.others == inside->rows[i].others);
    assert_true(counted.slow + counted.others > 0);
  }
}

struct shared {
  const struct intervals_taken *taken;
  uint32_t location;
  wide_total ticks;
};

static void add_shared(void *context, const struct state_interval *state)
{
  struct shared *shared = context;
  for (size_t i = 0; i < shared->taken->list.count; i++) {
    const struct interval_taken *one = &shared->taken->list.items[i];
    uint64_t begin = one->begin > state->start ? one->begin : state->start;
    uint64_t end = one->end < state->end ? one->end : state->end;
    if ((one->from == shared->location || one->to == shared->location) && end > begin)
      shared->ticks += end - begin;
  }
}

static void all_time_is_told(void **state)
{
  const struct scene *s = *state;
  struct error error;
  uint32_t random = 3;
  for (unsigned round = 0; round < 5; round++) {
    struct intervals_taken taken = {0};
    struct inside inside;
    for (unsigned i = 0; i < 100; i++) {
      uint64_t begin = next_number(&random, END), end = begin + (i % 10 ? next_number(&random, 300) : 0);
      put(&taken, next_number(&random, KINDS), next_number(&random, THREADS), next_number(&random, THREADS), begin,
          end);
    }
    struct inside_slow slow = {.longest = round % 2 * 7, .part = 0.2};
    assert_true(inside_find(s->trace, s->pool, &taken, KINDS, slow, NULL, &inside, &error));
    check_rows(s, &taken, &inside);
    wide_total told = 0;
    for (size_t i = 0; i < inside.row_count; i++)
      told += inside.rows[i].slow + inside.rows[i].others;
    struct shared shared = {.taken = &taken};
    for (; shared.location < THREADS; shared.location++)
      assert_true(states_list(s->trace, shared.location, add_shared, &shared, &error));
    assert_true(told == shared.ticks && told > 0);
    inside_free(&inside);
    vector_free(&taken.list);
  }
}

static void the_longest_are_slow(void **state)
{
  const struct scene *s = *state;
  struct error error;
  struct inside inside;
  struct intervals_taken taken = {0};
  for (uint64_t i = 0; i < 21; i++)
    put(&taken, 1, 0, 1, 100 - i, 200 + i);
  assert_true(inside_find(s->trace, s->pool, &taken, KINDS, (struct inside_slow){.part = 0.1}, NULL, &inside, &error));
  assert_true(inside.kinds[0].slow.count == 0 && inside.kinds[0].others.count == 0);
  assert_int_equal(inside.kinds[1].slow.count, 3);      /* a tenth, rounded up */
  assert_int_equal(inside.kinds[1].slow.shortest, 136); /* 100 + 2 * 18 */
  assert_true(inside.kinds[1].slow.total == 136 + 138 + 140 && inside.kinds[1].others.count == 18);
  inside_free(&inside);
  assert_true(
      inside_find(s->trace, s->pool, &taken, KINDS, (struct inside_slow){.longest = 50}, NULL, &inside, &error));
  assert_true(inside.kinds[1].slow.count == 21 && inside.kinds[1].others.count == 0);
  inside_free(&inside);
  vector_free(&taken.list);
}

/* Samples of a timer count where intervals are open: from their begin up to, but without, their end. */
static void samples_are_told_by_function(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t region = fixture_region(f, "!$omp for @a.c:3", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP, 3);
  for (uint32_t i = 0; i < 2; i++) {
    fixture_location(f, i ? "one" : "zero");
    fixture_enter(f, i, 100, region);
    fixture_leave(f, i, 1000, region);
  }
  fixture_archive_property(f, "HEDDLE::SAMPLES", "1");
  const char *directory = fixture_finish(f);
  struct taken *s = taken_create(directory);
  uint32_t timer = taken_trigger(s, "cpu", true, 1000), faults = taken_trigger(s, "page-faults", false, 1);
  uint32_t work = taken_context(s, TAKEN_TOP, taken_function(s, "work"), 4);
  uint32_t wait = taken_context(s, TAKEN_TOP, taken_function(s, "wait"), 5);
  taken_take(s, 0, 150, work, timer, 7); /* nothing is open */
  taken_take(s, 0, 200, work, timer, 2);
  taken_take(s, 0, 250, wait, timer, 3);
  taken_take(s, 0, 250, wait, faults, 9); /* no timer took it */
  taken_take(s, 0, 300, work, timer, 5);  /* the first one has ended, the second is open */
  taken_take(s, 1, 450, work, timer, 1);
  taken_finish(s);
  struct error error;
  bool none;
  struct trace *trace = trace_open(directory, &error);
  struct pool *pool = pool_create(2);
  struct samples *samples = samples_open(trace, &none, &error);
  struct intervals_taken taken = {0};
  struct inside inside;
  assert_non_null(samples);
  put(&taken, 0, 0, 0, 200, 300);
  put(&taken, 0, 0, 0, 240, 500); /* the slow one */
  put(&taken, 1, 0, 1, 440, 460);
  assert_true(inside_find(trace, pool, &taken, KINDS, (struct inside_slow){.longest = 1}, samples, &inside, &error));
  struct {
    const char *function;
    uint32_t kind;
    enum inside_thread thread;
    unsigned slow, others, seen;
  } wanted[] = {{"work", 0, INSIDE_SAME, 5, 2, 0}, {"wait", 0, INSIDE_SAME, 3, 3, 0}, {"work", 1, INSIDE_TO, 1, 0, 0}};
  unsigned rows = 0;
  for (size_t i = 0; i < inside.row_count; i++) {
    const struct inside_row *row = &inside.rows[i];
    rows += row->state == INSIDE_SAMPLES;
    for (unsigned k = 0; row->state == INSIDE_SAMPLES && k < 3; k++)
      wanted[k].seen += row->kind == wanted[k].kind && row->thread == wanted[k].thread &&
                        strcmp(samples->functions[row->construct].name, wanted[k].function) == 0 &&
                        row->slow == wanted[k].slow && row->others == wanted[k].others;
  }
  assert_int_equal(rows, 3);
  for (unsigned k = 0; k < 3; k++)
    assert_int_equal(wanted[k].seen, 1);
  inside_free(&inside);
  vector_free(&taken.list);
  samples_close(samples);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(f);
}

UNIT_TEST(intervals_inside)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(all_time_is_told, set_up, tear_down),
                                     cmocka_unit_test(samples_are_told_by_function),
                                     cmocka_unit_test_setup_teardown(the_longest_are_slow, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
