/* Samples in a report: pruned sums against the whole ones, a selection of times, and the document itself. */
#include "base/count_of.h"
#include "tests/unit/analyzer/draw.h"
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/unit.h"

#include "analyzer/report/calls_json.h"
#include "analyzer/report/pruned_calls.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 40, CONTEXTS = 3000, CELLS = 20000, TRIGGERS = 2, THREADS = 5 };

/* A random tree with random sums; few contexts have most of the samples. */
struct wood {
  struct samples samples;
  struct samples_function functions[FUNCTIONS];
  struct samples_context contexts[CONTEXTS];
  struct samples_trigger triggers[TRIGGERS];
  struct calls_cell cells[CELLS];
  struct calls calls;
  struct calls_tree tree;
};

static struct wood *plant(uint64_t seed)
{
  struct wood *wood = calloc(1, sizeof *wood);
  assert_non_null(wood);
  for (uint32_t i = 0; i < FUNCTIONS; i++)
    wood->functions[i] = (struct samples_function){"function", "file", "module", 0};
  for (uint32_t i = 0; i < CONTEXTS; i++)
    wood->contexts[i] = (struct samples_context){.function = (uint32_t)draw_below(&seed, FUNCTIONS),
                                                 .parent = i % 50 == 0 ? TRACE_NONE : (uint32_t)draw_below(&seed, i),
                                                 .file = ""};
  for (uint32_t i = 0; i < CELLS; i++)
    wood->cells[i] = (struct calls_cell){.context = (uint32_t)(CONTEXTS * uniform(&seed) * uniform(&seed)),
                                         .location = (uint32_t)draw_below(&seed, THREADS),
                                         .construct = draw_below(&seed, 3) == 0 ? TRACE_NONE : 7,
                                         .state = (uint32_t)draw_below(&seed, 2),
                                         .trigger = (uint32_t)draw_below(&seed, TRIGGERS),
                                         .samples = 1 + draw_below(&seed, 9)};
  wood->samples = (struct samples){.functions = wood->functions,
                                   .contexts = wood->contexts,
                                   .triggers = wood->triggers,
                                   .function_count = FUNCTIONS,
                                   .context_count = CONTEXTS,
                                   .trigger_count = TRIGGERS};
  wood->calls = (struct calls){.cells = wood->cells, .cell_count = CELLS};
  assert_true(calls_tree_make(&wood->samples, CALLS_FUNCTIONS, &wood->tree));
  return wood;
}

static void fell(struct wood *wood)
{
  calls_tree_free(&wood->tree);
  free(wood);
}

/* Sums by trigger, construct, state, and thread if threads are separate. */
static void check_sums(const struct wood *wood, const struct pruned_calls *pruned)
{
  uint64_t sums[TRIGGERS][2][2][THREADS] = {0};
  for (size_t i = 0; i < CELLS; i++) {
    const struct calls_cell *cell = &wood->cells[i];
    sums[cell->trigger][cell->construct == 7][cell->state][pruned->summed ? 0 : cell->location] += cell->samples;
  }
  for (size_t i = 0; i < pruned->cell_count; i++) {
    const struct pruned_cell *cell = &pruned->cells[i];
    assert_int_equal(cell->location == TRACE_NONE, pruned->summed);
    sums[cell->trigger][cell->construct == 7][cell->state][pruned->summed ? 0 : cell->location] -= cell->samples;
  }
  const uint64_t *sum = &sums[0][0][0][0];
  for (size_t i = 0; i < sizeof sums / sizeof *sum; i++)
    assert_int_equal(sum[i], 0);
}

