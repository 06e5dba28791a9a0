/* How often commands read an archive: decoded events and temporary bytes, for each of its events. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/report/report_facts.h"
#include "analyzer/report/timeline.h"
#include "analyzer/table.h"
#include "analyzer/trace/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  THREADS = 3,
  ROUNDS = 12000,
  EVENTS_A_ROUND = 8,
  EVENTS = THREADS * (2 + ROUNDS * EVENTS_A_ROUND),
  WORDS_MOST = 16
};

/* Loops that end in a barrier, after a critical section; each thread enters them at a time of its own. */
static void add_round(struct fixture *fixture, uint32_t thread, uint64_t time, const uint32_t *regions)
{
  fixture_enter(fixture, thread, time, regions[0]);
  fixture_enter(fixture, thread, time + 10 + thread, regions[1]);
  fixture_lock(fixture, thread, time + 20 + 10 * thread, 7);
  fixture_unlock(fixture, thread, time + 29 + 10 * thread, 7);
  fixture_leave(fixture, thread, time + 30 + 10 * thread, regions[1]);
  fixture_enter(fixture, thread, time + 61 + thread, regions[2]);
  fixture_leave(fixture, thread, time + 70, regions[2]);
  fixture_leave(fixture, thread, time + 71, regions[0]);
}

static struct {
  struct fixture *fixture;
  const char *directory;
} archive;

static int make_archive(void **state)
{
  struct fixture *fixture = fixture_create();
  const uint32_t regions[] = {
      fixture_openmp(fixture, "!$omp for @a.c:1", OTF2_REGION_ROLE_LOOP),
      fixture_openmp(fixture, "!$omp critical @a.c:2", OTF2_REGION_ROLE_CRITICAL),
      fixture_openmp(fixture, "!$omp implicit barrier @a.c:1", OTF2_REGION_ROLE_IMPLICIT_BARRIER)};
  uint32_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++)
    threads[i] = fixture_location(fixture, "thread");
  fixture_recording(fixture, threads[0], 5 * FIXTURE_TICKS / 1000); /* enough for an estimate */
  uint32_t team = fixture_team(fixture, threads, THREADS);
  for (unsigned i = 0; i < THREADS; i++) {
    fixture_team_begin(fixture, threads[i], 1, team);
    for (uint64_t round = 0; round < ROUNDS; round++)
      add_round(fixture, threads[i], 10 + 100 * round, regions);
    fixture_team_end(fixture, threads[i], 10 + 100 * ROUNDS, team);
  }
  archive.fixture = fixture;
  archive.directory = fixture_finish(fixture);
  (void)state;
  return 0;
}

static int remove_archive(void **state)
{
  fixture_destroy(archive.fixture);
  (void)state;
  return 0;
}

/* Runs a command in this process, drops its output, and returns its cost. */
static struct reading_cost cost_of(const struct command *command, const char *line)
{
  char words[512], *argv[WORDS_MOST];
  int argc = 0;
  snprintf(words, sizeof words, line, archive.directory, archive.directory);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  argv[argc] = NULL;
  fflush(stdout);
  int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  assert_true(out >= 0 && null >= 0);
  dup2(null, STDOUT_FILENO);
  struct reading_cost before = reading_cost_so_far();
  optind = 0; /* so that getopt_long() begins anew */
  int status = command->run(command, argc, argv);
  struct reading_cost after = reading_cost_so_far();
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  close(out);
  close(null);
  if (status != EXIT_DONE)
    fail_msg("heddle %s: exit status %d", line, status);
  return (struct reading_cost){after.events - before.events, after.written - before.written, after.read - before.read};
}

/* The counter itself: one that reads all of it once. */
static void counted(void **state)
{
  (void)state;
  struct reading_cost cost = cost_of(&command_states, "states %s");
  assert_int_equal(cost.events, EVENTS);
  assert_int_equal(cost.written, 0);
  assert_int_equal(cost.read, 0);
}

static void all_of_info_is_one_reading(void **state)
{
  (void)state;
  assert_int_equal(cost_of(&command_info, "info %s").events, EVENTS);
}

/* One reading for all that is found out: the account keeps its steps for its second pass. One for the timeline, which
 * needs the limits of the run. */
static void facts_and_timeline_of_a_report_are_two_readings(void **state)
{
  struct error error = {""};
  struct progress progress = {0};
  struct report_facts facts = {0};
  struct timeline timeline;
  struct trace *trace = trace_open(archive.directory, &error);
  struct pool *pool = pool_create(2);
  (void)state;
  assert_true(trace && pool);
  uint64_t before = reading_cost_so_far().events;
  assert_true(report_facts_find(trace, pool, &facts, &progress, &error));
  assert_int_equal(reading_cost_so_far().events - before, EVENTS);
  assert_true(facts.all.results.overhead->lifetime > 0);
  struct timeline_wanted wanted = {facts.census.first, facts.census.last, 0};
  assert_true(report_timeline_read(trace, pool, &wanted, &timeline, &error));
  assert_int_equal(reading_cost_so_far().events - before, 2 * EVENTS);
  report_timeline_free(&timeline);
  report_facts_free(&facts);
  pool_destroy(pool);
  trace_close(trace);
}

/* The account keeps waits and steps between its two passes. */
static void read_twice_at_most(void **state)
{
  (void)state;
  static const struct {
    const struct command *command;
    const char *line;
  } commands[] = {
      {&command_states, "states --by region %s"},
      {&command_imbalance, "imbalance --threads --waits %s"},
      {&command_locks, "locks %s"},
      {&command_schedule, "schedule %s"},
      {&command_export, "export --to paraver -o %s %s"},
      {&command_export, "export --to perfetto -o - %s"},
      {&command_export, "export --to chrome -o - %s"},
      {&command_export, "export --to paje -o - %s"},
      {&command_export, "export --to csv -o - %s"},
      {&command_export, "export --to paraver --from 10%% -o %s %s"},
      {&command_export, "export --to perfetto --from 10%% -o - %s"},
      {&command_export, "export --to chrome --from 10%% -o - %s"},
      {&command_export, "export --to paje --from 10%% -o - %s"},
      {&command_export, "export --to csv --from 10%% -o - %s"},
      {&command_report, "report -o %s/run.html %s"},
      {&command_pes, "pes %s"},
      {&command_pes, "pes -o %s/run.pes %s"},
      {&command_pes, "pes --csl -o %s/run.csl %s"},
      {&command_pes, "pes --vector counts -o %s/run.counts %s"},
      {&command_pes, "pes --vector roles %s"},
      {&command_pes, "pes --vector counts --component state+construct --csl -o %s/run.csl %s"},
      {&command_pes, "pes --component lock %s"},
      {&command_pes, "pes --component counter %s"},
  };
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    struct reading_cost cost = cost_of(commands[i].command, commands[i].line);
    uint64_t most = 2;
    if (cost.events < EVENTS || cost.events > most * (uint64_t)EVENTS || cost.written > 16 * (uint64_t)EVENTS ||
        cost.read > 16 * (uint64_t)EVENTS)
      fail_msg("%s: decodes %lu of %d events, keeps %lu bytes, reads %lu", commands[i].line, cost.events, EVENTS,
               cost.written, cost.read);
  }
}

UNIT_TEST(reading_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counted),
      cmocka_unit_test(all_of_info_is_one_reading),
      cmocka_unit_test(facts_and_timeline_of_a_report_are_two_readings),
      cmocka_unit_test(read_twice_at_most),
  };
  return cmocka_run_group_tests(tests, make_archive, remove_archive);
}
