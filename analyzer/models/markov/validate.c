#include "analyzer/models/markov/validate.h"

#include "analyzer/models/markov/chain.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/pooling.h"
#include "analyzer/models/markov/simulate.h"
#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdlib.h>

bool markov_run_tests_begin(struct markov_run_tests *run_tests, const struct markov_model *run)
{
  run_tests->run = run;
  run_tests->edge = SIZE_MAX;
  bool good = markov_histories_begin(&run_tests->histories, MARKOV_HISTORY_MOST);
  good = markov_durations_begin(&run_tests->durations, run) && good;
  return markov_blocks_begin(&run_tests->blocks, run) && good;
}

void markov_run_tests_free(struct markov_run_tests *run_tests)
{
  markov_histories_free(&run_tests->histories);
  markov_durations_free(&run_tests->durations);
  markov_blocks_free(&run_tests->blocks);
}

bool markov_run_tests_add(struct markov_run_tests *run_tests, uint32_t state, uint64_t ticks, uint32_t next)
{
  size_t edge = next == PES_NONE ? SIZE_MAX : markov_edge_index(run_tests->run, state, next);
  unsigned class = markov_duration_class(&run_tests->durations, state, ticks);
  if (run_tests->edge != SIZE_MAX)
    markov_durations_add(&run_tests->durations, run_tests->edge, run_tests->class, class);
  markov_blocks_add(&run_tests->blocks, state, (double)ticks, edge);
  run_tests->edge = edge;
  run_tests->class = class;
  return markov_histories_add(&run_tests->histories, state);
}

static double question_level(const struct markov_validate_options *options)
{
  return options->level / MARKOV_QUESTIONS;
}

/* The order that differs most clearly; p for all orders together. */
static bool ask_memory(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                       struct markov_validation *result)
{
  struct markov_test *test = &result->tests[MARKOV_ORDER];
  struct markov_memory *memory = &result->memory;
  if (!markov_memory_test(&run_tests->histories, run_tests->run->count, question_level(options), options->tolerance,
                          memory))
    return false;
  for (unsigned i = 0; i < MARKOV_ORDERS; i++) {
    const struct markov_order_test *order = &memory->orders[i];
    if (!order->is_tested)
      continue;
    bool first = test->method == MARKOV_NO_METHOD;
    double p = fmin(1, MARKOV_ORDERS * order->p);
    test->smallest = first ? order->smallest : fmax(test->smallest, order->smallest);
    test->method = MARKOV_CHI_SQUARE;
    if (first || p < test->p || (p == test->p && order->difference > test->difference)) {
      test->p = p;
      test->statistic = order->chi_square;
      test->freedom = order->freedom;
      test->difference = order->difference;
    }
  }
  return true;
}

static void put_independence(struct markov_test *test, const struct markov_independence *result, double level)
{
  if (!markov_independence_is_tested(result))
    return;
  test->method = MARKOV_CHI_SQUARE;
  test->statistic = result->chi_square;
  test->freedom = result->freedom;
  test->p = markov_independence_p(result);
  test->difference = markov_independence_difference(result);
  test->smallest =
      markov_smallest_difference(level, result->freedom, result->freedom > 0 ? result->tested : result->all);
}

static bool ask_durations(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                          struct markov_validation *result)
{
  struct markov_independence consecutive, next;
  if (!markov_durations_consecutive(&run_tests->durations, &consecutive) ||
      !markov_durations_next(&run_tests->durations, &next))
    return false;
  put_independence(&result->tests[MARKOV_CONSECUTIVE], &consecutive, question_level(options));
  put_independence(&result->tests[MARKOV_NEXT], &next, question_level(options));
  return true;
}

