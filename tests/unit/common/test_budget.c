/* The budget's arithmetic: what is omitted, and what the weights of the rest add up to. */
#include "common/budget/budget.h"
#include "common/budget/keep.h"
#include "common/recorder/clock.h"
#include "common/recorder/clock_choice.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define PLACE 0x401000u

static uint64_t told;

static void add_told(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted)
{
  (void)place;
  (void)class;
  (void)kind;
  told += omitted;
}

static void plan(struct budget_row *rows, uint32_t n, double allowance)
{
  static const uint16_t used[] = {0, 1, 2, 3};
  budget_plan(rows, used, n, allowance);
}

static void test_all_is_recorded_that_fits(void **state)
{
  (void)state;
  struct budget_row rows[] = {{.class = BUDGET_MUTEXES, .demand = 60}, {.class = BUDGET_TASKS, .demand = 40}};
  plan(rows, 2, 100);
  assert_int_equal(rows[0].every, 1);
  assert_int_equal(rows[1].every, 1);
}

/* 10 stays whole; the other two get 45 each. */
static void test_what_costs_most_is_omitted_most(void **state)
{
  (void)state;
  struct budget_row rows[] = {{.class = BUDGET_MUTEXES, .demand = 10},
                              {.class = BUDGET_MUTEXES, .demand = 89},
                              {.class = BUDGET_MUTEXES, .demand = 449}};
  plan(rows, 3, 100);
  assert_int_equal(rows[0].every, 1);
  assert_int_equal(rows[1].every, 2);
  assert_int_equal(rows[2].every, 10);
}

/* Constructs take 60 of 100, tasks 16 of the rest, locks what is left: 24; but no class gets less than a sixteenth. */
static void test_classes_are_omitted_in_their_order(void **state)
{
  (void)state;
  struct budget_row rows[] = {{.class = BUDGET_MUTEXES, .demand = 239},
                              {.class = BUDGET_TASKS, .demand = 16},
                              {.class = BUDGET_CONSTRUCTS, .demand = 60}};
  plan(rows, 3, 100);
  assert_int_equal(rows[2].every, 1);
  assert_int_equal(rows[1].every, 1);
  assert_int_equal(rows[0].every, 10);
  rows[2].demand = 1000;
  plan(rows, 3, 160); /* 10 for tasks, 10 for locks, 140 for constructs */
  assert_int_equal(rows[2].every, 8);
  assert_int_equal(rows[1].every, 2);
  assert_int_equal(rows[0].every, 24);
}

static void test_texts(void **state)
{
  (void)state;
  static const struct {
    struct budget_settings settings;
    const char *text;
  } cases[] = {{{.share = 50000}, "5 %"},  {{.share = 2500}, "0.25 %"}, {{.share = 1000000}, "100 %"},
               {{.share = 100}, "0.01 %"}, {{.every = 64}, "1/64"},     {{.every = 1}, "none"},
               {{.share = 0}, "none"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[32];
    budget_text(&cases[i].settings, text, sizeof text);
    assert_string_equal(text, cases[i].text);
  }
}

static uint64_t execute(struct budget_row *row, uint64_t n, uint64_t *recorded)
{
  uint64_t weights = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint32_t weight = budget_take(row);
    weights += weight;
    *recorded += weight > 0;
  }
  return weights;
}

/* Each block has exactly one, and no place of a block is preferred: 6,400 blocks of 10, 640 of each place expected. */
static void test_one_of_each_block(void **state)
{
  (void)state;
  assert_true(budget_begin(&(struct budget_settings){.every = 10, .seed = 7}, 10));
  struct budget_row *row = budget_row(PLACE, BUDGET_MUTEXES, 1, 3);
  assert_ptr_equal(row, budget_row(PLACE, BUDGET_MUTEXES, 1, 3));
  assert_int_equal(budget_take(row), 1); /* the first one */
  unsigned at[10] = {0};
  for (unsigned block = 0; block < 6400; block++) {
    unsigned of_block = 0;
    for (unsigned i = 0; i < 10; i++)
      if (budget_take(row) > 0)
        at[i]++, of_block++;
    assert_int_equal(of_block, 1);
  }
  for (unsigned i = 0; i < 10; i++)
    assert_in_range(at[i], 640 - 120, 640 + 120); /* five standard deviations */
  budget_end_thread(add_told);
}

