#include "analyzer/markov/ensemble.h"

#include "analyzer/markov/carry.h"
#include "analyzer/markov/chain.h"
#include "analyzer/markov/pool.h"
#include "analyzer/markov/pooled_counts.h"
#include "analyzer/markov/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95

/* The figures of one run alone. */
struct run_figures {
  uint32_t count;
  double *longrun, *occupancy, *recurrence; /* by state; NAN: it lacks the state */
};

struct markov_builder {
  struct markov_options options;
  bool any;
  unsigned order;
  char *first_name;
  struct pes_program *program;
  struct pes_states *states;
  struct markov_pooled_counts pooled;
  VECTOR(struct run_figures) runs;
  /* The first run waits until there is a second one: alone it needs no figures of its own. */
  struct markov_run_counts first;
  uint32_t *first_map;
};

static bool out_of_memory(struct error *error)
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

/* Makes the builder's program fit for the run, too. */
static bool take_program(struct markov_builder *builder, const char *name, const struct pes_program *program,
                         struct error *error)
{
  if (!builder->program) {
    builder->program = pes_program_copy(program);
    builder->first_name = strdup(name);
    return (builder->program && builder->first_name) || out_of_memory(error);
  }
  if ((builder->program->ticks_per_second == 0) != (program->ticks_per_second == 0))
    return error_set(error, "only one of this run and %s has a known unit of time", builder->first_name);
  return check_parameters(builder, program, error) && markov_pool_program(builder->program, program, error);
}

static double *make_figures(uint32_t count)
{
  double *figures = malloc(((size_t)count + 1) * sizeof *figures);
  for (uint32_t i = 0; figures && i < count; i++)
    figures[i] = NAN;
  return figures;
}

static bool solve_run(struct run_figures *run, const struct markov_model *model)
{
  struct markov_chain *chain = markov_chain_solve(model);
  run->count = model->count;
  run->longrun = make_figures(model->count);
  run->occupancy = make_figures(model->count);
  run->recurrence = make_figures(model->count);
  bool good = chain && run->longrun && run->occupancy && run->recurrence;
  for (uint32_t i = 0; good && i < model->count; i++) {
    if (!markov_state_is_used(model, i))
      continue;
    run->longrun[i] = chain->longrun[i];
    if (model->list[i].occupancy.count > 0)
      run->occupancy[i] = chain->mean[i];
    if (isfinite(chain->recurrence[i]))
      run->recurrence[i] = chain->recurrence[i];
  }
  markov_chain_free(chain);
  return good;
}

/* The run as a model of its own. */
static bool keep_run(struct markov_builder *builder, const struct markov_run_counts *counts, const uint32_t *map,
                     struct error *error)
{
  if (!vector_push(&builder->runs, (struct run_figures){0}))
    return out_of_memory(error);
  struct run_figures *run = &builder->runs.items[builder->runs.count - 1];
  struct markov_pooled_counts own = {0};
  bool good = markov_pooled_counts_resize(&own, pes_states_count(builder->states)) || out_of_memory(error);
  good = good && markov_pooled_counts_add(&own, counts, map, builder->options.terminal, error);
  struct markov_model *model = good ? markov_pooled_counts_to_model(&own, &builder->options) : NULL;
  if (good && (!model || !solve_run(run, model)))
    good = out_of_memory(error);
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
    out_of_memory(error);
    free(map);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++)
    map[i] = i;
  return map;
}

/* The first two runs are kept when the second one comes. Empties what it keeps. */
static bool keep_runs(struct markov_builder *builder, struct markov_run_counts *run, uint32_t **map,
                      struct error *error)
{
  if (builder->pooled.runs == 1) {
    builder->first = *run;
    builder->first_map = *map;
    *run = (struct markov_run_counts){0};
    *map = NULL;
    return true;
  }
  if (builder->runs.count == 0 && !keep_run(builder, &builder->first, builder->first_map, error))
    return false;
  markov_run_counts_free(&builder->first);
  return keep_run(builder, run, *map, error);
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
         (markov_pooled_counts_resize(&builder->pooled, pes_states_count(builder->states)) || out_of_memory(&why)) &&
         markov_pooled_counts_add(&builder->pooled, &run, map, builder->options.terminal, &why) &&
         keep_runs(builder, &run, &map, &why);
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
  struct pes_stream *carrying = markov_carry(stream, builder->order, &why);
  bool good = carrying ? add_run(builder, name, carrying, error) : error_set(error, "%s: %s", name, why.message);
  pes_close(carrying);
  return good;
}

