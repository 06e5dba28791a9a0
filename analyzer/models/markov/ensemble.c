#include "analyzer/models/markov/ensemble.h"

#include "analyzer/models/markov/chain.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/pooling.h"
#include "analyzer/models/markov/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A deviation below this part of the values is rounding. */
#define ROUNDING 1e-12

static bool among(const uint32_t *which, uint32_t found, uint32_t value)
{
  for (uint32_t i = 0; i < found; i++)
    if (which[i] == value)
      return true;
  return false;
}

/* Finds the remaining value furthest from the mean, and its distance in standard deviations. */
static double most_extreme(const double *values, uint32_t count, const uint32_t *which, uint32_t found, uint32_t *most)
{
  double mean = 0, squares = 0, distance = -1;
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (among(which, found, i))
      continue;
    double delta = values[i] - mean;
    mean += delta / ++left;
    squares += delta * (values[i] - mean);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!among(which, found, i) && fabs(values[i] - mean) > distance) {
      distance = fabs(values[i] - mean);
      *most = i;
    }
  }
  double deviation = sqrt(squares / (left - 1));
  return deviation > ROUNDING * fabs(mean) ? distance / deviation : 0;
}

/* Distance that the most extreme of `left` values exceeds with this probability. */
static double critical(uint32_t left, double level)
{
  double t = markov_student_quantile(1 - level / left, left - 2);
  return (left - 1) * t / sqrt((left - 2 + t * t) * left);
}

uint32_t markov_outliers(const double *values, uint32_t count, double level, uint32_t which[MARKOV_OUTLIERS_MOST])
{
  uint32_t most = count / 5 < MARKOV_OUTLIERS_MOST ? count / 5 : MARKOV_OUTLIERS_MOST, outside = 0;
  for (uint32_t i = 0; i < most; i++) {
    double distance = most_extreme(values, count, which, i, &which[i]);
    if (distance > critical(count - i, level))
      outside = i + 1;
  }
  return outside;
}

#define SPREAD_LEVEL   0.95
#define OUTLIERS_LEVEL 0.05 /* to name any run where none stands out */

bool markov_run_figures_take(struct markov_run_figures *figures, const char *name, const struct markov_model *model)
{
  struct markov_chain *chain = markov_chain_solve(model);
  size_t room = (size_t)model->count + 1;
  figures->name = strdup(name);
  figures->duration = (double)model->duration;
  figures->count = model->count;
  figures->longrun = malloc(room * sizeof *figures->longrun);
  figures->occupancy = malloc(room * sizeof *figures->occupancy);
  figures->recurrence = malloc(room * sizeof *figures->recurrence);
  figures->squares = calloc(room, sizeof *figures->squares);
  figures->visits = calloc(room, sizeof *figures->visits);
  bool good = chain && figures->name && figures->longrun && figures->occupancy && figures->recurrence &&
              figures->squares && figures->visits;
  for (uint32_t i = 0; good && i < model->count; i++) {
    bool used = markov_state_is_used(model, i);
    const struct markov_distribution *occupancy = &model->list[i].occupancy;
    figures->longrun[i] = used ? chain->longrun[i] : NAN;
    figures->occupancy[i] = used && occupancy->count > 0 ? chain->mean[i] : NAN;
    figures->recurrence[i] = used && isfinite(chain->recurrence[i]) ? chain->recurrence[i] : NAN;
    figures->squares[i] = used ? occupancy->squares : 0;
    figures->visits[i] = used ? occupancy->count : 0;
  }
  markov_chain_free(chain);
  return good;
}

void markov_run_figures_free(struct markov_run_figures *figures)
{
  free(figures->name);
  free(figures->longrun);
  free(figures->occupancy);
  free(figures->recurrence);
  free(figures->squares);
  free(figures->visits);
}

/* NAN: the run lacks it. */
static double spread_figure_of(const struct markov_run_figures *run, enum markov_figure figure, uint32_t state)
{
  if (figure == MARKOV_FIGURE_DURATION)
    return run->duration;
  if (state >= run->count)
    return NAN;
  return (figure == MARKOV_FIGURE_CYCLE       ? run->recurrence
          : figure == MARKOV_FIGURE_OCCUPANCY ? run->occupancy
                                              : run->longrun)[state];
}

