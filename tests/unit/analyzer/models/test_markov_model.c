/*
 * Models against known numbers: the thesis' worked example. The thesis' own print has known slips. In 3.3.1 the parts
 * of EA1 and A1E are swapped (.1476 and .1571 are right). In 3.3.2 the run R2 is <T3> alone, and in 3.3.3 the second Z
 * lasts 8 + 4 + 10 = 22.
 */
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};

static void close_to(double is, double should_be)
{
  if (isnan(should_be) ? !isnan(is) : !(fabs(is - should_be) <= 1e-12 * fmax(1, fabs(should_be))))
    fail_msg("is %.15g, should be %.15g", is, should_be);
}

/* A row of section 3.1 of the example. */
struct row {
  const char *name;
  uint64_t visits, total, min, max;
  double population, sample;
  const char *next; /* "R2A1 1; R2A2 1": counts */
};

static const struct row rows[] = {
    {"A2T", 2, 11, 1, 10, 4.5, 6.363961030678928, "ET 2"},
    {"ET", 2, 19, 9, 10, .5, .7071067811865476, "EA1 2"},
    {"EA1", 2, 31, 15, 16, .5, .7071067811865476, "R1A1 2"},
    {"R1A1", 2, 24, 12, 12, 0, 0, "R2A1 1; R2A2 1"},
    {"R2A1", 1, 4, 4, 4, 0, NAN, "R2A2 1"},
    {"R2A2", 2, 14, 6, 8, 1, 1.4142135623730951, "TA2 2"},
    {"TA2", 2, 18, 4, 14, 5, 7.0710678118654755, "TE 2"},
    {"TE", 2, 22, 10, 12, 1, 1.4142135623730951, "A1E 2"},
    {"A1E", 2, 33, 15, 18, 1.5, 2.1213203435596424, "A1R1 1"},
    {"A1R1", 1, 17, 17, 17, 0, NAN, "A2R1 1"},
    {"A2R1", 1, 1, 1, 1, 0, NAN, "A2R2 1"},
    {"A2R2", 1, 16, 16, 16, 0, NAN, "A2T 1"},
};

static uint64_t count_of(const struct markov_model *model, uint32_t from, uint32_t to)
{
  const struct markov_state *state = &model->list[from];
  for (uint32_t i = 0; i < state->edge_count; i++) {
    if (state->edges[i].to == to)
      return state->edges[i].count;
  }
  return 0;
}

/* Whatever a model is: its counts add up. */
static void check_sums(const struct markov_model *model)
{
  uint64_t records = 0, duration = 0;
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    uint64_t left = 0;
    for (uint32_t k = 0; k < state->edge_count; k++)
      left += state->edges[k].count;
    assert_int_equal(left, state->left);
    records += state->occupancy.count;
    duration += state->occupancy.total;
  }
  assert_int_equal(records, model->records);
  assert_int_equal(duration, model->duration);
  struct markov_chain *chain = markov_chain_solve(model);
  double time = 0;
  for (uint32_t i = 0; i < model->count; i++) {
    double sum = 0;
    for (size_t k = chain->p.row[i]; k < chain->p.row[i + 1]; k++)
      sum += chain->p.value[k];
    if (chain->p.row[i] < chain->p.row[i + 1])
      close_to(sum, 1);
    time += chain->longrun[i];
  }
  close_to(time, 1);
  markov_chain_free(chain);
}

