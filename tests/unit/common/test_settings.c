/* Texts, settings, and what the tool says. */
#include "common/process/diag.h"
#include "common/process/settings.h"
#include "common/process/text.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_text_is_cut_not_overrun(void **state)
{
  (void)state;
  char small[8];
  struct text text = TEXT_OVER(small);
  text_add(&text, "12345");
  assert_false(text.cut);
  text_add(&text, "6789");
  assert_true(text.cut);
  assert_string_equal(small, "1234567");
}

static void test_numbers(void **state)
{
  (void)state;
  char bytes[64];
  struct text text = TEXT_OVER(bytes);
  text_add_number(&text, 0);
  text_add(&text, " ");
  text_add_number(&text, UINT64_MAX);
  text_add(&text, " ");
  text_add_hex(&text, 0xdeadbeef);
  assert_string_equal(bytes, "0 18446744073709551615 deadbeef");
}

static void test_control_characters_are_escaped(void **state)
{
  (void)state;
  char bytes[64];
  struct text text = TEXT_OVER(bytes);
  text_add_escaped(&text, "a\nb\\c\x7f\x1b", 7);
  assert_string_equal(bytes, "a\\x0ab\\x5cc\\x7f\\x1b");
}

static struct settings with(const char *name, const char *value)
{
  setenv(name, value, 1);
  struct settings settings = settings_read();
  unsetenv(name);
  return settings;
}

static void test_defaults(void **state)
{
  (void)state;
  struct settings settings = settings_read();
  assert_true(settings.on);
  assert_true(settings.convert);
  assert_false(settings.paused);
  assert_null(settings.directory);
  assert_int_equal(settings.window, 128 * 1024);
  assert_int_equal(settings.ring, 0);
  assert_int_equal(settings.budget.share, 50000);
  assert_int_equal(settings.budget.every, 0);
}

static void test_values(void **state)
{
  (void)state;
  assert_false(with("HEDDLE", "off").on);
  assert_true(with("HEDDLE", "on").on);
  assert_false(with("HEDDLE_CONVERT", "0").convert);
  assert_int_equal(with("HEDDLE_RING", "8M").ring, 8 << 20);
  assert_int_equal(with("HEDDLE_WINDOW", "65537").window, 69632);
  assert_int_equal(with("HEDDLE_BUDGET", "1%").budget.share, 10000);
  assert_int_equal(with("HEDDLE_BUDGET", "0.25 %").budget.share, 2500);
  assert_int_equal(with("HEDDLE_BUDGET", "100%").budget.share, 1000000);
  assert_int_equal(with("HEDDLE_BUDGET", "none").budget.share, 0);
  assert_int_equal(with("HEDDLE_BUDGET", "1/64").budget.every, 64);
  assert_int_equal(with("HEDDLE_BUDGET", "1/64").budget.share, 0);
  assert_int_equal(with("HEDDLE_SEED", "42").budget.seed, 42);
  assert_int_equal(with("HEDDLE_MAX_SIZE", "0").max_size, 0);
  assert_int_equal(with("HEDDLE_MAX_SIZE", "2G").max_size, 2ull << 30);
}

/* What is said goes to a pipe instead of stderr. */
static int heard[2], kept_stderr;

static int listen_to_stderr(void **state)
{
  (void)state;
  kept_stderr = dup(STDERR_FILENO);
  return pipe(heard) || dup2(heard[1], STDERR_FILENO) < 0;
}

static int stop_listening(void **state)
{
  (void)state;
  dup2(kept_stderr, STDERR_FILENO);
  close(kept_stderr);
  close(heard[0]);
  close(heard[1]);
  return 0;
}

static void expect_heard(const char *line)
{
  char bytes[4096];
  ssize_t n = read(heard[0], bytes, sizeof bytes - 1);
  assert_true(n > 0);
  bytes[n] = '\0';
  assert_string_equal(bytes, line);
}

static void test_nonsense_is_told_and_ignored(void **state)
{
  (void)state;
  static const char *const sizes[] = {"",  "x", "-1", "1T", "1K1", "99999999999999999999", "18446744073709551615G",
                                      "17"};
  for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(with("HEDDLE_WINDOW", sizes[i]).window, 128 * 1024);
    char line[200] = "heddle: HEDDLE_WINDOW=";
    strcat(strcat(line, sizes[i]), " is not a usable size; using the default\n");
    expect_heard(line);
  }
  assert_true(with("HEDDLE", "maybe").on);
  expect_heard("heddle: HEDDLE=maybe is neither on nor off; using the default\n");
}

static void test_a_line_is_one_line(void **state)
{
  (void)state;
  errno = ENOSPC;
  diag_say("two\nlines", " and \x1b[31mcolour", NULL);
  assert_int_equal(errno, ENOSPC);
  expect_heard("heddle: two\\x0alines and \\x1b[31mcolour\n");
}

static void test_a_long_line_is_cut(void **state)
{
  (void)state;
  static char longer[5000];
  memset(longer, 'x', sizeof longer - 1);
  diag_say(longer, NULL);
  char bytes[4096];
  ssize_t n = read(heard[0], bytes, sizeof bytes);
  assert_in_range(n, 900, 1024);
  assert_int_equal(bytes[n - 1], '\n');
}

static void test_said_once(void **state)
{
  (void)state;
  atomic_bool said = false;
  assert_true(diag_first(&said));
  assert_false(diag_first(&said));
}

UNIT_TEST(settings)
{
#define HEARD(name) cmocka_unit_test_setup_teardown(name, listen_to_stderr, stop_listening)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_is_cut_not_overrun),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_control_characters_are_escaped),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_values),
      HEARD(test_nonsense_is_told_and_ignored),
      HEARD(test_a_line_is_one_line),
      HEARD(test_a_long_line_is_cut),
      cmocka_unit_test(test_said_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