/*
 * The interval around a mean with this standard error. It is symmetric on a scale without bounds: the logit of a share,
 * the logarithm of a duration. The error there is the error here times the scale's slope at the mean. So it stays in
 * the range of the figure, where mean +- t * error would not: runs are few, and shares near 0.
 */
static void set_interval(struct markov_estimate *estimate, double error, bool share)
{
  double mean = estimate->mean, rest = share ? 1 - mean : 1;
  estimate->low = estimate->high = mean;
  if (!(error > 0) || mean <= 0 || rest <= 0) /* all runs say the same */
    return;
  double factor = exp(markov_student_quantile(SPREAD_LEVEL, estimate->runs - 1) * error / (mean * rest));
  double odds = mean / rest;
  estimate->low = share ? odds / (odds + factor) : mean / factor;
  estimate->high = share ? 1 - rest / (rest + mean * factor) : mean * factor;
  if (!isfinite(factor))
    estimate->high = share ? 1 : NAN; /* any */
}

/* Mean and interval of one figure. A run without the state has the long-run part 0, and no other figure. */
static struct markov_estimate estimate(const struct markov_run_figures *runs, uint32_t count, enum markov_figure figure,
                                       uint32_t state)
{
  struct markov_estimate result = {0, 0, NAN, NAN};
  bool share = figure == MARKOV_FIGURE_LONGRUN;
  double squares = 0;
  for (uint32_t i = 0; i < count; i++) {
    double value = spread_figure_of(&runs[i], figure, state);
    if (isnan(value) && !share)
      continue;
    value = isnan(value) ? 0 : value;
    double delta = value - result.mean;
    result.mean += delta / ++result.runs;
    squares += delta * (value - result.mean);
  }
  if (result.runs == 0)
    result.mean = NAN;
  if (result.runs > 1)
    set_interval(&result, sqrt(squares / (result.runs - 1) / result.runs), share);
  return result;
}

/* The sums of an analysis of variance over the runs that have the state. */
static struct markov_variance analyze(const struct markov_run_figures *runs, uint32_t count, uint32_t state)
{
  struct markov_variance result = {NAN, NAN, NAN};
  double all = 0, squared = 0, sum = 0, inside = 0, outside = 0;
  uint32_t groups = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (state >= runs[i].count || runs[i].visits[state] == 0)
      continue;
    double visits = (double)runs[i].visits[state];
    groups++;
    all += visits;
    squared += visits * visits;
    sum += visits * runs[i].occupancy[state];
    inside += runs[i].squares[state];
  }
  if (groups < 2 || all <= groups)
    return result;
  for (uint32_t i = 0; i < count; i++) {
    if (state < runs[i].count && runs[i].visits[state] > 0)
      outside += (double)runs[i].visits[state] * pow(runs[i].occupancy[state] - sum / all, 2);
  }
  double variance = inside / (all - groups), of_means = outside / (groups - 1);
  double size = (all - squared / all) / (groups - 1); /* visits a run, for runs of unequal numbers */
  result.within = sqrt(variance);
  result.between = sqrt(fmax(0, (of_means - variance) / size));
  result.chance = variance > 0 ? markov_f_tail(of_means / variance, groups - 1, all - groups) : outside > 0 ? 0 : 1;
  return result;
}

/* A figure of all runs on a scale without bounds. False: a run lacks it, or has it at a bound. */
static bool unbounded(const struct markov_run_figures *runs, uint32_t count, enum markov_figure figure, uint32_t state,
                      double *values)
{
  for (uint32_t i = 0; i < count; i++) {
    double value = spread_figure_of(&runs[i], figure, state);
    double rest = figure == MARKOV_FIGURE_LONGRUN ? 1 - value : 1;
    if (!(value > 0 && rest > 0))
      return false;
    values[i] = log(value / rest);
  }
  return true;
}

struct spread_search {
  const struct markov_run_figures *runs;
  struct markov_spread *spread;
  double *values;
  uint32_t tests; /* figures that can be tested */
  bool counts;    /* only those */
};

