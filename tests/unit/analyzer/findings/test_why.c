/* The tree of hypotheses in hand-made archives whose losses are known to the digit. A tick is 1 us. */
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "analyzer/findings/all_analyses.h"
#include "analyzer/findings/why/why.h"
#include "analyzer/findings/why/windows.h"
#include "analyzer/findings/why_show.h"
#include "base/count_of.h"

#include <stdio.h>
#include <string.h>

#define KINDS 14

struct reasons {
  struct fixture *fixture;
  const char *directory;
  struct trace *trace;
  struct pool *pool;
  struct run_analyses all;
  struct why why;
};

/* own: with the subjects' own figures, without account. */
static struct reasons find_by(struct fixture *fixture, double threshold, bool own)
{
  struct reasons r = {.fixture = fixture, .directory = fixture_finish(fixture), .pool = pool_create(2)};
  struct error error;
  r.trace = trace_open(r.directory, &error);
  if (!r.trace || !why_search(r.trace, r.pool, threshold, own, &r.all, &r.why, &error))
    fail_msg("%s", error.message);
  return r;
}

static struct reasons find(struct fixture *fixture, double threshold)
{
  return find_by(fixture, threshold, false);
}

static void drop_reasons(struct reasons *r)
{
  why_free(&r->why);
  run_analyses_free(&r->all);
  pool_destroy(r->pool);
  trace_close(r->trace);
  fixture_destroy(r->fixture);
}

static const struct why_node *kind_of(const struct reasons *r, const char *key)
{
  for (size_t i = 0; i < r->why.nodes.count; i++)
    if (r->why.nodes.items[i].aspect == WHY_KIND && strcmp(r->why.nodes.items[i].key, key) == 0)
      return &r->why.nodes.items[i];
  fail_msg("there is no kind %s", key);
  return NULL;
}

/* The first node behind another one that has this aspect and this part in its text, and lies below it; NULL: none. */
static const struct why_node *below(const struct reasons *r, const struct why_node *node, enum why_aspect aspect,
                                    const char *part)
{
  const struct why_node *end = r->why.nodes.items + r->why.nodes.count;
  for (const struct why_node *at = node + 1; at < end && at->depth > node->depth; at++)
    if (at->aspect == aspect && strstr(at->text, part))
      return at;
  return NULL;
}

/* What holds for every tree: all kinds are there once, and only true ones have children. */
static void assert_whole(const struct reasons *r)
{
  unsigned kinds = findings_account(&r->all.results) ? 0 : 1; /* without account, there is no kind of threads */
  const struct why_node *nodes = r->why.nodes.items;
  assert_int_equal(nodes[0].depth, 0);
  for (size_t i = 1; i < r->why.nodes.count; i++) {
    kinds += nodes[i].aspect == WHY_KIND;
    assert_true(nodes[i].depth >= 1 && nodes[i].depth <= nodes[i - 1].depth + 1);
    if (nodes[i].depth == 2)
      assert_true(nodes[i].finding || nodes[i].aspect == WHY_REST);
    if (nodes[i - 1].aspect == WHY_KIND && nodes[i].depth == 2)
      assert_true(nodes[i - 1].verdict == WHY_TRUE || nodes[i - 1].verdict == WHY_LIKELY);
    if (nodes[i].measured)
      assert_true(nodes[i].low <= nodes[i].percent && nodes[i].percent <= nodes[i].high);
  }
  assert_int_equal(kinds, KINDS);
  /* The first finding is the first place. */
  if (nodes[1].verdict == WHY_TRUE)
    assert_ptr_equal(nodes[2].finding, &r->all.findings.list[0]);
}

static void expect_true(const struct reasons *r, const char *key, double percent)
{
  const struct why_node *kind = kind_of(r, key);
  assert_int_equal(kind->verdict, WHY_TRUE);
  assert_near(kind->percent, percent);
  for (size_t i = 0; i < r->why.nodes.count; i++)
    if (r->why.nodes.items[i].aspect == WHY_KIND && &r->why.nodes.items[i] != kind)
      assert_true(r->why.nodes.items[i].verdict == WHY_FALSE || r->why.nodes.items[i].verdict == WHY_UNKNOWN);
}