static void check_example(const struct markov_model *model, bool keep)
{
  assert_int_equal(model->count, 12);
  assert_int_equal(model->records, 20);
  assert_int_equal(model->duration, 210);
  for (uint32_t i = 0; i < 12; i++) {
    const struct row *row = &rows[i];
    const struct markov_distribution *occupancy = &model->list[i].occupancy;
    assert_int_equal(example_find(model, row->name), i);
    assert_int_equal(occupancy->count, row->visits);
    assert_int_equal(occupancy->total, row->total);
    assert_int_equal(occupancy->min, row->min);
    assert_int_equal(occupancy->max, row->max);
    close_to(markov_distribution_mean(occupancy), (double)row->total / (double)row->visits);
    close_to(markov_distribution_deviation(occupancy, false), row->population);
    close_to(markov_distribution_deviation(occupancy, true), row->sample);
  }
  assert_int_equal(model->edge_count, 13);
  for (uint32_t i = 0; i < 12; i++) {
    uint32_t next = (i + 1) % 12;
    uint64_t times = i == 3 || i == 9 || i == 10 || i == 11 || i == 4 ? 1 : i == 8 ? (keep ? 2 : 1) : 2;
    assert_int_equal(count_of(model, i, next), times);
  }
  assert_int_equal(count_of(model, 3, 5), 1);
  assert_int_equal(model->list[9].terminals, 1);
  assert_int_equal(model->list[9].left, 1);
  check_sums(model);
}

static void worked_example(void **state)
{
  (void)state;
  static const double longrun[] = {5.5, 9.5, 15.5, 12, 2, 7, 9, 11, 16.5, 17, 1, 16};
  for (int keep = 0; keep < 2; keep++) {
    struct markov_options options = {keep ? MARKOV_KEEP : MARKOV_DROP, MARKOV_RESTART, false};
    struct markov_model *model = example_model(example_thesis(), &options);
    check_example(model, keep);
    struct markov_chain *chain = markov_chain_solve(model);
    assert_int_equal(chain->class_count, 1);
    assert_int_equal(chain->transient, 0);
    assert_int_equal(chain->restarts, 0);
    assert_int_equal(chain->classes[0].period, 1);
    assert_int_equal(chain->classes[0].reference, 9); /* of most time; its visits are as many as others' */
    close_to(chain->classes[0].cycle, 122);
    close_to(chain->lead, 0);
    for (uint32_t i = 0; i < 12; i++) {
      close_to(chain->longrun[i], longrun[i] / 122);
      close_to(chain->stationary[i], (i == 4 ? .5 : 1) / 11.5);
      close_to(chain->recurrence[i], i == 4 ? 244 : 122);
    }
    markov_chain_free(chain);
    markov_model_free(model);
  }
}

/* Section 3.2: EA1 and A1E are left, with runs of the rest between them. */
static struct pes_stream *filtered(const char *first, const char *third)
{
  struct pes_program *program = example_philosophers();
  struct pes_states *states = pes_states_create(2);
  uint32_t ea1 = example_state(program, states, "EA1"), a1e = example_state(program, states, "A1E");
  uint32_t t1 = pes_states_add_filter(states, first, PES_NONE, ea1);
  uint32_t t2 = pes_states_add_filter(states, "T2", ea1, a1e);
  pes_states_add_filter(states, third, a1e, ea1);
  static const char *const names[] = {"R1A1", "R2A1", "R2A2", "TA2", "TE"};
  uint32_t run[5];
  for (int i = 0; i < 5; i++)
    run[i] = example_state(program, states, names[i]);
  assert_true(pes_states_add_run(states, t1, run, 2, 1));
  assert_true(pes_states_add_run(states, t2, run, 5, 1));
  char text[200];
  snprintf(text, sizeof text, "%s 1550; EA1 1570; T2 1585; A1E 1633; %s 1651; EA1 1695; T2 1711; A1E 1745; A1R1 1760",
           first, third);
  return example_open(program, states, text);
}

