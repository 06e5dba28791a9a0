/* Blame: who worked while others waited, of small archives with exact answers; and nothing of the waiting is lost. */
#include "tests/unit/analyzer/draw.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/calls/blame.h"
#include "analyzer/analyses/states/sums.h"
#include "analyzer/trace/restriction.h"
#include "analyzer/trace/stream.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An archive with its blame. Contexts have the numbers of their definition. */
struct blamed {
  struct fixture *fixture;
  struct trace *trace;
  struct samples *samples;
  struct calls calls;
  struct calls_blame blame;
};

static wide_total waiting_of(const struct trace *trace, const struct states_sums *sums)
{
  wide_total waiting = 0;
  for (uint32_t i = 0; i < sums->locations; i++)
    for (unsigned state = 0; state < STATES && trace->locations[i].type != TRACE_THREAD_JVM; state++)
      waiting += state_is_wait((enum state)state) ? sums->threads[i].ticks[state] : 0;
  return waiting;
}

/* The blamed and the other waiting time add up to the waiting time, as in `heddle states`. */
static void check_conserved(const struct trace *trace, struct pool *pool, const struct calls_blame *blame)
{
  struct states_sums sums;
  struct error error;
  wide_total sum = 0;
  for (size_t i = 0; i < blame->cell_count; i++)
    sum += blame->cells[i].ticks;
  for (unsigned i = 0; i < UNBLAMED_REASONS; i++)
    sum += blame->unblamed[i];
  assert_true(sum == blame->waiting);
  if (!analysis_find(&states_sums_analysis, trace, pool, NULL, &sums, &error))
    fail_msg("%s", error.message);
  wide_total waiting = waiting_of(trace, &sums);
  if (waiting != blame->waiting)
    fail_msg("%s: %llu ticks of waiting are %llu in the states", trace->anchor, (unsigned long long)blame->waiting,
             (unsigned long long)waiting);
  states_sums_free(&sums);
}

static void find(struct blamed *b)
{
  struct error error;
  struct pool *pool = pool_create(2);
  if (!calls_find_with_blame(b->trace, b->samples, 0, pool, &b->calls, &b->blame, &error))
    fail_msg("%s", error.message);
  check_conserved(b->trace, pool, &b->blame);
  pool_destroy(pool);
}

static struct blamed blame(struct fixture *fixture, struct taken *taken, const char *directory)
{
  struct blamed b = {.fixture = fixture};
  struct error error = {""};
  bool none;
  taken_finish(taken);
  b.trace = trace_open(directory, &error);
  b.samples = b.trace ? samples_open(b.trace, &none, &error) : NULL;
  if (!b.samples)
    fail_msg("%s", error.message);
  find(&b);
  return b;
}

static void release(struct blamed *b)
{
  analysis_free(&calls_analysis, &b->calls);
  analysis_free(&blame_analysis, &b->blame);
  samples_close(b->samples);
  trace_close(b->trace);
  fixture_destroy(b->fixture);
}

static struct taken *begin_samples(const char *directory)
{
  struct taken *s = taken_create(directory);
  taken_trigger(s, "cpu", true, 100000);
  return s;
}

/* A context of a function of its own. */
static uint32_t function(struct taken *s, const char *name)
{
  return taken_context(s, TAKEN_TOP, taken_function(s, name), 1);
}

enum { ANY = CALLS_ANY };

static uint64_t blamed_on(const struct blamed *b, uint32_t location, uint32_t construct, uint32_t context)
{
  wide_total sum = 0;
  for (size_t i = 0; i < b->blame.cell_count; i++) {
    const struct calls_blame_cell *cell = &b->blame.cells[i];
    if ((location == ANY || cell->location == location) && (construct == ANY || cell->construct == construct) &&
        (context == ANY || cell->context == context))
      sum += cell->ticks;
  }
  return (uint64_t)sum;
}

static uint64_t blamed_at_all(const struct blamed *b)
{
  return blamed_on(b, ANY, ANY, ANY);
}

static struct scene make_sampled_scene(uint32_t count)
{
  struct scene s = make_scene(count);
  fixture_archive_property(s.f, "HEDDLE::SAMPLES", "1");
  return s;
}

