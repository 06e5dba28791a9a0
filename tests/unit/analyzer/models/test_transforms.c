/*
 * Transforms on the worked example of Ganugapati's thesis. If the thesis misprints, the test expects the results of its
 * definitions. Example 3.3.1 swaps the shares of EA1 and A1E (.1476 and .1571). Example 3.3.2 prints <T3,TE> for the
 * run <T3>. In 3.3.3 its occupancies leave the second occurrence of the pattern as it was (8, 4, 10 instead of 22).
 */
#include "analyzer/models/transforms/transforms.h"
#include "tests/unit/unit.h"

#include "tests/unit/analyzer/sequence.h"

#include <stdlib.h>
#include <string.h>

static const char original[] = "A2T@1550 ET@1560 EA1@1570 R1A1@1585 R2A1@1597 R2A2@1601 TA2@1607 TE@1621 A1E@1633 "
                               "A1R1@1651 A2R1@1668 A2R2@1669 A2T@1685 ET@1686 EA1@1695 R1A1@1711 R2A2@1723 TA2@1731 "
                               "TE@1735 A1E@1745 -> A1R1@1760";
static const char filtered[] = "T1@1550 EA1@1570 T2@1585 A1E@1633 T3@1651 EA1@1695 T2@1711 A1E@1745 -> A1R1@1760";

static struct pes_stream *dining(const char *list)
{
  return sequence_transformed(list, sequence_dining());
}

static void expect_occupancies(struct pes_stream *stream, const char *expected)
{
  char *text = sequence_occupancies(stream);
  assert_string_equal(text, expected);
  free(text);
}

static uint32_t state_called(const struct pes_stream *stream, const char *name)
{
  uint32_t count;
  uint32_t state = pes_states_find(stream->program, stream->states, name, &count);
  assert_int_equal(count, 1);
  return state;
}

/* "R1A1 R2A2": one of the sequences that an aggregate stands for. */
static void expect_run(const struct pes_stream *stream, uint32_t aggregate, uint32_t index, const char *expected,
                       uint64_t count)
{
  const struct pes_run *run = &pes_state(stream->states, aggregate)->runs[index];
  char text[256] = "";
  for (uint32_t i = 0; i < run->length; i++) {
    char *name = pes_state_name(stream->program, stream->states, run->states[i]);
    if (i > 0)
      strcat(text, " ");
    strcat(text, name);
    free(name);
  }
  assert_string_equal(text, expected);
  assert_int_equal(run->count, count);
}

static void expect_filter(const struct pes_stream *stream, const char *name, const char *before, const char *after,
                          uint32_t runs)
{
  const struct pes_state *state = pes_state(stream->states, state_called(stream, name));
  assert_int_equal(state->kind, PES_FILTER);
  assert_int_equal(state->before, before ? state_called(stream, before) : PES_NONE);
  assert_int_equal(state->after, after ? state_called(stream, after) : PES_NONE);
  assert_int_equal(state->run_count, runs);
  assert_int_equal(state->other_runs, 0);
}

static void nothing_done(void **state)
{
  (void)state;
  expect_sequence(dining(""), original);
  expect_sequence(dining("# no step\n\n"), original);
}

/* Section 3.2 of the digest. */
static void filter_by_time(void **state)
{
  (void)state;
  struct pes_stream *stream = dining("filter-time 0.147");
  expect_occupancies(stream, "20 15 48 18 44 16 34 15");
  expect_filter(stream, "T1", NULL, "EA1", 1);
  expect_filter(stream, "T2", "EA1", "A1E", 2);
  expect_filter(stream, "T3", "A1E", "EA1", 1);
  expect_run(stream, state_called(stream, "T1"), 0, "A2T ET", 1);
  expect_run(stream, state_called(stream, "T2"), 0, "R1A1 R2A1 R2A2 TA2 TE", 1);
  expect_run(stream, state_called(stream, "T2"), 1, "R1A1 R2A2 TA2 TE", 1);
  expect_run(stream, state_called(stream, "T3"), 0, "A1R1 A2R1 A2R2 A2T ET", 1);
  expect_sequence(stream, filtered);
  expect_sequence(dining("filter-time 14.7%"), filtered);
  expect_sequence(dining("filter-time 31ticks"), filtered);
}