/* What was omitted in a recording is reported at its end, and never again. */
static void test_each_recording_has_its_own(void **state)
{
  (void)state;
  assert_true(budget_begin(&(struct budget_settings){.every = 1000, .seed = 1}, 10));
  for (unsigned i = 0; i < 3; i++) {
    uint64_t recorded = 0, weights = execute(budget_row(PLACE, BUDGET_MUTEXES, 1, 3), 10, &recorded);
    told = 0;
    budget_end_all(add_told);
    assert_int_equal(weights + told, 10);
    budget_renew();
    told = 0;
    if (i == 0) /* a thread that records nothing in the next one */
      budget_end_all(add_told), budget_renew();
    budget_end_thread(add_told);
    assert_int_equal(told, 0);
  }
}

static void test_weights_add_up(void **state)
{
  (void)state;
  assert_true(budget_begin(&(struct budget_settings){.every = 64, .seed = 1}, 10));
  uint64_t recorded = 0, weights = 0;
  for (unsigned place = 0; place < 3; place++)
    weights += execute(budget_row(PLACE + place, BUDGET_TASKS, 0, 3), 100000 + place, &recorded);
  struct budget_row *row = budget_row(PLACE, BUDGET_TASKS, 0, 3);
  uint32_t weight = budget_take(row);
  weights += weight > 0 ? weight : budget_force(row);
  told = 0;
  budget_end_thread(add_told);
  assert_int_equal(weights + told, 300000 + 3 + 1);
  assert_in_range(recorded, 300000 / 64 - 3, 300000 / 64 + 8);
}

/* 20 ms at 10 us a record of three: some 660 instances before the bucket is empty. Then almost all are omitted, but not
 * one is forgotten. */
static void test_an_empty_bucket_leaves_out(void **state)
{
  (void)state;
  assert_true(budget_begin(&(struct budget_settings){.share = 50000, .price = 10000, .seed = 1}, 10));
  uint64_t recorded = 0;
  uint64_t weights = execute(budget_row(PLACE, BUDGET_MUTEXES, 1, 3), 600, &recorded);
  assert_int_equal(recorded, 600);
  weights += execute(budget_row(PLACE, BUDGET_MUTEXES, 1, 3), 1000000, &recorded);
  told = 0;
  budget_end_thread(add_told);
  assert_int_equal(weights + told, 1000600);
  assert_true(recorded < 100000);
}

/* A stretch of a trace begins after much was omitted: the next instances are recorded, as at first; none is lost. */
static void test_a_stretch_begins_anew(void **state)
{
  (void)state;
  assert_true(budget_begin(&(struct budget_settings){.share = 50000, .price = 10000, .seed = 1}, 10));
  uint64_t recorded = 0, weights = 0;
  for (unsigned round = 0; round < 2; round++) {
    struct budget_row *row = budget_row(PLACE, BUDGET_CONSTRUCTS, 1, 3);
    weights += execute(row, 1000000, &recorded);
    assert_true(row->until > 1);
    atomic_fetch_add(&live_stretches, 1);
    budget_follow_stretches();
    uint64_t before = recorded;
    weights += execute(row, 600, &recorded);
    assert_int_equal(recorded - before, 600);
  }
  told = 0;
  budget_end_thread(add_told);
  assert_int_equal(weights + told, 2 * 1000600);
}

/* What has no row of its own has one with others; nothing is lost from the sum. */
static void test_more_places_than_rows(void **state)
{
  (void)state;
  assert_true(budget_begin(&(struct budget_settings){.every = 4, .seed = 3}, 10));
  uint64_t recorded = 0, weights = 0;
  for (unsigned round = 0; round < 4; round++)
    for (unsigned place = 0; place < 5000; place++)
      weights += execute(budget_row(PLACE + 16 * place, BUDGET_CHUNKS, 0, 1), 1, &recorded);
  told = 0;
  budget_end_thread(add_told);
  assert_int_equal(weights + told, 20000);
}

