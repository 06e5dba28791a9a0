#include "analyzer/commands/plain.h"
#include "analyzer/markov/markov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "Usage: heddle simulate [OPTION]... --length T|--records N -o FILE MODEL\n"
                           "A program execution sequence as the model (heddle model -o) would make one.\n\n"
                           "  --seed N           another number, another sequence (default: 1)\n"
                           "  --length T         how long: 10s, 5ms, 3us, 7ns, or ticks without a unit\n"
                           "  --records N        how many records at most\n"
                           "  -o, --output FILE  where to write it\n"
                           "  -h, --help         this text\n";

enum { OPTION_SEED = OPTION_FIRST_OWN, OPTION_LENGTH, OPTION_RECORDS };

struct own_options {
  uint64_t seed, records;
  const char *length, *output;
};

static int take(void *own, const char *command, int code)
{
  struct own_options *options = own;
  if (code == 'o')
    options->output = optarg;
  else if (code == OPTION_LENGTH)
    options->length = optarg;
  else if (code == OPTION_SEED && !plain_number(optarg, 0, UINT64_MAX, &options->seed))
    return command_usage(command, "--seed %s: give a whole number", optarg);
  else if (code == OPTION_RECORDS && !plain_number(optarg, 1, INT64_MAX, &options->records))
    return command_usage(command, "--records %s: give a whole number from 1", optarg);
  return -1;
}

/* A time with its unit, as ticks. */
static bool read_length(const char *text, uint64_t ticks_per_second, uint64_t *ticks, struct trace_error *error)
{
  static const struct {
    const char *unit;
    double per_second;
  } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
  if (plain_number(text, 1, INT64_MAX, ticks))
    return true;
  char *end;
  double value = strtod(text, &end);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (end == text || strcmp(end, units[i].unit) != 0)
      continue;
    if (ticks_per_second == 0)
      return trace_fail(error, "--length %s: the model does not say what its unit of time is; give ticks", text);
    double wanted = value / units[i].per_second * (double)ticks_per_second;
    if (!(wanted >= 1 && wanted < 0x1p63))
      break;
    *ticks = (uint64_t)wanted;
    return true;
  }
  return trace_fail(error, "--length %s: give a time, as 10s, 5ms, 3us, 7ns, or a number of ticks", text);
}

static bool simulate(const struct own_options *options, const char *path, struct trace_error *error)
{
  struct markov_simulation simulation = {.seed = options->seed, .ticks = UINT64_MAX, .records = options->records};
  struct markov_model *model = markov_read(path, error);
  bool good = model && (!options->length ||
                        read_length(options->length, model->program->ticks_per_second, &simulation.ticks, error));
  struct pes_stream *stream = good ? markov_simulate(model, &simulation, error) : NULL;
  good = stream && pes_write_binary(stream, options->output, error);
  pes_close(stream);
  markov_model_free(model);
  return good;
}

int command_simulate(int argc, char **argv)
{
  static const struct option list[] = {{"help", no_argument, NULL, 'h'},
                                       {"output", required_argument, NULL, 'o'},
                                       {"seed", required_argument, NULL, OPTION_SEED},
                                       {"length", required_argument, NULL, OPTION_LENGTH},
                                       {"records", required_argument, NULL, OPTION_RECORDS},
                                       {NULL, 0, NULL, 0}};
  static const struct plain plain = {help, list, "one model, as `heddle model -o` writes it", 1, 1, take};
  struct own_options options = {.seed = 1, .records = UINT64_MAX};
  struct trace_error error = {{0}};
  enum print_format format;
  int status = plain_options(&plain, &options, &format, argc, argv);
  if (status >= 0)
    return status;
  if (!options.length && options.records == UINT64_MAX)
    return command_usage(argv[0], "how much? Give --length or --records");
  if (!options.output)
    return command_usage(argv[0], "where to? Give -o FILE");
  if (simulate(&options, argv[optind], &error))
    return EXIT_DONE;
  command_error(argv[0], "%s", error.message);
  return EXIT_FAULT;
}
