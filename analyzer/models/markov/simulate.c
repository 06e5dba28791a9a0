#include "analyzer/models/markov/simulate.h"

#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/pooling.h"
#include "analyzer/models/markov/statistics.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Running sum of counts: a number below `upto`, but not below the `upto` before, selects this choice. */
struct choice {
  uint64_t upto;
  uint64_t low, span; /* occupancies: low to low + span */
};

struct draw_table {
  struct choice *choices;
  size_t count;
};

struct drawer {
  const struct markov_model *model;
  struct draw_table *occupancies; /* by state */
  struct draw_table *successors;  /* by state; `low` is the next one */
  struct draw_table starts;
};

static const struct choice *draw(const struct draw_table *table, struct markov_random *random)
{
  if (table->count == 0)
    return NULL;
  uint64_t drawn = markov_random_below(random, table->choices[table->count - 1].upto);
  size_t low = 0, high = table->count - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (drawn < table->choices[middle].upto)
      high = middle;
    else
      low = middle + 1;
  }
  return &table->choices[low];
}

static void draw_put(struct draw_table *table, uint64_t count, uint64_t low, uint64_t high)
{
  uint64_t before = table->count > 0 ? table->choices[table->count - 1].upto : 0;
  table->choices[table->count++] = (struct choice){before + count, low, high - low};
}

static bool make_occupancies(struct draw_table *table, const struct markov_distribution *occupancy)
{
  size_t count;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &count);
  table->choices = calloc(count + 1, sizeof *table->choices);
  bool good = table->choices && (cells || occupancy->used == 0);
  for (size_t i = 0; good && i < count; i++)
    draw_put(table, cells[i].count, cells[i].low, cells[i].high);
  free(cells);
  return good;
}

static bool make_successors(struct draw_table *table, const struct markov_state *state)
{
  table->choices = calloc((size_t)state->edge_count + 1, sizeof *table->choices);
  for (uint32_t i = 0; table->choices && i < state->edge_count; i++)
    draw_put(table, state->edges[i].count, state->edges[i].to, state->edges[i].to);
  return table->choices;
}

static void drawer_free(struct drawer *drawer)
{
  if (!drawer)
    return;
  for (uint32_t i = 0; i < drawer->model->count; i++) {
    if (drawer->occupancies)
      free(drawer->occupancies[i].choices);
    if (drawer->successors)
      free(drawer->successors[i].choices);
  }
  free(drawer->occupancies);
  free(drawer->successors);
  free(drawer->starts.choices);
  free(drawer);
}

/* The model outlives the drawer. NULL: out of memory. */
static struct drawer *drawer_create(const struct markov_model *model)
{
  size_t n = (size_t)model->count + 1;
  struct drawer *drawer = calloc(1, sizeof *drawer);
  if (!drawer)
    return NULL;
  drawer->model = model;
  drawer->occupancies = calloc(n, sizeof *drawer->occupancies);
  drawer->successors = calloc(n, sizeof *drawer->successors);
  drawer->starts.choices = calloc(n, sizeof *drawer->starts.choices);
  bool good = drawer->occupancies && drawer->successors && drawer->starts.choices;
  for (uint32_t i = 0; good && i < model->count; i++) {
    good = make_occupancies(&drawer->occupancies[i], &model->list[i].occupancy) &&
           make_successors(&drawer->successors[i], &model->list[i]);
    if (model->list[i].starts > 0)
      draw_put(&drawer->starts, model->list[i].starts, i, i);
  }
  if (good)
    return drawer;
  drawer_free(drawer);
  return NULL;
}

/* Returns the first state of a run; PES_NONE: the model has no run. */
static uint32_t draw_start(const struct drawer *drawer, struct markov_random *random)
{
  const struct choice *choice = draw(&drawer->starts, random);
  return choice ? (uint32_t)choice->low : PES_NONE;
}

/* Returns the next state; PES_NONE: the state is never left, so the run ends. */
static uint32_t draw_next(const struct drawer *drawer, uint32_t state, struct markov_random *random)
{
  const struct choice *choice = draw(&drawer->successors[state], random);
  if (choice)
    return (uint32_t)choice->low;
  return drawer->model->options.ends == MARKOV_RESTART ? draw_start(drawer, random) : PES_NONE;
}

/* Returns the occupancy of a visit in ticks; 0: unknown. */
static uint64_t draw_ticks(const struct drawer *drawer, uint32_t state, struct markov_random *random)
{
  const struct choice *choice = draw(&drawer->occupancies[state], random);
  if (!choice)
    return 0;
  return choice->span == 0 ? choice->low : choice->low + markov_random_below(random, choice->span + 1);
}