/* Busy are 1000 and 200 ticks: 400 of 1000 could be won; of all threads' time 40 % are no work. */
static void uneven_loop(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 200});
  struct reasons r = find(s.f, WHY_WORTH);
  assert_whole(&r);
  assert_near(r.why.nodes.items[0].percent, 40);
  expect_true(&r, "imbalance", 40);
  const struct why_node *place = below(&r, kind_of(&r, "imbalance"), WHY_WHERE, "!$omp for @a.c:2");
  assert_non_null(place);
  assert_non_null(below(&r, place, WHY_WHO, "master in 100 %"));
  assert_int_equal(below(&r, place, WHY_REASON, "lack of a processor")->verdict, WHY_UNKNOWN);
  assert_int_equal(below(&r, place, WHY_REASON, "memory")->verdict, WHY_UNKNOWN);
  assert_non_null(below(&r, place, WHY_WHEN, "most of the run"));
  assert_int_equal(kind_of(&r, "memory")->verdict, WHY_UNKNOWN);
  assert_non_null(strstr(kind_of(&r, "memory")->text, "--counters"));
  assert_int_equal(kind_of(&r, "runtime")->verdict, WHY_FALSE);
  assert_int_equal(kind_of(&r, "synchronization")->verdict, WHY_UNKNOWN);
  assert_non_null(strstr(kind_of(&r, "synchronization")->text, "no samples"));
  drop_reasons(&r);
}

/* The same loss is no reason if the threshold is above it. */
static void below_the_threshold(void **state)
{
  (void)state;
  for (int above = 0; above < 2; above++) {
    struct scene s = make_scene(2);
    do_loop(&s, 0, (const uint64_t[]){1000, 200});
    struct reasons r = find(s.f, above ? 41 : 40);
    assert_whole(&r);
    assert_int_equal(kind_of(&r, "imbalance")->verdict, above ? WHY_FALSE : WHY_TRUE);
    drop_reasons(&r);
  }
}

static void nothing_is_wrong(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 1000});
  struct reasons r = find(s.f, WHY_WORTH);
  assert_whole(&r);
  assert_int_equal(r.why.nodes.count, 1 + KINDS);
  for (size_t i = 0; i < r.why.nodes.count; i++)
    assert_true(r.why.nodes.items[i].verdict == WHY_FALSE || r.why.nodes.items[i].verdict == WHY_UNKNOWN);
  static struct outcome outcome;
  run(&outcome, KEEP_OUTPUT, "why %s", r.directory);
  assert_non_null(strstr(outcome.out, "No reason is known to cost 3 % of the run or more."));
  drop_reasons(&r);
}

/* Many small losses of one kind are a reason, though each is too small for a finding of its own. Ten loops of two
 * threads lose 80 of 10,000 ticks each. */
static void many_small_ones(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint64_t now = 0;
  for (int i = 0; i < 10; i++) {
    char name[32];
    snprintf(name, sizeof name, "!$omp for @a.c:%d", 10 + i);
    s.loop = fixture_openmp(s.f, name, ROLE(LOOP));
    now = do_loop(&s, now, (const uint64_t[]){1000, 840});
  }
  struct reasons r = find_by(s.f, WHY_WORTH, true);
  assert_int_equal(now, 10000);
  assert_int_equal(r.all.findings.count, 0);
  const struct why_node *kind = kind_of(&r, "imbalance");
  assert_int_equal(kind->verdict, WHY_TRUE);
  assert_near(kind->percent, 8);
  drop_reasons(&r);
}

/* Thread 1 is blocked for 500 of 1000 ticks in a loop. The other one waits for it at the barrier: this is no second
 * reason. */
