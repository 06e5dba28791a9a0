/* Suggested steps: patterns and cycles of sequences made with them, and what the steps do when they are executed. */
#include "analyzer/models/transforms/suggest.h"
#include "analyzer/models/transforms/transforms.h"
#include "tests/unit/unit.h"

#include "tests/unit/analyzer/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct suggestions suggested(const char *letters)
{
  struct pes_stream *stream = sequence_letters(letters, 0);
  struct suggestions found;
  struct error error;
  assert_true(suggest(stream, &found, &error));
  pes_close(stream);
  return found;
}

/* `before`, then a pattern several times, then `after`. */
static char *repeated(const char *before, const char *pattern, unsigned times, const char *after)
{
  char *text = malloc(strlen(before) + times * strlen(pattern) + strlen(after) + 1), *at = stpcpy(text, before);
  for (unsigned i = 0; i < times; i++)
    at = stpcpy(at, pattern);
  strcpy(at, after);
  return text;
}

/* Letters are states in the order in which they come up. */
static void expect_pattern(const struct repeat *repeat, const uint32_t *states, uint32_t length, uint64_t copies)
{
  assert_int_equal(repeat->length, length);
  assert_memory_equal(repeat->states, states, length * sizeof *states);
  assert_int_equal(repeat->copies, copies);
}

static void a_pattern_is_found_once(void **state)
{
  (void)state;
  char *text = repeated("XY", "ABDACD", 199, "Z");
  struct suggestions found = suggested(text);
  assert_int_equal(found.records, 2 + 6 * 199 + 1);
  assert_int_equal(found.pattern_count, 1); /* neither its multiples, nor others of its states to begin with */
  expect_pattern(&found.patterns[0], (const uint32_t[]){2, 3, 4, 2, 5, 4}, 6, 199);
  free(text);
}

static void stretches_of_a_pattern_add_up(void **state)
{
  (void)state;
  /* The second stretch begins with C: the same pattern. Its two whole copies count. */
  struct suggestions found = suggested("ABCABCABCXCABCABX");
  assert_int_equal(found.pattern_count, 1);
  expect_pattern(&found.patterns[0], (const uint32_t[]){0, 1, 2}, 3, 3 + 2);
}

static void what_does_not_repeat_has_no_pattern(void **state)
{
  (void)state;
  assert_int_equal(suggested("").pattern_count, 0);
  assert_int_equal(suggested("A").pattern_count, 0);
  assert_int_equal(suggested("ABCDEFGHIJ").pattern_count, 0);
  assert_int_equal(suggested("AAAAAAAAAA").pattern_count, 0); /* a state is no pattern */
}

/* Whole copies of the stretches of a pattern's length; each place is compared. Patterns that repeat shorter ones are
 * none. */
static uint64_t copies_of(const char *text, size_t count, size_t length)
{
  uint64_t copies = 0;
  for (size_t begin = 0; begin + 2 * length <= count; begin++) {
    size_t end = begin + length;
    while (end < count && text[end] == text[end - length])
      end++;
    bool is_first = begin == 0 || text[begin - 1] != text[begin - 1 + length], shorter = false;
    for (size_t n = 1; n < length; n++)
      shorter |= length % n == 0 && memcmp(text + begin, text + begin + n, length - n) == 0;
    if (is_first && !shorter && end - begin >= 2 * length)
      copies += (end - begin) / length;
  }
  return copies;
}

static void as_found_by_comparing_all(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (unsigned round = 0; round < 2000; round++) {
    char text[161];
    size_t count = round % sizeof text;
    struct repeats repeats = {0};
    uint64_t by_length[REPEATS_LONGEST + 1] = {0};
    for (size_t i = 0; i < count; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      bool again = i >= 70 && round % 3 == 0; /* long patterns, too */
      text[i] = again ? text[i - 2 - round % 63] : (char)('A' + (seed >> 33) % (2 + round % 3));
      assert_true(repeats_add(&repeats, (uint32_t)text[i]));
    }
    assert_true(repeats_end(&repeats));
    for (size_t i = 0; i < repeats.list.count; i++)
      by_length[repeats.list.items[i].length] += repeats.list.items[i].copies;
    for (size_t length = 2; length <= REPEATS_LONGEST; length++)
      assert_int_equal(by_length[length], copies_of(text, count, length));
    repeats_free(&repeats);
  }
}

/* A filter removes just the states that it was suggested for. */
static void filters_do_what_they_say(void **state)
{
  (void)state;
  char *text = repeated("", "A9B9", 300, "C9C9C9C9D9D9E1F1G1H0");
  struct suggestions found = suggested(text);
  unsigned bends = 0;
  assert_true(found.filter_count >= 2);
  for (size_t i = 0; i < found.filter_count; i++) {
    const struct suggest_filter *filter = &found.filters[i];
    struct pes_stream *source = sequence_letters(text, 0);
    struct transforms *list = transforms_create();
    struct transforms_summary before, after;
    struct error error;
    assert_true(transforms_summarize(source, &before, &error));
    assert_true(transforms_add(list, "filter-time", filter->threshold, &error));
    struct pes_stream *filtered = transforms_open(list, 1, source, &error);
    assert_non_null(filtered);
    struct pes_state_totals totals;
    assert_true(transforms_summarize(filtered, &after, &error));
    assert_true(pes_state_totals_read(&totals, filtered, &error));
    uint64_t kept = 0;
    for (uint32_t k = 0; k < totals.states.count; k++)
      kept += totals.states.items[k].count > 0 && pes_state(filtered->states, k)->kind == PES_BASIC;
    assert_int_equal(before.states - kept, filter->states);
    assert_int_equal(after.filter_time, filter->time);
    assert_true(i == 0 || filter->states > found.filters[i - 1].states);
    if (filter->is_bend) {
      bends++;
      assert_int_equal(kept, 2); /* A and B are what the sequence is about */
    }
    pes_state_totals_free(&totals);
    pes_close(filtered);
    transforms_free(list);
  }
  assert_int_equal(bends, 1);
  free(text);
}

static void cycles_are_regular(void **state)
{
  (void)state;
  char *text = repeated("X5", "A7B1B1B1", 50, "");
  struct suggestions found = suggested(text);
  assert_true(found.cycle_count >= 1);
  assert_int_equal(found.cycles[0].state, 1); /* A: more time than B, and more regular */
  assert_int_equal(found.cycles[0].count, 49);
  assert_true(found.cycles[0].mean == 10 && found.cycles[0].deviation == 0);
  free(text);
  assert_int_equal(suggested("A9B9A9B9A9B9A9").cycle_count, 0);                           /* too few to say */
  assert_int_equal(suggested("A0B0A0B0A0B0A0B0A0B0A0B0A0B0A0B0A0B0A0B0").cycle_count, 0); /* no time goes by */
}

UNIT_TEST(transforms_suggest)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pattern_is_found_once),
      cmocka_unit_test(stretches_of_a_pattern_add_up),
      cmocka_unit_test(what_does_not_repeat_has_no_pattern),
      cmocka_unit_test(as_found_by_comparing_all),
      cmocka_unit_test(filters_do_what_they_say),
      cmocka_unit_test(cycles_are_regular),
  };
  return cmocka_run_group_tests_name("transforms_suggest", tests, NULL, NULL);
}
