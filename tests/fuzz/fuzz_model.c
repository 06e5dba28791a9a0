/*
 * libFuzzer target: any bytes as a model file. It is refused, or what is made of it holds together: a chain whose parts
 * of the time are numbers, and a simulated run that gives a model again.
 */
#include "analyzer/markov/markov.h"

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

static void check_simulation(const struct markov_model *model)
{
  struct error error;
  struct markov_simulation simulation = {.seed = 1, .ticks = (uint64_t)1 << 62, .records = 500};
  struct pes_stream *stream = markov_simulate(model, &simulation, &error);
  require(stream, "a sound model can't be simulated");
  struct markov_model *again = markov_model_of(stream, &model->options, &error);
  if (again)
    require(again->records > 0 && again->records <= 500, "a simulated run has other records");
  markov_model_free(again);
  pes_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error = {{0}};
  struct markov_model *model = markov_read_bytes((const char *)data, size, "input", &error);
  require(model || *error.message, "a model is refused without a word");
  if (model) {
    check_chain(model);
    check_simulation(model);
  }
  markov_model_free(model);
  return 0;
}
