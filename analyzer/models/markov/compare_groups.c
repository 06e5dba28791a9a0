#include "analyzer/models/markov/compare_groups.h"

#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/group_tests.h"
#include "analyzer/models/markov/pooling.h"

#include <math.h>
#include <stdlib.h>

struct work {
  struct pes_stream *const *streams;
  const char *const *names;
  uint32_t all;
  const struct markov_compare_options *options;
  struct markov_group_comparison *result;
  struct markov_ratio_table table;
  struct markov_compared_run *runs;
  struct error *error;
};

static bool compare_groups_out_of_memory(struct work *work)
{
  return error_set(work->error, "out of memory");
}

static const struct markov_options usual = {MARKOV_DROP, MARKOV_RESTART, false};

/* The model of all runs, and the numbers of their states in it. */
static bool pool_runs(struct work *work)
{
  struct markov_builder *builder = markov_builder_create(&usual, true);
  bool good = builder || compare_groups_out_of_memory(work);
  uint64_t before = 0;
  for (uint32_t i = 0; good && i < work->all; i++) {
    good = markov_builder_add(builder, work->names[i], work->streams[i], work->error);
    work->runs[i] = (struct markov_compared_run){.stream = work->streams[i], .num = 1, .den = 1};
    work->runs[i].records = markov_builder_records(builder) - before;
    before += work->runs[i].records;
    work->result->records[i >= work->result->runs[0]] += work->runs[i].records;
  }
  work->result->model = good ? markov_builder_finish(builder, NULL, work->error) : NULL;
  struct markov_model *model = work->result->model;
  good = model;
  for (uint32_t i = 0; good && i < work->all; i++) {
    const struct pes_program *own = work->streams[i]->program;
    if (own->ticks_per_second != model->program->ticks_per_second) {
      work->runs[i].num = model->program->ticks_per_second;
      work->runs[i].den = own->ticks_per_second;
    }
    work->runs[i].map = markov_pool_states(model->program, model->states, own, work->streams[i]->states, work->error);
    good = work->runs[i].map;
  }
  markov_builder_free(builder);
  return good;
}

static bool make_list(struct work *work)
{
  struct markov_group_comparison *result = work->result;
  if (!markov_ratio_table_begin(&work->table, result->model))
    return compare_groups_out_of_memory(work);
  result->count = work->table.count;
  result->list = calloc((size_t)result->count + 1, sizeof *result->list);
  if (!result->list)
    return compare_groups_out_of_memory(work);
  for (uint32_t f = 0; f < result->count; f++) {
    const struct markov_ratio *ratio = &work->table.ratios[f];
    result->list[f] = (struct markov_contrast){.aspect = ratio->aspect,
                                               .state = ratio->state,
                                               .to = ratio->to,
                                               .ticks = ratio->ticks,
                                               .figures = {NAN, NAN},
                                               .smallest = NAN,
                                               .p = NAN};
  }
  return true;
}

static double divide(double of, double all)
{
  return all > 0 ? of / all : 0;
}

/* Share of the runs that a figure concerns: share of their transitions, or of their time. */
static double weight_of(const struct markov_model *model, const struct markov_contrast *contrast)
{
  const struct markov_state *state = &model->list[contrast->state];
  if (contrast->aspect == MARKOV_TIME_IN)
    return 1;
  if (contrast->aspect == MARKOV_GOES_TO)
    return divide((double)state->left, (double)(model->records - model->runs));
  return divide((double)state->occupancy.total, (double)model->duration);
}

static void decide_one(const struct work *work, struct markov_contrast *contrast)
{
  double larger = fmax(contrast->figures[0], contrast->figures[1]);
  double scale = contrast->aspect == MARKOV_LASTS && larger > 0 ? larger : 1;
  if (isnan(contrast->p)) {
    contrast->outcome = MARKOV_UNTESTED;
    return;
  }
  contrast->difference = fabs(contrast->figures[0] - contrast->figures[1]) / scale;
  contrast->smallest = fmin(1, contrast->smallest / scale);
  contrast->effect = contrast->difference * weight_of(work->result->model, contrast);
  contrast->outcome = contrast->p > work->options->level                 ? MARKOV_HOLDS
                      : contrast->difference <= work->options->tolerance ? MARKOV_DIFFERS_LITTLE
                                                                         : MARKOV_DIFFERS;
}

/* Weight of a figure in the mean of its aspect. */
static double share_of(const struct markov_model *model, const struct markov_contrast *contrast)
{
  const struct markov_state *state = &model->list[contrast->state];
  if (contrast->aspect == MARKOV_GOES_TO) {
    size_t edge = markov_edge_index(model, contrast->state, contrast->to);
    return edge == SIZE_MAX ? 0 : (double)model->edges[edge].count;
  }
  return (double)state->occupancy.total;
}

static void decide_aspect(const struct work *work, enum markov_aspect aspect)
{
  const struct markov_group_comparison *result = work->result;
  struct markov_aspect_test *test = &work->result->tests[aspect];
  double all = 0, difference = 0, smallest = 0;
  *test = (struct markov_aspect_test){.outcome = MARKOV_HOLDS, .difference = NAN, .smallest = NAN, .p = 1};
  for (uint32_t f = 0; f < result->count; f++) {
    const struct markov_contrast *own = &result->list[f];
    if (own->aspect != aspect || own->outcome == MARKOV_UNTESTED)
      continue;
    double share = share_of(result->model, own);
    test->figures++;
    all += share;
    smallest += share * own->smallest;
    difference += aspect == MARKOV_TIME_IN ? own->difference / 2 : share * own->difference;
    test->p = fmin(test->p, own->p);
    if (own->outcome > test->outcome)
      test->outcome = own->outcome;
  }
  if (test->figures == 0) {
    test->outcome = MARKOV_UNTESTED;
    return;
  }
  test->smallest = divide(smallest, all);
  test->difference = aspect == MARKOV_TIME_IN ? difference : divide(difference, all);
  if (test->outcome == MARKOV_HOLDS && test->smallest > work->options->unseen)
    test->outcome = MARKOV_UNSEEN;
}

