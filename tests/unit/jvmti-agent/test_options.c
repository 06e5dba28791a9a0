/* The agent's options as a user writes them: what each one changes, and what ends one. An option that makes no sense
 * costs a line that names it, and nothing else. */
#include "common/process/diag.h"
#include "jvmti-agent/core/options.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the options touch besides their struct: stood in for, so that a test sees it. */
static char said[4096];
static unsigned lines;

void diag_say(const char *part, ...)
{
  va_list parts;
  va_start(parts, part);
  for (; part; part = va_arg(parts, const char *))
    strncat(said, part, sizeof said - strlen(said) - 1);
  va_end(parts);
  lines++;
}

static struct agent_options read_text(const char *text)
{
  struct agent_options options = options_default();
  said[0] = '\0';
  lines = 0;
  options_read(&options, text);
  return options;
}

static void is_as_without(struct agent_options is)
{
  struct agent_options none = options_default();
  assert_int_equal(is.jvm, none.jvm);
  assert_int_equal(is.jomp, none.jomp);
  assert_int_equal(is.stack, none.stack);
  assert_int_equal(is.notes, none.notes);
  assert_int_equal(is.owner, none.owner);
  assert_int_equal(is.internal, none.internal);
  assert_int_equal(is.virtual_threads, none.virtual_threads);
  assert_int_equal(is.detach, none.detach);
  assert_int_equal(is.live, none.live);
  assert_string_equal(is.directory, none.directory);
  assert_string_equal(is.hold, none.hold);
  assert_int_equal(is.sample, none.sample);
}

static void nothing_said_changes_nothing(void **state)
{
  (void)state;
  static const char *const texts[] = {NULL, "", ",", " , ,, "};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    is_as_without(read_text(texts[i]));
    assert_int_equal(lines, 0);
  }
}

static void each_option_changes_what_it_names(void **state)
{
  (void)state;
  struct agent_options is =
      read_text("stack=4,notes=off,owner=on,internal=off,virtual=off,hold=com.acme.*:Main,detach");
  assert_int_equal(lines, 0);
  assert_int_equal(is.stack, 4);
  assert_false(is.notes);
  assert_true(is.owner);
  assert_false(is.internal);
  assert_false(is.virtual_threads);
  assert_string_equal(is.hold, "com.acme.*:Main");
  assert_true(is.detach);
  assert_true(is.jvm && is.jomp);
}

/* HEDDLE_JAVA is read first, the text behind -agentpath after it. */
static void what_is_read_later_holds(void **state)
{
  (void)state;
  struct agent_options options = read_text("stack=4,owner=on,level=jomp");
  options_read(&options, "stack=2,level=jvm");
  assert_int_equal(options.stack, 2);
  assert_true(options.owner);
  assert_true(options.jvm);
  assert_false(options.jomp);
  assert_int_equal(read_text("notes=off,notes=on").notes, true);
  assert_false(read_text("live=on,live=off").live);
  assert_true(read_text("live=off,live=on").live);
}

static void a_level_may_have_commas(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    bool jvm, jomp;
  } all[] = {{"level=jvm", true, false},         {"level=jomp", false, true},
             {"level=jvm,jomp", true, true},     {"level=jomp,jvm", true, true},
             {"level=jvm jomp", true, true},     {"stack=2,level=jomp,jvm", true, true},
             {"level=jvm,stack=2", true, false}, {"level=jomp,jomp", false, true}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct agent_options is = read_text(all[i].text);
    assert_int_equal(lines, 0);
    assert_int_equal(is.jvm, all[i].jvm);
    assert_int_equal(is.jomp, all[i].jomp);
  }
}

/* A level stands behind level= only, not behind what came between. */
static void a_level_by_itself_is_no_option(void **state)
{
  (void)state;
  static const char *const texts[] = {"jvm", "jomp", "stack=1,jvm", "level=jomp,stack=1,jvm", "level=cpu,jvm"};
  static const unsigned wrong[] = {1, 1, 1, 1, 2};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    read_text(texts[i]);
    assert_int_equal(lines, wrong[i]);
  }
  assert_false(read_text("level=jomp,stack=1,jvm").jvm);
}

static void what_makes_no_sense_is_named_and_ignored(void **state)
{
  (void)state;
  static const char *const texts[] = {"nonsense",
                                      "Stack=2",
                                      "stack",
                                      "stack=",
                                      "stack=0",
                                      "stack=17",
                                      "stack=-1",
                                      "stack=+1",
                                      "stack=2x",
                                      "stack=0x2",
                                      "notes",
                                      "notes=",
                                      "notes=yes",
                                      "notes=ON",
                                      "notes=onn",
                                      "notes=o",
                                      "owner=1",
                                      "level",
                                      "level=",
                                      "level=jvms",
                                      "level=cpu",
                                      "dir=",
                                      "dir=here",
                                      "detach=on",
                                      "detached",
                                      "=",
                                      "=on",
                                      "=jvm",
                                      "virtual==on",
                                      "hold",
                                      "stack=4294967298",
                                      "stack=18446744073709551617"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    is_as_without(read_text(texts[i]));
    assert_int_equal(lines, 1);
    char named[300];
    snprintf(named, sizeof named, "option %s, which is ignored", texts[i]);
    bool unknown = strstr(said, named);
    snprintf(named, sizeof named, "option %s is ignored: it takes ", texts[i]);
    assert_true(unknown || strstr(said, named));
  }
}

static void the_options_around_a_wrong_one_hold(void **state)
{
  (void)state;
  struct agent_options is = read_text("owner=on,stack=99,nonsense,notes=off");
  assert_int_equal(lines, 2);
  assert_true(is.owner);
  assert_false(is.notes);
  assert_int_equal(is.stack, 1);
}

