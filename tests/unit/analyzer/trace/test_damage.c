/*
 * Archives that are cut off or damaged. Each analysis ends with a result or a reason, for any wrong byte, and finds
 * every file that is cut off.
 */
#include "analyzer/analyses/locks/locks.h"
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/subjects.h"
#include "tests/unit/analyzer/victim.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/imbalance/imbalance.h"
#include "analyzer/analyses/states/sums.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/trace/stream.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files of an archive of two threads. */
static const char *const files[] = {"traces.otf2",  "traces.def",   "traces/0.def",
                                    "traces/0.evt", "traces/1.def", "traces/1.evt"};
#define FILES (sizeof files / sizeof *files)

/* Two threads; a region with a loop of known chunks, its barrier, locks of both kinds; local definitions; properties.
 */
static struct fixture *make_archive(void)
{
  struct fixture *f = fixture_create();
  uint32_t threads[] = {fixture_location(f, "master"), fixture_location(f, "worker")};
  uint32_t team = fixture_team(f, threads, 2);
  uint32_t parallel = fixture_openmp(f, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL);
  uint32_t loop = fixture_openmp(f, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP);
  uint32_t chunk = fixture_openmp(f, "chunk @a.c:2", OTF2_REGION_ROLE_LOOP);
  uint32_t barrier = fixture_openmp(f, "!$omp implicit barrier @a.c:2", OTF2_REGION_ROLE_IMPLICIT_BARRIER);
  fixture_describe(f, loop, "schedule: static");
  fixture_property(f, "HEDDLE::COMMAND", "./a.out");
  fixture_thread_type(f, 1, "worker");
  uint32_t critical = fixture_openmp(f, "!$omp critical @a.c:3", OTF2_REGION_ROLE_CRITICAL);
  uint32_t enter = fixture_region(f, "monitor enter @A.java:4", OTF2_REGION_ROLE_CRITICAL, OTF2_PARADIGM_PTHREAD, 4);
  fixture_describe(f, enter, "state: blocked in mutex");
  uint32_t class_name = fixture_class(f, "java.lang.Object");
  fixture_java_id(f, 1, 12);
  fixture_map_regions(f, 1, (const uint32_t[]){parallel, loop, chunk, barrier, critical, enter}, 6);
  fixture_clock_offset(f, 1, 5);
  for (uint32_t t = 0; t < 2; t++) {
    fixture_team_begin(f, t, 0, team);
    fixture_enter(f, t, 1, parallel);
    fixture_enter(f, t, 2, loop);
    fixture_chunk(f, t, 3, chunk, 10, 1);
    fixture_leave(f, t, 1000 + t, chunk);
    fixture_leave(f, t, 1010 + t, loop);
    fixture_enter(f, t, 1020, barrier);
    fixture_acquire(f, t, 1025);
    fixture_leave(f, t, 1030, barrier);
    fixture_enter(f, t, 1040, critical);
    fixture_lock(f, t, 1050 + 10 * t, 3);
    fixture_unlock(f, t, 1060 + 10 * t, 3);
    fixture_leave(f, t, 1070, critical);
    fixture_enter_object(f, t, 1080, enter, (struct fixture_object){class_name, 77, 12, critical});
    fixture_leave(f, t, 1090, enter);
    fixture_leave(f, t, 2000, parallel);
    fixture_team_end(f, t, 2000, team);
  }
  return f;
}

static void ignore_row(void *context, const struct state_interval *interval)
{
  (void)context;
  assert_true(interval->end > interval->start);
}

static bool analyze(const struct trace *trace, struct error *error)
{
  struct pool *pool = pool_create(2);
  struct census census;
  struct states_sums sums;
  struct imbalance imbalance;
  bool good = analysis_find(&census_analysis, trace, pool, NULL, &census, error);
  analysis_free(&census_analysis, &census);
  good &= analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, error);
  states_sums_free(&sums);
  good &= find_imbalance(trace, pool, &imbalance, error);
  analysis_free(&imbalance_analysis, &imbalance);
  struct locks locks;
  good &= analysis_find(&locks_analysis, trace, pool, NULL, &locks, error);
  analysis_free(&locks_analysis, &locks);
  if (trace->location_count > 0)
    good &= states_list(trace, 0, ignore_row, NULL, error);
  pool_destroy(pool);
  return good;
}

