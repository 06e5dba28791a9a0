/* What was counted by thread, construct and state, and what findings make of it, in hand-made archives. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/counters/counters.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"instructions", "cycles:u"};

struct summed {
  struct fixture *fixture;
  struct trace *trace;
  struct counters counters;
};

static struct summed sum_up(struct fixture *fixture, unsigned jobs)
{
  struct summed summed = {.fixture = fixture};
  struct error error;
  const char *directory = fixture_finish(fixture);
  struct pool *pool = pool_create(jobs);
  assert_non_null(pool);
  summed.trace = trace_open(directory, &error);
  assert_non_null(summed.trace);
  assert_true(analysis_find(&counters_analysis, summed.trace, pool, NULL, &summed.counters, &error));
  pool_destroy(pool);
  return summed;
}

static void drop_sums(struct summed *summed)
{
  analysis_free(&counters_analysis, &summed->counters);
  trace_close(summed->trace);
  fixture_destroy(summed->fixture);
}

/* Counts of a thread in a region (by name; NULL: none) and a state; zero: there is no such row. */
static struct counter_sum of(const struct summed *summed, uint32_t location, const char *region, enum state state,
                             unsigned counter)
{
  for (size_t i = 0; i < summed->counters.rows.count; i++) {
    const struct counters_row *row = &summed->counters.rows.items[i];
    const char *name = row->construct == TRACE_NONE ? NULL : summed->trace->regions[row->construct].name;
    bool same = region && name ? strcmp(region, name) == 0 : region == name;
    if (row->location == location && row->state == state && same)
      return *counters_sum(&summed->counters, row, counter);
  }
  return (struct counter_sum){0};
}

static uint64_t total(const struct summed *summed, uint32_t location, unsigned counter)
{
  wide_total sum = 0;
  for (size_t i = 0; i < summed->counters.rows.count; i++)
    if (summed->counters.rows.items[i].location == location)
      sum += counters_sum(&summed->counters, &summed->counters.rows.items[i], counter)->count;
  return (uint64_t)sum;
}

static void count(struct fixture *f, uint32_t location, uint64_t time, uint64_t first, uint64_t second)
{
  fixture_count(f, location, time, (uint64_t[]){first, second});
}

/* A thread that enters a region at 100, and leaves it at 200; it lives from 0 to 300. */
static struct fixture *begin_thread(uint32_t *region, uint32_t *location)
{
  struct fixture *f = fixture_create();
  fixture_counters(f, names, 2);
  *location = fixture_location(f, "main");
  *region = fixture_openmp(f, "!$omp masked", OTF2_REGION_ROLE_MASTER);
  fixture_thread_begin(f, *location, 0);
  return f;
}

static void each_stretch_has_its_counts(void **state)
{
  (void)state;
  uint32_t region, thread;
  struct fixture *f = begin_thread(&region, &thread);
  count(f, thread, 0, 0, 0);
  count(f, thread, 100, 1000, 7);
  fixture_enter(f, thread, 100, region);
  count(f, thread, 200, 1500, 7);
  fixture_leave(f, thread, 200, region);
  count(f, thread, 300, 1501, 10);
  fixture_thread_end(f, thread, 300);
  struct summed s = sum_up(f, 1);
  struct counter_sum outside = of(&s, 0, NULL, STATE_RUN, 0), inside = of(&s, 0, "!$omp masked", STATE_RUN, 0);
  assert_int_equal(s.counters.count, 2);
  assert_int_equal(outside.count, 1001);
  assert_int_equal(outside.ticks, 200);
  assert_int_equal(inside.count, 500);
  assert_int_equal(inside.ticks, 100);
  assert_int_equal(outside.shared_ticks + inside.shared_ticks + outside.shared + inside.others, 0);
  assert_int_equal(of(&s, 0, NULL, STATE_RUN, 1).count, 10);
  assert_int_equal(of(&s, 0, "!$omp masked", STATE_RUN, 1).count, 0);
  assert_int_equal(counters_instructions(s.trace, &s.counters), 0);
  assert_int_equal(counters_cycles(s.trace, &s.counters), 1);
  drop_sums(&s);
}

