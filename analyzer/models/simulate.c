#include "analyzer/command/values.h"
#include "analyzer/models/markov/markov.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct simulate_own_options {
  uint64_t seed, records;
  const char *length, *output;
};

/* A time with its unit, as ticks. */
static bool read_length(const char *text, uint64_t ticks_per_second, uint64_t *ticks, struct error *error)
{
  static const struct {
    const char *unit;
    double per_second;
  } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
  if (value_number(text, 1, INT64_MAX, ticks))
    return true;
  char *end;
  double value = strtod(text, &end);
  for (size_t i = 0; i < COUNT_OF(units); i++) {
    if (end == text || strcmp(end, units[i].unit) != 0)
      continue;
    if (ticks_per_second == 0)
      return error_set(error, "--length %s: the model's unit of time is unknown; give ticks", text);
    double wanted = value / units[i].per_second * (double)ticks_per_second;
    if (!(wanted >= 1 && wanted < 0x1p63))
      break;
    *ticks = (uint64_t)wanted;
    return true;
  }
  return error_set(error, "--length %s: give a time, as 10s, 5ms, 3us, 7ns, or a number of ticks", text);
}

static bool simulate(const struct simulate_own_options *options, const char *path, struct error *error)
{
  struct markov_simulation simulation = {.seed = options->seed, .ticks = UINT64_MAX, .records = options->records};
  struct markov_series *series = markov_read(path, error);
  bool good = series && (!options->length || read_length(options->length, series->models[0]->program->ticks_per_second,
                                                         &simulation.ticks, error));
  struct pes_stream *stream = good ? markov_series_simulate(series, &simulation, error) : NULL;
  good = stream && pes_write(stream, options->output, PES_BINARY, error);
  pes_close(stream);
  markov_series_free(series);
  return good;
}

static int simulate_run(const struct command *command, int argc, char **argv)
{
  struct simulate_own_options options = {.seed = 1, .records = UINT64_MAX};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options}, argc, argv);
  if (status >= 0)
    return status;
  if (!options.length && options.records == UINT64_MAX)
    return command_usage(argv[0], "no length given: use --length or --records");
  if (!options.output)
    return command_usage(argv[0], "no output given: use -o FILE");
  if (simulate(&options, argv[optind], &error))
    return EXIT_DONE;
  command_error(argv[0], "%s", error.message);
  return EXIT_FAULT;
}

static const struct command_option simulate_own_options[] = {
    {.name = "seed",
     .argument = "N",
     .help = "the seed: another number gives another sequence (default: 1)",
     .take = option_number,
     .at = offsetof(struct simulate_own_options, seed)},
    {.name = "length",
     .argument = "T",
     .help = "the length: 10s, 5ms, 3us, 7ns, or ticks without a unit",
     .take = option_text,
     .at = offsetof(struct simulate_own_options, length)},
    {.name = "records",
     .argument = "N",
     .help = "at most N records",
     .take = option_number,
     .at = offsetof(struct simulate_own_options, records),
     .least = 1,
     .most = INT64_MAX},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "the file to write",
     .take = option_text,
     .at = offsetof(struct simulate_own_options, output)},
    {.name = NULL}};

const struct command command_simulate = {
    .name = "simulate",
    .group = COMMAND_MODEL,
    .summary = "draws a sequence from a model",
    .synopsis = "[OPTION]... --length T|--records N -o FILE MODEL",
    .about = "Draws a program execution sequence from a model (heddle model -o).\n",
    .operand = "one model, as `heddle model -o` writes it",
    .least = 1,
    .most = 1,
    .options = {{.list = simulate_own_options}},
    .run = simulate_run,
};