static void blocked_in_a_loop(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t off = fixture_region(s.f, "blocked in read", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(s.f, off, "state: off");
  fixture_archive_property(s.f, "HEDDLE::SWITCHES", "100");
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, s.loop);
    if (t == 1) {
      fixture_enter(s.f, t, 200, off);
      fixture_leave(s.f, t, 700, off);
    }
    fixture_leave(s.f, t, t == 1 ? 1000 : 500, s.loop);
    cross_barrier(&s, t, t == 1 ? 1000 : 500, 1000);
    end_region(&s, t, 1000);
  }
  struct reasons r = find_by(s.f, WHY_WORTH, true);
  assert_whole(&r);
  expect_true(&r, "blocked", 50);
  const struct why_node *place = below(&r, kind_of(&r, "blocked"), WHY_WHERE, "!$omp for @a.c:2");
  assert_non_null(place);
  assert_non_null(below(&r, place, WHY_WHO, "worker"));
  assert_non_null(below(&r, place, WHY_REASON, "blocked in read, 1 times"));
  drop_reasons(&r);
}

/* Half of the run is garbage collection, in its second half. */
static void collection(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t gc = fixture_region(f, "garbage collection", ROLE(ARTIFICIAL), OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, gc, "state: gc");
  uint32_t thread = fixture_location(f, "main");
  fixture_thread_begin(f, thread, 0);
  fixture_enter(f, thread, 600, gc);
  fixture_leave(f, thread, 1000, gc);
  fixture_thread_end(f, thread, 1000);
  struct reasons r = find_by(f, WHY_WORTH, true);
  assert_whole(&r);
  expect_true(&r, "collection", 40);
  assert_non_null(below(&r, kind_of(&r, "collection"), WHY_WHEN, "from 60 % to 100 % of the run (100 % of it)"));
  drop_reasons(&r);
}

/* A lock with three of four acquisitions not recorded. The waits are an estimate whose interval lies on one side of
 * some thresholds and on both sides of others. */
static void estimates(void **state)
{
  (void)state;
  static const struct {
    double of_the_mean;
    enum why_verdict verdict;
  } cases[] = {{0.5, WHY_TRUE},
               {0.9999, WHY_LIKELY},
               {1.0001, WHY_UNKNOWN},
               {1.5, WHY_UNKNOWN}}; /* no samples: nothing is ruled out */
  double mean = 0;
  for (size_t i = 0; i <= COUNT_OF(cases); i++) {
    struct scene s = make_scene(2);
    uint32_t critical = fixture_openmp(s.f, "!$omp critical @a.c:3", ROLE(CRITICAL));
    uint32_t block = fixture_openmp(s.f, "!$omp critical sblock @a.c:3", ROLE(CRITICAL_SBLOCK));
    for (uint32_t t = 0; t < 2; t++) {
      begin_region(&s, t, 0);
      for (uint64_t k = 0; k < 10; k++) {
        uint64_t asked = 100 * k, got = asked + 5 + k % 3;
        fixture_enter_weighted(s.f, t, asked, critical, k ? 4 : 1);
        fixture_lock(s.f, t, got, 5);
        fixture_enter(s.f, t, got, block);
        fixture_leave(s.f, t, got + 1, block);
        fixture_unlock(s.f, t, got + 1, 5);
        fixture_leave(s.f, t, got + 1, critical);
      }
      cross_barrier(&s, t, 1000, 1000);
      end_region(&s, t, 1000);
    }
    struct reasons r = find_by(s.f, i ? mean * cases[i - 1].of_the_mean : WHY_WORTH, true);
    const struct why_node *kind = kind_of(&r, "synchronization");
    assert_true(kind->low < kind->percent && kind->percent < kind->high);
    mean = kind->percent;
    if (i > 0)
      assert_int_equal(kind->verdict, cases[i - 1].verdict);
    drop_reasons(&r);
  }
}