/* From 50 to 250: 100 of these ticks are inside. */
static void others_are_shared_out_by_time(void **state)
{
  (void)state;
  uint32_t region, thread;
  struct fixture *f = begin_thread(&region, &thread);
  count(f, thread, 50, 10, 0);
  fixture_enter(f, thread, 100, region);
  fixture_leave(f, thread, 200, region);
  count(f, thread, 250, 10 + 1001, 1);
  fixture_thread_end(f, thread, 300);
  struct summed s = sum_up(f, 1);
  struct counter_sum outside = of(&s, 0, NULL, STATE_RUN, 0), inside = of(&s, 0, "!$omp masked", STATE_RUN, 0);
  assert_int_equal(outside.count + inside.count, 1001);
  assert_in_range(inside.count, 500, 501);
  assert_int_equal(inside.shared, inside.count);
  assert_int_equal(inside.others, outside.count);
  assert_int_equal(inside.shared_ticks, 100);
  assert_int_equal(outside.ticks, 100); /* not from 0 to 50, nor from 250 on */
  assert_int_equal(total(&s, 0, 1), 1);
  drop_sums(&s);
}

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (random_state >> 33) % limit;
}

/* Regions and readings at random times, also several at one time. */
static void write_randomly(struct fixture *f, uint32_t thread, const uint32_t *regions, uint64_t sums[2])
{
  uint32_t open[8], depth = 0;
  uint64_t time = random_below(5), values[2] = {random_below(1000), 0}, first[2] = {0};
  bool any = false;
  fixture_thread_begin(f, thread, time);
  for (unsigned i = 0; i < 3000; i++) {
    time += random_below(3) == 0 ? 0 : random_below(50);
    if (random_below(3) == 0) {
      values[0] += random_below(7) == 0 ? random_below(UINT64_MAX >> 20) : random_below(20);
      values[1] += random_below(3);
      count(f, thread, time, values[0], values[1]);
      memcpy(first, any ? first : values, sizeof first);
      any = true;
      sums[0] = values[0] - first[0];
      sums[1] = values[1] - first[1];
    } else if (depth < 8 && random_below(2) == 0) {
      open[depth] = regions[random_below(4)];
      fixture_enter(f, thread, time, open[depth++]);
    } else if (depth > 0) {
      fixture_leave(f, thread, time, open[--depth]);
    }
  }
  while (depth > 0)
    fixture_leave(f, thread, time, open[--depth]);
  fixture_thread_end(f, thread, time + random_below(2));
}

static void no_count_is_lost(void **state)
{
  (void)state;
  for (unsigned round = 0; round < 10; round++) {
    uint64_t sums[4][2] = {{0}};
    struct fixture *f = fixture_create();
    fixture_counters(f, names, 2);
    uint32_t regions[4], threads[4];
    for (unsigned i = 0; i < 4; i++)
      threads[i] = fixture_location(f, "thread");
    for (unsigned i = 0; i < 4; i++)
      regions[i] = fixture_openmp(f, (char[]){(char)('a' + (int)i), 0},
                                  i % 2 ? OTF2_REGION_ROLE_LOOP : OTF2_REGION_ROLE_BARRIER);
    for (unsigned i = 0; i < 4; i++)
      write_randomly(f, threads[i], regions, sums[i]);
    struct summed s = sum_up(f, 1 + round % 3);
    for (uint32_t i = 0; i < 4; i++)
      for (unsigned k = 0; k < 2; k++)
        assert_int_equal(total(&s, i, k), sums[i][k]);
    drop_sums(&s);
  }
}

/* --- Findings --- */

/* Two threads work 10000 and 30000 ticks in a loop, and count so many instructions there. borders: each thread reads at
 * the loop's, else at the region's alone. */
static struct answer ask_loop(uint64_t first, uint64_t second, bool borders)
{
  struct scene s = make_scene(2);
  const uint64_t work[] = {10000, 30000}, done[] = {first, second};
  fixture_counters(s.f, names, 2);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    count(s.f, t, 0, 0, 0);
    fixture_enter(s.f, t, 2000, s.loop);
    if (borders)
      count(s.f, t, 2000, 0, 0);
    fixture_leave(s.f, t, 2000 + work[t], s.loop);
    if (borders)
      count(s.f, t, 2000 + work[t], done[t], 0);
    cross_barrier(&s, t, 2000 + work[t], 32000);
    count(s.f, t, 32000, done[t], 0);
    end_region(&s, t, 32000);
  }
  return ask(s.f);
}

static const char *of_loop(const struct answer *a)
{
  for (size_t i = 0; i < a->all.findings.count; i++)
    if (a->all.findings.list[i].kind == FINDING_IMBALANCE && strstr(a->all.findings.list[i].text, "!$omp for"))
      return a->all.findings.list[i].text;
  fail_msg("no finding of the loop");
  return NULL;
}

