#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/models/prediction_show.h"

#include <getopt.h>

enum { PREDICT_TOP_TEXT = 20 };

struct predict_own_options {
  struct prediction_asked asked;
  uint64_t top; /* 0: the format decides */
};

static int predict_take_parameter(const struct option_given *given, void *into)
{
  struct predict_own_options *options = into;
  return prediction_ask(&options->asked, given->command, given->value);
}

static bool predict_show(const struct predict_own_options *options, enum print_format format,
                         const struct prediction_answer *answer, struct error *error)
{
  struct print *print = print_open(format, stdout, answer->data->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  uint64_t top = options->top ? options->top : format == PRINT_TEXT ? PREDICT_TOP_TEXT : UINT32_MAX;
  bool good = prediction_show(print, format, answer, top) || error_set(error, "out of memory");
  return print_close(print) && good;
}

static int predict_run(const struct command *command, int argc, char **argv)
{
  struct predict_own_options options = {0};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct error error = {{0}};
  struct prediction_answer answer;
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  if (options.asked.count == 0)
    return command_usage(argv[0], "name the value to predict with --param, as in --param threads=8");
  bool good = prediction_answer(&answer, argv[optind], &options.asked, &error) &&
              predict_show(&options, shared.format, &answer, &error);
  if (!good)
    command_failed(argv[0], error.message);
  prediction_answer_free(&answer);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option predict_own_options[] = {
    {.name = "param",
     .argument = "NAME=VALUE",
     .help = "the parameter of the fit, and the value to predict; again for a second parameter",
     .take = predict_take_parameter},
    {.name = "extrapolate",
     .help = "also predict outside of the measured values, where intervals are wider",
     .take = option_flag,
     .at = offsetof(struct predict_own_options, asked.extrapolate)},
    {.name = "confidence",
     .argument = "PERCENT",
     .help = "intervals contain one new run with this probability, 50 to 99 (default: 95)",
     .take = option_number,
     .at = offsetof(struct predict_own_options, asked.confidence),
     .least = 50,
     .most = 99},
    {.name = "top",
     .argument = "N",
     .help = "the N states with the most time (default: 20; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct predict_own_options, top),
     .least = 1,
     .most = UINT32_MAX},
    {.name = NULL}};

const struct command command_predict = {
    .name = "predict",
    .group = COMMAND_COMPARE,
    .summary = "predicts a run at another value of a parameter or two",
    .synopsis = "--param NAME=VALUE [OPTION]... FIT",
    .about =
        "Predicts a run at another value of the parameter, or of both, from the output of heddle fit -o FIT: the time\n"
        "in each state and in all, with intervals for one new run.\n",
    .operand = "one fit, as `heddle fit -o` writes it",
    .least = 1,
    .most = 1,
    .options = {{.list = predict_own_options}, {.list = format_options}},
    .run = predict_run,
};