static int compare_tails(const void *left, const void *right)
{
  const struct markov_tail_of_state *a = left, *b = right;
  if (a->tail.p != b->tail.p)
    return a->tail.p < b->tail.p ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

/* A tail counts only where it decides the mean: 1 / index above 1/2, so that there is no variance. */
static bool ask_tails(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                      struct markov_validation *result)
{
  struct markov_test *test = &result->tests[MARKOV_TAILS];
  uint64_t fewest = UINT64_MAX;
  double covered = 0, all = 0;
  result->tails = calloc((size_t)run_tests->run->count + 1, sizeof *result->tails);
  if (!result->tails)
    return false;
  for (uint32_t i = 0; i < run_tests->run->count; i++) {
    const struct markov_distribution *occupancy = &run_tests->run->list[i].occupancy;
    struct markov_tail_of_state *own = &result->tails[result->tail_count];
    *own = (struct markov_tail_of_state){.state = i};
    if (!markov_tail_test(occupancy, &own->tail))
      return false;
    all += (double)occupancy->total;
    if (!own->tail.is_tested)
      continue;
    covered += (double)occupancy->total;
    fewest = occupancy->count < fewest ? occupancy->count : fewest;
    result->tail_count++;
  }
  qsort(result->tails, result->tail_count, sizeof *result->tails, compare_tails);
  if (result->tail_count == 0 || covered < all / 2)
    return true;
  test->method = MARKOV_SPACINGS;
  test->p = fmin(1, result->tails[0].tail.p * result->tail_count);
  test->difference = 1 / result->tails[0].tail.index;
  test->smallest = markov_tail_smallest(question_level(options) / result->tail_count, fewest);
  return true;
}

static bool ask_phases(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                       struct markov_validation *result)
{
  struct markov_test *test = &result->tests[MARKOV_PHASES];
  struct markov_change_options own = {question_level(options), options->tolerance, options->seed};
  if (!markov_changes_find(&run_tests->blocks, &own, &result->changes))
    return false;
  if (result->changes.is_tested) {
    test->method = MARKOV_PERMUTATION;
    test->p = result->changes.first.p;
    test->difference = result->changes.first.difference;
    test->smallest = result->changes.smallest;
  }
  return true;
}

bool markov_run_tests_finish(const struct markov_run_tests *run_tests, const struct markov_validate_options *options,
                             struct markov_validation *result)
{
  return ask_memory(run_tests, options, result) && ask_durations(run_tests, options, result) &&
         ask_tails(run_tests, options, result) && ask_phases(run_tests, options, result);
}

#define TAIL_TOLERANCE    0.5 /* up to this 1 / index, visits have a variance, and their mean settles */
#define VALIDATE_COVERAGE 0.5 /* a chi-square test says something if it covers this part of what could differ */

struct validating {
  struct markov_validation *result;
  const struct markov_validate_options *options;
  const struct markov_model *model;
  struct pes_stream *stream;
  uint32_t *map; /* from states of the stream to states of the model */
  uint32_t count;
  uint64_t num, den;
  struct markov_sample observed; /* the run */
  struct markov_run_tests run_tests;
  struct error *error;
};

static bool validate_out_of_memory(struct validating *validating)
{
  return error_set(validating->error, "out of memory");
}

/* The run's counts, by the model's numbers. */
static bool count_run(struct validating *validating, struct markov_model *model)
{
  struct markov_run_counts counts = {0};
  struct markov_pooled_counts pooled = {0};
  struct pes_stream *stream = validating->stream;
  bool good = markov_pool_program(model->program, stream->program, validating->error) &&
              markov_run_counts_read(&counts, stream, validating->num, validating->den, validating->error);
  if (good)
    validating->map =
        markov_pool_states(model->program, model->states, stream->program, stream->states, validating->error);
  good = good && validating->map;
  if (good) {
    validating->count = pes_states_count(model->states);
    good = markov_pooled_counts_resize(&pooled, validating->count) || validate_out_of_memory(validating);
  }
  good =
      good && markov_pooled_counts_add(&pooled, &counts, validating->map, model->options.terminal, validating->error);
  if (good) {
    validating->result->run = markov_pooled_counts_to_model(&pooled, &model->options);
    good = validating->result->run || validate_out_of_memory(validating);
  }
  markov_run_counts_free(&counts);
  markov_pooled_counts_free(&pooled);
  return good;
}

static bool observe_record(struct validating *validating, const struct pes_record *record, uint64_t begin,
                           uint64_t until, uint32_t next)
{
  uint64_t ticks = until - record->entry;
  markov_sample_add(&validating->observed, record->state, (double)(record->entry - begin), (double)ticks);
  if (validating->num != validating->den)
    ticks = (uint64_t)((unsigned __int128)ticks * validating->num / validating->den);
  return markov_run_tests_add(&validating->run_tests, record->state, ticks, next) || validate_out_of_memory(validating);
}

/* Second reading, for cycles and the order, which counts do not have. */
static bool observe_run(struct validating *validating)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records), last = {.state = PES_NONE};
  size_t count = 1;
  uint64_t begin = 0;
  bool good = records ? pes_rewind(validating->stream, validating->error) : validate_out_of_memory(validating);
  while (good && count > 0) {
    good = pes_next(validating->stream, records, &count, validating->error);
    for (size_t i = 0; good && i < count; i++) {
      struct pes_record record = {records[i].entry, validating->map[records[i].state]};
      if (last.state == PES_NONE)
        begin = record.entry;
      else
        good = observe_record(validating, &last, begin, record.entry, record.state);
      last = record;
    }
  }
  if (good && last.state != PES_NONE)
    good = observe_record(validating, &last, begin, validating->stream->end.time, PES_NONE);
  free(records);
  return good;
}

