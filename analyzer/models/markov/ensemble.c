#include "analyzer/models/markov/ensemble.h"

#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/pooling.h"

#include <stdlib.h>
#include <string.h>

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
