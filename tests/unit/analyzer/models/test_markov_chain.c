/* Chains with known answers: reducible, periodic and large ones, first passages, simulation, what-if. */
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};
static const struct markov_options staying = {MARKOV_DROP, MARKOV_STAY, false};

static void within(double is, double should_be, double relative)
{
  if (!(fabs(is - should_be) <= relative * fmax(1e-300, fabs(should_be))))
    fail_msg("is %.15g, should be %.15g", is, should_be);
}

static struct markov_chain *solved(const struct markov_model *model)
{
  struct markov_chain *chain = markov_chain_solve(model);
  assert_non_null(chain);
  return chain;
}

/* A and B, then C for ever or D and E in turn: two classes, each reached once. */
static void several_classes(void **state)
{
  (void)state;
  static const uint64_t ticks[] = {10, 20, 30, 30, 30, 4, 6, 4, 6};
  struct error error = {{0}};
  struct markov_builder *builder = markov_builder_create(&staying, false);
  struct pes_stream *one = example_letters(5, "ABCCC", ticks, 0);
  struct pes_stream *two = example_letters(5, "ABDEDED", ticks, 0);
  assert_true(markov_builder_add(builder, "one", one, &error));
  assert_true(markov_builder_add(builder, "two", two, &error));
  struct markov_model *model = markov_builder_finish(builder, NULL, &error);
  struct markov_chain *chain = solved(model);
  uint32_t a = example_find(model, "A"), c = example_find(model, "C"), d = example_find(model, "D");
  assert_int_equal(chain->class_count, 2);
  assert_int_equal(chain->transient, 2);
  within(chain->classes[chain->class_of[c]].probability, .5, 1e-12);
  within(chain->classes[chain->class_of[d]].probability, .5, 1e-12);
  assert_int_equal(chain->classes[chain->class_of[c]].period, 1);
  assert_int_equal(chain->classes[chain->class_of[d]].period, 2);
  within(chain->lead, 30, 1e-12);
  within(chain->visits[a], 1, 1e-12);
  within(chain->longrun[c], .5, 1e-12);
  double *ticks_to = calloc(model->count, sizeof *ticks_to);
  struct markov_effort effort = {0};
  assert_true(markov_chain_passage(chain, d, ticks_to, &effort));
  assert_true(isinf(ticks_to[a]) && isinf(ticks_to[c]) && isfinite(ticks_to[d]));
  free(ticks_to);
  markov_chain_free(chain);
  markov_model_free(model);
  markov_builder_free(builder);
  pes_close(one);
  pes_close(two);
}

/* The thesis' example: a full circle is 122, and the way from EA1 to A1E by hand. */
static void first_passage(void **state)
{
  (void)state;
  struct markov_model *model = example_model(example_thesis(), &usual);
  struct markov_chain *chain = solved(model);
  struct markov_effort effort = {0};
  double ticks[12];
  uint32_t a1e = example_find(model, "A1E"), ea1 = example_find(model, "EA1"), r2a1 = example_find(model, "R2A1");
  assert_true(markov_chain_passage(chain, a1e, ticks, &effort));
  within(ticks[a1e], 122, 1e-12);
  within(ticks[ea1], 15.5 + 12 + 2 + 7 + 9 + 11, 1e-12);
  assert_true(markov_chain_passage(chain, r2a1, ticks, &effort));
  within(ticks[r2a1], 244, 1e-12);
  for (uint32_t i = 0; i < 12; i++) {
    double own[12];
    assert_true(markov_chain_passage(chain, i, own, &effort));
    within(own[i], chain->recurrence[i], 1e-12);
  }
  markov_chain_free(chain);
  markov_model_free(model);
}

enum { RING = 3000 };

/* More states than are solved by elimination: forward, and now and then back to the first. */
static struct markov_model *large_model(void)
{
  enum { RECORDS = 400000 };
  struct pes_program *program = pes_program_create("ring", 0);
  uint32_t set = pes_program_add_set(program), at = 0;
  struct pes_states *states = pes_states_create(1);
  struct pes_record *records = calloc(RECORDS, sizeof *records);
  struct error error = {{0}};
  uint64_t time = 0, random = 1;
  for (uint32_t i = 0; i < RING; i++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", i);
    pes_program_add_value(program, set, i, name, name);
    pes_states_intern(states, &i);
  }
  pes_program_add_component(program, "place", set);
  for (size_t i = 0; i < RECORDS; i++) {
    records[i] = (struct pes_record){time, at};
    time += 1 + at % 7;
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    at = (random >> 33) % 100 < 90 ? (at + 1) % RING : (uint32_t)((random >> 40) % RING);
  }
  struct pes_stream *stream =
      pes_from_memory(program, states, records, RECORDS, (struct pes_end){time, PES_NONE}, &error);
  free(records);
  return example_model(stream, &usual);
}

/* The solution solves the equations, and the passage to a state and back is its recurrence time. */
static void large_chain(void **state)
{
  (void)state;
  struct markov_model *model = large_model();
  struct markov_chain *chain = solved(model);
  assert_int_equal(chain->class_count, 1);
  assert_true(chain->effort.sweeps > 0);
  double *flow = calloc(model->count, sizeof *flow), sum = 0, time = 0;
  for (uint32_t i = 0; i < model->count; i++) {
    for (size_t k = chain->p.row[i]; k < chain->p.row[i + 1]; k++)
      flow[chain->p.column[k]] += chain->stationary[i] * chain->p.value[k];
    sum += chain->stationary[i];
    time += chain->longrun[i];
  }
  within(sum, 1, 1e-12);
  within(time, 1, 1e-12);
  for (uint32_t i = 0; i < model->count; i++)
    within(flow[i], chain->stationary[i], 1e-10);
  struct markov_effort effort = {0};
  assert_true(markov_chain_passage(chain, 17, flow, &effort));
  within(flow[17], chain->recurrence[17], 1e-9);
  free(flow);
  markov_chain_free(chain);
  markov_model_free(model);
}

