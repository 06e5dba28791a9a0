/* Printing: units, escaping, and that JSON and CSV are what their readers expect. */
#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/print/units.h"
#include "tests/unit/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void durations(void **state)
{
  (void)state;
  char text[UNITS_SIZE];
  assert_string_equal(units_duration(0, 1000000000, text), "0");
  assert_string_equal(units_duration(1, 1000000000, text), "1.0 ns");
  assert_string_equal(units_duration(999, 1000000000, text), "999 ns");
  assert_string_equal(units_duration(1000, 1000000000, text), "1.000 us");
  assert_string_equal(units_duration(12346, 1000000000, text), "12.35 us");
  assert_string_equal(units_duration(123456, 1000000000, text), "123.5 us");
  assert_string_equal(units_duration(999999, 1000000000, text), "1.000 ms");
  assert_string_equal(units_duration(1234567890, 1000000000, text), "1.235 s");
  assert_string_equal(units_duration(1, 2600000000u, text), "0.4 ns");
  assert_string_equal(units_duration(7200, 1, text), "7200.0 s");
  units_duration(UINT64_MAX, 1, text);
  assert_string_equal(units_duration(1234, 0, text), "1234"); /* the unit of time is unknown */
  assert_string_equal(units_mean(15.5, 0, text), "15.5");
  assert_string_equal(units_mean(1.5, 1000000000, text), "1.5 ns");
  assert_string_equal(units_probability(0, text), "0.0000");
  assert_string_equal(units_probability(0.25, text), "0.2500");
  assert_string_equal(units_probability(0.00003, text), "3.0e-05");
}

static void percentages_and_counts(void **state)
{
  (void)state;
  char text[UNITS_SIZE];
  assert_string_equal(units_percent(0, text), "0 %");
  assert_string_equal(units_percent(0.004, text), "0.00 %");
  assert_string_equal(units_percent(12.34, text), "12.3 %");
  assert_string_equal(units_percent(100, text), "100.0 %");
  assert_string_equal(units_count(0, text), "0");
  assert_string_equal(units_count(999, text), "999");
  assert_string_equal(units_count(1000, text), "1,000");
  assert_string_equal(units_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
  assert_true(print_percentage(1, 0) == 0);
}

static void expect_escaped(const char *text, const char *expected)
{
  char *escaped = escape_text(text);
  assert_string_equal(escaped, expected);
  free(escaped);
}

static void escaping(void **state)
{
  (void)state;
  expect_escaped("lu.c:42", "lu.c:42");
  expect_escaped("Fäden …", "Fäden …");
  expect_escaped("a\nb\x1b[31m\x7f", "a\\x0ab\\x1b[31m\\x7f");
  expect_escaped("back\\slash", "back\\\\slash");
  expect_escaped("\xff\xfe", "\\xff\\xfe");
  expect_escaped("\xc3", "\\xc3");                            /* cut off */
  expect_escaped("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
  expect_escaped("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
  expect_escaped("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond Unicode */
  expect_escaped("\xc2\x9b"
                 "31m",
                 "\\xc2\\x9b31m"); /* C1 control */
  expect_escaped("\xe2\x80\xae"
                 "evil",
                 "\\xe2\\x80\\xaeevil");        /* right-to-left override */
  expect_escaped("a\xd8\x9cz", "a\\xd8\\x9cz"); /* Arabic letter mark: moves what stands beside it */
  expect_escaped("\xd8\x9b", "\xd8\x9b");       /* its neighbour, a semicolon */
  assert_int_equal(escape_width("Fäden"), 5);
}

static const struct print_column columns[] = {
    {"name", "Name", PRINT_STRING, false}, {"time", "Time", PRINT_DURATION, false},
    {"part", "Part", PRINT_SHARE, false},  {"count", "Count", PRINT_COUNT, false},
    {"zero", "Zero", PRINT_COUNT, true},   {"ratio", "Ratio", PRINT_RATIO, false}};
#define COLUMNS (sizeof columns / sizeof *columns)

/* A document with names that mean harm. The caller frees it. */
static char *make_document(enum print_format format, bool flowing)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  struct print *print = print_open(format, file, 1000000);
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string("a\"b,c\n\xff\x1b"));
  print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(2500000));
  print_table(print, "rows", NULL, columns, COLUMNS, flowing);
  struct print_cell first[] = {print_string("x, \"y\"\n\x01"), print_number(1500), print_share(1, 4),
                               print_number(UINT64_MAX),       print_number(0),    print_real(0.5)};
  struct print_cell second[] = {print_none(),      print_none(),    print_none(),
                                print_number(123), print_number(0), print_none()};
  print_row(print, first);
  print_row(print, second);
  print_table_end(print);
  print_table(print, "empty", NULL, columns, COLUMNS, false);
  print_table_end(print);
  print_sentence(print, "verdict", "All \"good\".");
  assert_true(print_close(print));
  fclose(file);
  return text;
}

static void json_is_valid(void **state)
{
  (void)state;
  char *text = make_document(PRINT_JSON, false);
  json_error_t error;
  json_t *document = json_loads(text, 0, &error);
  if (!document)
    fail_msg("%s at line %d: %s", error.text, error.line, text);
  assert_string_equal(json_string_value(json_object_get(document, "verdict")), "All \"good\".");
  /* Not valid UTF-8: escaped. */
  assert_string_equal(json_string_value(json_object_get(document, "program")), "a\"b,c\\x0a\\xff\\x1b");
  json_t *rows = json_object_get(document, "rows");
  assert_int_equal(json_array_size(rows), 2);
  assert_int_equal(json_array_size(json_object_get(document, "empty")), 0);
  json_t *row = json_array_get(rows, 0);
  assert_string_equal(json_string_value(json_object_get(row, "name")), "x, \"y\"\n\x01");
  assert_int_equal(json_integer_value(json_object_get(json_object_get(row, "time"), "ticks")), 1500);
  assert_true(json_real_value(json_object_get(json_object_get(row, "time"), "seconds")) == 0.0015);
  assert_true(json_real_value(json_object_get(json_object_get(row, "part"), "percent")) == 25);
  assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "time")));
  json_decref(document);
  free(text);
}

