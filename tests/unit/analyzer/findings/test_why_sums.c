/* The search in sums, in parts of a run, and the tree of both searches: known sums, known answers. A tick is 1 ms. */
#include "analyzer/findings/why/sums.h"
#include "analyzer/findings/why/why.h"
#include "analyzer/live/readings/reader.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000 };

/* Sums as heddle-convert reports them (docs/live.md), and their tree. */
struct scene {
  struct live_reader reader;
  struct live_reading now;
  struct findings findings;
  struct why why;
};

static void line(struct scene *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct scene *scene, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  assert_int_equal(live_reader_take(&scene->reader, text), LIVE_GOES_ON);
}

/*
 * In a second the master loops for 0.6 s and waits for 0.4 s at the barrier. The worker loops for 0.5 s, waits there
 * for 0.2 s, and for the critical section for 0.3 s (0.29 s contended).
 */
static void begin(struct scene *scene)
{
  *scene = (struct scene){.now = {.threads = NULL}};
  assert_true(live_reader_begin(&scene->reader, SECOND, "lu"));
  line(scene, "reading\t1000");
  line(scene, "region\t0\t%d\t%d\t20\t!$omp barrier @lu.c:20\tmain\t\tlu.c", OTF2_REGION_ROLE_BARRIER,
       OTF2_PARADIGM_OPENMP);
  line(scene, "region\t1\t%d\t%d\t30\t!$omp critical @lu.c:30\tmain\t\tlu.c", OTF2_REGION_ROLE_CRITICAL,
       OTF2_PARADIGM_OPENMP);
  line(scene, "region\t2\t%d\t%d\t15\t!$omp for @lu.c:15\tmain\t\tlu.c", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP);
  line(scene, "thread\t0\t0\tinitial\tOpenMP master");
  line(scene, "thread\t1\t0\tworker\tOpenMP thread 1");
  line(scene, "look\t0\tlives\t0\t1000\t1000\t0");
  line(scene, "row\t0\tconstruct\t2\t10\t600\t600\t40\t0\t0\t0");
  line(scene, "row\t0\tconstruct\t0\t5\t400\t400\t90\t0\t0\t0");
  line(scene, "look\t1\tlives\t0\t1000\t1000\t1");
  line(scene, "row\t1\tconstruct\t2\t10\t500\t500\t30\t0\t0\t0");
  line(scene, "row\t1\tconstruct\t0\t5\t200\t200\t80\t0\t0\t0");
  line(scene, "row\t1\tacquire\t1\t8\t300\t300\t70\t4\t290\t0");
  char end[] = "end";
  assert_int_equal(live_reader_take(&scene->reader, end), LIVE_READ);
  assert_true(live_reader_result(&scene->reader, &scene->now));
}

static void search(struct scene *scene, const struct why_task *tasks)
{
  struct why_sums sums = {scene->now.trace, &scene->now.profile, tasks, false, "heddle why 42"};
  assert_true(why_of_sums(&sums, WHY_WORTH, &scene->findings, &scene->why));
}

static void end(struct scene *scene)
{
  why_free(&scene->why);
  findings_free(&scene->findings);
  live_reading_free(&scene->now);
  live_reader_end(&scene->reader);
}

static const struct why_node *find(const struct why *why, enum why_aspect aspect, const char *key)
{
  for (size_t i = 0; i < why->nodes.count; i++)
    if (why->nodes.items[i].aspect == aspect && strcmp(why->nodes.items[i].key, key) == 0)
      return &why->nodes.items[i];
  return NULL;
}

static void near(double is, double wanted)
{
  if (is < wanted - 0.01 || is > wanted + 0.01)
    fail_msg("%g, not %g", is, wanted);
}

static void waits_are_of_locks_and_barriers(void **state)
{
  (void)state;
  struct scene scene;
  begin(&scene);
  search(&scene, NULL);
  near(scene.why.nodes.items[0].percent, 45); /* 0.4 + 0.2 + 0.3 of 2 s */
  const struct why_node *kind = find(&scene.why, WHY_KIND, "synchronization");
  near(kind->percent, 34.5); /* for the lock 0.29 s / 2; at the barrier both wait for 0.2 s */
  assert_int_equal(kind->verdict, WHY_TRUE);
  near(find(&scene.why, WHY_WHERE, "lock")->percent, 14.5);
  near(find(&scene.why, WHY_WHERE, "waiting")->percent, 20);
  kind = find(&scene.why, WHY_KIND, "imbalance"); /* the other 0.2 s, of one thread */
  near(kind->percent, 10);
  assert_int_equal(kind->verdict, WHY_LIKELY); /* the worker may have come late for another reason */
  near(kind->low, 0);
  assert_int_equal(find(&scene.why, WHY_KIND, "serial")->verdict, WHY_FALSE);
  assert_int_equal(find(&scene.why, WHY_KIND, "blocked")->verdict, WHY_UNKNOWN);
  assert_non_null(strstr(find(&scene.why, WHY_KIND, "blocked")->text, "heddle why 42"));
  end(&scene);
}

