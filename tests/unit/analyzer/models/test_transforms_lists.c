/* Lists of steps and plug-ins: what is said when they are wrong, and that good ones are kept as they are. */
#include "analyzer/models/transforms/transforms.h"
#include "tests/unit/unit.h"

#include "tests/unit/analyzer/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse(struct transforms *list, const char *text, struct error *error)
{
  return transforms_parse(list, text, strlen(text), "steps", error);
}

/* The list is refused with these words. */
static void expect_refused(const char *text, const char *words)
{
  struct error error = {""};
  struct transforms *list = transforms_create();
  if (parse(list, text, &error))
    fail_msg("%s: is taken", text);
  if (!strstr(error.message, words))
    fail_msg("%s: says `%s`, not `%s`", text, error.message, words);
  transforms_free(list);
}

static void wrong_lines(void **state)
{
  (void)state;
  expect_refused("nonsense 1", "steps:1: there is no step nonsense");
  expect_refused("# good\n\nfilter-count 2\n  filter-time\n", "steps:4: filter-time: ");
  expect_refused("filter-time 2", "steps:1: filter-time: 2 is more than the whole");
  expect_refused("filter-time 1.5.2", "unit is unknown");
  expect_refused("filter-time .", "not a number");
  expect_refused("filter-time 1h", "unit is unknown");
  expect_refused("filter-time -1", "not a number");
  expect_refused("filter-time 0.1234567890", "too many digits");
  expect_refused("filter-time 1234567890123456789ticks", "too many digits");
  expect_refused("filter-count 1.5", "whole number");
  expect_refused("filter-count 99999999999999999999999", "whole number");
  expect_refused("filter-count", "whole number");
  expect_refused("clip-time 5", "comma");
  expect_refused("clip-time 1,2,3", "comma");
  expect_refused("clip-time 0.5,1", "give an entry time");
  expect_refused("clip-ends 1", "comma");
  expect_refused("clip-ends 1,", "whole number");
  expect_refused("clip-range 0,1", "from 1 on");
  expect_refused("clip-range 5,4", "from 1 on");
  expect_refused("aggregate", "missing");
  expect_refused("aggregate A,,B", "missing before `,`");
  expect_refused("aggregate A,B=", "missing");
  expect_refused("aggregate =Z", "missing before `=`");
  expect_refused("aggregate \"A,B=Z", "not closed");
  expect_refused("aggregate A=#1", "cannot begin with #");
  expect_refused("project", "missing");
  expect_refused("project 0,", "missing");
  expect_refused("merge-values 0", "`:` is missing");
  expect_refused("merge-values 0:A", "`=` is missing");
  expect_refused("merge-values 0:A+B=", "missing");
  expect_refused("merge-values 0:A+B=C,", "missing");
  expect_refused("merge-components 0,1", "`=` is missing");
  expect_refused("plugin", "no file");
  expect_refused("plugin ,x", "no file");
  expect_refused("filter-count 1\x1b[31m", "control character");
}

static void bytes_that_are_no_text(void **state)
{
  (void)state;
  struct error error;
  struct transforms *list = transforms_create();
  assert_false(transforms_parse(list, "filter-count 1\n\0\n", 17, "steps", &error));
  assert_non_null(strstr(error.message, "steps:2"));
  assert_int_equal(transforms_count(list), 1);
  transforms_free(list);
}

static void too_many(void **state)
{
  (void)state;
  struct error error;
  struct transforms *list = transforms_create();
  for (int i = 0; i < TRANSFORMS_MAX; i++)
    assert_true(transforms_add(list, "filter-count", "0", &error));
  assert_false(transforms_add(list, "filter-count", "0", &error));
  transforms_free(list);
  char *text = malloc(3 * (PES_RUN_LENGTH_MAX + 2) + 16);
  char *at = text + sprintf(text, "aggregate A");
  for (int i = 0; i < PES_RUN_LENGTH_MAX; i++)
    at += sprintf(at, ",A");
  expect_refused(text, "more than 1000 names");
  free(text);
}