/* If 1000 are omitted with what they are in, most are lent, and all are counted. */
static void test_what_is_omitted_with_its_surroundings_can_be_lent(void **state)
{
  (void)state;
  struct extension_unreported borrower = {0};
  assert_true(budget_begin(&(struct budget_settings){.every = 100, .seed = 3}, 10));
  struct budget_row *row = budget_row(PLACE + 64, BUDGET_TASKS, 0, 5);
  assert_int_equal(budget_take(row), 1);
  unsigned reported = 0;
  for (unsigned i = 0; i < 1000; i++) {
    if (borrower.left > 0) {
      borrower.left--;
      continue;
    }
    reported++;
    budget_take_back(row);
    budget_omit(row);
    budget_lend(row, &borrower);
  }
  assert_in_range(reported, 10, 20); /* one a block, and before the first whole one up to BUDGET_LOAN */
  budget_take_back(row);
  assert_int_equal(budget_omitted(row), 1000);
  uint32_t weight = 0;
  while (weight == 0)
    weight = budget_take(row);
  assert_in_range(weight, 1001, 1100);
  budget_end_thread(add_told);
}

/* What is kept is whole, and what it takes is taken from the others. */
static void test_what_is_kept_is_whole(void **state)
{
  (void)state;
  keep_add_number(7);
  assert_true(budget_begin(&(struct budget_settings){.every = 4, .seed = 3}, 10));
  uint64_t recorded = 0;
  assert_int_equal(execute(budget_row(7, BUDGET_USER, 1, 2), 1000, &recorded), 1000);
  assert_int_equal(recorded, 1000);
  execute(budget_row(8, BUDGET_USER, 1, 2), 1000, &recorded);
  assert_in_range(recorded, 1249, 1251);
  budget_end_thread(add_told);
  assert_true(budget_begin(&(struct budget_settings){.share = 50000, .price = 10000, .seed = 1}, 10));
  uint64_t kept = 0, others = 0;
  for (unsigned round = 0; round < 100; round++) {
    execute(budget_row(7, BUDGET_USER, 1, 2), 1000, &kept);
    execute(budget_row(8, BUDGET_USER, 1, 2), 1000, &others);
  }
  budget_end_thread(add_told);
  assert_int_equal(kept, 100000);
  assert_true(others < 10000);
}

/* A kept place for which there is no row has no budget: all are recorded. */
static void test_a_kept_place_without_room(void **state)
{
  (void)state;
  keep_add_number(60000);
  assert_true(budget_begin(&(struct budget_settings){.every = 4, .seed = 3}, 10));
  for (unsigned name = 1; name < 50000; name++)
    (void)budget_row(name, BUDGET_USER, 2, 1);
  assert_non_null(budget_row(59999, BUDGET_USER, 2, 1));
  assert_null(budget_row(60000, BUDGET_USER, 2, 1));
  budget_end_thread(add_told);
}

static void test_names_that_are_kept(void **state)
{
  (void)state;
  keep_begin("solve;;a name;f@libx.so+10-20,+30-40");
  assert_true(keep_has_name("solve", 5));
  assert_true(keep_has_name("a name", 6));
  assert_true(keep_has_name("f", 1));
  assert_false(keep_has_name("solv", 4));
  assert_false(keep_has_name("solver", 6));
  assert_false(keep_has_name("", 0));
}

UNIT_TEST(budget)
{
  clock_choose();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_is_recorded_that_fits),
      cmocka_unit_test(test_what_costs_most_is_omitted_most),
      cmocka_unit_test(test_classes_are_omitted_in_their_order),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_one_of_each_block),
      cmocka_unit_test(test_each_recording_has_its_own),
      cmocka_unit_test(test_weights_add_up),
      cmocka_unit_test(test_what_is_omitted_with_its_surroundings_can_be_lent),
      cmocka_unit_test(test_an_empty_bucket_leaves_out),
      cmocka_unit_test(test_a_stretch_begins_anew),
      cmocka_unit_test(test_more_places_than_rows),
      cmocka_unit_test(test_what_is_kept_is_whole),
      cmocka_unit_test(test_a_kept_place_without_room),
      cmocka_unit_test(test_names_that_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