static bool name_outliers(struct spread_search *search, enum markov_figure figure, uint32_t state)
{
  const struct markov_run_figures *runs = search->runs;
  struct markov_spread *spread = search->spread;
  uint32_t which[MARKOV_OUTLIERS_MOST];
  uint32_t found = markov_outliers(search->values, spread->runs, OUTLIERS_LEVEL / search->tests, which);
  if (found == 0)
    return true;
  struct markov_outlier *more =
      realloc(spread->outliers, (spread->outlier_count + (size_t)found) * sizeof *spread->outliers);
  if (!more)
    return false;
  spread->outliers = more;
  double others = 0;
  for (uint32_t i = 0; i < spread->runs; i++)
    others += spread_figure_of(&runs[i], figure, state);
  for (uint32_t i = 0; i < found; i++)
    others -= spread_figure_of(&runs[which[i]], figure, state);
  for (uint32_t i = 0; i < found; i++)
    more[spread->outlier_count++] = (struct markov_outlier){
        which[i], figure, state, spread_figure_of(&runs[which[i]], figure, state), others / (spread->runs - found)};
  return true;
}

static bool look_at(struct spread_search *search, enum markov_figure figure, uint32_t state)
{
  if (!unbounded(search->runs, search->spread->runs, figure, state, search->values))
    return true;
  search->tests += search->counts;
  return search->counts || name_outliers(search, figure, state);
}

/* Twice: how many figures there are decides how far out a run must be. False: out of memory. */
static bool find_outliers(struct markov_spread *spread, const struct markov_run_figures *runs)
{
  struct spread_search search = {runs, spread, calloc(spread->runs, sizeof(double)), 0, true};
  bool good = search.values;
  for (int pass = 0; pass < 2; pass++) {
    search.counts = pass == 0;
    good = good && look_at(&search, MARKOV_FIGURE_DURATION, spread->reference) &&
           look_at(&search, MARKOV_FIGURE_CYCLE, spread->reference);
    for (int figure = MARKOV_FIGURE_OCCUPANCY; figure <= MARKOV_FIGURE_LONGRUN; figure++)
      for (uint32_t i = 0; good && i < spread->count; i++)
        good = look_at(&search, (enum markov_figure)figure, i);
  }
  free(search.values);
  return good;
}

static bool spread_make_room(struct markov_spread *spread, const struct markov_run_figures *runs, uint32_t count,
                             uint32_t states)
{
  spread->names = calloc(count, sizeof *spread->names);
  spread->longrun = calloc((size_t)states + 1, sizeof *spread->longrun);
  spread->occupancy = calloc((size_t)states + 1, sizeof *spread->occupancy);
  spread->apart = calloc((size_t)states + 1, sizeof *spread->apart);
  bool good = spread->names && spread->longrun && spread->occupancy && spread->apart;
  spread->runs = good ? count : 0;
  for (uint32_t i = 0; good && i < count; i++)
    good = (spread->names[i] = strdup(runs[i].name)) != NULL;
  return good;
}

struct markov_spread *markov_spread_make(const struct markov_run_figures *runs, uint32_t count,
                                         const struct markov_model *model)
{
  struct markov_spread *spread = calloc(1, sizeof *spread);
  struct markov_chain *chain = markov_chain_solve(model);
  bool good = spread && chain && spread_make_room(spread, runs, count, model->count);
  if (good) {
    spread->count = model->count;
    for (uint32_t i = 0; i < model->count; i++) {
      spread->longrun[i] = estimate(runs, count, MARKOV_FIGURE_LONGRUN, i);
      spread->occupancy[i] = estimate(runs, count, MARKOV_FIGURE_OCCUPANCY, i);
      spread->apart[i] = analyze(runs, count, i);
    }
    spread->reference = chain->classes[chain->main_class].reference;
    spread->cycle = estimate(runs, count, MARKOV_FIGURE_CYCLE, spread->reference);
    good = find_outliers(spread, runs);
  }
  markov_chain_free(chain);
  if (good)
    return spread;
  markov_spread_free(spread);
  return NULL;
}

void markov_spread_free(struct markov_spread *spread)
{
  if (!spread)
    return;
  for (uint32_t i = 0; i < spread->runs; i++)
    free(spread->names[i]);
  free(spread->names);
  free(spread->longrun);
  free(spread->occupancy);
  free(spread->apart);
  free(spread->outliers);
  free(spread);
}

struct markov_builder {
  struct markov_options options;
  bool any;
  unsigned order;
  char *first_name;
  struct pes_program *program;
  struct pes_states *states;
  struct markov_pooled_counts pooled;
  VECTOR(struct markov_run_figures) runs;
  /* The first run waits until there is a second one: alone it needs no figures of its own. */
  struct markov_run_counts first;
  uint32_t *first_map;
};