/* Everything that reads an archive reads this one. False: something said that it is damaged. */
static bool read_all(const char *directory)
{
  struct error error = {""};
  struct trace *trace = trace_open(directory, &error);
  bool good = trace && analyze(trace, &error);
  trace_close(trace);
  if (!good)
    assert_true(error.message[0] && !strchr(error.message, '\n'));
  return good;
}

static void cut_off(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  assert_true(read_all(directory));
  for (size_t i = 0; i < FILES; i++) {
    struct victim victim = victim_take(directory, files[i]);
    for (size_t size = 0; size + 1 < victim.size; size += 3 * VICTIM_SPARSE) { /* the last byte says nothing */
      victim_write(&victim, victim.bytes, size);
      if (read_all(directory))
        fail_msg("no analysis found that %s is cut off at %zu", files[i], size);
    }
    victim_heal(&victim);
  }
  assert_true(read_all(directory));
  fixture_destroy(f);
}

static bool list(const char *directory)
{
  struct error error = {""};
  struct trace *trace = trace_open(directory, &error);
  bool good = trace && states_list(trace, 1, ignore_row, NULL, &error);
  trace_close(trace);
  return good;
}

/* The library's buffer has what it had when the file was whole: without a look at the file's end, all records. */
static void cut_off_after_a_whole_read(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  struct victim victim = victim_take(directory, "traces/1.evt");
  mallopt(M_MMAP_THRESHOLD, 1 << 25); /* so that the buffer has the same memory again */
  for (size_t size = 0; size < victim.size; size++) {
    victim_write(&victim, victim.bytes, victim.size);
    assert_true(list(directory));
    victim_write(&victim, victim.bytes, size);
    if (list(directory))
      fail_msg("%zu of %zu bytes are as good as all", size, victim.size);
  }
  victim_heal(&victim);
  fixture_destroy(f);
}

static void wrong_bytes(void **state)
{
  (void)state;
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  for (size_t i = 0; i < FILES; i++) {
    struct victim victim = victim_take(directory, files[i]);
    unsigned char *bytes = malloc(victim.size);
    assert_non_null(bytes);
    for (size_t at = 0; at < victim.size; at += VICTIM_SPARSE) {
      memcpy(bytes, victim.bytes, victim.size);
      bytes[at] ^= at % 3 ? 1u << at % 8 : 0xff;
      victim_write(&victim, bytes, victim.size);
      read_all(directory);
    }
    free(bytes);
    victim_heal(&victim);
  }
  fixture_destroy(f);
}

/* The program, with each file gone, empty and half there: one line, exit status 1. */
static void the_program_says_so(void **state)
{
  (void)state;
  static const char *const commands[] = {"info",
                                         "states",
                                         "states --by region --json",
                                         "imbalance --csv",
                                         "locks",
                                         "schedule",
                                         "export --to paje -o /dev/null",
                                         "report -o /dev/null",
                                         "waits",
                                         "critical-path",
                                         "why"};
  struct fixture *f = make_archive();
  const char *directory = fixture_finish(f);
  for (size_t i = 0; i < 3 * FILES; i++) {
    struct victim victim = victim_take(directory, files[i / 3]);
    bool gone = i % 3 == 2;
    if (gone)
      assert_int_equal(unlink(victim.path), 0);
    else
      victim_write(&victim, victim.bytes, i % 3 ? victim.size / 2 : 0);
    bool needed = !gone || !strstr(files[i / 3], "/"); /* an archive need not have local definitions */
    needed |= strstr(files[i / 3], ".evt") != NULL;
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
      struct outcome o;
      run(&o, KEEP_ERRORS, "%s %s", commands[c], directory);
      assert_int_equal(o.status, needed);
      if (needed)
        assert_one_line(o.out);
    }
    victim_heal(&victim);
  }
  fixture_destroy(f);
}

UNIT_TEST(damage)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_off),
      cmocka_unit_test(cut_off_after_a_whole_read),
      cmocka_unit_test(wrong_bytes),
      cmocka_unit_test(the_program_says_so),
  };
  otf2_library_quiet();
  return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