/* The comparison is strict, and exact: 31 / 210 is not less than 31 / 210. */
static void threshold_is_strict(void **state)
{
  (void)state;
  expect_sequence(dining("filter-time 32 ticks"), "T1@1550 A1E@1633 T2@1651 A1E@1745 -> A1R1@1760");
  expect_sequence(dining("filter-time 31.000000001ticks"), "T1@1550 A1E@1633 T2@1651 A1E@1745 -> A1R1@1760");
  expect_sequence(sequence_transformed("filter-time 0.1", sequence_letters("A9", 'A')), "A@100 -> A@109");
  expect_sequence(sequence_transformed("filter-time 0.1", sequence_letters("A1B9", 0)), "A@100 B@101 -> ?@110");
  expect_sequence(sequence_transformed("filter-time 0.100000001", sequence_letters("A1B9", 0)),
                  "T1@100 B@101 -> ?@110");
}

/* Section 3.3: aggregates are filtered again. */
static void filter_of_filter(void **state)
{
  (void)state;
  struct pes_stream *stream = dining("filter-time 0.147\nfilter-count 2");
  expect_occupancies(stream, "20 15 48 18 44 16 34 15");
  expect_filter(stream, "T4", NULL, "EA1", 1);
  expect_filter(stream, "T5", "A1E", "EA1", 1);
  expect_run(stream, state_called(stream, "T4"), 0, "T1", 1);
  expect_run(stream, state_called(stream, "T5"), 0, "T3", 1);
  expect_filter(stream, "T2", "EA1", "A1E", 2);
  expect_sequence(stream, "T4@1550 EA1@1570 T2@1585 A1E@1633 T5@1651 EA1@1695 T2@1711 A1E@1745 -> A1R1@1760");
}

/* The terminal A1R1 is not counted: so A1R1 occurs once, and is rare. */
static void filter_by_count(void **state)
{
  (void)state;
  struct pes_stream *stream = dining("filter-count 2");
  expect_occupancies(stream, "10 10 15 12 4 6 14 12 18 34 1 9 16 12 8 4 10 15");
  expect_filter(stream, "T1", "R1A1", "R2A2", 1);
  expect_filter(stream, "T2", "A1E", "A2T", 1);
  expect_run(stream, state_called(stream, "T1"), 0, "R2A1", 1);
  expect_run(stream, state_called(stream, "T2"), 0, "A1R1 A2R1 A2R2", 1);
  expect_sequence(stream, "A2T@1550 ET@1560 EA1@1570 R1A1@1585 T1@1597 R2A2@1601 TA2@1607 TE@1621 A1E@1633 T2@1651 "
                          "A2T@1685 ET@1686 EA1@1695 R1A1@1711 R2A2@1723 TA2@1731 TE@1735 A1E@1745 -> A1R1@1760");
}

/* Section 3.4. */
static void aggregate(void **state)
{
  (void)state;
  struct pes_stream *stream = dining("aggregate R2A2,TA2,TE=Z");
  expect_occupancies(stream, "10 10 15 12 4 32 18 17 1 16 1 9 16 12 22 15");
  const struct pes_state *pattern = pes_state(stream->states, state_called(stream, "Z"));
  assert_int_equal(pattern->kind, PES_PATTERN);
  assert_int_equal(pattern->run_count, 1);
  expect_run(stream, state_called(stream, "Z"), 0, "R2A2 TA2 TE", 2);
  expect_sequence(stream, "A2T@1550 ET@1560 EA1@1570 R1A1@1585 R2A1@1597 Z@1601 A1E@1633 A1R1@1651 A2R1@1668 A2R2@1669 "
                          "A2T@1685 ET@1686 EA1@1695 R1A1@1711 Z@1723 A1E@1745 -> A1R1@1760");
}