/* What is written says the same again. */
static void kept_as_they_are(void **state)
{
  (void)state;
  static const char lines[] = "clip-time 5 %,95%\r\n"
                              "# a remark\n"
                              "\t filter-time   0.147  \n"
                              "aggregate \"a, b\",\"say \\\"c\\\"\" = \"d e\"\n"
                              "project 0 --no-merge\n"
                              "plugin here.so,  x";
  static const char kept[] = "clip-time 5 %,95%\n"
                             "filter-time 0.147\n"
                             "aggregate \"a, b\",\"say \\\"c\\\"\" = \"d e\"\n"
                             "project 0 --no-merge\n"
                             "plugin here.so,  x\n";
  struct error error;
  struct transforms *list = transforms_create(), *again = transforms_create();
  assert_true(parse(list, lines, &error));
  char *text = transforms_text(list);
  assert_string_equal(text, kept);
  assert_true(parse(again, text, &error));
  char *same = transforms_text(again);
  assert_string_equal(same, kept);
  free(text);
  free(same);
  transforms_free(list);
  transforms_free(again);
}

static void no_merge(void **state)
{
  (void)state;
  struct error error;
  struct transforms *list = transforms_create();
  assert_false(transforms_no_merge(list, &error));
  assert_true(transforms_add(list, "drop", "1", &error) && transforms_no_merge(list, &error));
  char *text = transforms_text(list);
  assert_string_equal(text, "drop 1 --no-merge\n");
  free(text);
  assert_true(transforms_add(list, "filter-count", "1", &error));
  assert_false(transforms_no_merge(list, &error));
  transforms_free(list);
}

/* The steps are well-formed, but not for this sequence. */
static void expect_unfit(const char *text, struct pes_stream *source, const char *words)
{
  struct error error = {""};
  struct transforms *list = transforms_create();
  assert_true(parse(list, text, &error));
  struct pes_stream *stream = transforms_open(list, transforms_count(list), source, &error);
  for (size_t count = 1; stream && count > 0;) {
    struct pes_record records[PES_BATCH];
    if (pes_next(stream, records, &count, &error))
      continue;
    pes_close(stream);
    stream = NULL;
  }
  if (stream)
    fail_msg("%s: was done", text);
  if (!strstr(error.message, words))
    fail_msg("%s: says `%s`, not `%s`", text, error.message, words);
  transforms_free(list);
}

static void unfit_steps(void **state)
{
  (void)state;
  expect_unfit("filter-count 0\naggregate A2T,nobody=Z", sequence_dining(),
               "step 2 (aggregate A2T,nobody=Z): the sequence has no state nobody");
  expect_unfit("aggregate #12", sequence_dining(), "no state #12");
  expect_unfit("aggregate A2T,ET=A1E", sequence_dining(), "a state has the name A1E already");
  expect_unfit("aggregate A2T,ET=Z\naggregate R1A1=Z", sequence_dining(), "step 2");
  expect_unfit("filter-time 1ms", sequence_dining(), "the length of a tick is unknown");
  expect_unfit("clip-time 1ms,2ms", sequence_dining(), "the length of a tick is unknown");
  expect_unfit("clip-time 50%,10%", sequence_dining(), "the end is before the beginning");
  expect_unfit("project 2", sequence_dining(), "there are no components 2; their numbers are 0 to 1");
  expect_unfit("project 1-0", sequence_dining(), "there are no components 1-0");
  expect_unfit("project 99999999999999999999", sequence_dining(), "there is no component");
  expect_unfit("project nobody", sequence_dining(), "there is no component nobody");
  expect_unfit("drop *", sequence_dining(), "no component is left");
  expect_unfit("merge-values 0:Think+Sleep=X", sequence_dining(), "no value Sleep");
  expect_unfit("merge-values 0:T+E=Rel1", sequence_dining(), "another value has the name Rel1");
  expect_unfit("merge-values 0:T+E=X,R1", sequence_dining(), "another value has the name R1");
}

#define PLUGIN(name, arguments) "plugin " HEDDLE_TEST_PLUGINS "/lib" name ".so," arguments

