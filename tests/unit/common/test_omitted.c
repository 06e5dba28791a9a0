/* The budget of the program's own regions and events: a name is known by its bytes, wherever they are. */
#include "common/recorder/clock.h"
#include "common/recorder/clock_choice.h"
#include "tests/unit/unit.h"
#include "user-events/names.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAMES 8u
#define EVERY 10u

static uint64_t told[NAMES];

static void add_told(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted)
{
  assert_int_equal(class, BUDGET_USER);
  assert_int_equal(kind, RAW_USER_EVENT);
  assert_in_range(place, 1, NAMES - 1);
  told[place] += omitted;
}

/* Names 1 to 7 of several lengths; some differ in their last byte alone. */
static const char *const texts[NAMES] = {
    "", "a", "b", "step 1", "step 2", "a name of three words, 1", "a name of three words, 2", "step 12"};

static int know_names(void **state)
{
  static struct names names;
  uint32_t used = 0;
  (void)state;
  for (uint32_t i = 1; i < NAMES; i++) {
    names.names[i].offset = used;
    names.names[i].length = (uint32_t)strlen(texts[i]);
    memcpy(names.bytes + used, texts[i], names.names[i].length);
    used += names.names[i].length;
  }
  atomic_store(&names_known, &names);
  assert_true(budget_begin(&(struct budget_settings){.every = EVERY, .seed = 1}, 10));
  return 0;
}

/* Every difference counts, and nothing behind a text is read. */
static void texts_are_compared_whole(void **state)
{
  enum { MOST = 40 };
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[MOST];
  assert_ptr_not_equal(pages, MAP_FAILED);
  assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  for (size_t length = 0; length <= MOST; length++) {
    char *other = pages + page - length;
    memset(text, 'x', sizeof text);
    memset(other, 'x', length);
    assert_true(names_equal(text, other, length));
    for (size_t i = 0; i < length; i++) {
      text[i] = '\0';
      assert_false(names_equal(text, other, length));
      text[i] = 'x';
    }
  }
  munmap(pages, 2 * page);
}

/* What an event stands for that is decided as calls.c does it. */
static uint32_t take_event(const char *name, uint32_t number)
{
  return names_omit_quickly(name, strlen(name), RAW_USER_EVENT) ? 0 : names_weigh_event(name, number);
}

static void names_at_one_address_are_told_apart(void **state)
{
  char name[64];
  uint64_t executed[NAMES] = {0}, weights[NAMES] = {0}, recorded = 0;
  (void)state;
  memset(told, 0, sizeof told);
  for (uint32_t i = 0; i < 20000; i++) {
    uint32_t number = 1 + i * i % 31 % (NAMES - 1);
    strcpy(name, texts[number]);
    uint32_t weight = take_event(i % 3 ? name : texts[number], number);
    executed[number]++;
    weights[number] += weight;
    recorded += weight > 0;
  }
  budget_end_thread(add_told);
  for (uint32_t i = 1; i < NAMES; i++)
    assert_int_equal(weights[i] + told[i], executed[i]);
  assert_in_range(recorded, 20000 / EVERY - NAMES, 20000 / EVERY + NAMES);
}

/* A table that another thread had before knows nothing of its rows. */
static void hints_end_with_the_thread(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < 5; i++)
    take_event(texts[1], 1);
  budget_end_thread(add_told);
  assert_true(names_weigh_event(texts[2], 2) == 1);
  assert_false(names_omit_quickly(texts[1], 1, RAW_USER_EVENT));
  assert_int_equal(take_event(texts[1], 1), 1); /* the first one of a row */
  budget_end_thread(add_told);
}

static void ignore_told(uint64_t place, enum budget_class class, unsigned kind, uint32_t omitted)
{
  (void)place, (void)class, (void)kind, (void)omitted;
}

static uint32_t enter(uint32_t number)
{
  return names_omit_quickly(texts[number], strlen(texts[number]), RAW_USER_ENTER)
             ? 0
             : names_weigh_region(texts[number], number);
}

static void leaving_a_region_leaves_those_inside_it(void **state)
{
  (void)state;
  for (int i = 0; i < 1000; i++) {
    bool outer = enter(1) > 0, inner = enter(2) > 0;
    assert_int_equal(names_leave_region(1), outer ? 1 : inner ? 2 : 0);
    assert_int_equal(budget_self->depth, 0);
  }
  assert_int_equal(names_leave_region(3), 3); /* it was not entered */
  budget_end_thread(ignore_told);
}

/* A region is left by its name, even if the bytes at its address have changed. */
static void regions_are_left_by_name(void **state)
{
  char name[] = "a";
  (void)state;
  assert_int_equal(names_weigh_region(name, 1), 1);
  assert_int_equal(names_leave_region(1), 1);
  assert_int_equal(names_weigh_region("b", 2), 1);
  while (names_weigh_region(name, 1) != 0)
    names_leave_region(1);
  name[0] = 'b';
  assert_false(names_leave_omitted(name, 1));
  assert_int_equal(names_leave_region(2), 2);
  assert_int_equal(budget_self->depth, 0);
  budget_end_thread(ignore_told);
}

UNIT_TEST(omitted)
{
  clock_choose();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_compared_whole),  cmocka_unit_test(names_at_one_address_are_told_apart),
      cmocka_unit_test(hints_end_with_the_thread), cmocka_unit_test(leaving_a_region_leaves_those_inside_it),
      cmocka_unit_test(regions_are_left_by_name),
  };
  return cmocka_run_group_tests(tests, know_names, NULL);
}