static bool ensemble_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

struct markov_builder *markov_builder_create(const struct markov_options *options, bool any)
{
  struct markov_builder *builder = calloc(1, sizeof *builder);
  if (builder) {
    builder->options = *options;
    builder->any = any;
  }
  return builder;
}

void markov_builder_set_order(struct markov_builder *builder, unsigned order)
{
  builder->order = order;
}

static void drop_parameter(struct pes_program *program, uint32_t at)
{
  free(program->parameters[at].name);
  free(program->parameters[at].value);
  program->parameter_count--;
  memmove(&program->parameters[at], &program->parameters[at + 1],
          (program->parameter_count - at) * sizeof *program->parameters);
}

/* The first parameter of `left` that `right` lacks or has differently. */
static const char *different_parameter(const struct pes_program *left, const struct pes_program *right)
{
  for (uint32_t i = 0; i < left->parameter_count; i++) {
    const char *value = pes_program_parameter(right, left->parameters[i].name);
    if (!value || strcmp(value, left->parameters[i].value) != 0)
      return left->parameters[i].name;
  }
  return NULL;
}

static const char *value_of(const struct pes_program *program, const char *name)
{
  const char *value = pes_program_parameter(program, name);
  return value ? value : "not given";
}

static bool check_parameters(struct markov_builder *builder, const struct pes_program *program, struct error *error)
{
  struct pes_program *own = builder->program;
  if (builder->any) {
    for (uint32_t i = own->parameter_count; i-- > 0;) {
      const char *value = pes_program_parameter(program, own->parameters[i].name);
      if (!value || strcmp(value, own->parameters[i].value) != 0)
        drop_parameter(own, i);
    }
    return true;
  }
  if (strcmp(own->name, program->name) != 0)
    return error_set(error, "it is a run of %s, but %s is a run of %s; --any pools both", program->name,
                     builder->first_name, own->name);
  const char *name = different_parameter(own, program);
  name = name ? name : different_parameter(program, own);
  return !name || error_set(error, "its parameter %s is %s, but %s in %s; --any pools both", name,
                            value_of(program, name), value_of(own, name), builder->first_name);
}

/* Adds the values of the run to the builder's program. */
static bool take_program(struct markov_builder *builder, const char *name, const struct pes_program *program,
                         struct error *error)
{
  if (!builder->program) {
    builder->program = pes_program_copy(program);
    builder->first_name = strdup(name);
    return (builder->program && builder->first_name) || ensemble_out_of_memory(error);
  }
  if ((builder->program->ticks_per_second == 0) != (program->ticks_per_second == 0))
    return error_set(error, "only one of this run and %s has a known unit of time", builder->first_name);
  return check_parameters(builder, program, error) && markov_pool_program(builder->program, program, error);
}

/* The run as a model of its own. */
static bool keep_run(struct markov_builder *builder, const char *name, const struct markov_run_counts *counts,
                     const uint32_t *map, struct error *error)
{
  if (!vector_push(&builder->runs, (struct markov_run_figures){0}))
    return ensemble_out_of_memory(error);
  struct markov_run_figures *run = &builder->runs.items[builder->runs.count - 1];
  struct markov_pooled_counts own = {0};
  bool good = markov_pooled_counts_resize(&own, pes_states_count(builder->states)) || ensemble_out_of_memory(error);
  good = good && markov_pooled_counts_add(&own, counts, map, builder->options.terminal, error);
  struct markov_model *model = good ? markov_pooled_counts_to_model(&own, &builder->options) : NULL;
  if (good && (!model || !markov_run_figures_take(run, name, model)))
    good = ensemble_out_of_memory(error);
  markov_model_free(model);
  markov_pooled_counts_free(&own);
  return good;
}

/* The numbers of the run's states in the builder's table, which the first run founds. */
static uint32_t *map_states(struct markov_builder *builder, const struct pes_stream *stream, struct error *error)
{
  if (builder->states)
    return markov_pool_states(builder->program, builder->states, stream->program, stream->states, error);
  uint32_t count = pes_states_count(stream->states);
  uint32_t *map = malloc(((size_t)count + 1) * sizeof *map);
  builder->states = markov_copy_states(stream->states);
  if (!map || !builder->states) {
    ensemble_out_of_memory(error);
    free(map);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++)
    map[i] = i;
  return map;
}