static void csv_is_what_it_should_be(void **state)
{
  (void)state;
  char *text = make_document(PRINT_CSV, false);
  static const char header[] = "name,time_ticks,time_s,part_ticks,part_s,part_percent,count,zero,ratio\n";
  char expected[1024];
  snprintf(expected, sizeof expected, "%s%s%s%s%s%s",
           "fact,value\n"
           "program,\"a\"\"b,c\\x0a\\xff\\x1b\"\n"
           "duration,2.500000000\n"
           "\n",
           header,
           "\"x, \"\"y\"\"\\x0a\\x01\",1500,0.001500000,1,0.000001000,25.0000,18446744073709551615,0,0.5\n"
           ",,,,,,123,0,\n",
           "\n", header, "");
  assert_string_equal(text, expected);
  free(text);
}

static void text_is_aligned(void **state)
{
  (void)state;
  char *text = make_document(PRINT_TEXT, false);
  const char *title = strstr(text, "Name ");
  assert_non_null(title);
  const char *row = strchr(title, '\n') + 1;
  const char *next = strchr(row, '\n') + 1;
  /* All lines of a table whose last column is a number are equally long. */
  assert_int_equal(strchr(title, '\n') - title, strchr(row, '\n') - row);
  assert_int_equal(strchr(row, '\n') - row, strchr(next, '\n') - next);
  assert_non_null(strstr(row, "1.500 ms"));
  assert_non_null(strstr(row, "25.0 %"));
  assert_null(strstr(text, "Zero")); /* a column of zeros is omitted */
  assert_null(strchr(text, '\x1b'));
  assert_null(strchr(text, '\x01'));
  free(text);
}

static char *estimates_as(enum print_format format)
{
  static const struct print_column list[] = {{"calls", "Calls", PRINT_COUNT, false},
                                             {"time", "Time", PRINT_SHARE, false},
                                             {"line", "Line", PRINT_NUMBER, false}};
  char *text;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  struct print *print = print_open(format, file, 1000000);
  print_csv_facts(print);
  print_fact(print, "wait", "Waits", PRINT_DURATION, print_estimate(print_number(2000), 50));
  print_may_estimate(print);
  print_table(print, "rows", NULL, list, 3, false);
  print_row(print, (struct print_cell[]){print_estimate(print_number(1000), 30),
                                         print_estimate(print_share(1500, 3000), 7.5), print_number(1)});
  print_row(print, (struct print_cell[]){print_number(12), print_estimate(print_share(1500, 3000), INFINITY),
                                         print_number(2)});
  print_row(print, (struct print_cell[]){print_estimate(print_number(0), INFINITY),
                                         print_estimate(print_share(10, 3000), 200), print_number(3)});
  print_table_end(print);
  assert_true(print_close(print));
  fclose(file);
  return text;
}

