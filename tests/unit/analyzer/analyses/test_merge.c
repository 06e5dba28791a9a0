/*
 * Merged results of parts of a trace equal the results of the whole trace to the last bit, for any parts in any order.
 * The traces are the archives of tests/outputs, and an archive of many processes that exceeds all limits and sample
 * sizes. Splits are random: HEDDLE_TEST_SEED repeats the splits of a run that failed.
 */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/parts.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PARTS_MAX      6
#define ARCHIVE_SPLITS 2  /* an archive, of each kind */
#define MADE_SPLITS    12 /* splits of the archive that is made here */
#define ARCHIVES_LEAST 40 /* that must be readable, or this tests nothing */
#define PROCESSES      5
#define THREADS        3 /* a process */
#define LOCKS          3 /* a process */
#define ROUNDS         700
#define ROLE(name)     OTF2_REGION_ROLE_##name

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)((random_state >> 33) % limit);
}

/* Locations that stay together: the locations of a process, and of a team (in a damaged archive it may be of several).
 */
static uint32_t *groups_of(const struct trace *trace)
{
  uint32_t *groups = calloc(trace->location_count + 1, sizeof *groups);
  assert_non_null(groups);
  for (uint32_t i = 0; i < trace->location_count; i++)
    groups[i] = trace->locations[i].process;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < trace->team_count; i++)
      for (uint32_t k = 1; k < trace->teams[i].size; k++) {
        uint32_t *one = &groups[trace->teams[i].members[0]], *other = &groups[trace->teams[i].members[k]];
        changed |= *one != *other;
        *one = *other = *one < *other ? *one : *other;
      }
  }
  return groups;
}

/* A random split: which part each location is in. Groups NULL: they are on their own. */
static void split(const struct trace *trace, const uint32_t *groups, uint32_t parts, uint32_t *part_of)
{
  for (uint32_t i = 0; i < trace->location_count; i++) {
    part_of[i] = random_below(parts);
    for (uint32_t k = 0; groups && k < i; k++)
      if (groups[k] == groups[i])
        part_of[i] = part_of[k];
  }
}

/* The two kinds of results, in one shape. */
struct found {
  bool ordered;
  struct per_location per_location;
  struct in_order in_order;
};

struct job {
  const struct trace *trace;
  struct pool *pool;
  uint32_t *part_of;
  bool *chosen;
};

static bool find(const struct job *job, uint32_t part, bool ordered, struct found *found)
{
  for (uint32_t i = 0; i < job->trace->location_count; i++)
    job->chosen[i] = job->part_of[i] == part;
  found->ordered = ordered;
  return ordered ? in_order_find(job->trace, job->pool, job->chosen, &found->in_order)
                 : per_location_find(job->trace, job->pool, job->chosen, &found->per_location);
}

static char *text_of(struct found *found)
{
  return found->ordered ? in_order_text(&found->in_order) : per_location_text(&found->per_location);
}

static void merge(struct found *into, struct found *from)
{
  if (into->ordered)
    in_order_merge(&into->in_order, &from->in_order);
  else
    per_location_merge(&into->per_location, &from->per_location);
}

/* The parts are merged in a random tree: any two that are left, until there is one. */
static char *text_of_parts(const struct job *job, uint32_t parts, bool ordered)
{
  struct found found[PARTS_MAX];
  for (uint32_t i = 0; i < parts; i++)
    assert_true(find(job, i, ordered, &found[i]));
  for (uint32_t left = parts; left > 1; left--) {
    uint32_t from = random_below(left), into = random_below(left - 1);
    into += into >= from;
    merge(&found[into], &found[from]);
    found[from] = found[left - 1];
  }
  return text_of(&found[0]);
}

/* The first line that differs. */
static void assert_same(const char *name, const char *whole, const char *merged)
{
  size_t line = 0, at = 0;
  for (; whole[at] && whole[at] == merged[at]; at++)
    line = whole[at] == '\n' ? at + 1 : line;
  if (whole[at] != merged[at])
    fail_msg("%s: of the whole\n%.*s\nof the parts\n%.*s", name, (int)strcspn(whole + line, "\n"), whole + line,
             (int)strcspn(merged + line, "\n"), merged + line);
}