static void check_filtered(const char *first, const char *third)
{
  struct markov_model *model = example_model(filtered(first, third), &usual);
  uint32_t t1 = example_find(model, first), t2 = example_find(model, "T2"), t3 = example_find(model, third);
  uint32_t ea1 = example_find(model, "EA1"), a1e = example_find(model, "A1E");
  assert_int_equal(count_of(model, t1, ea1), 1);
  assert_int_equal(count_of(model, ea1, t2), 2);
  assert_int_equal(count_of(model, t2, a1e), 2);
  assert_int_equal(count_of(model, a1e, t3), 1);
  assert_int_equal(count_of(model, t3, ea1), 1);
  assert_int_equal(model->edge_count, 5);
  const struct markov_distribution *occupancy = &model->list[t2].occupancy;
  assert_int_equal(occupancy->count, 2);
  assert_int_equal(occupancy->total, 82);
  assert_int_equal(occupancy->min, 34);
  assert_int_equal(occupancy->max, 48);
  close_to(markov_distribution_deviation(occupancy, false), 7);
  close_to(markov_distribution_mean(&model->list[t1].occupancy), 20);
  close_to(markov_distribution_mean(&model->list[t3].occupancy), 44);
  struct markov_chain *chain = markov_chain_solve(model);
  assert_int_equal(chain->transient, 1);
  assert_int_equal(chain->classes[0].states, 4);
  assert_int_equal(chain->classes[0].period, 4);
  close_to(chain->classes[0].cycle, 117);
  close_to(chain->longrun[ea1], 15.5 / 117);
  close_to(chain->longrun[t2], 41. / 117);
  close_to(chain->longrun[a1e], 16.5 / 117);
  close_to(chain->longrun[t3], 44. / 117);
  close_to(chain->longrun[t1], 0);
  close_to(chain->visits[t1], 1);
  close_to(chain->lead, 20);
  check_sums(model);
  markov_chain_free(chain);
  markov_model_free(model);
}

/* Section 3.3 is the same with the aggregates of a second filter in place of the first one's. */
static void filter_aggregates(void **state)
{
  (void)state;
  check_filtered("T1", "T3");
  check_filtered("T4", "T5");
}

/* With the terminal transition kept, half of A1E's lead to A1R1, which nobody saw an occupancy of. */
static void kept_terminal(void **state)
{
  (void)state;
  struct markov_options options = {MARKOV_KEEP, MARKOV_STAY, true};
  struct markov_model *model = example_model(filtered("T1", "T3"), &options);
  uint32_t a1e = example_find(model, "A1E"), a1r1 = example_find(model, "A1R1"), t3 = example_find(model, "T3");
  assert_int_equal(count_of(model, a1e, a1r1), 1);
  assert_int_equal(count_of(model, a1e, t3), 1);
  assert_int_equal(model->list[a1e].left, 2);
  assert_int_equal(model->list[a1r1].occupancy.count, 0);
  assert_true(markov_state_is_used(model, a1r1));
  struct markov_chain *chain = markov_chain_solve(model);
  assert_int_equal(chain->class_count, 1);
  assert_int_equal(chain->classes[0].states, 1);
  assert_int_equal(chain->classes[0].period, 0);
  assert_int_equal(chain->classes[0].reference, a1r1);
  /* T1, then EA1 T2 A1E twice on average, T3 once: 20 + 2 * 73 + 44 */
  close_to(chain->lead, 210);
  close_to(chain->visits[a1e], 2);
  markov_chain_free(chain);
  markov_model_free(model);
  options.ends = MARKOV_RESTART;
  model = example_model(filtered("T1", "T3"), &options);
  chain = markov_chain_solve(model);
  assert_int_equal(chain->restarts, 1);
  assert_int_equal(chain->transient, 0);
  close_to(chain->recurrence[a1r1], 210);
  close_to(chain->longrun[a1e], 33. / 210);
  markov_chain_free(chain);
  markov_model_free(model);
}

