/*
 * libFuzzer target: any bytes as a model file. It is refused, or its results hold together. A chain has parts of the
 * time that are numbers, and a simulated run that gives a model again. A series has each phase so, and a run of all
 * that can be compared with it.
 */
#include "analyzer/models/markov/markov.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "fuzz_model: %s\n", what);
  abort();
}

static void check_chain(const struct markov_model *model)
{
  struct markov_chain *chain = markov_chain_solve(model);
  require(chain && chain->class_count > 0, "a sound model has no chain");
  double sum = 0;
  for (uint32_t i = 0; i < model->count; i++) {
    require(chain->longrun[i] >= 0 && chain->stationary[i] >= 0, "a part of the time is no number");
    sum += chain->longrun[i];
  }
  require(sum <= 1 + 1e-6, "parts of the time add up to more than 1");
  markov_chain_free(chain);
}

static void check_simulation(struct markov_series *series)
{
  struct error error = {{0}};
  struct markov_simulation simulation = {.seed = 1, .ticks = (uint64_t)1 << 62, .records = 500};
  struct markov_validate_options rules = {.level = .9, .tolerance = .05, .unseen = .25, .seed = 1, .replications = 1};
  struct pes_stream *stream = markov_series_simulate(series, &simulation, &error);
  require(stream, "a sound model can't be simulated");
  struct markov_model *again = markov_model_of(stream, &series->models[0]->options, &error);
  if (again)
    require(again->records > 0 && again->records <= 500, "a simulated run has other records");
  bool has_run = again;
  markov_model_free(again);
  if (has_run && series->count > 1) {
    struct markov_comparison *comparison = markov_series_compare(series, stream, &rules, &error);
    require(comparison || *error.message, "a comparison fails without a word");
    markov_comparison_free(comparison);
  }
  pes_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error = {{0}};
  struct markov_series *series = markov_read_bytes((const char *)data, size, "input", &error);
  require(series || *error.message, "a model is refused without a word");
  for (uint32_t i = 0; series && i < series->count; i++)
    check_chain(series->models[i]);
  if (series)
    check_simulation(series);
  markov_series_free(series);
  return 0;
}