/* Each place has the account's share: places of a kind add up to the kind, and the kinds are the account's. */
static void places_add_up(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint64_t now = 0;
  for (int i = 0; i < 3; i++) {
    char name[48];
    snprintf(name, sizeof name, "!$omp for @a.c:%d", 10 + i);
    s.loop = fixture_region(s.f, name, ROLE(LOOP), OTF2_PARADIGM_OPENMP, 10 + (uint32_t)i);
    snprintf(name, sizeof name, "!$omp implicit barrier wait @a.c:%d", 10 + i);
    s.wait = fixture_region(s.f, name, ROLE(IMPLICIT_BARRIER), OTF2_PARADIGM_OPENMP, 10 + (uint32_t)i);
    snprintf(name, sizeof name, "!$omp implicit barrier @a.c:%d", 10 + i);
    s.barrier = fixture_region(s.f, name, ROLE(IMPLICIT_BARRIER), OTF2_PARADIGM_OPENMP, 10 + (uint32_t)i);
    now = do_loop(&s, now, (const uint64_t[]){1000, i == 2 ? 990 : 200});
  }
  struct reasons r = find(s.f, ACCOUNT_THRESHOLD);
  const struct account *account = r.all.results.account;
  const struct why_node *kind = kind_of(&r, "imbalance"), *end = r.why.nodes.items + r.why.nodes.count;
  double sum = 0;
  unsigned places = 0, rests = 0;
  assert_whole(&r);
  assert_near(kind->percent, account_percent(account, account->ticks[ACCOUNT_IMBALANCE]));
  for (const struct why_node *at = kind + 1; at < end && at->depth > 1; at++) {
    places += at->aspect == WHY_WHERE;
    rests += at->aspect == WHY_REST;
    sum += at->aspect == WHY_WHERE || at->aspect == WHY_REST ? at->percent : 0;
  }
  assert_int_equal(places, 2);
  assert_int_equal(rests, 1);
  assert_near(sum, kind->percent);
  double ticks[ACCOUNT_KINDS] = {0};
  for (size_t i = 0; i < r.all.findings.all; i++)
    ticks[r.all.findings.list[i].account] += r.all.findings.list[i].ticks * account->processors;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    assert_true(ticks[i] <= (double)account->ticks[i] + 1e-6);
  assert_true(r.all.findings.list[0].is_first);
  assert_int_equal(r.all.findings.first_kind, ACCOUNT_IMBALANCE);
  drop_reasons(&r);
}

/* Windows of events in a run that began as long before them as they last. */
static void windows_of_a_longer_run(void **state)
{
  (void)state;
  uint64_t ticks[WINDOWS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 60};
  const struct windows_run events = {1000, 1000}, run = {0, 2000};
  unsigned begin, end;
  windows_of_run(&events, &run, 0, ticks);
  windows_stretch(ticks, &begin, &end);
  assert_int_equal(begin, 9);
  assert_int_equal(end, 10);
  uint64_t alone[WINDOWS] = {0};
  windows_of_run(&events, &run, 1000, alone);
  windows_stretch(alone, &begin, &end);
  assert_int_equal(begin, 0);
  assert_int_equal(end, 5);
}

/* The shortest stretch with 90 % of the time. */
static void stretches(void **state)
{
  (void)state;
  static const struct {
    uint64_t ticks[WINDOWS];
    unsigned begin, end;
    double part;
  } cases[] = {{{0}, 0, WINDOWS, 0},
               {{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, 0, 9, 0.9},
               {{0, 0, 0, 7}, 3, 4, 1},
               {{0, 0, 50, 50}, 2, 4, 1},
               {{5, 0, 0, 90, 0, 0, 0, 0, 0, 5}, 3, 4, 0.9},
               {{50, 0, 0, 0, 0, 0, 0, 0, 0, 50}, 0, WINDOWS, 1}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    unsigned begin, end;
    assert_near(windows_stretch(cases[i].ticks, &begin, &end), cases[i].part);
    assert_int_equal(begin, cases[i].begin);
    assert_int_equal(end, cases[i].end);
  }
}

UNIT_TEST(why)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uneven_loop),       cmocka_unit_test(below_the_threshold),
      cmocka_unit_test(nothing_is_wrong),  cmocka_unit_test(many_small_ones),
      cmocka_unit_test(blocked_in_a_loop), cmocka_unit_test(collection),
      cmocka_unit_test(estimates),         cmocka_unit_test(stretches),
      cmocka_unit_test(places_add_up),     cmocka_unit_test(windows_of_a_longer_run),
  };
  return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