static void the_same_instructions_are_not_more_work(void **state)
{
  (void)state;
  struct answer a = ask_loop(1000000, 1040000, true);
  assert_says(of_loop(&a), "; the slowest is busy 50 % longer than the mean with the same instructions (+2 %): memory, "
                           "or a slower processor, not more work");
  dismiss(&a);
}

static void more_instructions_are_more_work(void **state)
{
  (void)state;
  struct answer a = ask_loop(1000000, 3000000, true);
  assert_says(of_loop(&a),
              "; the slowest is busy 50 % longer than the mean and executes 50 % more instructions: it has more work");
  dismiss(&a);
}

/* Neither of the two explains it; too few counts; shared with waits; or nothing was counted. */
static void what_counts_do_not_say_is_not_said(void **state)
{
  (void)state;
  static const struct {
    uint64_t first, second;
    bool borders;
  } cases[] = {{1000000, 1600000, true}, {1000, 3000, true}, {1000000, 3000000, false}, {0, 0, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct answer a = ask_loop(cases[i].first, cases[i].second, cases[i].borders);
    assert_null(strstr(of_loop(&a), "instructions"));
    dismiss(&a);
  }
}

/* The counts would say that it has more work; but they are estimates. */
static void estimates_say_nothing(void **state)
{
  (void)state;
  static struct outcome outcome;
  struct scene s = make_scene(2);
  const uint64_t work[] = {10000, 30000};
  fixture_counters(s.f, names, 2);
  fixture_scaled(s.f, 1, "cycles:u,instructions");
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    count(s.f, t, 0, 0, 0);
    fixture_enter(s.f, t, 0, s.loop);
    fixture_leave(s.f, t, work[t], s.loop);
    count(s.f, t, work[t], 100 * work[t], work[t]);
    cross_barrier(&s, t, work[t], 30000);
    end_region(&s, t, 30000);
  }
  struct answer a = ask(s.f);
  assert_null(strstr(of_loop(&a), "instructions"));
  run(&outcome, KEEP_OUTPUT, "states --by region --counters %s", a.directory);
  assert_says(outcome.out, "~4,000,000 ±?");
  run(&outcome, KEEP_OUTPUT, "states --by region --counters --only-threads 0 %s", a.directory);
  assert_says(outcome.out, " 1,000,000 ");
  assert_null(strchr(outcome.out, '~'));
  dismiss(&a);
}

/* --- The command --- */

static void the_command_prints_all_of_it(void **state)
{
  (void)state;
  static struct outcome outcome;
  uint32_t region, thread;
  struct fixture *f = begin_thread(&region, &thread);
  count(f, thread, 0, 0, 0);
  count(f, thread, 100, 1000, 500);
  fixture_enter(f, thread, 100, region);
  count(f, thread, 200, 3000, 1500);
  fixture_leave(f, thread, 200, region);
  fixture_thread_end(f, thread, 300);
  const char *directory = fixture_finish(f);
  run(&outcome, KEEP_OUTPUT, "states --by region --counters --csv %s", directory);
  assert_int_equal(outcome.status, 0);
  assert_says(outcome.out, "!$omp masked,RUN,instructions,2000,100,0.000100000,20000000,2,,0,");
  run(&outcome, KEEP_OUTPUT, "states --counters %s", directory);
  assert_int_equal(outcome.status, 0);
  assert_says(outcome.out, "instructions");
  run(&outcome, KEEP_ERRORS, "states --counters --list 0 %s", directory);
  assert_int_equal(outcome.status, 2);
  fixture_destroy(f);
}

static void archives_without_counters_are_named(void **state)
{
  (void)state;
  static struct outcome outcome;
  struct fixture *f = fixture_create();
  uint32_t thread = fixture_location(f, "main");
  fixture_thread_begin(f, thread, 0);
  fixture_thread_end(f, thread, 10);
  run(&outcome, KEEP_ERRORS, "states --counters --csv %s", fixture_finish(f));
  assert_int_equal(outcome.status, 1);
  assert_one_line(outcome.out);
  assert_says(outcome.out, "has no counters: record them with `heddle record --counters`");
  fixture_destroy(f);
}

UNIT_TEST(counters)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_stretch_has_its_counts),
      cmocka_unit_test(others_are_shared_out_by_time),
      cmocka_unit_test(no_count_is_lost),
      cmocka_unit_test(the_same_instructions_are_not_more_work),
      cmocka_unit_test(more_instructions_are_more_work),
      cmocka_unit_test(what_counts_do_not_say_is_not_said),
      cmocka_unit_test(estimates_say_nothing),
      cmocka_unit_test(the_command_prints_all_of_it),
      cmocka_unit_test(archives_without_counters_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