/* Section 3.4: R2A2, TA2, TE is Z. */
static void pattern_aggregate(void **state)
{
  (void)state;
  struct pes_program *program = example_philosophers();
  struct pes_states *states = pes_states_create(2);
  uint32_t pattern[] = {example_state(program, states, "R2A2"), example_state(program, states, "TA2"),
                        example_state(program, states, "TE")};
  assert_true(pes_states_add_run(states, pes_states_add_pattern(states, "Z"), pattern, 3, 2));
  struct pes_stream *stream =
      example_open(program, states,
                   "A2T 1550; ET 1560; EA1 1570; R1A1 1585; R2A1 1597; Z 1601; A1E 1633; A1R1 1651; A2R1 1668; "
                   /* goes on: */ "A2R2 1669; A2T 1685; ET 1686; EA1 1695; R1A1 1711; Z 1723; A1E 1745; A1R1 1760");
  struct markov_model *model = example_model(stream, &usual);
  uint32_t z = example_find(model, "Z"), r1a1 = example_find(model, "R1A1"), r2a1 = example_find(model, "R2A1");
  assert_int_equal(model->records, 16);
  assert_int_equal(count_of(model, r1a1, r2a1), 1);
  assert_int_equal(count_of(model, r1a1, z), 1);
  assert_int_equal(count_of(model, r2a1, z), 1);
  assert_int_equal(count_of(model, z, example_find(model, "A1E")), 2);
  assert_int_equal(model->list[z].occupancy.total, 54);
  assert_int_equal(model->list[z].occupancy.min, 22);
  assert_int_equal(model->list[z].occupancy.max, 32);
  close_to(markov_distribution_deviation(&model->list[z].occupancy, false), 5);
  assert_false(markov_state_is_used(model, pattern[0]));
  struct markov_chain *chain = markov_chain_solve(model);
  assert_int_equal(chain->used, 10);
  close_to(chain->classes[0].cycle, 122);
  check_sums(model);
  markov_chain_free(chain);
  markov_model_free(model);
}

/* Known by hand: A lasts 2, 4, 4 and goes to B twice; B lasts 5, 5 and goes to A. */
static const uint64_t one_ticks[] = {2, 5, 4, 5, 4}, two_ticks[] = {7, 1, 3};

static struct markov_model *pool(struct markov_spread **spread, bool any, const char *parameter, struct error *error)
{
  struct markov_builder *builder = markov_builder_create(&usual, any);
  struct pes_stream *one = example_letters(3, "ABABA", one_ticks, 0);
  struct pes_stream *two = example_letters(3, "BCB", two_ticks, 0);
  pes_program_set_parameter((struct pes_program *)one->program, "size", "100");
  pes_program_set_parameter((struct pes_program *)one->program, "threads", "4");
  pes_program_set_parameter((struct pes_program *)two->program, "size", parameter);
  pes_program_set_parameter((struct pes_program *)two->program, "threads", "4");
  struct markov_model *model = NULL;
  if (markov_builder_add(builder, "one", one, error) && markov_builder_add(builder, "two", two, error))
    model = markov_builder_finish(builder, spread, error);
  markov_builder_free(builder);
  pes_close(one);
  pes_close(two);
  return model;
}