/* Section 3.5: the example's reading (counts from each end), the definition's (from the i-th to the f-th), by time. */
static void clip(void **state)
{
  (void)state;
  static const char middle[] = "A1E@1633 A1R1@1651 A2R1@1668 A2R2@1669 -> ?@1685";
  struct pes_stream *stream = dining("clip-ends 8,8");
  expect_occupancies(stream, "18 17 1 16");
  expect_sequence(stream, middle);
  expect_sequence(dining("clip-range 9,12"), middle);
  expect_sequence(dining("clip-range 8,8"), "TE@1621 -> ?@1633");
  expect_sequence(dining("clip-time 1633,1684"), middle);
  expect_sequence(dining("clip-time 83ticks,1669"), middle);
  expect_sequence(dining("clip-time 1622,1669"), middle);
}

static void clip_at_the_ends(void **state)
{
  (void)state;
  expect_sequence(dining("clip-ends 0,0"), original);
  expect_sequence(dining("clip-range ,"), original);
  expect_sequence(dining("clip-time ,"), original);
  expect_sequence(dining("clip-time 0,1760"), original);
  expect_sequence(dining("clip-time 0%,100%"), original);
  expect_sequence(dining("clip-ends 18,0"), "TE@1735 A1E@1745 -> A1R1@1760");
  expect_sequence(dining("clip-range 19,"), "TE@1735 A1E@1745 -> A1R1@1760");
  /* The terminal pair is dropped for its time, the last state stays as long as it was seen. */
  expect_sequence(dining("clip-time 1735,1759"), "TE@1735 A1E@1745 -> ?@1760");
  expect_sequence(dining("clip-ends 12,8"), "-> ?@1685");
  expect_sequence(dining("clip-ends 30,30"), "-> ?@1550");
  expect_sequence(dining("clip-time 1761,2000"), "-> ?@1760");
  expect_sequence(dining("clip-time 3,1000"), "-> ?@1550");
}

/* Section 3.7, by index and by name. */
static void project(void **state)
{
  (void)state;
  static const char first[] = "A2@1550 E@1560 R1@1585 R2@1597 T@1607 A1@1633 A2@1668 E@1686 R1@1711 R2@1723 T@1731 "
                              "A1@1745 -> ?@1760";
  static const char second[] = "T@1550 A1@1570 A2@1601 E@1621 R1@1651 R2@1669 T@1685 A1@1695 A2@1723 E@1735 "
                               "-> R1@1760";
  expect_sequence(dining("project 0"), first);
  expect_sequence(dining("drop 1"), first);
  expect_sequence(dining("project 1"), second);
  expect_sequence(dining("drop 0-0"), second);
  expect_sequence(dining("project Philosopher"), original);
  expect_sequence(dining("project *"), original);
  struct pes_stream *stream = dining("project 0");
  expect_occupancies(stream, "10 25 12 10 26 35 18 25 12 8 14 15");
  assert_int_equal(stream->program->component_count, 1);
  pes_close(stream);
}

static void project_without_merging(void **state)
{
  (void)state;
  expect_sequence(dining("project 0 --no-merge"),
                  "A2@1550 E@1560 E@1570 R1@1585 R2@1597 R2@1601 T@1607 T@1621 A1@1633 A1@1651 A2@1668 A2@1669 A2@1685 "
                  "E@1686 E@1695 R1@1711 R2@1723 T@1731 T@1735 A1@1745 -> A1@1760");
}

/* The marginals of section 3.7: the projection of a component takes as long in each value as it does. */
static void expect_times(struct pes_stream *stream, const char *const *names, const uint64_t *times)
{
  struct transforms_preview preview;
  struct error error;
  assert_true(transforms_preview(stream, 0, 0, &preview, &error));
  assert_int_equal(preview.use_count, 6);
  assert_int_equal(preview.duration, 210);
  for (size_t i = 0; i < preview.use_count; i++) {
    char *name = pes_state_name(stream->program, stream->states, preview.uses[i].state);
    size_t at = 0;
    while (strcmp(names[at], name) != 0)
      at++;
    assert_int_equal(preview.uses[i].time, times[at]);
    free(name);
  }
  transforms_preview_free(&preview);
  pes_close(stream);
}

static void marginals(void **state)
{
  (void)state;
  static const char *const names[] = {"T", "A1", "A2", "E", "R1", "R2"};
  expect_times(dining("project 0"), names, (const uint64_t[]){40, 50, 28, 50, 24, 18});
  expect_times(dining("project 1"), names, (const uint64_t[]){30, 59, 32, 55, 18, 16});
}