/* A node that is kept has below it what it has in the whole tree. */
static void check_nodes(const struct wood *wood, const struct pruned_calls *pruned)
{
  uint64_t *whole = calloc(wood->tree.node_count, sizeof *whole), *below = calloc(pruned->node_count, sizeof *below);
  assert_true(whole && below);
  for (size_t i = 0; i < CELLS; i++)
    whole[wood->tree.node_of[wood->cells[i].context]] += wood->cells[i].samples;
  for (uint32_t i = wood->tree.node_count; i-- > 1;)
    whole[wood->tree.nodes[i].parent] += whole[i];
  for (size_t i = 0; i < pruned->cell_count; i++)
    below[pruned->cells[i].node] += pruned->cells[i].samples;
  for (size_t i = pruned->node_count; i-- > 1;) {
    assert_true(pruned->nodes[i].parent < i);
    below[pruned->nodes[i].parent] += below[i];
  }
  for (uint32_t i = 1; i < wood->tree.node_count; i++) {
    const struct pruned_node *node = &pruned->nodes[pruned->node_of[i]];
    if (node->code != TRACE_NONE && whole[i] > 0) { /* one without samples is not in the page */
      assert_int_equal(node->code, wood->tree.nodes[i].code);
      assert_int_equal(node->parent, pruned->node_of[wood->tree.nodes[i].parent]);
      assert_int_equal(below[pruned->node_of[i]], whole[i]);
    }
  }
  free(whole);
  free(below);
}

static struct pruned_calls prune(const struct wood *wood, size_t nodes, size_t cells, size_t text)
{
  struct pruned_calls pruned;
  assert_true(pruned_calls_make(&wood->calls, &wood->tree, (struct pruned_limits){nodes, cells, text}, &pruned));
  check_sums(wood, &pruned);
  check_nodes(wood, &pruned);
  return pruned;
}

static void what_fits_is_whole(void **unused)
{
  (void)unused;
  struct wood *wood = plant(1);
  struct pruned_calls pruned = prune(wood, SIZE_MAX, SIZE_MAX, SIZE_MAX);
  assert_true(pruned.least == 0 && !pruned.summed);
  for (size_t i = 1; i < pruned.node_count; i++)
    assert_int_not_equal(pruned.nodes[i].code, TRACE_NONE);
  pruned_calls_free(&pruned);
  fell(wood);
}

static void what_is_too_large_becomes_others(void **unused)
{
  (void)unused;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct wood *wood = plant(seed);
    struct pruned_calls pruned = prune(wood, 200, SIZE_MAX, SIZE_MAX);
    size_t others = 0;
    assert_true(pruned.node_count <= 200 && pruned.least > 0 && pruned.least < 0.1 && !pruned.summed);
    for (size_t i = 1; i < pruned.node_count; i++) {
      others += pruned.nodes[i].code == TRACE_NONE;
      assert_true(pruned.nodes[i].parent == 0 || pruned.nodes[pruned.nodes[i].parent].code != TRACE_NONE);
    }
    assert_true(others > 0 && others < pruned.node_count - 1);
    pruned_calls_free(&pruned);
    fell(wood);
  }
}

static void threads_are_summed_where_leaving_out_is_not_enough(void **unused)
{
  (void)unused;
  struct wood *wood = plant(3);
  struct pruned_calls pruned = prune(wood, SIZE_MAX, 30, SIZE_MAX);
  assert_true(pruned.summed && pruned.cell_count <= 30);
  pruned_calls_free(&pruned);
  pruned = prune(wood, SIZE_MAX, SIZE_MAX, 5 * sizeof "functionfilemodule");
  assert_true(pruned.least > 0 && !pruned.summed);
  pruned_calls_free(&pruned);
  pruned = prune(wood, 1, 1, 1); /* impossible: it ends with one node */
  assert_int_equal(pruned.node_count, 2);
  pruned_calls_free(&pruned);
  fell(wood);
}

static void times_are_thinned_evenly(void **unused)
{
  (void)unused;
  struct sample_times_lane lane = {.every = 0};
  for (uint64_t i = 0; i < 1000; i++)
    assert_true(sample_times_add(&lane, &(struct samples_event){.time = 10 * i}, i, 100));
  assert_int_equal(lane.every, 16); /* 1000 / 8 are more than 100 */
  assert_int_equal(lane.list.count, 63);
  for (size_t i = 0; i < lane.list.count; i++)
    assert_int_equal(lane.list.items[i].time, 10 * 16 * i);
  vector_free(&lane.list);
}

