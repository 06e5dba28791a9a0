/* Program execution sequences as files: they are read as they were written, and errors are reported with their line. */
#include "analyzer/models/sequences/pes.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/heddle-pes-XXXXXX";

static const char *in_directory(const char *name)
{
  static char paths[4][256];
  static unsigned turn;
  char *path = paths[turn++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}

static const char *write_text(const char *name, const char *text, size_t length)
{
  const char *path = in_directory(name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  return path;
}

static struct pes_stream *open_good(const char *path)
{
  struct error error = {{0}};
  struct pes_stream *stream = pes_open(path, &error);
  if (!stream)
    fail_msg("%s", error.message);
  return stream;
}

/* All of a stream as one text: a line a record, by the names of its states. The caller frees it. */
static char *told(struct pes_stream *stream)
{
  char *text;
  size_t size, count;
  struct error error = {{0}};
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  FILE *file = open_memstream(&text, &size);
  assert_true(pes_rewind(stream, &error));
  do {
    if (!pes_next(stream, records, &count, &error))
      fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
      char *name = pes_state_name(stream->program, stream->states, records[i].state);
      fprintf(file, "%llu %s\n", (unsigned long long)records[i].entry, name);
      free(name);
    }
  } while (count > 0);
  char *terminal = stream->end.terminal == PES_NONE
                       ? strdup("-")
                       : pes_state_name(stream->program, stream->states, stream->end.terminal);
  fprintf(file, "end %llu %s\n", (unsigned long long)stream->end.time, terminal);
  free(terminal);
  free(records);
  fclose(file);
  return text;
}

static const char worked_example[] =
    "1550 A2T\n1560 ET\n1570 EA1\n1585 R1A1\n1597 R2A1\n1601 R2A2\n1607 TA2\n1621 TE\n1633 A1E\n1651 A1R1\n1668 A2R1\n"
    "1669 A2R2\n1685 A2T\n1686 ET\n1695 EA1\n1711 R1A1\n1723 R2A2\n1731 TA2\n1735 TE\n1745 A1E\nend 1760 A1R1\n";

static void expect_told(const char *path, const char *expected)
{
  struct pes_stream *stream = open_good(path);
  for (int i = 0; i < 2; i++) { /* the second time, the same */
    char *text = told(stream);
    assert_string_equal(text, expected);
    free(text);
  }
  pes_close(stream);
}

static void the_worked_example_is_read(void **state)
{
  (void)state;
  expect_told(HEDDLE_TEST_DATA "/pes/philosophers.csl", worked_example);
  struct pes_stream *stream = open_good(HEDDLE_TEST_DATA "/pes/philosophers.csl");
  free(told(stream));
  assert_string_equal(stream->program->name, "Dining");
  assert_int_equal(stream->program->component_count, 2);
  assert_string_equal(stream->program->components[1].name, "Philosopher");
  assert_int_equal(pes_states_count(stream->states), 12);
  uint32_t count;
  assert_int_equal(pes_states_find(stream->program, stream->states, "A2T", &count), 0);
  assert_int_equal(pes_states_find(stream->program, stream->states, "A2R2", &count), 11);
  assert_int_equal(pes_states_find(stream->program, stream->states, "#3", &count), 3);
  assert_int_equal(pes_states_find(stream->program, stream->states, "#12", &count), PES_NONE);
  assert_int_equal(pes_states_find(stream->program, stream->states, "TT", &count), PES_NONE);
  assert_int_equal(count, 0);
  pes_close(stream);
}

static void both_dialects_and_the_binary_say_the_same(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct pes_stream *stream = open_good(HEDDLE_TEST_DATA "/pes/philosophers.csl");
  assert_true(pes_write(stream, in_directory("figure"), PES_FIGURE, &error));
  assert_true(pes_write(stream, in_directory("grammar"), PES_GRAMMAR, &error));
  assert_true(pes_write(stream, in_directory("binary"), PES_BINARY, &error));
  pes_close(stream);
  expect_told(in_directory("figure"), worked_example);
  expect_told(in_directory("binary"), worked_example);
  /* The grammar has no codes: names are the long ones, which do not delimit themselves. */
  stream = open_good(in_directory("grammar"));
  char *text = told(stream);
  assert_int_equal(strncmp(text, "1550 Acq2,Think\n1560 Eat,Think\n", 31), 0);
  assert_non_null(strstr(text, "end 1760 Acq1,Rel1\n"));
  free(text);
  pes_close(stream);
  /* From binary to text to binary: the same bytes. */
  stream = open_good(in_directory("binary"));
  assert_true(pes_write(stream, in_directory("again.csl"), PES_FIGURE, &error));
  pes_close(stream);
  stream = open_good(in_directory("again.csl"));
  assert_true(pes_write(stream, in_directory("again"), PES_BINARY, &error));
  pes_close(stream);
  char command[512];
  snprintf(command, sizeof command, "cmp %s %s", in_directory("binary"), in_directory("again"));
  assert_int_equal(system(command), 0);
}

enum { LONG_RECORDS = 30000, LONG_VALUES = 21, LONG_COMPONENTS = 3 };

/* Times and values of all lengths, of both signs. */
static struct pes_stream *long_sequence(void)
{
  struct error error = {{0}};
  struct pes_program *program = pes_program_create("long", 1000);
  struct pes_states *states = pes_states_create(LONG_COMPONENTS);
  struct pes_record *records = malloc(LONG_RECORDS * sizeof *records);
  uint64_t time = 0;
  for (uint32_t i = 0; i < LONG_COMPONENTS; i++) {
    pes_program_add_set(program);
    int64_t id = INT64_MIN;
    for (uint32_t k = 0; k < LONG_VALUES; k++, id = id < 0 ? id / 100 : id == 0 ? 7 : id * 50) {
      char name[] = {(char)('a' + k), '\0'};
      pes_program_add_value(program, i, id, name, name);
    }
    pes_program_add_component(program, "long", i);
  }
  for (uint32_t i = 0; i < LONG_RECORDS; i++) {
    uint32_t vector[LONG_COMPONENTS] = {i % LONG_VALUES, i / 5 % LONG_VALUES, i / 7 % LONG_VALUES};
    records[i] = (struct pes_record){time, pes_states_intern(states, vector)};
    time += i % 3000 == 2999 ? time * 3 + 1 : i % 3;
  }
  struct pes_stream *stream =
      pes_from_memory(program, states, records, LONG_RECORDS, (struct pes_end){UINT64_MAX, PES_NONE}, &error);
  free(records);
  return stream;
}

static void a_long_sequence_is_the_same_in_each_form(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct pes_stream *stream = long_sequence();
  char *text = told(stream);
  assert_true(pes_write(stream, in_directory("long.csl"), PES_FIGURE, &error));
  assert_true(pes_write(stream, in_directory("long"), PES_BINARY, &error));
  pes_close(stream);
  expect_told(in_directory("long.csl"), text);
  expect_told(in_directory("long"), text);
  free(text);
}

/* As figure 5.3, without angles, in capitals, with what Heddle adds. */
static void the_grammars_form_is_read(void **state)
{
  (void)state;
  static const char text[] =
      "PROGRAM p; BEGIN SETUP:\n clock = 1000; parameter 'OMP_NUM_THREADS' = '2';\n"
      "MAXCOMPONENTS = 2\n COMPONENT 1, 0 = 'it''s \\x41\\\\', 2; -3 = a; 5 = b\n"
      "TRACE: 18446744073709551610 -3, 5  18446744073709551611 5,5 UNTIL 18446744073709551615 END.";
  const char *path = write_text("grammar.csl", text, strlen(text));
  expect_told(path, "18446744073709551610 a,b\n18446744073709551611 b,b\nend 18446744073709551615 -\n");
  struct pes_stream *stream = open_good(path);
  assert_int_equal(stream->program->ticks_per_second, 1000);
  assert_string_equal(pes_program_parameter(stream->program, "OMP_NUM_THREADS"), "2");
  assert_null(pes_program_parameter(stream->program, "OMP_SCHEDULE"));
  assert_string_equal(stream->program->components[0].name, "it's A\\");
  struct error error;
  assert_true(pes_write(stream, in_directory("until"), PES_BINARY, &error));
  assert_true(pes_write(stream, in_directory("until.csl"), PES_FIGURE, &error));
  pes_close(stream);
  expect_told(in_directory("until"),
              "18446744073709551610 a,b\n18446744073709551611 b,b\nend 18446744073709551615 -\n");
  expect_told(in_directory("until.csl"),
              "18446744073709551610 a,b\n18446744073709551611 b,b\nend 18446744073709551615 -\n");
}

static void expect_fault(const char *text, const char *expected)
{
  struct error error = {{0}};
  const char *path = write_text("fault.csl", text, strlen(text));
  struct pes_stream *stream = pes_open(path, &error);
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  while (stream && count > 0 && pes_next(stream, records, &count, &error)) {
  }
  assert_true(!stream || count == 0);
  pes_close(stream);
  free(records);
  const char *message = strstr(error.message, "fault.csl");
  assert_non_null(message);
  assert_string_equal(message + strlen("fault.csl"), expected);
}

#define SETUP "Program p;\nbegin\nSetup:\nmaxcomps = 2\nComponent 0-1 = 'x', 2, char;\n0 = Off, F; 1 = On, N\nTrace:\n"

static void faults_are_told_with_their_line(void **state)
{
  (void)state;
  expect_fault("", ":1: this is neither a binary program execution sequence nor CSL text, which begins with `Program`");
  expect_fault(SETUP "10 <0,1>\n20 <0,8>\nend.", ":9: component 1 has no value 8: its values are 0 to 1");
  expect_fault(SETUP "10 <0,1>\n5 <0,0>\nend.", ":9: time runs backwards, from 10 to 5");
  expect_fault(SETUP "10 <0>\nend.", ":8: the record has 1 values for 2 components");
  expect_fault(SETUP "10 <0,1,1>\nend.", ":8: the record has more values than the 2 components");
  expect_fault(SETUP "10 <0,1\nend.", ":9: `>` is missing");
  expect_fault(SETUP "10 0,1\n", ":9: expected a record or `end.`");
  expect_fault(SETUP "10 0,1 until 9 end.", ":8: the sequence ends before its last record");
  expect_fault(SETUP "10 0,1 end. more", ":8: unexpected text after `end.`");
  expect_fault(SETUP "99999999999999999999 0,1 end.", ":8: a number is larger than 2^64 - 1");
  expect_fault("Program p; begin Setup: maxcomps = 1\nComponent 0-1 = 'x', 2;",
               ":2: there are no components 0-1: there are 1");
  expect_fault("Program p; begin Setup: maxcomps = 2\nComponent 0 = 'x', 1; 0 = a\nTrace: end.",
               ":3: component 1 is missing");
  expect_fault("Program p; begin Setup: maxcomps = 1\nComponent 0 = 'x', 3; 0 = a; 1 = b\nTrace: end.",
               ":3: the component has 2 values, but declares 3");
  expect_fault("Program p; begin Setup: maxcomps = 1\nComponent 0 = 'x\n",
               ":2: a quoted name does not end on its line");
  expect_fault("Program p; begin Setup: maxcomps = 9999999", ":1: 9999999 components are more than 1048576");
}

/* Aggregates survive the binary; in CSL text, program states by name are what is left. */
static void aggregates_are_kept(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct pes_program *program = pes_program_create("p", 0);
  uint32_t set = pes_program_add_set(program);
  pes_program_add_value(program, set, 0, "Off", "F");
  pes_program_add_value(program, set, 1, "On", "N");
  pes_program_add_component(program, "x", set);
  struct pes_states *states = pes_states_create(1);
  uint32_t off = pes_states_intern(states, &(uint32_t){0}), on = pes_states_intern(states, &(uint32_t){1});
  uint32_t filter = pes_states_add_filter(states, NULL, PES_NONE, on);
  uint32_t pattern = pes_states_add_pattern(states, "odd, name");
  assert_true(pes_states_add_run(states, filter, (uint32_t[]){off, off}, 2, 3));
  assert_true(pes_states_add_run(states, filter, (uint32_t[]){off}, 1, 1));
  assert_true(pes_states_add_run(states, filter, (uint32_t[]){off, off}, 2, 4));
  pes_states_add_other_runs(states, filter, 5);
  assert_true(pes_states_add_run(states, pattern, (uint32_t[]){on, filter}, 2, 1));
  struct pes_record records[] = {{0, filter}, {4, on}, {4, pattern}, {9, on}};
  struct pes_stream *stream = pes_from_memory(program, states, records, 4, (struct pes_end){9, PES_NONE}, &error);
  assert_true(pes_write(stream, in_directory("aggregates"), PES_BINARY, &error));
  assert_true(pes_write(stream, in_directory("aggregates.csl"), PES_FIGURE, &error));
  pes_close(stream);
  static const char expected[] = "0 T1\n4 N\n4 odd, name\n9 N\nend 9 -\n";
  expect_told(in_directory("aggregates"), expected);
  expect_told(in_directory("aggregates.csl"), expected);
  stream = open_good(in_directory("aggregates"));
  const struct pes_state *read = pes_state(stream->states, filter);
  assert_int_equal(read->kind, PES_FILTER);
  assert_int_equal(read->before, PES_NONE);
  assert_int_equal(read->after, on);
  assert_int_equal(read->run_count, 2);
  assert_int_equal(read->runs[0].count, 7);
  assert_int_equal(read->runs[0].length, 2);
  assert_int_equal(read->other_runs, 5);
  assert_int_equal(pes_state(stream->states, pattern)->runs[0].states[1], filter);
  pes_close(stream);
}

/* Every prefix of a binary file, and every file with one byte changed, is read or refused. It is never believed to be
 * longer than it is. */
static void damaged_binaries_are_refused(void **state)
{
  (void)state;
  char bytes[4096];
  FILE *file = fopen(in_directory("aggregates"), "r");
  size_t length = fread(bytes, 1, sizeof bytes, file), refused = 0;
  fclose(file);
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  for (size_t i = 0; i < 2 * length; i++) {
    struct error error = {{0}};
    size_t count = 1;
    bool good = true;
    bytes[i % length] ^= i < length ? 0 : 0x41;
    const char *path = write_text("damaged", bytes, i < length ? i : length);
    bytes[i % length] ^= i < length ? 0 : 0x41;
    struct pes_stream *stream = pes_open(path, &error);
    while (stream && good && count > 0)
      good = pes_next(stream, records, &count, &error);
    refused += !stream || !good;
    assert_true((stream && good) == (error.message[0] == '\0'));
    assert_true(i >= length || !stream || !good);
    pes_close(stream);
  }
  assert_true(refused > length + length / 4);
  free(records);
}

/* Thousands of states, blocks and buckets: each vector keeps its number. */
static void many_states_keep_their_numbers(void **state)
{
  (void)state;
  enum { COUNT = 100000, WIDTH = 5 };
  struct pes_states *states = pes_states_create(WIDTH);
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < COUNT; i++) {
      uint32_t vector[WIDTH] = {i % 7, i / 7 % 11, i / 77, i & 1, 0};
      assert_int_equal(pes_states_intern(states, vector), i);
    }
  }
  assert_int_equal(pes_states_count(states), COUNT);
  assert_int_equal(pes_state(states, 777)->vector[2], 777 / 77);
  uint32_t aggregate = pes_states_add_pattern(states, NULL);
  assert_string_equal(pes_state(states, aggregate)->name, "P1");
  assert_string_equal(pes_state(states, pes_states_add_pattern(states, "P7"))->name, "P7");
  assert_string_equal(pes_state(states, pes_states_add_pattern(states, NULL))->name, "P8");
  for (uint32_t i = 0; i < 2 * PES_RUNS_MAX; i++)
    assert_true(pes_states_add_run(states, aggregate, (uint32_t[]){i, i + 1}, 2, 1));
  assert_int_equal(pes_state(states, aggregate)->run_count, PES_RUNS_MAX);
  assert_int_equal(pes_state(states, aggregate)->other_runs, PES_RUNS_MAX);
  pes_states_clear_runs(states, aggregate);
  assert_int_equal(pes_state(states, aggregate)->run_count, 0);
  pes_states_free(states);
}

static int make_directory(void **state)
{
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
  (void)state;
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  return system(command);
}

UNIT_TEST(pes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_worked_example_is_read),
      cmocka_unit_test(both_dialects_and_the_binary_say_the_same),
      cmocka_unit_test(a_long_sequence_is_the_same_in_each_form),
      cmocka_unit_test(the_grammars_form_is_read),
      cmocka_unit_test(faults_are_told_with_their_line),
      cmocka_unit_test(aggregates_are_kept),
      cmocka_unit_test(damaged_binaries_are_refused),
      cmocka_unit_test(many_states_keep_their_numbers),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