static void estimates(void **state)
{
  (void)state;
  char *text = estimates_as(PRINT_TEXT);
  assert_string_equal(text, "Waits                 ~2.000 ms ±2.5 %\n\n"
                            "        Calls                       Time  Line\n"
                            "~1,000 ±3.0 %   ~1.500 ms ±0.5 %  50.0 %     1\n"
                            "           12       ~1.500 ms ±?  50.0 %     2\n"
                            "           ~0  ~10.00 us ±>999 %   0.3 %     3\n");
  free(text);
  text = estimates_as(PRINT_CSV);
  assert_string_equal(
      text, "fact,value\nwait,0.002000000\nwait_half_width,0.000050000\n\n"
            "calls,calls_half_width,time_ticks,time_s,time_percent,time_half_width_ticks,time_half_width_s,line\n"
            "1000,30,1500,0.001500000,50.0000,7.5,0.000007500,1\n"
            "12,,1500,0.001500000,50.0000,inf,inf,2\n"
            "0,inf,10,0.000010000,0.3333,200,0.000200000,3\n");
  free(text);
  text = estimates_as(PRINT_JSON);
  json_t *root = json_loads(text, 0, NULL);
  assert_non_null(root);
  json_t *rows = json_object_get(root, "rows"), *first = json_array_get(rows, 0), *second = json_array_get(rows, 1);
  assert_true(json_real_value(json_object_get(json_object_get(root, "wait_half_width"), "ticks")) == 50);
  assert_true(json_real_value(json_object_get(first, "calls_half_width")) == 30);
  assert_true(json_real_value(json_object_get(json_object_get(first, "time_half_width"), "seconds")) == 7.5e-6);
  assert_null(json_object_get(second, "calls_half_width"));
  assert_true(json_is_null(json_object_get(second, "time_half_width")));
  json_decref(root);
  free(text);
}

static void flowing_tables(void **state)
{
  (void)state;
  enum print_format formats[] = {PRINT_TEXT, PRINT_JSON, PRINT_CSV};
  for (size_t i = 0; i < 3; i++) {
    char *flowing = make_document(formats[i], true);
    char *held = make_document(formats[i], false);
    if (formats[i] != PRINT_TEXT)
      assert_string_equal(flowing, held);
    assert_non_null(strstr(flowing, "123"));
    free(flowing);
    free(held);
  }
}

/* Two groups of `count` threads, each with its sum. */
static char *make_threads(uint64_t count, bool shorten, bool one_whole)
{
  static const struct print_column by_thread[] = {{"construct", "Construct", PRINT_STRING, false},
                                                  {"thread", "No.", PRINT_NUMBER, false},
                                                  {"thread_name", "Thread", PRINT_STRING, false},
                                                  {"calls", "Calls", PRINT_COUNT, false},
                                                  {"rate", "Rate", PRINT_REAL, false},
                                                  {"busy", "Busy", PRINT_SHARE, false}};
  char *text = NULL, name[16];
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  struct print *print = print_open(PRINT_TEXT, file, 1000);
  if (shorten)
    print_shorten(print);
  print_by_thread(print, one_whole);
  print_table(print, "threads", NULL, by_thread, 6, false);
  for (uint64_t i = 0; i < 2 * count; i++) {
    snprintf(name, sizeof name, "group %d", (int)(i / count));
    struct print_cell cells[] = {print_string(name), print_number(i), print_string("worker"),
                                 print_number(3),    print_real(1.5), print_share(500, 1000)};
    print_row(print, cells);
  }
  print_row(print, (struct print_cell[]){print_string("all"), print_none(), print_string("all threads"),
                                         print_number(7), print_none(), print_none()});
  print_table_end(print);
  assert_true(print_close(print));
  fclose(file);
  return text;
}

static unsigned lines_of(const char *text)
{
  unsigned lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
    lines++;
  return lines;
}

static void many_threads_share_a_line(void **state)
{
  (void)state;
  char *whole = make_threads(60, false, false), *few = make_threads(50, true, false);
  char *part = make_threads(60, true, false), *one = make_threads(60, true, true);
  assert_int_equal(lines_of(whole), 1 + 120 + 1);
  assert_int_equal(lines_of(few), 1 + 100 + 1);
  assert_null(strstr(few, "more"));
  assert_non_null(strstr(part, "group 0      -  10 more (--all-threads)     30  "));
  assert_non_null(strstr(part, "5.000 s  50.0 %\ngroup 1     60  "));
  assert_non_null(strstr(part, "group 1      -  10 more (--all-threads)     30  "));
  assert_non_null(strstr(part, "5.000 s  50.0 %\nall "));
  assert_non_null(strstr(one, "5.000 s 500.0 %\ngroup 1     60  "));
  free(whole);
  free(few);
  free(part);
  free(one);
}

static void full_disk_is_noticed(void **state)
{
  (void)state;
  FILE *file = fopen("/dev/full", "w");
  if (!file)
    skip();
  struct print *print = print_open(PRINT_TEXT, file, 1000);
  print_sentence(print, "verdict", "lost");
  assert_false(print_close(print));
  fclose(file);
}

UNIT_TEST(print)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(durations),
      cmocka_unit_test(percentages_and_counts),
      cmocka_unit_test(escaping),
      cmocka_unit_test(json_is_valid),
      cmocka_unit_test(text_is_aligned),
      cmocka_unit_test(csv_is_what_it_should_be),
      cmocka_unit_test(estimates),
      cmocka_unit_test(flowing_tables),
      cmocka_unit_test(many_threads_share_a_line),
      cmocka_unit_test(full_disk_is_noticed),
  };
  return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
