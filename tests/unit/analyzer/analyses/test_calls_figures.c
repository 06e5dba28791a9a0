/* Samples of functions, callers, lines and cycles: known answers, and answers by the definition itself. */
#include "tests/unit/analyzer/draw.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/compare.h"
#include "analyzer/analyses/calls/figures.h"

#include <stdlib.h>
#include <string.h>

/* Contexts by hand, and weights of them, without an archive. */
struct wood {
  struct samples samples;
  struct samples_function functions[16];
  struct samples_context contexts[64];
  struct calls_cell cells[64];
  struct trace_location location;
  struct trace trace;
  struct calls calls;
};

static void plant(struct wood *wood, uint32_t functions)
{
  memset(wood, 0, sizeof *wood);
  for (uint32_t i = 0; i < functions; i++)
    wood->functions[i] = (struct samples_function){"f", "", "", 0};
  wood->samples = (struct samples){
      .functions = wood->functions, .contexts = wood->contexts, .function_count = functions, .context_count = 0};
  wood->trace = (struct trace){.locations = &wood->location, .location_count = 1};
  wood->calls.cells = wood->cells;
}

static uint32_t grow(struct wood *wood, uint32_t parent, uint32_t function, uint64_t samples)
{
  uint32_t number = wood->samples.context_count++;
  wood->contexts[number] = (struct samples_context){.function = function, .parent = parent, .file = ""};
  if (samples > 0)
    wood->cells[wood->calls.cell_count++] = (struct calls_cell){.context = number, .samples = samples};
  return number;
}

/* The definition itself: from the code that ran to the first caller; a function counts where it is met first. */
struct naive {
  uint64_t self[16], inclusive[16];
  uint64_t caller_self[17][17], caller_below[17][17], callee_self[17][17], callee_below[17][17];
};

static void count_path(const struct wood *wood, const struct calls_cell *cell, struct naive *naive)
{
  bool seen[16] = {false};
  uint32_t ran = cell->context, below = TRACE_NONE;
  for (uint32_t at = ran; at != TRACE_NONE; below = at, at = wood->contexts[at].parent) {
    uint32_t function = wood->contexts[at].function, parent = wood->contexts[at].parent;
    uint32_t caller = parent == TRACE_NONE ? 16 : wood->contexts[parent].function;
    if (seen[function])
      continue;
    seen[function] = true;
    naive->inclusive[function] += cell->samples;
    naive->self[function] += at == ran ? cell->samples : 0;
    (at == ran ? naive->caller_self : naive->caller_below)[function][caller] += cell->samples;
    if (at != ran)
      (below == ran ? naive->callee_self : naive->callee_below)[function][wood->contexts[below].function] +=
          cell->samples;
  }
}

static void check_relatives(struct calls_relatives *relatives, const uint64_t *self, const uint64_t *below)
{
  uint64_t found_self[17] = {0}, found_below[17] = {0};
  for (size_t i = 0; i < relatives->count; i++) {
    uint32_t code = relatives->list[i].code == TRACE_NONE ? 16 : relatives->list[i].code;
    found_self[code] += (uint64_t)relatives->list[i].self;
    found_below[code] += (uint64_t)relatives->list[i].below;
  }
  assert_memory_equal(found_self, self, sizeof found_self);
  assert_memory_equal(found_below, below, sizeof found_below);
  free(relatives->list);
}

static void check_wood(const struct wood *wood)
{
  struct naive naive = {0};
  struct calls_tree tree;
  struct calls_figures figures;
  uint64_t all = 0;
  struct calls_selection selection = CALLS_ALL;
  for (size_t i = 0; i < wood->calls.cell_count; i++) {
    count_path(wood, &wood->cells[i], &naive);
    all += wood->cells[i].samples;
  }
  assert_true(calls_tree_make(&wood->samples, CALLS_FUNCTIONS, &tree));
  assert_true(calls_figures_find(&wood->trace, &wood->calls, &selection, &tree, &figures));
  assert_int_equal(figures.all, all);
  for (uint32_t f = 0; f < wood->samples.function_count; f++) {
    struct calls_relatives relatives;
    assert_int_equal(figures.codes[f].self, naive.self[f]);
    assert_int_equal(figures.codes[f].inclusive, naive.inclusive[f]);
    assert_true(calls_callers(&figures, f, &relatives));
    check_relatives(&relatives, naive.caller_self[f], naive.caller_below[f]);
    assert_true(calls_callees(&figures, f, &relatives));
    check_relatives(&relatives, naive.callee_self[f], naive.callee_below[f]);
  }
  calls_figures_free(&figures);
  calls_tree_free(&tree);
}