/* The first thread waits from 2000 to 4000 for the second one; its functions share this by their samples meanwhile. */
static void a_barrier_is_blamed_on_the_late_thread(void **unused)
{
  (void)unused;
  struct scene scene = make_sampled_scene(2);
  do_loop(&scene, 1000, (const uint64_t[]){1000, 3000});
  const char *directory = fixture_finish(scene.f);
  struct taken *s = begin_samples(directory);
  uint32_t early = function(s, "early"), slow = function(s, "slow"), fast = function(s, "fast");
  taken_take(s, 0, 1500, fast, 0, 9); /* of a thread that nobody waits for */
  taken_take(s, 1, 1500, early, 0, 5);
  taken_take(s, 1, 2500, slow, 0, 3);
  taken_take(s, 1, 3500, fast, 0, 1);
  struct blamed b = blame(scene.f, s, directory);
  assert_int_equal(b.blame.waiting, 2000);
  assert_int_equal(blamed_on(&b, 1, scene.loop, slow), 1500);
  assert_int_equal(blamed_on(&b, 1, scene.loop, fast), 500);
  assert_int_equal(blamed_at_all(&b), 2000);
  release(&b);
}

/* No sample was taken meanwhile: then the thread's other ones in the construct, the process' others, or none. */
static void short_waits_are_shared_by_all_samples_of_the_construct(void **unused)
{
  (void)unused;
  for (int kind = 0; kind < 3; kind++) {
    struct scene scene = make_sampled_scene(2);
    do_loop(&scene, 1000, (const uint64_t[]){2999, 3000});
    const char *directory = fixture_finish(scene.f);
    struct taken *s = begin_samples(directory);
    uint32_t mine = function(s, "mine"), others = function(s, "others");
    taken_take(s, 0, 500, others, 0, 1);
    if (kind < 2)
      taken_take(s, 0, 1500, others, 0, 7);
    if (kind < 1)
      taken_take(s, 1, 1500, mine, 0, 2);
    struct blamed b = blame(scene.f, s, directory);
    assert_int_equal(blamed_on(&b, 1, scene.loop, kind == 0 ? mine : kind == 1 ? others : TRACE_NONE), 1);
    assert_int_equal(blamed_at_all(&b), 1);
    release(&b);
  }
}

/* Ticks that do not divide go to the largest remainders: 2000 in the ratio 1 : 1 : 1. */
static void shares_are_whole_ticks(void **unused)
{
  (void)unused;
  struct scene scene = make_sampled_scene(2);
  do_loop(&scene, 1000, (const uint64_t[]){1000, 3000});
  const char *directory = fixture_finish(scene.f);
  struct taken *s = begin_samples(directory);
  for (uint64_t i = 0; i < 3; i++)
    taken_take(s, 1, 2500 + i, function(s, "f"), 0, 1);
  struct blamed b = blame(scene.f, s, directory);
  assert_int_equal(blamed_on(&b, 1, scene.loop, 0), 667);
  assert_int_equal(blamed_on(&b, 1, scene.loop, 1), 667);
  assert_int_equal(blamed_on(&b, 1, scene.loop, 2), 666);
  release(&b);
}

/* The worker has nothing to do from 2000 to 5000, and from 6000 to 9000, when the run ends. */
static void idle_workers_are_blamed_on_serial_work(void **unused)
{
  (void)unused;
  struct scene scene = make_sampled_scene(2);
  fixture_thread_begin(scene.f, 0, 0);
  do_loop(&scene, 1000, (const uint64_t[]){1000, 1000});
  do_loop(&scene, 5000, (const uint64_t[]){1000, 1000});
  fixture_thread_end(scene.f, 0, 9000);
  fixture_thread_end(scene.f, 1, 9000);
  const char *directory = fixture_finish(scene.f);
  struct taken *s = begin_samples(directory);
  uint32_t before = function(s, "before"), between = function(s, "between"), after = function(s, "after");
  taken_take(s, 0, 500, before, 0, 1);
  taken_take(s, 0, 3000, between, 0, 1);
  taken_take(s, 0, 7000, after, 0, 1);
  struct blamed b = blame(scene.f, s, directory);
  assert_int_equal(b.blame.waiting, 6000);
  assert_int_equal(blamed_on(&b, 0, TRACE_NONE, between), 3000);
  assert_int_equal(blamed_on(&b, 0, TRACE_NONE, after), 3000);
  assert_int_equal(blamed_at_all(&b), 6000);
  release(&b);
}

/* A critical section, and what is in it. */
struct critical {
  uint32_t region, inside;
};

static struct critical make_critical(const struct scene *s, const char *place)
{
  char name[64];
  struct critical critical;
  snprintf(name, sizeof name, "!$omp critical @%s", place);
  critical.region = fixture_openmp(s->f, name, ROLE(CRITICAL));
  snprintf(name, sizeof name, "!$omp critical sblock @%s", place);
  critical.inside = fixture_openmp(s->f, name, ROLE(CRITICAL_SBLOCK));
  return critical;
}

/* A thread asks for the lock, has it, and gives it up. */
static void hold(const struct scene *s, uint32_t thread, struct critical critical, const uint64_t times[3])
{
  fixture_enter(s->f, thread, times[0], critical.region);
  fixture_lock(s->f, thread, times[1], 3);
  fixture_enter(s->f, thread, times[1], critical.inside);
  fixture_leave(s->f, thread, times[2], critical.inside);
  fixture_unlock(s->f, thread, times[2], 3);
  fixture_leave(s->f, thread, times[2], critical.region);
}