/* False: the archive cannot be read. */
static bool check(const char *name, const char *path, uint32_t splits)
{
  struct error error;
  struct trace *trace = trace_open(path, &error);
  if (!trace)
    return false;
  uint32_t *groups = groups_of(trace);
  struct job job = {trace, pool_create(2), calloc(trace->location_count + 1, sizeof(uint32_t)),
                    calloc(trace->location_count + 1, sizeof(bool))};
  assert_true(job.pool && job.part_of && job.chosen);
  bool good = true;
  for (int ordered = 0; good && ordered < 2; ordered++) {
    struct found all;
    memset(job.part_of, 0, trace->location_count * sizeof *job.part_of);
    good = find(&job, 0, ordered, &all);
    char *whole = good ? text_of(&all) : NULL;
    for (uint32_t i = 0; good && i < splits; i++) {
      uint32_t parts = 2 + random_below(PARTS_MAX - 1);
      split(trace, ordered ? groups : NULL, parts, job.part_of);
      char *merged = text_of_parts(&job, parts, ordered);
      assert_same(name, whole, merged);
      free(merged);
    }
    free(whole);
  }
  free(groups);
  free(job.part_of);
  free(job.chosen);
  pool_destroy(job.pool);
  trace_close(trace);
  return good;
}

static void recorded_archives(void **state)
{
  (void)state;
  char directory[] = "/tmp/heddle-merge-XXXXXX", command[1024], path[512];
  uint32_t count = 0;
  assert_non_null(mkdtemp(directory));
  snprintf(command, sizeof command, "for a in %s/*.tar.xz; do tar -xJf \"$a\" -C %s || exit 1; done",
           HEDDLE_TEST_ARCHIVES, directory);
  assert_int_equal(system(command), 0);
  DIR *all = opendir(directory);
  assert_non_null(all);
  for (const struct dirent *entry; (entry = readdir(all));) {
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    count += entry->d_name[0] != '.' && check(entry->d_name, path, ARCHIVE_SPLITS);
  }
  closedir(all);
  snprintf(command, sizeof command, "rm -r %s", directory);
  assert_int_equal(system(command), 0);
  assert_true(count >= ARCHIVES_LEAST);
}

/* The archive that is made: its regions and one process. */
struct made {
  struct fixture *f;
  uint32_t parallels[2], parallel, loop, chunk, barrier, wait, critical, block;
  uint32_t process, team;
  uint32_t threads[THREADS];
};

static void begin_region(const struct made *m, uint32_t thread, uint64_t time)
{
  if (thread == 0) {
    fixture_enter(m->f, m->threads[thread], time, m->parallel);
    fixture_fork(m->f, m->threads[thread], time);
  }
  fixture_team_begin(m->f, m->threads[thread], time, m->team);
  if (thread != 0)
    fixture_enter(m->f, m->threads[thread], time, m->parallel);
}

static void end_region(const struct made *m, uint32_t thread, uint64_t time)
{
  if (thread != 0)
    fixture_leave(m->f, m->threads[thread], time, m->parallel);
  fixture_team_end(m->f, m->threads[thread], time, m->team);
  if (thread == 0) {
    fixture_join(m->f, m->threads[thread], time);
    fixture_leave(m->f, m->threads[thread], time, m->parallel);
  }
}

/* A thread's part of a loop, from `time` to what is returned. */
static uint64_t do_chunk(const struct made *m, uint32_t thread, uint64_t time, uint64_t work)
{
  uint32_t location = m->threads[thread];
  fixture_enter(m->f, location, time, m->loop);
  fixture_chunk_of(m->f, location, time, m->chunk, (struct fixture_iterations){8 * (int64_t)thread, 8, 0});
  fixture_leave(m->f, location, time + work, m->chunk);
  fixture_leave(m->f, location, time + work, m->loop);
  return time + work;
}

