#include "analyzer/models/markov/series.h"

#include "analyzer/models/markov/durations.h"
#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/phases.h"
#include "analyzer/models/markov/pooling.h"
#include "analyzer/models/markov/statistics.h"
#include "analyzer/models/markov/validate.h"

#include <math.h>
#include <stdlib.h>

static bool add_phase(struct markov_series *series, struct pes_stream *stream, const struct markov_phase *phase,
                      const struct markov_options *options, struct error *error)
{
  struct pes_stream *part = markov_slice(stream, phase->first, phase->records, error);
  struct markov_model *model = part ? markov_model_of(part, options, error) : NULL;
  if (model)
    series->models[series->count++] = model;
  pes_close(part);
  return model;
}

static bool add_phases(struct markov_series *series, struct pes_stream *stream, const struct markov_phases *phases,
                       const struct markov_options *options, struct error *error)
{
  /* First to the end, so that the models' tables have all states. */
  bool good = pes_rewind(stream, error) && pes_read_through(stream, error);
  for (uint32_t i = 0; good && i < phases->count; i++)
    good = add_phase(series, stream, &phases->list[i], options, error);
  return good;
}

struct markov_series *markov_series_of(struct pes_stream *stream, const struct markov_phases *phases,
                                       const struct markov_options *options, unsigned order, struct error *error)
{
  struct markov_series *series = calloc(1, sizeof *series);
  struct pes_stream *expanded = order > 1 ? markov_expand(stream, order, error) : NULL;
  bool good = series && (order <= 1 || expanded);
  if (!series)
    error_set(error, "out of memory");
  good = good && add_phases(series, expanded ? expanded : stream, phases, options, error);
  for (uint32_t i = 0; good && i < series->count; i++)
    series->models[i]->order = order;
  pes_close(expanded);
  if (good)
    return series;
  markov_series_free(series);
  return NULL;
}

struct markov_series *markov_series_of_one(struct markov_model *model)
{
  struct markov_series *series = calloc(1, sizeof *series);
  if (!series) {
    markov_model_free(model);
    return NULL;
  }
  *series = (struct markov_series){.models = {model}, .count = 1};
  return series;
}

void markov_series_free(struct markov_series *series)
{
  for (uint32_t i = 0; series && i < series->count; i++)
    markov_model_free(series->models[i]);
  free(series);
}

uint64_t markov_series_records(const struct markov_series *series)
{
  uint64_t records = 0;
  for (uint32_t i = 0; i < series->count; i++)
    records += series->models[i]->records;
  return records;
}

uint64_t markov_series_duration(const struct markov_series *series)
{
  uint64_t duration = 0;
  for (uint32_t i = 0; i < series->count; i++)
    duration += series->models[i]->duration;
  return duration;
}

/* Runs of a series: each phase is simulated for its part of the length, one after another. */

struct simulate_series_result {
  struct pes_stream stream;
  const struct markov_series *series;
  struct markov_simulation simulation;
  struct pes_program *program;
  struct markov_random seeds;
  struct pes_stream *part; /* the phase that is simulated; NULL: the next one is to begin */
  uint32_t phase;
  uint64_t begin;                        /* ticks: of that phase */
  uint64_t passed_records, passed_ticks; /* totals of the models of earlier phases */
};

/* `whole` times `part` of `all`. */
static uint64_t portion(uint64_t whole, uint64_t part, uint64_t all)
{
  return all > 0 ? (uint64_t)((unsigned __int128)whole * part / all) : whole;
}

static bool simulate_series_begin_again(struct pes_stream *stream, struct error *error)
{
  struct simulate_series_result *simulated = (struct simulate_series_result *)stream;
  (void)error;
  pes_close(simulated->part);
  simulated->part = NULL;
  simulated->phase = 0;
  simulated->begin = simulated->passed_records = simulated->passed_ticks = 0;
  stream->end = (struct pes_end){.terminal = PES_NONE};
  markov_random_seed(&simulated->seeds, simulated->simulation.seed);
  return true;
}

/* Opens the next phase, which may turn out to have no record. */
static bool open_phase(struct simulate_series_result *simulated, struct error *error)
{
  const struct markov_series *series = simulated->series;
  const struct markov_model *model = series->models[simulated->phase];
  const struct markov_simulation *whole = &simulated->simulation;
  struct markov_simulation own = {
      .seed = markov_random_next(&simulated->seeds), .ticks = UINT64_MAX, .records = UINT64_MAX};
  uint64_t records = markov_series_records(series), ticks = markov_series_duration(series);
  if (whole->records != UINT64_MAX)
    own.records = portion(whole->records, simulated->passed_records + model->records, records) -
                  portion(whole->records, simulated->passed_records, records);
  if (whole->ticks != UINT64_MAX) {
    uint64_t until = portion(whole->ticks, simulated->passed_ticks + model->duration, ticks);
    own.ticks = until > simulated->begin ? until - simulated->begin : 0;
  }
  simulated->passed_records += model->records;
  simulated->passed_ticks += model->duration;
  simulated->part = markov_simulate(model, &own, error);
  return simulated->part;
}

