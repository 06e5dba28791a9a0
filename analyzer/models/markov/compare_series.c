/* A run beside a series of models: cut into stretches, of which each is compared with its model. */
#include "analyzer/models/markov/align.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/phases.h"
#include "analyzer/models/markov/pool.h"
#include "analyzer/models/markov/validate.h"

#include <stdlib.h>

/* Where each phase begins. The tables of all models are equal, so one of them can number the run's states. */
static bool cut(struct markov_series *series, struct pes_stream *run, struct markov_comparison *comparison,
                struct error *error)
{
  struct markov_model *model = series->models[0];
  bool good = pes_rewind(run, error) && pes_read_through(run, error) &&
              markov_pool_program(model->program, run->program, error);
  uint32_t *map = good ? markov_pool_states(model->program, model->states, run->program, run->states, error) : NULL;
  good = map && markov_align(series, run, map, comparison, error);
  free(map);
  return good;
}

static bool compare_stretch(struct markov_model *model, struct pes_stream *run, struct markov_stretch *stretch,
                            const struct markov_validate_options *options, struct error *error)
{
  struct pes_stream *part = markov_part(run, stretch->first, stretch->records, error);
  stretch->validation = part ? markov_validate_carried(model, part, options, error) : NULL;
  pes_close(part);
  return stretch->validation;
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
        comparison->list[i].records == 0 || compare_stretch(series->models[i], run, &comparison->list[i], &each, error);
  return good;
}

/* A series of one needs no cuts, but it has a stretch all the same. */
static bool compare_whole(struct markov_model *model, struct pes_stream *run, struct markov_comparison *comparison,
                          const struct markov_validate_options *options, struct error *error)
{
  struct markov_stretch *stretch = &comparison->list[0];
  comparison->count = 1;
  stretch->validation = markov_validate(model, run, options, error);
  if (!stretch->validation)
    return false;
  stretch->records = stretch->validation->run->records;
  stretch->duration = stretch->validation->run->duration;
  return true;
}

struct markov_comparison *markov_series_compare(struct markov_series *series, struct pes_stream *run,
                                                const struct markov_validate_options *options, struct error *error)
{
  struct markov_comparison *comparison = calloc(1, sizeof *comparison);
  struct pes_stream *carrying = NULL;
  bool good = comparison || error_set(error, "out of memory");
  if (good && series->count == 1) {
    good = compare_whole(series->models[0], run, comparison, options, error);
  } else if (good) {
    unsigned order = series->models[0]->order;
    carrying = order > 1 ? markov_carry(run, order, error) : NULL;
    good = (order <= 1 || carrying) &&
           compare_series_compare(series, carrying ? carrying : run, comparison, options, error);
  }
  pes_close(carrying);
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