/* The largest index of a tail, or the largest difference, that is little. */
static double little(const struct validating *validating, enum markov_question question)
{
  return question == MARKOV_TAILS ? TAIL_TOLERANCE : validating->options->tolerance;
}

/* Level of one test, so that all together keep the level. */
static double test_level(const struct validating *validating)
{
  return validating->options->level / MARKOV_QUESTIONS;
}

static void validate_decide(const struct validating *validating, enum markov_question question)
{
  struct markov_test *test = &validating->result->tests[question];
  double limit = question == MARKOV_TAILS ? 1 : validating->options->unseen;
  if (test->method == MARKOV_NO_METHOD)
    test->outcome = MARKOV_UNTESTED;
  else if (test->p >= test_level(validating))
    test->outcome = test->smallest <= limit ? MARKOV_HOLDS : MARKOV_UNSEEN;
  else
    test->outcome = test->difference <= little(validating, question) ? MARKOV_DIFFERS_LITTLE : MARKOV_DIFFERS;
}

static double validate_part(double of, double all)
{
  return all > 0 ? of / all : 0;
}

static const struct markov_state *validate_state_of(const struct markov_model *model, uint32_t state)
{
  static const struct markov_state none;
  return state < model->count ? &model->list[state] : &none;
}

/* The model's own data as a sample: its times; its mean cycle follows from its chain. */
static void fill_from_model(struct markov_sample *sample, const struct markov_model *model)
{
  for (uint32_t i = 0; i < model->count; i++) {
    sample->time[i] = (double)model->list[i].occupancy.total;
    sample->all += sample->time[i];
  }
}

/* Simulates pairs of runs as long as the model's run and this one: how often do they differ by as much? */
static bool replicate(struct validating *validating, double cycle_difference)
{
  struct markov_validation *result = validating->result;
  struct markov_test *shares = &result->tests[MARKOV_SHARES], *cycle = &result->tests[MARKOV_CYCLE];
  struct markov_replicates pairs;
  unsigned least = (unsigned)(1 / test_level(validating)); /* or no p could be small enough */
  unsigned count = validating->options->replications > least ? validating->options->replications : least;
  bool good = markov_replicate(&pairs, validating->model, validating->model->records, result->run->records,
                               result->reference, validating->options->seed, count) ||
              validate_out_of_memory(validating);
  if (good) {
    shares->method = MARKOV_REPLICATION;
    shares->p = markov_replicates_p(pairs.shares, pairs.share_count, shares->difference);
    shares->smallest = markov_replicates_smallest(pairs.shares, pairs.share_count, test_level(validating));
  }
  if (good && !isnan(cycle_difference) && pairs.cycle_count > 0) {
    cycle->method = MARKOV_REPLICATION;
    cycle->p = markov_replicates_p(pairs.cycles, pairs.cycle_count, fabs(cycle_difference));
    cycle->smallest = markov_replicates_smallest(pairs.cycles, pairs.cycle_count, test_level(validating));
    cycle->smallest /= result->model_cycle > 0 ? result->model_cycle : 1;
  }
  result->shortened = pairs.shortened;
  markov_replicates_free(&pairs);
  return good;
}

static bool validate_compare_times(struct validating *validating)
{
  struct markov_validation *result = validating->result;
  struct markov_sample own = {0};
  bool good = markov_sample_create(&own, validating->count, result->reference) || validate_out_of_memory(validating);
  if (good) {
    fill_from_model(&own, validating->model);
    double difference = markov_shares_apart(&own, &validating->observed, validating->count);
    result->run_cycle = markov_sample_cycle(&validating->observed) * (double)validating->num / (double)validating->den;
    result->tests[MARKOV_SHARES].statistic = result->tests[MARKOV_SHARES].difference = difference;
    double cycle = result->run_cycle - result->model_cycle;
    result->tests[MARKOV_CYCLE].statistic = cycle;
    result->tests[MARKOV_CYCLE].difference = result->model_cycle > 0 ? fabs(cycle) / result->model_cycle : fabs(cycle);
    good = replicate(validating, cycle);
  }
  markov_sample_free(&own);
  return good;
}