/* The worker has a processor for 0.1 s of the 0.5 s in which it works, and waits in the queue for 0.05 s. */
static void the_kernel_tells_of_blocked_threads(void **state)
{
  (void)state;
  struct scene scene;
  begin(&scene);
  search(&scene, (const struct why_task[]){{true, 600, 0}, {true, 100, 50}});
  const struct why_node *place = find(&scene.why, WHY_WHERE, "off the processor");
  near(place->percent, 35);
  assert_int_equal(place->finding->location, 1);
  assert_int_equal(find(&scene.why, WHY_KIND, "processors")->verdict,
                   WHY_LIKELY); /* it may be in the queue elsewhere */
  near(find(&scene.why, WHY_KIND, "processors")->percent, 5);
  end(&scene);
}

/* A tree with one kind. */
static struct why tree_of(double percent, enum why_verdict verdict)
{
  struct why why = {.threshold = 5};
  struct why_node kind = {.aspect = WHY_KIND, .depth = 1, .key = "serial", .measured = true, .verdict = verdict};
  kind.percent = kind.low = kind.high = percent;
  kind.text = strdup("one thread works alone");
  assert_true(vector_push(&why.nodes, kind));
  return why;
}

static void check_join(double percent, double spread, enum why_verdict expected)
{
  struct why whole = tree_of(percent, percent >= 5 ? WHY_TRUE : WHY_FALSE), parts[WHY_PARTS_LEAST];
  for (unsigned i = 0; i < WHY_PARTS_LEAST; i++)
    parts[i] = tree_of(percent + (i % 2 ? spread : -spread), WHY_TRUE);
  assert_true(why_join(&whole, parts, WHY_PARTS_LEAST));
  assert_int_equal(whole.nodes.items[0].verdict, expected);
  /* Student's t of 7 degrees of freedom at 1 - 0.05 / 2, times the mean's deviation: 2.841 * spread / sqrt(7) */
  near(whole.nodes.items[0].high, percent + 1.0739 * spread);
  assert_int_equal(why_is_decided(&whole), expected == WHY_TRUE || expected == WHY_FALSE);
  assert_int_equal(strstr(whole.nodes.items[0].text, "--for") != NULL, expected == WHY_UNKNOWN);
  for (unsigned i = 0; i < WHY_PARTS_LEAST; i++)
    why_free(&parts[i]);
  why_free(&whole);
}

static void parts_that_differ_leave_doubt(void **state)
{
  (void)state;
  check_join(20, 0, WHY_TRUE);
  check_join(20, 13.9, WHY_TRUE);
  check_join(20, 14.0, WHY_LIKELY);
  check_join(2, 2.7, WHY_FALSE);
  check_join(2, 2.8, WHY_UNKNOWN);
}

/* If a stretch of a trace lacks events, the sums decide; sums also decide if they are exact. */
static void sums_complete_a_trace(void **state)
{
  (void)state;
  struct scene scene, traced;
  begin(&scene);
  search(&scene, NULL);
  begin(&traced);
  search(&traced, NULL);
  size_t kept = 0;
  struct why_node *items = traced.why.nodes.items;
  for (size_t i = 0; i < traced.why.nodes.count; i++) { /* a trace without places, with serial parts */
    if (items[i].depth > 1) {
      free(items[i].text);
      continue;
    }
    items[i].verdict = strcmp(items[i].key, "serial") == 0 ? WHY_TRUE : WHY_FALSE;
    items[kept++] = items[i];
  }
  traced.why.nodes.count = kept;
  assert_true(why_complete(&traced.why, &scene.why));
  assert_int_equal(find(&traced.why, WHY_KIND, "serial")->verdict, WHY_FALSE);
  assert_int_equal(find(&traced.why, WHY_KIND, "synchronization")->verdict, WHY_TRUE);
  assert_non_null(find(&traced.why, WHY_WHERE, "lock"));
  assert_non_null(find(&traced.why, WHY_WHERE, "waiting"));
  assert_null(find(&traced.why, WHY_WHERE, "imbalance")); /* a guess */
  size_t count = traced.why.nodes.count;
  assert_true(why_complete(&traced.why, &scene.why));
  assert_int_equal(traced.why.nodes.count, count); /* what is there is not added again */
  end(&traced);
  end(&scene);
}

UNIT_TEST(why_sums)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits_are_of_locks_and_barriers), cmocka_unit_test(the_kernel_tells_of_blocked_threads),
      cmocka_unit_test(parts_that_differ_leave_doubt), cmocka_unit_test(sums_complete_a_trace)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
