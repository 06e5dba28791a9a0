/* Runs of a series: each phase is simulated for its part of the length, one after another. */
#include "analyzer/models/markov/pool.h"
#include "analyzer/models/markov/random.h"
#include "analyzer/models/markov/series.h"

#include <stdlib.h>

struct simulate_series_result {
  struct pes_stream stream;
  const struct markov_series *series;
  struct markov_simulation simulation;
  struct pes_program *program;
  struct markov_random seeds;
  struct pes_stream *part; /* the phase that is simulated; NULL: the next one is to begin */
  uint32_t phase;
  uint64_t begin;                        /* ticks: of that phase */
  uint64_t passed_records, passed_ticks; /* of the models, in phases before */
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