/*
 * The third thread has the lock up to 3000. The second one waits for it from 1000 on and has it up to 5000, and the
 * first one waits for both at the barrier.
 */
static void a_chain_of_waits_leads_to_who_worked(void **unused)
{
  (void)unused;
  struct scene scene = make_sampled_scene(3);
  struct critical critical = make_critical(&scene, "a.c:3");
  for (uint32_t t = 0; t < 3; t++)
    begin_region(&scene, t, 0);
  hold(&scene, 1, critical, (const uint64_t[]){1000, 3000, 5000});
  hold(&scene, 2, critical, (const uint64_t[]){0, 0, 3000});
  for (uint32_t t = 0; t < 3; t++) {
    cross_barrier(&scene, t, (const uint64_t[]){1000, 5000, 3000}[t], 5000);
    end_region(&scene, t, 5000);
  }
  const char *directory = fixture_finish(scene.f);
  struct taken *s = begin_samples(directory);
  uint32_t first = function(s, "first"), second = function(s, "second");
  for (uint64_t time = 50; time < 3000; time += 100)
    taken_take(s, 2, time, first, 0, 1);
  for (uint64_t time = 3050; time < 5000; time += 100)
    taken_take(s, 1, time, second, 0, 1);
  struct blamed b = blame(scene.f, s, directory);
  assert_int_equal(b.blame.waiting, 4000 + 2000 + 2000);
  assert_int_equal(blamed_on(&b, 2, critical.region, first),
                   2000 + 2000); /* blamed on the second thread, and through it on the first */
  assert_int_equal(blamed_on(&b, 1, critical.region, second), 2000 + 2000);
  assert_int_equal(blamed_at_all(&b), 8000);
  release(&b);
}

static void what_cannot_be_blamed_has_a_reason(void **unused)
{
  (void)unused;
  struct scene scene = make_sampled_scene(2);
  uint32_t park = fixture_region(scene.f, "park @A.java:4", ROLE(TASK_WAIT), OTF2_PARADIGM_PTHREAD, 4);
  fixture_describe(scene.f, park, "state: blocked in condvar");
  fixture_enter(scene.f, 0, 100, park); /* nobody ends it */
  fixture_leave(scene.f, 0, 400, park);
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&scene, t, 1000);
    cross_barrier(&scene, t, t == 0 ? 2000 : 3000, 3500); /* the second thread arrives at 3000 and both go on at 3500 */
    end_region(&scene, t, 3500);
  }
  const char *directory = fixture_finish(scene.f);
  struct taken *s = begin_samples(directory);
  taken_take(s, 1, 2500, function(s, "work"), 0, 1);
  struct blamed b = blame(scene.f, s, directory);
  assert_int_equal(b.blame.waiting, 300 + 1500 + 500);
  assert_int_equal(b.blame.unblamed[UNBLAMED_UNKNOWN_WAKER], 300);
  assert_int_equal(b.blame.unblamed[UNBLAMED_WAKING], 500);
  assert_int_equal(b.blame.unblamed[UNBLAMED_ITSELF], 500);
  assert_int_equal(blamed_on(&b, 1, scene.parallel, 0), 1000);
  release(&b);
}

/* More pieces and samples than are kept: neighbors become one, the longer one's; nothing is lost. */
static void long_waits_have_bounded_memory(void **unused)
{
  (void)unused;
  enum { ROUNDS = 3 * HISTORY_MOST };
  struct scene scene = make_sampled_scene(2);
  struct critical shorter = make_critical(&scene, "a.c:3"), longer = make_critical(&scene, "a.c:4");
  uint64_t time = 0, end = ROUNDS * 40;
  for (uint32_t t = 0; t < 2; t++)
    begin_region(&scene, t, 0);
  for (int i = 0; i < ROUNDS; i++, time += 40) {
    hold(&scene, 1, shorter, (const uint64_t[]){time, time, time + 10});
    hold(&scene, 1, longer, (const uint64_t[]){time + 10, time + 10, time + 40});
  }
  for (uint32_t t = 0; t < 2; t++) {
    cross_barrier(&scene, t, t == 0 ? 0 : end, end);
    end_region(&scene, t, end);
  }
  const char *directory = fixture_finish(scene.f);
  struct taken *s = begin_samples(directory);
  uint32_t work = function(s, "work");
  for (uint64_t i = 0; i < ROUNDS; i++)
    taken_take(s, 1, 40 * i + 20, work, 0, 1);
  struct blamed b = blame(scene.f, s, directory);
  assert_int_equal(b.blame.waiting, end);
  assert_int_equal(blamed_on(&b, 1, ANY, work) + blamed_on(&b, 1, ANY, TRACE_NONE), end);
  assert_true(blamed_on(&b, 1, longer.region, ANY) > end / 4 * 3 - 1);
  release(&b);
}

