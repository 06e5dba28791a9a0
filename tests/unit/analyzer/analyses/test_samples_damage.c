/*
 * Samples that are cut off or damaged, beside a whole trace. Their readers end with a result or a reason, for any wrong
 * byte, and find every file that is cut off.
 */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/analyzer/victim.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/trace/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files of the samples of two threads that are read. */
static const char *const files[] = {"samples.otf2", "samples.def", "samples/0.evt", "samples/1.evt"};
#define FILES (sizeof files / sizeof *files)

/* Two threads, one of them forks; two triggers; a path of three functions. */
static struct fixture *make_archive(const char **directory)
{
  struct fixture *f = fixture_create();
  fixture_archive_property(f, "HEDDLE::SAMPLES", "60");
  for (uint32_t i = 0; i < 2; i++) {
    fixture_location(f, i == 0 ? "master" : "worker");
    fixture_thread_begin(f, i, 0);
    fixture_thread_end(f, i, 1000);
  }
  *directory = fixture_finish(f);
  struct taken *s = taken_create(*directory);
  taken_trigger(s, "cpu", true, 1000000);
  taken_trigger(s, "page-faults", false, 100);
  uint32_t top = taken_context(s, TAKEN_TOP, taken_function(s, "main"), 3);
  uint32_t work = taken_context(s, top, taken_function(s, "work"), 4);
  uint32_t inner = taken_context(s, work, taken_function(s, "inner"), 0);
  for (uint32_t location = 0; location < 2; location++)
    for (uint32_t i = 0; i < 10; i++)
      taken_take(s, location, 10 * i + location, i % 3 == 0 ? top : i % 3 == 1 ? work : inner, i % 2, 3);
  taken_finish(s);
  return f;
}

/* False: something said that the samples are damaged. */
static bool read_all(const char *directory)
{
  struct error error = {""};
  struct trace *trace = trace_open(directory, &error);
  assert_non_null(trace);
  bool none = false;
  struct samples *samples = samples_open(trace, &none, &error);
  assert_false(none);
  struct pool *pool = pool_create(2);
  struct calls calls = {0};
  bool good = samples && analysis_find(&calls_analysis, trace, pool, samples, &calls, &error);
  analysis_free(&calls_analysis, &calls);
  pool_destroy(pool);
  samples_close(samples);
  trace_close(trace);
  if (!good)
    assert_true(error.message[0] && !strchr(error.message, '\n'));
  return good;
}

static void cut_off(void **state)
{
  (void)state;
  const char *directory;
  struct fixture *f = make_archive(&directory);
  assert_true(read_all(directory));
  for (size_t i = 0; i < FILES; i++) {
    struct victim victim = victim_take(directory, files[i]);
    for (size_t size = 0; size + 2 < victim.size; size += VICTIM_SPARSE) { /* the last bytes say nothing */
      victim_write(&victim, victim.bytes, size);
      if (read_all(directory))
        fail_msg("nothing found that %s is cut off at %zu", files[i], size);
    }
    victim_heal(&victim);
  }
  assert_true(read_all(directory));
  fixture_destroy(f);
}

static uint64_t next_random(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* Each byte once, and several at once. */
static void wrong_bytes(void **state)
{
  (void)state;
  const char *directory;
  struct fixture *f = make_archive(&directory);
  uint64_t seed = 18;
  for (size_t i = 0; i < FILES; i++) {
    struct victim victim = victim_take(directory, files[i]);
    unsigned char *bytes = malloc(victim.size);
    assert_non_null(bytes);
    for (size_t at = 0; at < victim.size; at += VICTIM_SPARSE) {
      memcpy(bytes, victim.bytes, victim.size);
      bytes[at] ^= at % 3 ? 1u << at % 8 : 0xff;
      for (size_t more = at % 4; more > 0; more--)
        bytes[next_random(&seed) % victim.size] = (unsigned char)next_random(&seed);
      victim_write(&victim, bytes, victim.size);
      read_all(directory);
    }
    free(bytes);
    victim_heal(&victim);
  }
  assert_true(read_all(directory));
  fixture_destroy(f);
}

static const char *const commands[] = {"calls",
                                       "calls --tree",
                                       "calls --json",
                                       "export --to folded -o /dev/null",
                                       "export --to pprof -o /dev/null",
                                       "report -o /dev/null"};
#define COMMANDS (sizeof commands / sizeof *commands)

/* The program, with each file gone, empty and half there: one line, exit status 1. */
static void the_program_says_so(void **state)
{
  (void)state;
  const char *directory;
  struct fixture *f = make_archive(&directory);
  for (size_t i = 0; i < 3 * FILES; i++) {
    struct victim victim = victim_take(directory, files[i / 3]);
    if (i % 3 == 2)
      assert_int_equal(unlink(victim.path), 0);
    else
      victim_write(&victim, victim.bytes, i % 3 ? victim.size / 2 : 0);
    for (size_t c = 0; c < COMMANDS; c++) {
      struct outcome o;
      run(&o, KEEP_ERRORS, "%s %s", commands[c], directory);
      if (o.status != 1)
        fail_msg("%s: status %d with %s %s", commands[c], o.status, files[i / 3],
                 (const char *const[]){"empty", "half there", "gone"}[i % 3]);
      assert_one_line(o.out);
    }
    victim_heal(&victim);
  }
  fixture_destroy(f);
}

/* A wrong byte here and there: a result, or one line. */
static void the_program_stands_wrong_bytes(void **state)
{
  (void)state;
  const char *directory;
  struct fixture *f = make_archive(&directory);
  uint64_t seed = 4711;
  unsigned failed = 0;
  for (size_t i = 0; i < 12 * FILES; i++) {
    struct victim victim = victim_take(directory, files[i % FILES]);
    unsigned char *bytes = malloc(victim.size);
    assert_non_null(bytes);
    memcpy(bytes, victim.bytes, victim.size);
    bytes[next_random(&seed) % victim.size] ^= (unsigned char)(1 + next_random(&seed) % 255);
    victim_write(&victim, bytes, victim.size);
    free(bytes);
    struct outcome o;
    run(&o, KEEP_ERRORS, "%s %s", i / FILES % 2 ? "calls" : "export --to folded -o /dev/null", directory);
    assert_in_range(o.status, 0, 1);
    if (o.status == 1)
      assert_one_line(o.out);
    failed += o.status == 1;
    victim_heal(&victim);
  }
  assert_in_range(failed, 12, 12 * FILES);
  fixture_destroy(f);
}

UNIT_TEST(samples_damage)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_off),
      cmocka_unit_test(wrong_bytes),
      cmocka_unit_test(the_program_says_so),
      cmocka_unit_test(the_program_stands_wrong_bytes),
  };
  otf2_library_quiet();
  return cmocka_run_group_tests_name("samples_damage", tests, NULL, NULL);
}