static bool simulate_series_next(struct pes_stream *stream, struct pes_record *records, size_t *count,
                                 struct error *error)
{
  struct simulate_series_result *simulated = (struct simulate_series_result *)stream;
  *count = 0;
  while (*count == 0 && simulated->phase < simulated->series->count) {
    if ((!simulated->part && !open_phase(simulated, error)) || !pes_next(simulated->part, records, count, error))
      return false;
    for (size_t i = 0; i < *count; i++) {
      if (__builtin_add_overflow(records[i].entry, simulated->begin, &records[i].entry))
        return error_set(error, "the simulated sequence lasts 2^64 ticks or more; give a shorter --length");
    }
    if (*count > 0)
      break;
    if (__builtin_add_overflow(simulated->begin, simulated->part->end.time, &simulated->begin))
      return error_set(error, "the simulated sequence lasts 2^64 ticks or more; give a shorter --length");
    stream->end = (struct pes_end){.time = simulated->begin, .terminal = simulated->part->end.terminal};
    pes_close(simulated->part);
    simulated->part = NULL;
    simulated->phase++;
  }
  return true;
}

static void simulate_series_close_simulated(struct pes_stream *stream)
{
  struct simulate_series_result *simulated = (struct simulate_series_result *)stream;
  pes_close(simulated->part);
  pes_program_free(simulated->program);
  pes_states_free(stream->states);
  free(simulated);
}

struct pes_stream *markov_series_simulate(const struct markov_series *series,
                                          const struct markov_simulation *simulation, struct error *error)
{
  static const struct pes_class class = {simulate_series_next, simulate_series_begin_again,
                                         simulate_series_close_simulated};
  if (series->count == 1)
    return markov_simulate(series->models[0], simulation, error);
  struct simulate_series_result *simulated = calloc(1, sizeof *simulated);
  if (!simulated) {
    error_set(error, "out of memory");
    return NULL;
  }
  uint32_t states = 0; /* as many as any phase needs */
  for (uint32_t i = 0; i < series->count; i++) {
    uint32_t own = markov_count_delivered(series->models[i]);
    states = own > states ? own : states;
  }
  simulated->series = series;
  simulated->simulation = *simulation;
  simulated->program = pes_program_copy(series->models[0]->program);
  simulated->stream = (struct pes_stream){.class = &class, .program = simulated->program};
  simulated->stream.states = markov_copy_first_states(series->models[0]->states, states);
  simulate_series_begin_again(&simulated->stream, error);
  if (simulated->program && simulated->stream.states)
    return &simulated->stream;
  error_set(error, "out of memory");
  pes_close(&simulated->stream);
  return NULL;
}

/*
 * The alignment of a run with the phases of a series. Records count as independent draws from the model of their phase:
 * their next state, and the quartile of their duration. One reading finds the most probable cuts. Each further phase
 * costs log(records), so a phase needs better evidence than chance; a run may lack phases.
 */
#define ALIGN_PRIOR 0.5 /* added to each count, so that nothing is impossible */

struct place {
  uint64_t record, entry; /* record: UINT64_MAX: nowhere */
};

/* Most probable path to the present record that is in this phase. */
struct way {
  double likelihood;                       /* its logarithm */
  struct place begins[MARKOV_SERIES_MOST]; /* by phase: its first record */
};

struct alignment {
  const struct markov_series *series;
  const struct markov_model *run;
  const uint32_t *map;
  struct markov_durations durations;
  double *edges, *classes; /* by phase, then the run's edge, or state and class: logarithms of probabilities */
  struct way *ways;        /* by phase */
  double price;            /* of a phase */
  uint64_t num, den;       /* ticks per second of the run and of the models; 0: unknown */
};

static const struct markov_state *align_state_of(const struct markov_model *model, uint32_t state)
{
  static const struct markov_state none;
  return state < model->count ? &model->list[state] : &none;
}

static void fill_edges(struct alignment *alignment, uint32_t phase)
{
  const struct markov_model *run = alignment->run, *model = alignment->series->models[phase];
  double *edges = &alignment->edges[(size_t)phase * run->edge_count];
  for (uint32_t i = 0; i < run->count; i++) {
    uint32_t from = alignment->map[i];
    double all = (double)align_state_of(model, from)->left + ALIGN_PRIOR * (run->list[i].edge_count + 1);
    for (uint32_t k = 0; k < run->list[i].edge_count; k++) {
      size_t edge =
          from < model->count ? markov_edge_index(model, from, alignment->map[run->list[i].edges[k].to]) : SIZE_MAX;
      double count = edge != SIZE_MAX ? (double)model->edges[edge].count : 0;
      edges[&run->list[i].edges[k] - run->edges] = log((count + ALIGN_PRIOR) / all);
    }
  }
}