/* Fills in the successors of a state in both, as cells. Returns their number. */
static size_t join_rows(const struct markov_state *model, const struct markov_state *run,
                        struct markov_cell_pair *cells, uint64_t *new_transitions)
{
  size_t count = 0;
  uint32_t i = 0, k = 0;
  while (i < model->edge_count || k < run->edge_count) {
    uint32_t left = i < model->edge_count ? model->edges[i].to : UINT32_MAX;
    uint32_t right = k < run->edge_count ? run->edges[k].to : UINT32_MAX;
    struct markov_cell_pair cell = {0, 0};
    if (right < left)
      *new_transitions += run->edges[k].count;
    if (left <= right)
      cell.left = (double)model->edges[i++].count;
    if (right <= left)
      cell.right = (double)run->edges[k++].count;
    cells[count++] = cell;
  }
  return count;
}

/* The model never leaves the state and goes on with the next run's beginning, and so does the run. */
static bool is_restart(const struct markov_model *model, const struct markov_state *state,
                       const struct markov_state *run)
{
  bool restarts = model->options.ends == MARKOV_RESTART && state->occupancy.count > 0 && state->left == 0;
  for (uint32_t i = 0; restarts && i < run->edge_count; i++)
    restarts = validate_state_of(model, run->edges[i].to)->starts > 0;
  return restarts;
}

static bool validate_compare_transitions(struct validating *validating)
{
  struct markov_validation *result = validating->result;
  struct markov_test *test = &result->tests[MARKOV_TRANSITIONS];
  struct markov_homogeneity sums = {0};
  double apart = 0;
  struct markov_cell_pair *cells = calloc(2 * (size_t)validating->count + 1, sizeof *cells);
  if (!cells)
    return validate_out_of_memory(validating);
  for (uint32_t i = 0; i < validating->count; i++) {
    const struct markov_state *model = validate_state_of(validating->model, i), *run = &result->run->list[i];
    if (run->left == 0 || is_restart(validating->model, model, run))
      continue;
    size_t count = join_rows(model, run, cells, &result->new_transitions);
    double row = 0;
    for (size_t k = 0; k < count; k++)
      row += fabs(validate_part(cells[k].left, (double)model->left) - validate_part(cells[k].right, (double)run->left));
    apart += row / 2 * (double)run->left;
    markov_homogeneity_add(&sums, cells, count);
  }
  free(cells);
  test->difference = validate_part(apart, sums.all);
  test->statistic = sums.chi_square;
  test->freedom = sums.freedom;
  if (sums.tested >= VALIDATE_COVERAGE * sums.all && sums.all > 0) {
    test->method = MARKOV_CHI_SQUARE;
    test->p = sums.freedom > 0 ? markov_chi_square_tail(sums.chi_square, sums.freedom) : 1;
    test->smallest = sums.freedom > 0 ? sqrt(markov_noncentrality(test_level(validating), sums.freedom) * sums.spread) /
                                            2 / sums.tested
                                      : markov_smallest_difference(test_level(validating), 0, sums.all);
  }
  return true;
}