static void ensembles(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct markov_spread *spread;
  struct markov_model *model = pool(&spread, false, "100", &error);
  if (!model)
    fail_msg("%s", error.message);
  uint32_t a = example_find(model, "A"), b = example_find(model, "B"), c = example_find(model, "C");
  assert_int_equal(model->runs, 2);
  assert_int_equal(model->records, 8);
  assert_int_equal(model->duration, 31);
  assert_int_equal(count_of(model, a, b), 2);
  assert_int_equal(count_of(model, b, a), 2);
  assert_int_equal(count_of(model, b, c), 1);
  assert_int_equal(count_of(model, c, b), 1);
  assert_int_equal(count_of(model, a, a), 0); /* the first run's last to the second one's first would be A to B: */
  assert_int_equal(model->edge_count, 4);     /* a third A to B */
  assert_int_equal(model->list[b].occupancy.count, 4);
  assert_int_equal(model->list[b].occupancy.total, 20);
  check_sums(model);
  /* Alone: A has 10/3, B 5; and B 5 (7 and 3), C 1. */
  assert_int_equal(spread->runs, 2);
  close_to(spread->longrun[a].mean, (10. / 3 / (10. / 3 + 5) + 0) / 2);
  close_to(spread->occupancy[b].mean, 5);
  close_to(spread->occupancy[b].low, 5);
  assert_int_equal(spread->occupancy[c].runs, 1);
  assert_true(isnan(spread->occupancy[c].low));
  /* Two runs, one of them without A: the error is the mean. Student's t with one degree of freedom, on logits. */
  double mean = spread->longrun[a].mean, wide = 12.706204736174705 / (1 - mean);
  close_to(log(spread->longrun[a].high / (1 - spread->longrun[a].high)), log(mean / (1 - mean)) + wide);
  close_to(log(spread->longrun[a].low / (1 - spread->longrun[a].low)), log(mean / (1 - mean)) - wide);
  for (uint32_t i = 0; i < spread->count; i++) {
    const struct markov_estimate *share = &spread->longrun[i], *visit = &spread->occupancy[i];
    assert_true(share->low >= 0 && share->low <= share->mean && share->mean <= share->high && share->high <= 1);
    assert_true(visit->runs < 2 || (visit->low >= 0 && visit->low <= visit->mean && visit->mean <= visit->high));
  }
  markov_spread_free(spread);
  markov_model_free(model);
}

static void different_parameters(void **state)
{
  (void)state;
  struct error error = {{0}};
  assert_null(pool(NULL, false, "200", &error));
  assert_string_equal(error.message, "two: its parameter size is 200, but 100 in one; --any pools both");
  struct markov_model *model = pool(NULL, true, "200", &error);
  assert_non_null(model);
  assert_null(pes_program_parameter(model->program, "size"));
  assert_string_equal(pes_program_parameter(model->program, "threads"), "4");
  markov_model_free(model);
}

/* T1 of one run stands for what T2 stands for in the other. */
static void pooled_aggregates(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct markov_builder *builder = markov_builder_create(&usual, false);
  struct pes_stream *one = filtered("T1", "T3"), *two = filtered("T3", "T1");
  assert_true(markov_builder_add(builder, "one", one, &error));
  assert_true(markov_builder_add(builder, "two", two, &error));
  struct markov_model *model = markov_builder_finish(builder, NULL, &error);
  uint32_t t1 = example_find(model, "T1"), t2 = example_find(model, "T2"), t3 = example_find(model, "T3");
  assert_int_equal(model->list[t1].starts, 2);
  assert_int_equal(model->list[t1].occupancy.total, 40);
  assert_int_equal(model->list[t3].occupancy.total, 88);
  assert_int_equal(count_of(model, example_find(model, "A1E"), t3), 2);
  assert_int_equal(pes_state(model->states, t2)->run_count, 1);
  assert_int_equal(pes_state(model->states, t2)->runs[0].count, 2);
  check_sums(model);
  markov_builder_free(builder);
  markov_model_free(model);
  pes_close(one);
  pes_close(two);
}

/* The same run on a clock that is half as fast: as many ticks of the first one's. */
static void different_clocks(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct markov_builder *builder = markov_builder_create(&usual, false);
  struct pes_stream *one = example_letters(3, "ABABA", one_ticks, 0);
  struct pes_stream *two = example_letters(3, "BCB", two_ticks, 0);
  ((struct pes_program *)two->program)->ticks_per_second = 500000000;
  assert_true(markov_builder_add(builder, "one", one, &error));
  assert_true(markov_builder_add(builder, "two", two, &error));
  struct markov_model *model = markov_builder_finish(builder, NULL, &error);
  assert_int_equal(model->duration, 20 + 22);
  check_sums(model);
  markov_builder_free(builder);
  markov_model_free(model);
  pes_close(one);
  pes_close(two);
}