enum { STILL_MAX = 1000000 }; /* records in a row without any time */

struct simulate_result {
  struct pes_stream stream;
  struct drawer *drawer;
  struct pes_program *program;
  struct markov_simulation simulation;
  struct markov_random random;
  uint64_t time, records, still;
  uint32_t state;    /* the state that comes next; PES_NONE: none */
  uint32_t *present; /* by state: what the stream delivers of it */
};

static bool simulate_begin_again(struct pes_stream *stream, struct error *error)
{
  struct simulate_result *simulated = (struct simulate_result *)stream;
  (void)error;
  markov_random_seed(&simulated->random, simulated->simulation.seed);
  simulated->time = simulated->records = simulated->still = 0;
  simulated->state = draw_start(simulated->drawer, &simulated->random);
  return true;
}

static bool is_over(const struct simulate_result *simulated)
{
  return simulated->state == PES_NONE || simulated->time >= simulated->simulation.ticks ||
         simulated->records >= simulated->simulation.records;
}

static bool simulate_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct simulate_result *simulated = (struct simulate_result *)stream;
  for (*count = 0; *count < PES_BATCH && !is_over(simulated); ++*count) {
    uint32_t state = simulated->state;
    records[*count] = (struct pes_record){.entry = simulated->time, .state = simulated->present[state]};
    uint64_t ticks = draw_ticks(simulated->drawer, state, &simulated->random);
    if (__builtin_add_overflow(simulated->time, ticks, &simulated->time))
      return error_set(error, "the simulated sequence lasts 2^64 ticks or more; give a shorter --length");
    simulated->still = ticks > 0 ? 0 : simulated->still + 1;
    if (simulated->still > STILL_MAX && simulated->simulation.ticks != UINT64_MAX)
      return error_set(error, "the model reached states in which no time passes; use --records instead of --length");
    simulated->state = draw_next(simulated->drawer, state, &simulated->random);
    simulated->records++;
  }
  if (*count == 0)
    stream->end =
        (struct pes_end){.time = simulated->time,
                         .terminal = simulated->state == PES_NONE ? PES_NONE : simulated->present[simulated->state]};
  return true;
}

static void simulate_close_simulated(struct pes_stream *stream)
{
  struct simulate_result *simulated = (struct simulate_result *)stream;
  drawer_free(simulated->drawer);
  pes_program_free(simulated->program);
  free(simulated->present);
  pes_states_free(stream->states);
  free(simulated);
}

/* True if the state stands only for states below `count`. */
static bool stands_for_those_below(const struct pes_state *state, uint32_t count)
{
  bool below = state->kind != PES_FILTER || ((state->before == PES_NONE || state->before < count) &&
                                             (state->after == PES_NONE || state->after < count));
  for (uint32_t i = 0; below && i < state->run_count; i++) {
    for (uint32_t k = 0; below && k < state->runs[i].length; k++)
      below = state->runs[i].states[k] < count;
  }
  return below;
}

uint32_t markov_count_delivered(const struct markov_model *model)
{
  uint32_t count = pes_states_count(model->states), first = 0;
  if (model->order <= 1)
    return count;
  while (first < model->count && !markov_state_is_used(model, first))
    first++;
  bool enough = true;
  for (uint32_t i = 0; enough && i < first; i++)
    enough = stands_for_those_below(pes_state(model->states, i), first);
  for (uint32_t i = first; enough && i < model->count; i++)
    enough = !markov_state_is_used(model, i) || markov_present_state(model, i) < first;
  return enough ? first : count;
}

struct pes_stream *markov_simulate(const struct markov_model *model, const struct markov_simulation *simulation,
                                   struct error *error)
{
  static const struct pes_class class = {simulate_next, simulate_begin_again, simulate_close_simulated};
  struct simulate_result *simulated = calloc(1, sizeof *simulated);
  if (!simulated) {
    error_set(error, "out of memory");
    return NULL;
  }
  simulated->simulation = *simulation;
  simulated->drawer = drawer_create(model);
  simulated->program = pes_program_copy(model->program);
  simulated->stream = (struct pes_stream){.class = &class, .program = simulated->program};
  simulated->stream.states = markov_copy_first_states(model->states, markov_count_delivered(model));
  simulated->present = calloc((size_t)model->count + 1, sizeof *simulated->present);
  for (uint32_t i = 0; simulated->present && i < model->count; i++)
    simulated->present[i] = markov_present_state(model, i);
  if (!simulated->drawer || !simulated->program || !simulated->present || !simulated->stream.states) {
    error_set(error, "out of memory");
    pes_close(&simulated->stream);
    return NULL;
  }
  simulate_begin_again(&simulated->stream, error);
  return &simulated->stream;
}