/* main calls a function with a name that HTML and JSON read otherwise; it is sampled on two threads. */
static struct fixture *record(const char **directory)
{
  struct fixture *f = fixture_create();
  for (uint32_t i = 0; i < 2; i++) {
    fixture_location(f, i == 0 ? "master" : "worker");
    fixture_thread_begin(f, i, 1000);
    fixture_thread_end(f, i, 2000);
  }
  fixture_archive_property(f, "HEDDLE::SAMPLES", "10");
  fixture_archive_property(f, "HEDDLE::SAMPLES_LEFT_OUT", "2");
  *directory = fixture_finish(f);
  struct taken *s = taken_create(*directory);
  taken_trigger(s, "cpu", true, 1000000);
  taken_trigger(s, "page-faults", false, 100);
  uint32_t top = taken_context(s, TAKEN_TOP, taken_function(s, "main"), 3);
  uint32_t strange = taken_context(s, top, taken_function(s, "<script>a\"b"), 4);
  taken_context(s, top, taken_function(s, "never"), 5);
  taken_take(s, 0, 1100, top, 0, 1);
  taken_take(s, 0, 1200, strange, 0, 2);
  taken_take(s, 0, 1300, strange, 1, 4);
  taken_take(s, 1, 900, strange, 0, 1);
  taken_take(s, 1, 1500, top, 0, 2);
  taken_finish(s);
  return f;
}

/* Sums of all samples, as a report finds them. */
static char *document_of(const char *directory)
{
  struct error error = {""};
  bool none;
  struct calls calls;
  struct sample_times times;
  struct pool *pool = pool_create(2);
  struct trace *trace = trace_open(directory, &error);
  struct samples *samples = trace ? samples_open(trace, &none, &error) : NULL;
  assert_non_null(samples);
  const struct analysis_task tasks[] = {{&calls_analysis, samples, &calls}, {&sample_times_analysis, samples, &times}};
  assert_true(analyses_find(trace, pool, tasks, COUNT_OF(tasks), &error));
  char *text = calls_json(&(struct calls_page){trace, samples, &calls, &times, 1000, false}, PRUNED_LIMITS);
  assert_non_null(text);
  analyses_free(tasks, COUNT_OF(tasks));
  samples_close(samples);
  trace_close(trace);
  pool_destroy(pool);
  return text;
}

static void the_document_has_all_of_it(void **unused)
{
  (void)unused;
  static const char expected[] =
      "{\"taken\":10,\"lost\":2,\"least\":0,\"by_thread\":true,\"triggers\":["
      "{\"name\":\"cpu\",\"timed\":true,\"period\":1000000,\"samples\":6},"
      "{\"name\":\"page-faults\",\"timed\":false,\"period\":100,\"samples\":4}],\"states\":["
      "{\"key\":\"run\",\"name\":\"RUN\"},{\"key\":\"outside\",\"name\":\"outside the recorded events\"}],"
      "\"functions\":[[\"main\",\"/src/main.c\",0,\"/bin/program\"],"
      "[\"<script>a\\\"b\",\"/src/<script>a\\\"b.c\",0,\"/bin/program\"]],\"nodes\":[[0,-1],[1,0]],"
      "\"cells\":[[0,0,-1,0,0,1],[0,1,-1,0,0,2],[1,0,-1,0,0,2],[1,0,-1,0,1,4],"
      "[1,1,-1,1,0,1]],\"kernel\":null,\"times\":["
      "{\"location\":0,\"every\":1,\"later\":[100,100,0,100,0,0,0],\"nodes\":[0,1,1,1,1,1,1],"
      "\"triggers\":[0,0,0,1,1,1,1]},"
      "{\"location\":1,\"every\":1,\"later\":[-100,600,0],\"nodes\":[1,0,0],\"triggers\":[0,0,0]}]}";
  const char *directory;
  struct fixture *f = record(&directory);
  char *text = document_of(directory);
  assert_string_equal(text, expected);
  free(text);
  fixture_destroy(f);
}

UNIT_TEST(calls_page)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_is_whole), cmocka_unit_test(what_is_too_large_becomes_others),
      cmocka_unit_test(threads_are_summed_where_leaving_out_is_not_enough), cmocka_unit_test(times_are_thinned_evenly),
      cmocka_unit_test(the_document_has_all_of_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