/* A duration of the models in ticks of the run. */
static uint64_t in_run(const struct alignment *alignment, uint64_t ticks)
{
  bool same = alignment->num == alignment->den || alignment->num == 0 || alignment->den == 0;
  double scaled = (double)ticks * (double)alignment->num / (double)alignment->den;
  return same ? ticks : scaled < 0x1p63 ? (uint64_t)scaled : INT64_MAX;
}

static bool fill_classes(struct alignment *alignment, uint32_t phase)
{
  const struct markov_model *run = alignment->run, *model = alignment->series->models[phase];
  for (uint32_t i = 0; i < run->count; i++) {
    const struct markov_distribution *occupancy = &align_state_of(model, alignment->map[i])->occupancy;
    double *classes = &alignment->classes[((size_t)phase * run->count + i) * MARKOV_CLASSES];
    size_t count = 0;
    struct markov_cell *cells = occupancy->count > 0 ? markov_distribution_cells(occupancy, &count) : NULL;
    if (occupancy->count > 0 && !cells)
      return false;
    for (size_t k = 0; k < count; k++)
      classes[markov_duration_class(&alignment->durations, i, in_run(alignment, cells[k].high))] +=
          (double)cells[k].count;
    for (unsigned k = 0; k < MARKOV_CLASSES; k++)
      classes[k] = log((classes[k] + ALIGN_PRIOR) / ((double)occupancy->count + ALIGN_PRIOR * MARKOV_CLASSES));
    free(cells);
  }
  return true;
}

/* Begins phase `phase` with this record, after the best way of a phase before it. */
static void go_on(struct alignment *alignment, uint32_t before, uint32_t phase, const struct markov_step *step)
{
  struct way *way = &alignment->ways[phase];
  *way = alignment->ways[before];
  way->likelihood -= alignment->price;
  way->begins[phase] = (struct place){step->number, step->entry};
}

static void align_take(void *context, const struct markov_step *step)
{
  struct alignment *alignment = context;
  const struct markov_model *run = alignment->run;
  unsigned class = markov_duration_class(&alignment->durations, step->state, step->ticks);
  uint32_t best[MARKOV_SERIES_MOST] = {0}; /* by phase: the best one up to it */
  for (uint32_t i = 1; i < alignment->series->count; i++)
    best[i] = alignment->ways[i].likelihood > alignment->ways[best[i - 1]].likelihood ? i : best[i - 1];
  for (uint32_t i = alignment->series->count; i-- > 0;) {
    struct way *way = &alignment->ways[i];
    if (best[i] != i && alignment->ways[best[i]].likelihood - alignment->price > way->likelihood)
      go_on(alignment, best[i], i, step);
    way->likelihood += alignment->classes[((size_t)i * run->count + step->state) * MARKOV_CLASSES + class];
    if (step->edge != SIZE_MAX)
      way->likelihood += alignment->edges[(size_t)i * run->edge_count + step->edge];
  }
}

/* A run may begin in any phase. The first one is for nothing. */
static bool begin(struct alignment *alignment)
{
  const struct markov_model *run = alignment->run;
  size_t phases = alignment->series->count;
  alignment->edges = calloc(phases * run->edge_count + 1, sizeof *alignment->edges);
  alignment->classes = calloc(phases * run->count * MARKOV_CLASSES + 1, sizeof *alignment->classes);
  alignment->ways = calloc(phases, sizeof *alignment->ways);
  if (!alignment->edges || !alignment->classes || !alignment->ways ||
      !markov_durations_begin(&alignment->durations, run))
    return false;
  alignment->price = log((double)run->records);
  for (uint32_t i = 0; i < phases; i++) {
    fill_edges(alignment, i);
    if (!fill_classes(alignment, i))
      return false;
    alignment->ways[i].likelihood = i > 0 ? -alignment->price : 0;
    for (uint32_t k = 0; k < phases; k++)
      alignment->ways[i].begins[k].record = UINT64_MAX;
    alignment->ways[i].begins[i].record = 0;
  }
  return true;
}

