#include "analyzer/models/markov/series.h"

#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/ensemble.h"
#include "analyzer/models/markov/phases.h"

#include <stdlib.h>

static bool add_phase(struct markov_series *series, struct pes_stream *stream, const struct markov_phase *phase,
                      const struct markov_options *options, struct error *error)
{
  struct pes_stream *part = markov_part(stream, phase->first, phase->records, error);
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
  struct pes_stream *carrying = order > 1 ? markov_carry(stream, order, error) : NULL;
  bool good = series && (order <= 1 || carrying);
  if (!series)
    error_set(error, "out of memory");
  good = good && add_phases(series, carrying ? carrying : stream, phases, options, error);
  for (uint32_t i = 0; good && i < series->count; i++)
    series->models[i]->order = order;
  pes_close(carrying);
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