static struct pes_stream *simulated(const struct markov_model *model, uint64_t seed, uint64_t records)
{
  struct error error = {{0}};
  struct markov_simulation simulation = {.seed = seed, .ticks = UINT64_MAX, .records = records};
  struct pes_stream *stream = markov_simulate(model, &simulation, &error);
  if (!stream)
    fail_msg("%s", error.message);
  return stream;
}

/* Not by memory: records have bytes that mean nothing. */
static bool equal_records(const struct pes_record *left, const struct pes_record *right, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (left[i].entry != right[i].entry || left[i].state != right[i].state)
      return false;
  return true;
}

/* One seed, one sequence, as often as it is read; another seed, another one. */
static void seeds(void **state)
{
  (void)state;
  struct markov_model *model = example_model(example_thesis(), &usual);
  struct pes_record one[PES_BATCH], two[PES_BATCH];
  size_t count, again;
  struct error error = {{0}};
  struct pes_stream *stream = simulated(model, 42, 100);
  assert_true(pes_next(stream, one, &count, &error));
  assert_int_equal(count, 100);
  assert_true(pes_rewind(stream, &error));
  assert_true(pes_next(stream, two, &again, &error));
  assert_int_equal(again, count);
  assert_true(equal_records(one, two, count));
  pes_close(stream);
  stream = simulated(model, 43, 100);
  assert_true(pes_next(stream, two, &again, &error));
  assert_int_equal(again, count);
  assert_false(equal_records(one, two, count));
  pes_close(stream);
  markov_model_free(model);
}

/*
 * The known chain: A to A, B, C with 1/2, 1/4, 1/4; B to A; C to A or B. What is estimated from n transitions is within
 * 5 standard errors of what generated them.
 */
static void known_chain_is_recovered(void **state)
{
  (void)state;
  static const uint64_t ticks[] = {3, 5, 7, 3, 5, 7, 9, 11, 2, 4, 8, 8, 1};
  struct markov_model *model = example_model(example_letters(3, "AAABACABACBAA", ticks, 0), &usual);
  struct markov_model *again = example_model(simulated(model, 7, 200000), &usual);
  assert_int_equal(again->records, 200000);
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *own = &model->list[i], *other = &again->list[i];
    assert_int_equal(own->edge_count, other->edge_count);
    for (uint32_t k = 0; k < own->edge_count; k++) {
      double p = (double)own->edges[k].count / (double)own->left, n = (double)other->left;
      assert_int_equal(own->edges[k].to, other->edges[k].to);
      assert_true(fabs((double)other->edges[k].count / n - p) <= 5 * sqrt(p * (1 - p) / n) + 1e-12);
    }
    double mean = markov_distribution_mean(&own->occupancy);
    double error = markov_distribution_deviation(&own->occupancy, false) / sqrt((double)other->occupancy.count);
    assert_true(fabs(markov_distribution_mean(&other->occupancy) - mean) <= 5 * error + 1e-12);
    assert_int_equal(other->occupancy.min, own->occupancy.min);
    assert_int_equal(other->occupancy.max, own->occupancy.max);
  }
  struct markov_chain *chain = solved(model);
  for (uint32_t i = 0; i < model->count; i++)
    within((double)again->list[i].occupancy.total / (double)again->duration, chain->longrun[i], 0.02);
  markov_chain_free(chain);
  markov_model_free(model);
  markov_model_free(again);
}

/* A state that takes half as long saves half of its time in a cycle; scaling all scales all. */
static void what_if(void **state)
{
  (void)state;
  struct markov_model *model = example_model(example_thesis(), &usual);
  struct markov_chain *chain = solved(model);
  double factors[12];
  uint32_t a1r1 = example_find(model, "A1R1"), a2r1 = example_find(model, "A2R1"), count;
  for (int i = 0; i < 12; i++)
    factors[i] = 1;
  factors[a1r1] = .5;
  struct markov_whatif *whatif = markov_whatif(chain, factors);
  within(whatif->cycles[0], 122 - 8.5, 1e-12);
  within(whatif->longrun[a1r1], 8.5 / 113.5, 1e-12);
  within(whatif->longrun[a2r1], 1 / 113.5, 1e-12);
  markov_whatif_free(whatif);
  struct markov_bottleneck *list = markov_bottlenecks(chain, &count);
  assert_int_equal(count, 12);
  assert_int_equal(list[0].state, a1r1);
  within(list[0].saved, 8.5 / 122, 1e-12);
  within(list[0].cycle, 113.5, 1e-12);
  within(list[0].longrun, 8.5 / 113.5, 1e-12);
  assert_int_equal(list[11].state, a2r1);
  free(list);
  for (int i = 0; i < 12; i++)
    factors[i] = 3;
  whatif = markov_whatif(chain, factors);
  within(whatif->cycles[0], 366, 1e-12);
  within(whatif->longrun[a1r1], chain->longrun[a1r1], 1e-12);
  markov_whatif_free(whatif);
  markov_chain_free(chain);
  markov_model_free(model);
}

UNIT_TEST(markov_chain)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_classes), cmocka_unit_test(first_passage), cmocka_unit_test(large_chain),
      cmocka_unit_test(seeds),           cmocka_unit_test(what_if),       cmocka_unit_test(known_chain_is_recovered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
