#include "analyzer/commands/plain.h"
#include "analyzer/commands/prediction_show.h"

static const char help[] =
    "Usage: heddle predict --param NAME=VALUE [OPTION]... FIT\n"
    "What a run at another value of the parameter would be like, by what heddle fit -o FIT found: time in\n"
    "each state and in all, with 95 % intervals for one new run.\n\n"
    "  --param NAME=VALUE  the parameter of the fit, and the value in question\n"
    "  --extrapolate       predict beyond the values that were measured, too: intervals are wider there\n"
    "  --top N             the N states of most time (default: 20; JSON and CSV: all)\n" PLAIN_OPTIONS_HELP;

enum { OPTION_PARAM = OPTION_FIRST_OWN, OPTION_EXTRAPOLATE, OPTION_TOP };
enum { TOP_TEXT = 20 };

struct own_options {
  struct prediction_asked asked;
  uint64_t top; /* 0: the format decides */
};

static int take(void *own, const char *command, int code)
{
  struct own_options *options = own;
  switch (code) {
  case OPTION_PARAM:
    return prediction_ask(&options->asked, command, optarg);
  case OPTION_EXTRAPOLATE:
    options->asked.extrapolate = true;
    return -1;
  case OPTION_TOP:
    if (!plain_number(optarg, 1, UINT32_MAX, &options->top))
      return command_usage(command, "--top %s: give a number from 1", optarg);
    return -1;
  default:
    return command_usage(command, "there is no option -o");
  }
}

static bool show(const struct own_options *options, enum print_format format, const struct prediction_answer *answer)
{
  struct print *print = print_open(format, stdout, answer->data->ticks_per_second);
  if (!print)
    return false;
  uint64_t top = options->top ? options->top : format == PRINT_TEXT ? TOP_TEXT : UINT32_MAX;
  bool good = prediction_show(print, format, answer, top);
  return print_close(print) && good;
}

int command_predict(int argc, char **argv)
{
  static const struct option list[] = {PLAIN_OPTIONS,
                                       {"param", required_argument, NULL, OPTION_PARAM},
                                       {"extrapolate", no_argument, NULL, OPTION_EXTRAPOLATE},
                                       {"top", required_argument, NULL, OPTION_TOP},
                                       {NULL, 0, NULL, 0}};
  static const struct plain plain = {help, list, "one fit, as `heddle fit -o` writes it", 1, 1, take};
  struct own_options options = {0};
  struct trace_error error = {{0}};
  struct prediction_answer answer;
  enum print_format format;
  int status = plain_options(&plain, &options, &format, argc, argv);
  if (status >= 0)
    return status;
  if (!options.asked.name)
    return command_usage(argv[0], "say with --param what to predict, as --param threads=8");
  bool good = prediction_answer(&answer, argv[optind], &options.asked, &error) && show(&options, format, &answer);
  if (!good)
    command_error(argv[0], "%s", *error.message ? error.message : "the output cannot be written");
  prediction_answer_free(&answer);
  return good ? EXIT_DONE : EXIT_FAULT;
}