/* The threads get a lock one after the other, each for `held`; the first has it at `time`. */
static void take_turns(const struct made *m, uint32_t lock, uint64_t time, uint64_t held)
{
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    uint32_t location = m->threads[thread];
    fixture_enter_weighted(m->f, location, time, m->critical, 1 + random_below(50));
    fixture_lock(m->f, location, time + thread * held, LOCKS * m->process + lock);
    fixture_enter(m->f, location, time + thread * held, m->block);
    fixture_leave(m->f, location, time + (thread + 1) * held, m->block);
    fixture_unlock(m->f, location, time + (thread + 1) * held, LOCKS * m->process + lock);
    fixture_leave(m->f, location, time + (thread + 1) * held, m->critical);
  }
}

/* A task that the first thread makes and the last one executes. */
static void do_task(const struct made *m, uint32_t round, uint64_t time)
{
  OTF2_EvtWriter *maker = fixture_writer(m->f, m->threads[0]), *other = fixture_writer(m->f, m->threads[THREADS - 1]);
  OTF2_EvtWriter_ThreadTaskCreate(maker, NULL, time, m->team, 0, round + 1);
  OTF2_EvtWriter_ThreadTaskSwitch(other, NULL, time + random_below(3), m->team, 0, round + 1);
}

/* One round of 100 ticks, in which much happens at the same times as in other processes; every other loop does. */
static void do_round(const struct made *m, uint32_t round, uint64_t time)
{
  uint64_t latest = 0, ends[THREADS];
  for (uint32_t thread = 0; thread < THREADS; thread++)
    begin_region(m, thread, time + (thread ? random_below(4) : 0));
  do_task(m, round, time + 5);
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    ends[thread] = do_chunk(m, thread, time + 8, 1 + (round % 2 ? random_below(20) : thread));
    latest = ends[thread] > latest ? ends[thread] : latest;
  }
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    fixture_enter(m->f, m->threads[thread], ends[thread], m->barrier);
    fixture_enter(m->f, m->threads[thread], ends[thread], m->wait);
    fixture_leave(m->f, m->threads[thread], latest, m->wait);
    fixture_leave(m->f, m->threads[thread], latest, m->barrier);
  }
  take_turns(m, random_below(LOCKS), time + 50, 1 + random_below(3));
  for (uint32_t thread = 0; thread < THREADS; thread++)
    end_region(m, thread, time + 80 + (thread ? random_below(4) : 4));
}

static struct fixture *make_archive(void)
{
  struct made m = {.f = fixture_create()};
  m.parallels[0] = fixture_openmp(m.f, "!$omp parallel @a.c:1", ROLE(PARALLEL));
  m.parallels[1] = fixture_openmp(m.f, "!$omp parallel @a.c:9", ROLE(PARALLEL));
  m.loop = fixture_openmp(m.f, "!$omp for @a.c:2", ROLE(LOOP));
  fixture_describe(m.f, m.loop, "schedule: dynamic");
  m.chunk = fixture_openmp(m.f, "chunk @a.c:2", ROLE(LOOP));
  m.barrier = fixture_openmp(m.f, "!$omp implicit barrier @a.c:2", ROLE(IMPLICIT_BARRIER));
  m.wait = fixture_openmp(m.f, "!$omp implicit barrier wait @a.c:2", ROLE(IMPLICIT_BARRIER));
  m.critical = fixture_openmp(m.f, "!$omp critical @a.c:3", ROLE(CRITICAL));
  m.block = fixture_openmp(m.f, "!$omp critical sblock @a.c:3", ROLE(CRITICAL_SBLOCK));
  for (uint32_t process = 0; process < PROCESSES; process++) {
    m.process = process;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
      m.threads[thread] = fixture_location(m.f, thread ? "worker" : "master");
      fixture_process(m.f, m.threads[thread], process);
      fixture_thread_type(m.f, m.threads[thread], thread ? "worker" : "initial");
    }
    m.team = fixture_team(m.f, m.threads, THREADS);
    for (uint32_t round = 0; round < ROUNDS; round++) {
      m.parallel = m.parallels[(process + round) % 2]; /* the loop is in a function that both call */
      do_round(&m, round, 100 * (uint64_t)round + 100);
    }
  }
  return m.f;
}

static void many_processes(void **state)
{
  (void)state;
  struct fixture *fixture = make_archive();
  assert_true(check("made", fixture_finish(fixture), MADE_SPLITS));
  fixture_destroy(fixture);
}