/* The first two runs are kept when the second one comes. Empties what it keeps. */
static bool keep_runs(struct markov_builder *builder, const char *name, struct markov_run_counts *run, uint32_t **map,
                      struct error *error)
{
  if (builder->pooled.runs == 1) {
    builder->first = *run;
    builder->first_map = *map;
    *run = (struct markov_run_counts){0};
    *map = NULL;
    return true;
  }
  if (builder->runs.count == 0 && !keep_run(builder, builder->first_name, &builder->first, builder->first_map, error))
    return false;
  markov_run_counts_free(&builder->first);
  return keep_run(builder, name, run, *map, error);
}

static bool add_run(struct markov_builder *builder, const char *name, struct pes_stream *stream, struct error *error)
{
  struct error why = {{0}};
  struct markov_run_counts run = {0};
  uint32_t *map = NULL;
  uint64_t num = 1, den = 1;
  if (builder->program && builder->program->ticks_per_second != stream->program->ticks_per_second) {
    num = builder->program->ticks_per_second;
    den = stream->program->ticks_per_second;
  }
  bool good =
      take_program(builder, name, stream->program, &why) && markov_run_counts_read(&run, stream, num, den, &why);
  if (good)
    map = map_states(builder, stream, &why);
  good = map &&
         (markov_pooled_counts_resize(&builder->pooled, pes_states_count(builder->states)) ||
          ensemble_out_of_memory(&why)) &&
         markov_pooled_counts_add(&builder->pooled, &run, map, builder->options.terminal, &why) &&
         keep_runs(builder, name, &run, &map, &why);
  markov_run_counts_free(&run);
  free(map);
  return good || error_set(error, "%s: %s", name, why.message);
}

bool markov_builder_add(struct markov_builder *builder, const char *name, struct pes_stream *stream,
                        struct error *error)
{
  struct error why = {{0}};
  if (builder->order <= 1)
    return add_run(builder, name, stream, error);
  struct pes_stream *expanded = markov_expand(stream, builder->order, &why);
  bool good = expanded ? add_run(builder, name, expanded, error) : error_set(error, "%s: %s", name, why.message);
  pes_close(expanded);
  return good;
}

uint64_t markov_builder_records(const struct markov_builder *builder)
{
  return builder->pooled.records;
}

struct markov_model *markov_builder_finish(struct markov_builder *builder, struct markov_spread **spread,
                                           struct error *error)
{
  if (spread)
    *spread = NULL;
  if (builder->pooled.runs == 0) {
    error_set(error, "a model needs a run");
    return NULL;
  }
  struct markov_model *model = markov_pooled_counts_to_model(&builder->pooled, &builder->options);
  if (model) {
    model->order = builder->order;
    model->program = builder->program;
    model->states = builder->states;
    builder->program = NULL;
    builder->states = NULL;
  }
  if (model && spread && builder->runs.count > 1 &&
      !(*spread = markov_spread_make(builder->runs.items, builder->runs.count, model))) {
    markov_model_free(model);
    model = NULL;
  }
  if (!model)
    ensemble_out_of_memory(error);
  return model;
}

void markov_builder_free(struct markov_builder *builder)
{
  if (!builder)
    return;
  free(builder->first_name);
  pes_program_free(builder->program);
  pes_states_free(builder->states);
  markov_pooled_counts_free(&builder->pooled);
  for (uint32_t i = 0; i < builder->runs.count; i++)
    markov_run_figures_free(&builder->runs.items[i]);
  vector_free(&builder->runs);
  markov_run_counts_free(&builder->first);
  free(builder->first_map);
  free(builder);
}

struct markov_model *markov_model_of(struct pes_stream *stream, const struct markov_options *options,
                                     struct error *error)
{
  struct markov_builder *builder = markov_builder_create(options, true);
  if (!builder) {
    ensemble_out_of_memory(error);
    return NULL;
  }
  struct markov_model *model = NULL;
  if (markov_builder_add(builder, stream->program->name, stream, error))
    model = markov_builder_finish(builder, NULL, error);
  markov_builder_free(builder);
  return model;
}