static void a_stack_has_1_to_16_frames(void **state)
{
  (void)state;
  for (unsigned n = 1; n <= 16; n++) {
    char text[20];
    snprintf(text, sizeof text, "stack=%u", n);
    assert_int_equal(read_text(text).stack, n);
    assert_int_equal(lines, 0);
  }
  assert_int_equal(read_text("stack=007").stack, 7);
}

/* The options of an agent come with its path: names of directories have spaces, and '=', but no commas. */
static void a_directory_is_absolute_and_may_have_spaces(void **state)
{
  (void)state;
  struct agent_options is = read_text("owner=on,dir=/tmp/my traces/a=b,stack=3");
  assert_int_equal(lines, 0);
  assert_string_equal(is.directory, "/tmp/my traces/a=b");
  assert_true(is.owner);
  assert_int_equal(is.stack, 3);
}

/* Text of n letters behind `key`. The caller frees it. */
static char *long_text(const char *key, size_t n)
{
  char *text = malloc(strlen(key) + n + 1);
  assert_non_null(text);
  strcpy(text, key);
  memset(text + strlen(key), 'a', n);
  text[strlen(key) + n] = '\0';
  return text;
}

static void what_does_not_fit_is_refused_not_cut(void **state)
{
  (void)state;
  size_t most = sizeof((struct agent_options *)0)->hold - 1;
  char *fits = long_text("hold=", most), *longer = long_text("hold=", most + 1), *path = long_text("dir=/", 5000);
  assert_string_equal(read_text(fits).hold, fits + strlen("hold="));
  assert_int_equal(lines, 0);
  is_as_without(read_text(longer));
  assert_int_equal(lines, 1);
  is_as_without(read_text(path));
  assert_int_equal(lines, 1);
  assert_true(strlen(said) < 500);
  free(fits), free(longer), free(path);
}

static void an_empty_hold_takes_the_patterns_back(void **state)
{
  (void)state;
  struct agent_options options = read_text("hold=com.acme.*");
  options_read(&options, "hold=");
  assert_string_equal(options.hold, "");
  assert_int_equal(lines, 0);
}

static void patterns_add_up(void **state)
{
  (void)state;
  assert_string_equal(read_text("hold=com.acme.*,stack=2,hold=Main hold=org.*:x").hold, "com.acme.*:Main:org.*:x");
  assert_string_equal(read_text("hold=a,hold=,hold=b").hold, "b");
  char *most = long_text("hold=", sizeof((struct agent_options *)0)->hold - 3);
  struct agent_options options = read_text(most);
  options_read(&options, "hold=bc"); /* there is room for one byte */
  assert_int_equal(lines, 1);
  assert_string_equal(options.hold, most + strlen("hold="));
  options_read(&options, "hold=b");
  assert_int_equal(lines, 1);
  assert_true(strlen(options.hold) == sizeof options.hold - 1);
  free(most);
}

static void limits_are_named(void **state)
{
  (void)state;
  read_text("stack=99");
  assert_non_null(strstr(said, "it takes a number from 1 to 16"));
  read_text("sample=2s");
  assert_non_null(strstr(said, "it takes a time from 100us to 1s"));
}

static void a_period_is_a_time_from_100us_to_1s(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint64_t ns; /* 0: none */
  } all[] = {{"1ms", 1000000},
             {"500us", 500000},
             {"0.5ms", 500000},
             {"1s", 1000000000},
             {"1000000", 1000000},
             {"1.25ms", 1250000},
             {"100us", 100000},
             {".1s", 100000000},
             {"1000000000", 1000000000},
             {"99us", 0},
             {"2s", 0},
             {"1001ms", 0},
             {"0", 0},
             {"", 0},
             {"ms", 0},
             {"1 ms", 0},
             {"-1ms", 0},
             {"1.5.0ms", 0},
             {"1m", 0},
             {"1e6", 0},
             {"18446744073709551617", 0},
             {"18446744074ms", 0},
             {"9999999999s", 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct agent_options read = options_default();
    char text[64];
    lines = 0;
    options_read_period(&read, all[i].text);
    assert_int_equal(read.sample, all[i].ns);
    assert_int_equal(lines, *all[i].text && all[i].ns == 0);
    snprintf(text, sizeof text, "sample=%s", all[i].text);
    assert_int_equal(read_text(text).sample, all[i].ns);
    assert_int_equal(lines > 0, all[i].ns == 0);
  }
  assert_int_equal(read_text("sample=1ms,sample=off").sample, 0);
  assert_int_equal(read_text("sample=1ms,stack=2").sample, 1000000);
  struct agent_options none = options_default();
  options_read_period(&none, NULL);
  assert_int_equal(none.sample, 0);
}

UNIT_TEST(options)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_said_changes_nothing),
      cmocka_unit_test(each_option_changes_what_it_names),
      cmocka_unit_test(what_is_read_later_holds),
      cmocka_unit_test(a_level_may_have_commas),
      cmocka_unit_test(a_level_by_itself_is_no_option),
      cmocka_unit_test(what_makes_no_sense_is_named_and_ignored),
      cmocka_unit_test(the_options_around_a_wrong_one_hold),
      cmocka_unit_test(a_stack_has_1_to_16_frames),
      cmocka_unit_test(a_directory_is_absolute_and_may_have_spaces),
      cmocka_unit_test(what_does_not_fit_is_refused_not_cut),
      cmocka_unit_test(an_empty_hold_takes_the_patterns_back),
      cmocka_unit_test(patterns_add_up),
      cmocka_unit_test(limits_are_named),
      cmocka_unit_test(a_period_is_a_time_from_100us_to_1s),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