static int compare_states(const void *left, const void *right)
{
  const struct markov_occupancy_test *a = left, *b = right;
  if (a->p != b->p)
    return a->p < b->p ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

/* If the mean over the time is at least this, the distance of some state is detectable. */
static double smallest_of_states(const struct markov_validation *result, double level, double time)
{
  double sum = 0;
  for (uint32_t i = 0; i < result->state_count; i++) {
    const struct markov_occupancy_test *own = &result->states[i];
    double seen = markov_smallest_distance(level / result->state_count, (double)own->model, (double)own->run);
    sum += fmin(1, seen) * (double)result->run->list[own->state].occupancy.total;
  }
  return validate_part(sum, time);
}

static bool compare_occupancies(struct validating *validating)
{
  struct markov_validation *result = validating->result;
  struct markov_test *test = &result->tests[MARKOV_OCCUPANCIES];
  double time = 0;
  result->states = calloc((size_t)validating->count + 1, sizeof *result->states);
  if (!result->states)
    return validate_out_of_memory(validating);
  for (uint32_t i = 0; i < validating->count; i++) {
    const struct markov_distribution *model = &validate_state_of(validating->model, i)->occupancy;
    const struct markov_distribution *run = &result->run->list[i].occupancy;
    struct markov_occupancy_test own = {.state = i, .model = model->count, .run = run->count};
    if (model->count == 0 || run->count == 0)
      continue;
    if (!markov_ks_distance(model, run, &own.distance))
      return validate_out_of_memory(validating);
    own.p = markov_ks_tail(own.distance, (double)own.model, (double)own.run);
    test->difference += own.distance * (double)run->total;
    time += (double)run->total;
    result->states[result->state_count++] = own;
  }
  qsort(result->states, result->state_count, sizeof *result->states, compare_states);
  test->difference = validate_part(test->difference, time);
  if (result->state_count > 0) {
    test->method = MARKOV_KOLMOGOROV;
    test->statistic = result->states[0].distance;
    test->p = fmin(1, result->states[0].p * result->state_count);
    test->smallest = smallest_of_states(result, test_level(validating), time);
  }
  return true;
}

static bool is_same_run(const struct markov_model *model, const struct markov_model *run)
{
  bool same =
      model->records == run->records && model->duration == run->duration && model->edge_count == run->edge_count;
  for (size_t i = 0; same && i < model->edge_count; i++)
    same = model->edges[i].to == run->edges[i].to && model->edges[i].count == run->edges[i].count;
  return same;
}

static bool validate_compare(struct validating *validating)
{
  struct markov_validation *result = validating->result;
  struct markov_chain *chain = markov_chain_solve(validating->model);
  if (!chain)
    return validate_out_of_memory(validating);
  result->reference = chain->classes[chain->main_class].reference;
  result->model_cycle = chain->classes[chain->main_class].cycle;
  markov_chain_free(chain);
  double unknown = 0;
  for (uint32_t i = 0; i < validating->count; i++) {
    if (validate_state_of(validating->model, i)->occupancy.count == 0)
      unknown += (double)result->run->list[i].occupancy.total;
  }
  result->unknown = validate_part(unknown, (double)result->run->duration);
  result->same_run = is_same_run(validating->model, result->run);
  bool good = markov_sample_create(&validating->observed, validating->count, result->reference) ||
              validate_out_of_memory(validating);
  good = good && (markov_run_tests_begin(&validating->run_tests, result->run) || validate_out_of_memory(validating));
  good = good && observe_run(validating) && validate_compare_times(validating) &&
         validate_compare_transitions(validating) && compare_occupancies(validating) &&
         (markov_run_tests_finish(&validating->run_tests, validating->options, result) ||
          validate_out_of_memory(validating));
  for (int i = 0; good && i < MARKOV_QUESTIONS; i++)
    validate_decide(validating, (enum markov_question)i);
  return good;
}

struct markov_validation *markov_validate_expanded(struct markov_model *model, struct pes_stream *run,
                                                   const struct markov_validate_options *options, struct error *error)
{
  struct validating validating = {
      .options = options, .model = model, .stream = run, .num = 1, .den = 1, .error = error};
  validating.result = calloc(1, sizeof *validating.result);
  uint64_t own = model->program->ticks_per_second, other = run->program->ticks_per_second;
  bool good = validating.result || validate_out_of_memory(&validating);
  if (good && (own == 0) != (other == 0))
    good = error_set(error, "only one of model and run has a known unit of time");
  if (own != other) {
    validating.num = own;
    validating.den = other;
  }
  good = good && count_run(&validating, model) && validate_compare(&validating);
  markov_sample_free(&validating.observed);
  markov_run_tests_free(&validating.run_tests);
  free(validating.map);
  if (good)
    return validating.result;
  markov_validation_free(validating.result);
  return NULL;
}

struct markov_validation *markov_validate(struct markov_model *model, struct pes_stream *run,
                                          const struct markov_validate_options *options, struct error *error)
{
  if (model->order <= 1)
    return markov_validate_expanded(model, run, options, error);
  struct pes_stream *expanded = markov_expand(run, model->order, error);
  struct markov_validation *validation = expanded ? markov_validate_expanded(model, expanded, options, error) : NULL;
  pes_close(expanded);
  return validation;
}

void markov_validation_free(struct markov_validation *validation)
{
  if (!validation)
    return;
  markov_model_free(validation->run);
  free(validation->states);
  free(validation->tails);
  free(validation);
}