static void plugins(void **state)
{
  (void)state;
  expect_sequence(sequence_transformed(PLUGIN("debounce", "10"), sequence_dining()),
                  "A2T@1550 ET@1560 EA1@1570 R1A1@1585 TA2@1607 TE@1621 A1E@1633 A1R1@1651 A2R2@1669 EA1@1695 "
                  "R1A1@1711 TE@1735 A1E@1745 -> A1R1@1760");
  expect_sequence(sequence_transformed(PLUGIN("debounce", "1000"), sequence_dining()), "A2T@1550 -> A1R1@1760");
  expect_sequence(sequence_transformed(PLUGIN("debounce", "5"), sequence_letters("", 'A')), "-> A@100");
  expect_sequence(sequence_transformed("filter-count 2\n" PLUGIN("debounce", "15") "\naggregate EA1,A1E=Z\nproject 0",
                                       sequence_dining()),
                  "A2@1550 Z@1570 T2@1651 Z@1695 -> A1@1760");
}

static void more_than_a_batch(void **state)
{
  (void)state;
  enum { COUNT = 3 * PES_BATCH };
  char *letters = malloc(2 * COUNT + 1);
  for (int i = 0; i < COUNT; i++)
    memcpy(letters + 2 * i, i % 2 ? "B1" : "A2", 2);
  letters[2 * COUNT] = '\0';
  struct error error;
  struct transforms_summary summary;
  struct pes_stream *stream = sequence_transformed(PLUGIN("debounce", "2"), sequence_letters(letters, 0));
  assert_true(transforms_summarize(stream, &summary, &error));
  assert_int_equal(summary.records, COUNT / 2);
  assert_int_equal(summary.duration, 3 * COUNT / 2);
  pes_close(stream);
  stream = sequence_transformed(PLUGIN("debounce", "0"), sequence_letters(letters, 0));
  assert_true(transforms_summarize(stream, &summary, &error));
  assert_int_equal(summary.records, COUNT);
  pes_close(stream);
  free(letters);
}

static void bad_plugins(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{PLUGIN("misbehaved", "open"), "can't be opened"},
                                         {PLUGIN("misbehaved", "fail"), "failed"},
                                         {PLUGIN("misbehaved", "ask"), "the host refused all"},
                                         {PLUGIN("misbehaved", "stuck"), "makes no progress"},
                                         {PLUGIN("misbehaved", "greedy"), "more records than it got"},
                                         {PLUGIN("misbehaved", "generous"), "more records than it got"},
                                         {PLUGIN("misbehaved", "endless"), "without end"},
                                         {PLUGIN("misbehaved", "descend"), "decrease"},
                                         {PLUGIN("misbehaved", "unknown"), "an unknown state"},
                                         {PLUGIN("misbehaved", "end"), "before the last entry"},
                                         {PLUGIN("misbehaved", "terminal"), "an unknown terminal state"},
                                         {PLUGIN("misbehaved", "rewind") "\nfilter-count 1", "can't begin again"},
                                         {PLUGIN("misbehaved", "other") "\nfilter-count 1", "a different sequence"},
                                         {PLUGIN("debounce", ""), "give a number of ticks"},
                                         {PLUGIN("old_version", ""), "is of version 99"},
                                         {"plugin missing.so", "cannot be loaded"},
                                         {"plugin " HEDDLE_TEST_PLUGINS "/CMakeFiles", "cannot be loaded"},
                                         {"plugin libm.so.6", "cannot be loaded"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_unfit(cases[i][0], sequence_dining(), cases[i][1]);
}

UNIT_TEST(transforms_lists)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_lines), cmocka_unit_test(bytes_that_are_no_text),
      cmocka_unit_test(too_many),    cmocka_unit_test(kept_as_they_are),
      cmocka_unit_test(no_merge),    cmocka_unit_test(unfit_steps),
      cmocka_unit_test(plugins),     cmocka_unit_test(more_than_a_batch),
      cmocka_unit_test(bad_plugins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