bool markov_sample_create(struct markov_sample *sample, uint32_t count, uint32_t reference)
{
  *sample = (struct markov_sample){.count = count, .reference = reference};
  sample->time = calloc((size_t)count + 1, sizeof *sample->time);
  return sample->time;
}

static void sample_clear(struct markov_sample *sample)
{
  memset(sample->time, 0, sample->count * sizeof *sample->time);
  sample->all = 0;
  sample->entries = 0;
}

void markov_sample_free(struct markov_sample *sample)
{
  free(sample->time);
  memset(sample, 0, sizeof *sample);
}

/* Draws a run of `records` records. */
static void sample_draw(struct markov_sample *sample, const struct drawer *drawer, struct markov_random *random,
                        uint64_t records)
{
  double entry = 0;
  uint32_t state = draw_start(drawer, random);
  sample_clear(sample);
  for (uint64_t i = 0; i < records; i++) {
    if (state == PES_NONE) /* the model ends there; the next run begins */
      state = draw_start(drawer, random);
    double ticks = (double)draw_ticks(drawer, state, random);
    markov_sample_add(sample, state, entry, ticks);
    entry += ticks;
    state = draw_next(drawer, state, random);
  }
}

double markov_sample_cycle(const struct markov_sample *sample)
{
  return sample->entries < 2 ? NAN : (sample->last - sample->first) / (double)(sample->entries - 1);
}

#define RECORDS_MOST 50000 /* of a run of a pair; longer ones are shortened, and differences scaled */

static double replicate_part(double of, double all)
{
  return all > 0 ? of / all : 0;
}

double markov_shares_apart(const struct markov_sample *one, const struct markov_sample *other, uint32_t count)
{
  double apart = 0;
  for (uint32_t i = 0; i < count; i++)
    apart += fabs(replicate_part(one->time[i], one->all) - replicate_part(other->time[i], other->all));
  return apart / 2;
}

/* The variance of a difference goes with 1 / length of one run + 1 / length of the other. */
bool markov_replicate(struct markov_replicates *replicates, const struct markov_model *model, uint64_t own,
                      uint64_t other, uint32_t reference, uint64_t seed, unsigned count)
{
  double own_drawn = fmin((double)own, RECORDS_MOST), other_drawn = fmin((double)other, RECORDS_MOST);
  double scale = sqrt((1 / (double)own + 1 / (double)other) / (1 / own_drawn + 1 / other_drawn));
  struct drawer *drawer = drawer_create(model);
  struct markov_sample one = {0}, two = {0};
  struct markov_random random;
  *replicates = (struct markov_replicates){
      .shares = calloc(count + 1, sizeof(double)), .cycles = calloc(count + 1, sizeof(double)), .shortened = scale < 1};
  bool good = drawer && replicates->shares && replicates->cycles &&
              markov_sample_create(&one, model->count, reference) &&
              markov_sample_create(&two, model->count, reference);
  markov_random_seed(&random, seed);
  for (unsigned i = 0; good && i < count; i++) {
    sample_draw(&one, drawer, &random, (uint64_t)own_drawn);
    sample_draw(&two, drawer, &random, (uint64_t)other_drawn);
    replicates->shares[replicates->share_count++] = markov_shares_apart(&one, &two, model->count) * scale;
    double apart = fabs(markov_sample_cycle(&one) - markov_sample_cycle(&two)) * scale;
    if (!isnan(apart))
      replicates->cycles[replicates->cycle_count++] = apart;
  }
  if (good) {
    doubles_sort(replicates->shares, replicates->share_count);
    doubles_sort(replicates->cycles, replicates->cycle_count);
  }
  drawer_free(drawer);
  markov_sample_free(&one);
  markov_sample_free(&two);
  return good;
}

void markov_replicates_free(struct markov_replicates *replicates)
{
  free(replicates->shares);
  free(replicates->cycles);
}

double markov_replicates_p(const double *differences, unsigned count, double difference)
{
  unsigned as_far = 0;
  while (as_far < count && differences[count - 1 - as_far] >= difference * (1 - 1e-12))
    as_far++;
  return (1. + as_far) / (1. + count);
}

/* The difference beyond chance is at least this, by the triangle's inequality. */
double markov_replicates_smallest(const double *differences, unsigned count, double level)
{
  return differences[(unsigned)((1 - level) * (count - 1))] + differences[(unsigned)(MARKOV_POWER * (count - 1))];
}