static void merge_values(void **state)
{
  (void)state;
  /* R2A1 and R2A2 are one state then, and so are A1R1, A2R1, and R2T there is none. */
  expect_sequence(dining("merge-values *:Acq1+Acq2=Hungry,H"),
                  "HT@1550 ET@1560 EH@1570 R1H@1585 R2H@1597 TH@1607 TE@1621 HE@1633 HR1@1651 HR2@1669 HT@1685 ET@1686 "
                  "EH@1695 R1H@1711 R2H@1723 TH@1731 TE@1735 HE@1745 -> HR1@1760");
  expect_sequence(dining("merge-values 1:A1+A2+R1+R2+E=N,N\nproject 1"), "T@1550 N@1570 T@1685 N@1695 -> ?@1760");
  /* Only the named one. */
  expect_sequence(dining("merge-values 1:T+E=X,X\nclip-ends 0,18"), "A2X@1550 EX@1560 -> ?@1570");
}

static void merge_components(void **state)
{
  (void)state;
  struct pes_stream *stream = dining("merge-components 0,1=pair");
  assert_int_equal(stream->program->component_count, 1);
  assert_string_equal(stream->program->components[0].name, "pair");
  assert_int_equal(stream->program->sets[stream->program->components[0].set].count, 12);
  assert_string_equal(stream->program->sets[stream->program->components[0].set].values[0].name, "Acq2/Think");
  expect_sequence(stream, original);
  /* What concerns both: somebody eats, or nobody does. */
  expect_sequence(dining("merge-components 0-1=pair\n"
                         "merge-values pair:ET+EA1+TE+A1E=Eating,E\n"
                         "merge-values pair:A2T+R1A1+R2A1+R2A2+TA2+A1R1+A2R1+A2R2=Nobody,N"),
                  "N@1550 E@1560 N@1585 E@1621 N@1651 E@1686 N@1711 E@1735 -> N@1760");
}

/* What the thesis could not do: aggregates keep their names, and what they stand for is projected. */
static void project_aggregates(void **state)
{
  (void)state;
  struct pes_stream *stream = dining("filter-time 0.147\nproject 0");
  expect_filter(stream, "T1", NULL, "E", 1);
  expect_filter(stream, "T2", "E", "A1", 1);
  expect_filter(stream, "T3", "A1", "E", 1);
  expect_run(stream, state_called(stream, "T1"), 0, "A2 E", 1);
  expect_run(stream, state_called(stream, "T2"), 0, "R1 R2 T", 2);
  expect_run(stream, state_called(stream, "T3"), 0, "A1 A2 E", 1);
  expect_sequence(stream, "T1@1550 E@1570 T2@1585 A1@1633 T3@1651 E@1695 T2@1711 A1@1745 -> ?@1760");
  stream = dining("filter-time 0.147\nfilter-count 2\nproject 1\naggregate T4,A1=B");
  expect_run(stream, state_called(stream, "T4"), 0, "T1", 1);
  expect_run(stream, state_called(stream, "B"), 0, "T4 A1", 1);
  expect_sequence(stream, "B@1550 T2@1585 E@1633 T5@1651 A1@1695 T2@1711 E@1745 -> R1@1760");
}

/* The end of the sequence: a run goes on behind it if the terminal state is rare, too. */
static void runs_at_the_ends(void **state)
{
  (void)state;
  struct pes_stream *stream = sequence_transformed("filter-count 2", sequence_letters("XAYAZ", 'A'));
  expect_filter(stream, "T1", NULL, "A", 1);
  expect_filter(stream, "T2", "A", "A", 2);
  expect_sequence(stream, "T1@100 A@101 T2@102 A@103 T2@104 -> A@105");
  stream = sequence_transformed("filter-count 2", sequence_letters("AYAZ", 'Y'));
  expect_filter(stream, "T2", "A", NULL, 1);
  expect_sequence(stream, "A@100 T1@101 A@102 T2@103 -> Y@104");
  stream = sequence_transformed("filter-count 2", sequence_letters("AYAZ", 0));
  expect_filter(stream, "T2", "A", NULL, 1);
  pes_close(stream);
  stream = sequence_transformed("filter-count 9", sequence_letters("ABA", 'B'));
  expect_filter(stream, "T1", NULL, NULL, 1);
  expect_run(stream, state_called(stream, "T1"), 0, "A B A", 1);
  expect_sequence(stream, "T1@100 -> B@103");
}