static uint64_t most_below(uint64_t *seed)
{
  return 10 + draw_below(seed, 5000);
}

/* Loops of random lengths with serial parts between them, and samples at any time. */
static void waiting_is_conserved_in_random_runs(void **unused)
{
  (void)unused;
  uint64_t seed = 3;
  for (int round = 0; round < 30; round++) {
    uint32_t threads = 2 + (uint32_t)draw_below(&seed, 5);
    struct scene scene = make_sampled_scene(threads);
    uint64_t time = most_below(&seed), all = 0;
    for (int i = 0; i < 20; i++) {
      uint64_t work[8], longest = 0;
      for (uint32_t t = 0; t < threads; t++) {
        work[t] = most_below(&seed);
        longest = work[t] > longest ? work[t] : longest;
      }
      for (uint32_t t = 0; t < threads; t++)
        all += longest - work[t];
      uint64_t serial = most_below(&seed), end = do_loop(&scene, time, work);
      all += i < 19 ? serial * (threads - 1) : 0;
      time = end + serial;
    }
    const char *directory = fixture_finish(scene.f);
    struct taken *s = begin_samples(directory);
    uint32_t contexts[] = {function(s, "a"), function(s, "b"), function(s, "c")};
    for (uint32_t t = 0; t < threads; t++)
      for (uint64_t at = draw_below(&seed, 3000); at < time; at += 1 + draw_below(&seed, 3000))
        taken_take(s, t, at, contexts[draw_below(&seed, 3)], 0, 1);
    struct blamed b = blame(scene.f, s, directory);
    assert_int_equal(b.blame.waiting, all);
    assert_int_equal(blamed_at_all(&b), all);
    analysis_free(&calls_analysis, &b.calls);
    analysis_free(&blame_analysis, &b.blame);
    trace_restrict_time(b.trace, time / 4, time / 2); /* find() checks that */
    find(&b);
    assert_true(b.blame.waiting > 0 && b.blame.waiting < all);
    release(&b);
  }
}

/* The archives of tests/outputs, which have no samples: constructs are blamed. */
static void waiting_is_conserved_in_recorded_runs(void **unused)
{
  (void)unused;
  char work[] = "/tmp/heddle-unit-XXXXXX", command[512];
  unsigned read = 0, blamed = 0;
  struct dirent *entry;
  assert_non_null(mkdtemp(work));
  DIR *directory = opendir(HEDDLE_TEST_ARCHIVES);
  assert_non_null(directory);
  while ((entry = readdir(directory)) != NULL) {
    struct samples samples = {.anchor = work};
    struct blamed b = {.samples = &samples};
    struct error error;
    char *suffix = strstr(entry->d_name, ".tar.xz");
    if (!suffix)
      continue;
    snprintf(command, sizeof command, "tar -C %s -xf %s/%s", work, HEDDLE_TEST_ARCHIVES, entry->d_name);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/%.*s", work, (int)(suffix - entry->d_name), entry->d_name);
    struct pool *pool = pool_create(2);
    b.trace = trace_open(command, &error);
    if (b.trace && calls_find_with_blame(b.trace, b.samples, 0, pool, &b.calls, &b.blame, &error)) {
      check_conserved(b.trace, pool, &b.blame);
      read++;
      blamed += b.blame.cell_count > 0;
    }
    analysis_free(&calls_analysis, &b.calls);
    analysis_free(&blame_analysis, &b.blame);
    trace_close(b.trace);
    pool_destroy(pool);
  }
  closedir(directory);
  snprintf(command, sizeof command, "rm -rf %s", work);
  assert_int_equal(system(command), 0);
  assert_true(read >= 40 && blamed >= 20);
}

UNIT_TEST(calls_blame)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_barrier_is_blamed_on_the_late_thread),
                                     cmocka_unit_test(short_waits_are_shared_by_all_samples_of_the_construct),
                                     cmocka_unit_test(shares_are_whole_ticks),
                                     cmocka_unit_test(idle_workers_are_blamed_on_serial_work),
                                     cmocka_unit_test(a_chain_of_waits_leads_to_who_worked),
                                     cmocka_unit_test(what_cannot_be_blamed_has_a_reason),
                                     cmocka_unit_test(long_waits_have_bounded_memory),
                                     cmocka_unit_test(waiting_is_conserved_in_random_runs),
                                     cmocka_unit_test(waiting_is_conserved_in_recorded_runs)};
  otf2_library_quiet();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
