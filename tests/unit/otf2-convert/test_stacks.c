/* Copies of stacks in records: how they are put together, and what damaged ones are. */
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/scan/location.h"
#include "tests/unit/unit.h"

#include <string.h>

#define WORDS (RAW_STACK_COPY + 8)

static struct process process = {.shift = 0};
static struct location location;

static int set_up(void **state)
{
  (void)state;
  location = (struct location){.process = &process};
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  stack_notes_free(&location);
  return 0;
}

/* A record of a wait from 10 to 20, with a copy of `words` words from sp on: each its address times 3. */
struct written {
  uint64_t record[WORDS];
};

static struct written write_record(uint64_t time, uint64_t sp, unsigned words, uint64_t rest)
{
  struct written w = {{raw_head(RAW_STACK, (WORDS - 2) / 2, RAW_STACK_WAIT | (uint64_t)words * 8 << RAW_STACK_BYTES_AT),
                       time, 10, 20, rest}};
  w.record[RAW_STACK_REGISTERS + 2] = sp;
  w.record[RAW_STACK_PERIOD] = 5;
  for (unsigned i = 0; i < words && i < 8; i++)
    w.record[RAW_STACK_COPY + i] = (sp + 8 * i) * 3;
  return w;
}

static struct stack_note *scan(struct written w)
{
  size_t before = location.stack_notes.count;
  assert_true(stack_notes_scan(&location, w.record, w.record[1]));
  return location.stack_notes.count > before ? location.stack_notes.items[before] : NULL;
}

static void assert_from_to(const struct stack_note *note, uint64_t from, uint64_t to)
{
  uint64_t word;
  assert_non_null(note);
  for (uint64_t at = from; at + 8 <= to; at += 8) {
    assert_true(stack_note_word(note, at, &word));
    assert_int_equal(word, at * 3);
  }
  assert_false(stack_note_word(note, from - 8, &word));
  assert_false(stack_note_word(note, from - 1, &word));
  assert_false(stack_note_word(note, to - 7, &word));
  assert_false(stack_note_word(note, to, &word));
}

static void a_copy_has_its_words(void **state)
{
  (void)state;
  struct stack_note *note = scan(write_record(30, 0x1000, 8, 0));
  assert_from_to(note, 0x1000, 0x1040);
  assert_int_equal(note->time, 19); /* it was still waiting */
  uint64_t word;
  assert_true(stack_note_word(note, 0x1004, &word)); /* half of each */
  assert_int_equal(word, (uint64_t)0x1008 * 3 << 32);
}

static void it_goes_on_in_another_one(void **state)
{
  (void)state;
  struct stack_note *whole = scan(write_record(30, 0x1000, 8, 0));
  struct stack_note *next = scan(write_record(40, 0xff0, 4, 30));
  assert_from_to(next, 0xff0, 0x1040);
  assert_from_to(scan(write_record(50, 0x1008, 0, 30)), 0x1008, 0x1040);
  /* Its continuation lives as long as a note that needs it. */
  stack_note_release(whole);
  location.stack_next = 1;
  scan(write_record(60, 0x2000, 8, 0));
  assert_from_to(next, 0xff0, 0x1040);
}

static void unknown_rests_are_left_out(void **state)
{
  (void)state;
  assert_from_to(scan(write_record(20, 0x1000, 4, 15)), 0x1000, 0x1020); /* there was none */
  scan(write_record(30, 0x1000, 8, 0));
  assert_from_to(scan(write_record(40, 0xff0, 4, 31)), 0xff0, 0x1010);       /* its chunk was lost */
  assert_from_to(scan(write_record(40, 0xf00, 4, 30)), 0xf00, 0xf20);        /* there is a hole */
  assert_from_to(scan(write_record(40, 0x1030, 2, 30)), 0x1030, 0x1040);     /* it ends earlier */
  assert_from_to(scan(write_record(40, UINT64_MAX - 7, 0, 30)), 0x10, 0x10); /* nothing at all */
}

static void damaged_ones_are_left_out(void **state)
{
  (void)state;
  struct written w = write_record(30, 0x1000, 8, 0);
  w.record[0] = raw_head(RAW_STACK, (WORDS - 2) / 2, RAW_STACK_WAIT | 65ull << RAW_STACK_BYTES_AT);
  assert_null(scan(w)); /* more bytes than words */
  w.record[0] = raw_head(RAW_STACK, 3, RAW_STACK_WAIT);
  assert_null(scan(w)); /* no registers */
  w.record[0] = raw_head(RAW_STACK, (WORDS - 2) / 2, 77);
  assert_null(scan(w)); /* another kind */
  w = write_record(30, 0x1000, 8, 0);
  w.record[RAW_STACK_FROM] = 20;
  assert_null(scan(w)); /* no wait */
  w = write_record(30, 0x1000, 8, 0);
  w.record[RAW_STACK_PERIOD] = 0;
  assert_null(scan(w));
}

UNIT_TEST(stacks)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_copy_has_its_words),
      TEST(it_goes_on_in_another_one),
      TEST(unknown_rests_are_left_out),
      TEST(damaged_ones_are_left_out),
  };
  return cmocka_run_group_tests_name("stack_notes", tests, NULL, NULL);
}