static void empty(void **state)
{
  (void)state;
  static const char *const lists[] = {"filter-time 1",  "filter-count 5", "project 0",        "clip-ends 2,2",
                                      "clip-range 2,3", "clip-time 1,9",  "clip-time 10%,20%"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    expect_sequence(sequence_transformed(lists[i], sequence_letters("", 0)), "-> ?@100");
  expect_sequence(sequence_transformed("aggregate A,A", sequence_letters("", 'A')), "-> A@100");
}

static void patterns(void **state)
{
  (void)state;
  expect_sequence(sequence_transformed("aggregate A,A,A=Z", sequence_letters("AAAAA", 0)),
                  "Z@100 A@103 A@104 -> ?@105");
  expect_sequence(sequence_transformed("aggregate A,A=Z", sequence_letters("AAAAA", 'A')),
                  "Z@100 Z@102 A@104 -> A@105");
  expect_sequence(sequence_transformed("aggregate A,B", sequence_letters("ABCAB", 'A')),
                  "P1@100 C@102 P1@103 -> A@105");
  expect_sequence(sequence_transformed("aggregate A,B,A,B,C", sequence_letters("ABABABCAB", 0)),
                  "A@100 B@101 P1@102 A@107 B@108 -> ?@109");
  /* The terminal state is no part of a match. */
  expect_sequence(sequence_transformed("aggregate A,B=Z", sequence_letters("CA", 'B')), "C@100 A@101 -> B@102");
  expect_sequence(sequence_transformed("aggregate A=Z", sequence_letters("ABA", 'A')), "Z@100 B@101 Z@102 -> A@103");
  expect_sequence(sequence_transformed("aggregate A,B=Z\naggregate Z,Z=\"Y, twice\"", sequence_letters("ABABAB", 0)),
                  "Y, twice@100 Z@104 -> ?@106");
  expect_sequence(sequence_transformed("aggregate #0,#1=Z", sequence_letters("ABC", 0)), "Z@100 C@102 -> ?@103");
}

static void preview(void **state)
{
  (void)state;
  struct error error;
  struct transforms_preview found;
  struct pes_stream *stream = dining("aggregate R2A2,TA2,TE=Z");
  assert_true(transforms_preview(stream, 12, 1, &found, &error));
  assert_int_equal(found.use_count, 1);
  assert_int_equal(found.uses[0].count, 2);
  assert_int_equal(found.uses[0].time, 54);
  assert_int_equal(found.place_count, 1);
  assert_int_equal(found.places[0].record, 5);
  assert_int_equal(found.places[0].entry, 1601);
  assert_int_equal(found.places[0].time, 32);
  transforms_preview_free(&found);
  struct transforms_summary summary;
  assert_true(transforms_summarize(stream, &summary, &error));
  assert_int_equal(summary.records, 16);
  assert_int_equal(summary.states, 10);
  assert_int_equal(summary.transitions, 11);
  assert_int_equal(summary.duration, 210);
  assert_int_equal(summary.pattern_time, 54);
  assert_int_equal(summary.filter_time, 0);
  pes_close(stream);
}

UNIT_TEST(transforms)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_done),
      cmocka_unit_test(filter_by_time),
      cmocka_unit_test(threshold_is_strict),
      cmocka_unit_test(filter_of_filter),
      cmocka_unit_test(filter_by_count),
      cmocka_unit_test(aggregate),
      cmocka_unit_test(clip),
      cmocka_unit_test(clip_at_the_ends),
      cmocka_unit_test(project),
      cmocka_unit_test(project_without_merging),
      cmocka_unit_test(marginals),
      cmocka_unit_test(merge_values),
      cmocka_unit_test(merge_components),
      cmocka_unit_test(project_aggregates),
      cmocka_unit_test(runs_at_the_ends),
      cmocka_unit_test(empty),
      cmocka_unit_test(patterns),
      cmocka_unit_test(preview),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