static char *written(struct markov_model *model, size_t *size)
{
  struct markov_series series = {.models = {model}, .count = 1};
  char path[] = "/tmp/heddle-model-XXXXXX";
  struct error error = {{0}};
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  if (!markov_write(&series, path, &error))
    fail_msg("%s", error.message);
  close(fd);
  FILE *file = fopen(path, "r"); /* another one of that name */
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  *size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  remove(path);
  return text;
}

/* What is written is read, and written again the same. */
static void files(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct markov_options options = {MARKOV_KEEP, MARKOV_STAY, true};
  struct markov_model *model = example_model(filtered("T1\xff\"", "T\x01_"), &options);
  size_t size, again_size;
  char *text = written(model, &size);
  struct markov_series *series = markov_read_bytes(text, size, "file", &error);
  if (!series)
    fail_msg("%s", error.message);
  assert_int_equal(series->count, 1);
  struct markov_model *again = series->models[0];
  char *again_text = written(again, &again_size);
  assert_string_equal(text, again_text);
  assert_string_equal(pes_state(again->states, 2)->name, "T1\xff\"");
  assert_int_equal(again->options.ends, MARKOV_STAY);
  assert_int_equal(again->records, 8);
  free(text);
  free(again_text);
  markov_model_free(model);
  markov_series_free(series);
}

/* A model with one text replaced is refused, and the message says why. */
static void refused(const char *good, const char *what, const char *with, const char *message)
{
  struct error error = {{0}};
  const char *at = strstr(good, what);
  if (!at)
    fail_msg("%s is not in the model", what);
  char *text = calloc(1, strlen(good) + strlen(with) + 1);
  memcpy(text, good, (size_t)(at - good));
  strcat(strcat(text, with), at + strlen(what));
  struct markov_series *series = markov_read_bytes(text, strlen(text), "file", &error);
  if (series || !strstr(error.message, message))
    fail_msg("with %s for %s: %s", with, what, series ? "no error" : error.message);
  free(text);
}

static void damaged_files(void **state)
{
  (void)state;
  struct markov_model *model = example_model(example_letters(3, "ABABA", one_ticks, 'B'), &usual);
  size_t size;
  char *text = written(model, &size);
  refused(text, "heddle model", "something", "not a model");
  refused(text, "\"version\":1", "\"version\":3", "version 3, but");
  refused(text, "\"version\":1", "\"version\":2", "only version 2 has phases");
  refused(text, "\"version\":1", "\"version\":-1", "version is missing");
  refused(text, "\"runs\":1", "\"runs\":2", "don't add up");
  refused(text, "\"records\":5", "\"records\":6", "don't add up");
  refused(text, "\"duration\":20", "\"duration\":1e999", "not JSON");
  refused(text, "\"vector\":[1]", "\"vector\":[3]", "out of range");
  refused(text, "\"vector\":[1]", "\"vector\":[0]", "same vector");
  refused(text, "\"vector\":[1]", "\"vector\":[]", "one element a component");
  refused(text, "\"next\":[[1,2]]", "\"next\":[[2,2]]", "out of range");
  refused(text, "\"next\":[[1,2]]", "\"next\":[[1,3]]", "don't fit");
  refused(text, "\"next\":[[1,2]]", "\"next\":[[1,1],[1,1]]", "don't ascend");
  refused(text, "\"next\":[[1,2]]", "\"next\":[[1,0]]", "no count");
  refused(text, "\"next\":[[1,2]]", "\"next\":{}", "not a list");
  refused(text, "[4,2]]", "[4,3]]", "total does not fit");
  refused(text, "[4,2]]", "[4,9223372036854775807]]", "don't ascend");
  refused(text, "\"squares\":0.0", "\"squares\":1.0", "squares of an occupancy don't fit");
  refused(text, "\"max\":4", "\"max\":5", "don't fit the cells");
  refused(text, "\"starts\":1", "\"starts\":0", "don't fit its occurrences");
  refused(text, "\"restart\"", "\"again\"", "neither restart nor stay");
  refused(text, "[\"letter\",0]", "[\"letter\",1]", "out of range");
  refused(text, "{", "[", "not JSON");
  for (size_t cut = 0; cut + 2 < size; cut++) {
    struct error error = {{0}};
    assert_null(markov_read_bytes(text, cut, "file", &error));
  }
  free(text);
  markov_model_free(model);
}