/* Differences come first, the largest effect first. */
static int compare_contrasts(const void *left, const void *right)
{
  const struct markov_contrast *a = left, *b = right;
  if (a->outcome != b->outcome)
    return a->outcome > b->outcome ? -1 : 1;
  if (a->effect != b->effect)
    return a->effect > b->effect ? -1 : 1;
  return a->aspect != b->aspect ? (a->aspect > b->aspect) - (a->aspect < b->aspect)
         : a->state != b->state ? (a->state > b->state) - (a->state < b->state)
                                : (a->to > b->to) - (a->to < b->to);
}

/* Parts of the time follow from transitions and durations. */
static void find_cause(struct markov_group_comparison *result)
{
  for (unsigned parts = 0; parts < 2; parts++) {
    for (uint32_t f = 0; f < result->count && !result->cause; f++) {
      const struct markov_contrast *own = &result->list[f];
      if (own->outcome == MARKOV_DIFFERS && (own->aspect == MARKOV_TIME_IN) == (parts == 1))
        result->cause = own;
    }
  }
}

static void compare_groups_decide(struct work *work)
{
  struct markov_group_comparison *result = work->result;
  for (uint32_t f = 0; f < result->count; f++)
    decide_one(work, &result->list[f]);
  bool unseen = false;
  for (unsigned i = 0; i < MARKOV_ASPECTS; i++) {
    decide_aspect(work, (enum markov_aspect)i);
    unseen |= result->tests[i].outcome == MARKOV_UNSEEN;
    if (result->tests[i].outcome > result->outcome)
      result->outcome = result->tests[i].outcome;
  }
  if (unseen && result->outcome < MARKOV_DIFFERS)
    result->outcome = MARKOV_UNSEEN;
  if (result->tests[MARKOV_TIME_IN].outcome == MARKOV_UNTESTED)
    result->outcome = MARKOV_UNTESTED;
  if (result->count > 0)
    qsort(result->list, result->count, sizeof *result->list, compare_contrasts);
  find_cause(result);
}

/* Records one by one. */
struct reader {
  struct pes_stream *stream;
  struct pes_record *records;
  size_t at, count;
};

/* PES_NONE: the run has ended. False: an error. */
static bool compare_groups_read_state(struct reader *reader, const uint32_t *map, uint32_t *state, struct error *error)
{
  if (reader->at == reader->count) {
    reader->at = 0;
    if (!pes_next(reader->stream, reader->records, &reader->count, error))
      return false;
  }
  *state = reader->count > 0 ? map[reader->records[reader->at++].state] : PES_NONE;
  return true;
}

/* Finds the first record at which the states of both runs differ. */
static bool find_parting(struct work *work)
{
  struct markov_group_comparison *result = work->result;
  struct reader readers[2] = {{.stream = work->streams[0]}, {.stream = work->streams[1]}};
  uint32_t *states = result->parted_states;
  bool good = true;
  for (unsigned i = 0; i < 2; i++) {
    readers[i].records = malloc(PES_BATCH * sizeof *readers[i].records);
    good =
        good && (readers[i].records || compare_groups_out_of_memory(work)) && pes_rewind(work->streams[i], work->error);
  }
  for (bool equal = true; good && equal; result->parted += equal) {
    for (unsigned i = 0; good && i < 2; i++)
      good = compare_groups_read_state(&readers[i], work->runs[i].map, &states[i], work->error);
    equal = states[0] == states[1] && states[0] != PES_NONE;
  }
  free(readers[0].records);
  free(readers[1].records);
  return good;
}

static bool compare_figures(struct work *work)
{
  struct markov_group_comparison *result = work->result;
  if (!pool_runs(work) || !make_list(work))
    return false;
  result->is_one_each = work->all == 2;
  bool good =
      result->is_one_each
          ? markov_test_blocks(&work->table, work->runs, work->options, result, work->error) && find_parting(work)
          : markov_test_runs(&work->table, work->runs, result->runs, work->options, result, work->error);
  if (good)
    compare_groups_decide(work);
  return good;
}

struct markov_group_comparison *markov_compare_groups(struct pes_stream *const *streams, const char *const *names,
                                                      const uint32_t counts[2],
                                                      const struct markov_compare_options *options, struct error *error)
{
  struct work work = {
      .streams = streams, .names = names, .all = counts[0] + counts[1], .options = options, .error = error};
  work.result = calloc(1, sizeof *work.result);
  work.runs = calloc((size_t)work.all + 1, sizeof *work.runs);
  bool good = (work.result && work.runs) || compare_groups_out_of_memory(&work);
  for (unsigned group = 0; good && group < 2; group++)
    work.result->runs[group] = counts[group];
  good = good && compare_figures(&work);
  for (uint32_t i = 0; work.runs && i < work.all; i++)
    free(work.runs[i].map);
  free(work.runs);
  markov_ratio_table_free(&work.table);
  if (good)
    return work.result;
  markov_group_comparison_free(work.result);
  return NULL;
}

void markov_group_comparison_free(struct markov_group_comparison *comparison)
{
  if (!comparison)
    return;
  markov_model_free(comparison->model);
  free(comparison->list);
  free(comparison);
}