enum range { SHARE, DURATION }; /* 0 to 1; from 0 */

/*
 * The interval around a mean with this standard error. It is even on a scale that has no bounds, the logit of a share,
 * the logarithm of a duration; the error there is the error here times the scale's slope at the mean. So it stays in
 * the range of the figure, where mean +- t * error would not: runs are few, and shares near 0.
 */
static void set_interval(struct markov_estimate *estimate, double error, enum range range)
{
  double mean = estimate->mean, rest = range == SHARE ? 1 - mean : 1;
  estimate->low = estimate->high = mean;
  if (!(error > 0) || mean <= 0 || rest <= 0) /* all runs say the same */
    return;
  double factor = exp(markov_student_quantile(LEVEL, estimate->runs - 1) * error / (mean * rest));
  double odds = mean / rest;
  estimate->low = range == SHARE ? odds / (odds + factor) : mean / factor;
  estimate->high = range == SHARE ? 1 - rest / (rest + mean * factor) : mean * factor;
  if (!isfinite(factor))
    estimate->high = range == SHARE ? 1 : NAN; /* any */
}

/* Mean and interval of one figure; runs for which it is NAN don't count, or count as 0. */
static struct markov_estimate estimate(const struct markov_builder *builder, size_t figures, uint32_t state,
                                       bool lacking_is_zero)
{
  struct markov_estimate result = {0, 0, NAN, NAN};
  double squares = 0;
  for (uint32_t i = 0; i < builder->runs.count; i++) {
    const struct run_figures *run = &builder->runs.items[i];
    const double *values = *(double *const *)((const char *)run + figures);
    double value = state < run->count ? values[state] : NAN;
    if (isnan(value) && !lacking_is_zero)
      continue;
    value = isnan(value) ? 0 : value;
    double delta = value - result.mean;
    result.mean += delta / ++result.runs;
    squares += delta * (value - result.mean);
  }
  if (result.runs == 0)
    result.mean = NAN;
  if (result.runs > 1)
    set_interval(&result, sqrt(squares / (result.runs - 1) / result.runs), lacking_is_zero ? SHARE : DURATION);
  return result;
}

static struct markov_spread *make_spread(const struct markov_builder *builder, const struct markov_model *model)
{
  struct markov_spread *spread = calloc(1, sizeof *spread);
  struct markov_chain *chain = markov_chain_solve(model);
  if (spread) {
    spread->longrun = calloc((size_t)model->count + 1, sizeof *spread->longrun);
    spread->occupancy = calloc((size_t)model->count + 1, sizeof *spread->occupancy);
  }
  if (!spread || !chain || !spread->longrun || !spread->occupancy) {
    markov_spread_free(spread);
    markov_chain_free(chain);
    return NULL;
  }
  spread->runs = builder->runs.count;
  spread->count = model->count;
  for (uint32_t i = 0; i < model->count; i++) {
    spread->longrun[i] = estimate(builder, offsetof(struct run_figures, longrun), i, true);
    spread->occupancy[i] = estimate(builder, offsetof(struct run_figures, occupancy), i, false);
  }
  spread->reference = chain->classes[chain->main_class].reference;
  spread->cycle = estimate(builder, offsetof(struct run_figures, recurrence), spread->reference, false);
  markov_chain_free(chain);
  return spread;
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
  if (model && spread && builder->runs.count > 1 && !(*spread = make_spread(builder, model))) {
    markov_model_free(model);
    model = NULL;
  }
  if (!model)
    out_of_memory(error);
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
  for (uint32_t i = 0; i < builder->runs.count; i++) {
    free(builder->runs.items[i].longrun);
    free(builder->runs.items[i].occupancy);
    free(builder->runs.items[i].recurrence);
  }
  vector_free(&builder->runs);
  markov_run_counts_free(&builder->first);
  free(builder->first_map);
  free(builder);
}

void markov_spread_free(struct markov_spread *spread)
{
  if (!spread)
    return;
  free(spread->longrun);
  free(spread->occupancy);
  free(spread);
}

struct markov_model *markov_model_of(struct pes_stream *stream, const struct markov_options *options,
                                     struct error *error)
{
  struct markov_builder *builder = markov_builder_create(options, true);
  if (!builder) {
    out_of_memory(error);
    return NULL;
  }
  struct markov_model *model = NULL;
  if (markov_builder_add(builder, stream->program->name, stream, error))
    model = markov_builder_finish(builder, NULL, error);
  markov_builder_free(builder);
  return model;
}