/* More different values than are kept: buckets, with what they promise. */
static void buckets(void **state)
{
  (void)state;
  struct markov_distribution all, half, rest;
  markov_distribution_begin(&all);
  markov_distribution_begin(&half);
  markov_distribution_begin(&rest);
  uint64_t value = 1, total = 0;
  double mean = 0, squares = 0;
  enum { COUNT = 3000 };
  uint64_t values[COUNT];
  for (int i = 0; i < COUNT; i++) {
    value = value * UINT64_C(6364136223846793005) + 1442695040888963407u;
    values[i] = value >> (24 + i % 40);
    total += values[i];
    assert_true(markov_distribution_add(&all, values[i], 1));
    assert_true(markov_distribution_add(i < 700 ? &half : &rest, values[i], 1));
  }
  mean = (double)total / COUNT;
  for (int i = 0; i < COUNT; i++)
    squares += ((double)values[i] - mean) * ((double)values[i] - mean);
  assert_true(markov_distribution_merge(&half, &rest));
  assert_false(all.exact);
  assert_int_equal(all.total, total);
  assert_int_equal(half.total, total);
  assert_true(fabs(all.squares / squares - 1) < 1e-10 && fabs(half.squares / squares - 1) < 1e-10);
  size_t count, other_count;
  struct markov_cell *cells = markov_distribution_cells(&all, &count);
  struct markov_cell *others = markov_distribution_cells(&half, &other_count);
  assert_int_equal(count, other_count);
  assert_memory_equal(cells, others, count * sizeof *cells);
  uint64_t in_cells = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t inside = 0;
    for (int k = 0; k < COUNT; k++)
      inside += values[k] >= cells[i].low && values[k] <= cells[i].high;
    assert_int_equal(inside, cells[i].count);
    assert_true((double)(cells[i].high - cells[i].low) <= (double)cells[i].low / 128);
    in_cells += inside;
  }
  assert_int_equal(in_cells, COUNT);
  free(cells);
  free(others);
  markov_distribution_free(&all);
  markov_distribution_free(&half);
  markov_distribution_free(&rest);
}

static void empty_sequences(void **state)
{
  (void)state;
  struct error error = {{0}};
  struct pes_stream *stream = example_letters(2, "", NULL, 'A');
  assert_null(markov_model_of(stream, &usual, &error));
  assert_string_equal(error.message, "letters: the sequence has no records");
  pes_close(stream);
  static const uint64_t none[] = {0, 0, 0};
  struct markov_model *model = example_model(example_letters(2, "AAA", none, 0), &usual);
  assert_int_equal(model->list[0].left, 2);
  struct markov_chain *chain = markov_chain_solve(model);
  close_to(chain->classes[0].cycle, 0);
  close_to(chain->longrun[0], 0);
  markov_chain_free(chain);
  markov_model_free(model);
}

UNIT_TEST(markov_model)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_example),       cmocka_unit_test(filter_aggregates), cmocka_unit_test(kept_terminal),
      cmocka_unit_test(pattern_aggregate),    cmocka_unit_test(ensembles),         cmocka_unit_test(pooled_aggregates),
      cmocka_unit_test(different_parameters), cmocka_unit_test(different_clocks),  cmocka_unit_test(files),
      cmocka_unit_test(damaged_files),        cmocka_unit_test(buckets),           cmocka_unit_test(empty_sequences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