/* main > a > b > a > c, main > a > a, main > b. */
static void recursion_counts_a_sample_once(void **unused)
{
  (void)unused;
  struct wood wood;
  plant(&wood, 4);
  uint32_t top = grow(&wood, TRACE_NONE, 0, 1), a = grow(&wood, top, 1, 2), b = grow(&wood, a, 2, 4);
  uint32_t again = grow(&wood, b, 1, 8);
  grow(&wood, again, 3, 16);
  grow(&wood, a, 1, 32);
  grow(&wood, top, 2, 64);
  struct calls_tree tree;
  struct calls_figures figures;
  struct calls_selection selection = CALLS_ALL;
  assert_true(calls_tree_make(&wood.samples, CALLS_FUNCTIONS, &tree));
  assert_true(calls_figures_find(&wood.trace, &wood.calls, &selection, &tree, &figures));
  const uint64_t self[] = {1, 2 + 8 + 32, 4 + 64, 16};
  const uint64_t inclusive[] = {127, 2 + 4 + 8 + 16 + 32, 4 + 8 + 16 + 64, 16};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(figures.codes[i].self, self[i]);
    assert_int_equal(figures.codes[i].inclusive, inclusive[i]);
  }
  calls_figures_free(&figures);
  calls_tree_free(&tree);
  check_wood(&wood);
}

static void figures_are_those_of_the_paths_of_random_trees(void **unused)
{
  (void)unused;
  uint64_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    struct wood wood;
    uint32_t functions = 1 + (uint32_t)draw_below(&seed, 8), contexts = 1 + (uint32_t)draw_below(&seed, 60);
    plant(&wood, functions);
    for (uint32_t i = 0; i < contexts; i++) {
      uint64_t parent = draw_below(&seed, i + 1), samples = draw_below(&seed, 3) ? draw_below(&seed, 100) : 0;
      grow(&wood, parent == i ? TRACE_NONE : (uint32_t)parent, (uint32_t)draw_below(&seed, functions), samples);
    }
    check_wood(&wood);
  }
}

/* Two functions are in one cycle if each is reached from the other one; one alone, if it calls itself. */
static void check_cycles(const struct wood *wood)
{
  bool reaches[16][16] = {{false}};
  struct calls_tree tree;
  struct calls_figures figures;
  struct calls_cycles cycles;
  struct calls_selection selection = CALLS_ALL;
  uint32_t part_of[16] = {0};
  assert_true(calls_tree_make(&wood->samples, CALLS_FUNCTIONS, &tree));
  assert_true(calls_figures_find(&wood->trace, &wood->calls, &selection, &tree, &figures));
  for (uint32_t i = 1; i < tree.node_count; i++)
    if (tree.nodes[i].parent != 0 && figures.below[i] > 0)
      reaches[tree.nodes[tree.nodes[i].parent].code][tree.nodes[i].code] = true;
  for (int k = 0; k < 16; k++)
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 16; j++)
        reaches[i][j] |= reaches[i][k] && reaches[k][j];
  assert_true(calls_cycles_find(&figures, &cycles));
  for (size_t i = 0; i < cycles.count; i++)
    for (size_t k = 0; k < cycles.list[i].count; k++) {
      assert_int_equal(part_of[cycles.codes[cycles.list[i].first + k]], 0);
      part_of[cycles.codes[cycles.list[i].first + k]] = (uint32_t)i + 1;
    }
  for (uint32_t i = 0; i < wood->samples.function_count; i++) {
    assert_int_equal(part_of[i] > 0, reaches[i][i]);
    for (uint32_t j = 0; j < wood->samples.function_count; j++)
      if (part_of[i] > 0 && part_of[j] > 0)
        assert_int_equal(part_of[i] == part_of[j], reaches[i][j] && reaches[j][i]);
  }
  for (size_t c = 0; c < cycles.count; c++) {
    uint64_t inclusive = 0;
    for (size_t i = 0; i < wood->calls.cell_count; i++) {
      bool met = false;
      for (uint32_t at = wood->cells[i].context; at != TRACE_NONE; at = wood->contexts[at].parent)
        met |= part_of[wood->contexts[at].function] == c + 1;
      inclusive += met ? wood->cells[i].samples : 0;
    }
    assert_int_equal(cycles.list[c].inclusive, inclusive);
  }
  calls_cycles_free(&cycles);
  calls_figures_free(&figures);
  calls_tree_free(&tree);
}