static void fill_stretches(const struct alignment *alignment, uint64_t begin, uint64_t end,
                           struct markov_comparison *comparison)
{
  const struct way *best = &alignment->ways[0];
  for (uint32_t i = 1; i < alignment->series->count; i++)
    best = alignment->ways[i].likelihood > best->likelihood ? &alignment->ways[i] : best;
  struct place next = {alignment->run->records, end};
  for (uint32_t i = alignment->series->count; i-- > 0;) {
    struct place first = best->begins[i];
    if (first.record == UINT64_MAX)
      continue;
    if (first.record == 0)
      first.entry = begin;
    comparison->list[i] = (struct markov_segment){.first = first.record,
                                                  .records = next.record - first.record,
                                                  .begin = first.entry - begin,
                                                  .duration = next.entry - first.entry};
    next = first;
  }
}

/*
 * `map` has the numbers of the run's states in the models' tables; a model does not know those beyond its table. Fills
 * in first, records, begin and duration of each segment. False: an error.
 */
static bool align(const struct markov_series *series, struct pes_stream *run, const uint32_t *map,
                  struct markov_comparison *comparison, struct error *error)
{
  struct markov_options rules = {MARKOV_DROP, MARKOV_RESTART, false};
  struct alignment alignment = {.series = series,
                                .map = map,
                                .num = run->program->ticks_per_second,
                                .den = series->models[0]->program->ticks_per_second};
  struct markov_model *model = markov_model_of(run, &rules, error);
  alignment.run = model;
  bool good = model && (begin(&alignment) || error_set(error, "out of memory")) &&
              markov_steps(run, model, align_take, &alignment, error);
  if (good)
    fill_stretches(&alignment, run->end.time - model->duration, run->end.time, comparison);
  markov_durations_free(&alignment.durations);
  free(alignment.edges);
  free(alignment.classes);
  free(alignment.ways);
  markov_model_free(model);
  return good;
}

/* Comparison of a run with a series. */

/* Finds the begin of each phase. The tables of all models are equal, so one of them can number the run's states. */
static bool cut(struct markov_series *series, struct pes_stream *run, struct markov_comparison *comparison,
                struct error *error)
{
  struct markov_model *model = series->models[0];
  bool good = pes_rewind(run, error) && pes_read_through(run, error) &&
              markov_pool_program(model->program, run->program, error);
  uint32_t *map = good ? markov_pool_states(model->program, model->states, run->program, run->states, error) : NULL;
  good = map && align(series, run, map, comparison, error);
  free(map);
  return good;
}

static bool compare_segment(struct markov_model *model, struct pes_stream *run, struct markov_segment *segment,
                            const struct markov_validate_options *options, struct error *error)
{
  struct pes_stream *part = markov_slice(run, segment->first, segment->records, error);
  segment->validation = part ? markov_validate_expanded(model, part, options, error) : NULL;
  pes_close(part);
  return segment->validation;
}

static bool compare_series_compare(struct markov_series *series, struct pes_stream *run,
                                   struct markov_comparison *comparison, const struct markov_validate_options *options,
                                   struct error *error)
{
  struct markov_validate_options each = *options;
  each.level /= series->count;
  comparison->count = series->count;
  bool good = cut(series, run, comparison, error);
  for (uint32_t i = 0; good && i < comparison->count; i++)
    good =
        comparison->list[i].records == 0 || compare_segment(series->models[i], run, &comparison->list[i], &each, error);
  return good;
}

/* A series of one model needs no cuts and has one segment. */
static bool compare_whole(struct markov_model *model, struct pes_stream *run, struct markov_comparison *comparison,
                          const struct markov_validate_options *options, struct error *error)
{
  struct markov_segment *segment = &comparison->list[0];
  comparison->count = 1;
  segment->validation = markov_validate(model, run, options, error);
  if (!segment->validation)
    return false;
  segment->records = segment->validation->run->records;
  segment->duration = segment->validation->run->duration;
  return true;
}

struct markov_comparison *markov_series_compare(struct markov_series *series, struct pes_stream *run,
                                                const struct markov_validate_options *options, struct error *error)
{
  struct markov_comparison *comparison = calloc(1, sizeof *comparison);
  struct pes_stream *expanded = NULL;
  bool good = comparison || error_set(error, "out of memory");
  if (good && series->count == 1) {
    good = compare_whole(series->models[0], run, comparison, options, error);
  } else if (good) {
    unsigned order = series->models[0]->order;
    expanded = order > 1 ? markov_expand(run, order, error) : NULL;
    good = (order <= 1 || expanded) &&
           compare_series_compare(series, expanded ? expanded : run, comparison, options, error);
  }
  pes_close(expanded);
  if (good)
    return comparison;
  markov_comparison_free(comparison);
  return NULL;
}

void markov_comparison_free(struct markov_comparison *comparison)
{
  for (uint32_t i = 0; comparison && i < comparison->count; i++)
    markov_validation_free(comparison->list[i].validation);
  free(comparison);
}