/* What is sampled and limited is so in the archive that is made, else the test above would say nothing of it. */
static void limits_are_reached(void **state)
{
  (void)state;
  struct fixture *fixture = make_archive();
  struct error error;
  struct in_order found;
  bool chosen[PROCESSES * THREADS];
  memset(chosen, true, sizeof chosen);
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  struct pool *pool = pool_create(2);
  assert_true(trace && pool && in_order_find(trace, pool, chosen, &found));
  assert_int_equal(trace->process_count, PROCESSES);
  const struct arrows *arrows = &found.teamwork.arrows;
  assert_true(arrows->kinds[ARROW_FORK].beyond_limit > 0 && arrows->kinds[ARROW_JOIN].beyond_limit > 0);
  assert_int_equal(arrows->kinds[ARROW_TASK].count, PROCESSES * ROUNDS);
  assert_int_equal(found.locks.count, PROCESSES * LOCKS);
  assert_true(found.locks.wait > 0 && found.imbalance.waits.count > 0);
  char *text = in_order_text(&found);
  assert_non_null(strstr(text, "sampled 16 "));
  free(text);
  pool_destroy(pool);
  trace_close(trace);
  fixture_destroy(fixture);
}

#define PLANTED 9

/* What is changed in a part; `location` has events in it. The first three are per location. */
static uint64_t *planted_in(struct found *part, unsigned which, uint32_t location)
{
  switch (which) {
  case 0:
    return &part->per_location.census.events;
  case 1:
    return &part->per_location.sums.threads[location].events;
  case 2:
    return &part->per_location.sums.constructs[0].calls;
  case 3:
    return &part->in_order.imbalance.constructs[0].calls;
  case 4:
    return &part->in_order.imbalance.waits.items[0].ticks;
  case 5:
    return &part->in_order.locks.list[0].sums.wait_max;
  case 6:
    return &part->in_order.imbalance.alone[location];
  case 7:
    return &part->in_order.teamwork.arrows.kinds[ARROW_TASK].beyond_limit;
  default:
    return &part->in_order.teamwork.arrows.kinds[ARROW_TASK].list[0].from_time;
  }
}

/* One tick, one event or one arrow more in a part is seen in what is merged. */
static void differences_are_seen(void **state)
{
  (void)state;
  struct fixture *fixture = make_archive();
  struct error error;
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  struct job job = {trace, pool_create(2), calloc(PROCESSES * THREADS, sizeof(uint32_t)),
                    calloc(PROCESSES * THREADS, sizeof(bool))};
  assert_true(trace && job.pool && job.part_of && job.chosen);
  char *whole[2];
  for (unsigned i = 0; i < 2; i++) {
    struct found all;
    assert_true(find(&job, 0, i, &all));
    whole[i] = text_of(&all);
  }
  for (uint32_t i = 0; i < trace->location_count; i++)
    job.part_of[i] = trace->locations[i].process % 2;
  for (unsigned planted = 0; planted < PLANTED; planted++) {
    struct found parts[2];
    bool ordered = planted >= 3;
    assert_true(find(&job, 0, ordered, &parts[0]) && find(&job, 1, ordered, &parts[1]));
    struct found *part = &parts[planted % 2];
    uint32_t own = 0; /* a location of that part */
    while (job.part_of[own] != planted % 2)
      own++;
    *planted_in(part, planted, own) += 1;
    merge(&parts[0], &parts[1]);
    char *merged = text_of(&parts[0]);
    if (strcmp(whole[ordered], merged) == 0)
      fail_msg("difference %u is not seen", planted);
    free(merged);
  }
  free(whole[0]);
  free(whole[1]);
  free(job.part_of);
  free(job.chosen);
  pool_destroy(job.pool);
  trace_close(trace);
  fixture_destroy(fixture);
}

UNIT_TEST(merge)
{
  const char *seed = getenv("HEDDLE_TEST_SEED");
  random_state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
  printf("HEDDLE_TEST_SEED=%llu\n", (unsigned long long)random_state);
  const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_reached), cmocka_unit_test(differences_are_seen),
                                     cmocka_unit_test(many_processes), cmocka_unit_test(recorded_archives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