static void cycles_are_functions_that_reach_each_other(void **unused)
{
  (void)unused;
  uint64_t seed = 2;
  for (int round = 0; round < 1000; round++) {
    struct wood wood;
    uint32_t functions = 1 + (uint32_t)draw_below(&seed, 12), contexts = 1 + (uint32_t)draw_below(&seed, 24);
    plant(&wood, functions);
    for (uint32_t i = 0; i < contexts; i++) {
      uint64_t parent = draw_below(&seed, i + 1);
      grow(&wood, parent == i ? TRACE_NONE : (uint32_t)parent, (uint32_t)draw_below(&seed, functions),
           draw_below(&seed, 4));
    }
    check_cycles(&wood);
  }
}

/* Lines of a function are different codes; contexts that differ in lines of callers alone are one node of functions. */
static void lines_are_told_apart_where_they_are_asked_for(void **unused)
{
  (void)unused;
  struct wood wood;
  struct calls_tree tree;
  plant(&wood, 2);
  for (uint32_t line = 1; line <= 3; line++) {
    uint32_t top = grow(&wood, TRACE_NONE, 0, 0);
    wood.contexts[top].line = line;
    uint32_t called = grow(&wood, top, 1, line);
    wood.contexts[called].line = 7;
  }
  assert_true(calls_tree_make(&wood.samples, CALLS_FUNCTIONS, &tree));
  assert_int_equal(tree.node_count, 3);
  calls_tree_free(&tree);
  assert_true(calls_tree_make(&wood.samples, CALLS_LINES, &tree));
  assert_int_equal(tree.node_count, 7);
  assert_int_equal(tree.code_count, 4);
  calls_tree_free(&tree);
}

static void samples_are_time_by_their_period(void **unused)
{
  (void)unused;
  struct trace trace = {.ticks_per_second = 2500000001};
  struct samples_trigger cpu = {.name = "cpu", .timed = true, .period = 1000000},
                         faults = {.name = "page-faults", .period = 100};
  assert_int_equal(calls_ticks(&trace, &cpu, 1), 2500000);
  assert_int_equal(calls_ticks(&trace, &cpu, 1000), 2500000001);
  assert_int_equal(calls_ticks(&trace, &faults, 1000), 0);
}

/* Known values of Wilson's interval. */
static void shares_have_an_interval(void **unused)
{
  (void)unused;
  struct calls_share none = calls_share_of(0, 10), half = calls_share_of(5, 10), all = calls_share_of(10, 10);
  assert_float_equal(none.low, 0, 0);
  assert_float_equal(none.high, 0.277533, 1e-6);
  assert_float_equal(half.low, 0.236593, 1e-6);
  assert_float_equal(half.high, 0.763407, 1e-6);
  assert_float_equal(all.low, 0.722467, 1e-6);
  assert_float_equal(all.high, 1, 0);
  assert_float_equal(calls_share_of(0, 0).high, 1, 0);
}

UNIT_TEST(calls_figures)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(recursion_counts_a_sample_once),
                                     cmocka_unit_test(figures_are_those_of_the_paths_of_random_trees),
                                     cmocka_unit_test(cycles_are_functions_that_reach_each_other),
                                     cmocka_unit_test(lines_are_told_apart_where_they_are_asked_for),
                                     cmocka_unit_test(samples_are_time_by_their_period),
                                     cmocka_unit_test(shares_have_an_interval)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
