#include "analyzer/commands/model_show.h"
#include "analyzer/commands/plain.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char help[] =
    "Usage: heddle model [OPTION]... FILE...\n"
    "The semi-Markov model of a program execution sequence (heddle pes), or of several runs:\n"
    "which state follows which, how long states last, and what that means in the long run.\n"
    "FILE is a sequence; or one model, which is shown again.\n\n"
    "  -o, --output FILE     also write the model, for simulate, validate and whatif\n"
    "  --terminal drop|keep  the transition into the terminal state (default: drop)\n"
    "  --deviation sample|population  what deviations are divided by: n - 1 or n (default: sample)\n"
    "  --ends restart|stay   what follows a state that is never left: the next run's\n"
    "                        beginning, or nothing (default: restart)\n"
    "  --any                 pool runs with different parameters\n"
    "  --passage STATE|all   mean first-passage times to a state, or between all (100 states)\n"
    "  --occupancy STATE     the distribution of a state's occupancies\n"
    "  --dot                 the graph, in DOT\n"
    "  --svg                 the graph, drawn by dot (Graphviz)\n" PLAIN_OPTIONS_HELP;

enum {
  OPTION_TERMINAL = OPTION_FIRST_OWN,
  OPTION_DEVIATION,
  OPTION_ENDS,
  OPTION_ANY,
  OPTION_PASSAGE,
  OPTION_OCCUPANCY,
  OPTION_DOT,
  OPTION_SVG
};

enum { ALL_PAIRS_MAX = 100 };

struct own_options {
  struct markov_options rules;
  bool any, dot, svg, has_rules;
  const char *output, *passage, *occupancy;
};

/* One of two words. Returns -1 to go on. */
static int take_word(const char *command, const char *option, const char *zero, const char *one, bool *is_one)
{
  *is_one = strcmp(optarg, one) == 0;
  if (*is_one || strcmp(optarg, zero) == 0)
    return -1;
  return command_usage(command, "--%s %s: give %s or %s", option, optarg, zero, one);
}

static int take(void *own, const char *command, int code)
{
  struct own_options *options = own;
  bool second = false;
  int status = -1;
  options->has_rules |= code >= OPTION_TERMINAL && code <= OPTION_ANY;
  switch (code) {
  case 'o':
    options->output = optarg;
    break;
  case OPTION_TERMINAL:
    status = take_word(command, "terminal", "drop", "keep", &second);
    options->rules.terminal = second ? MARKOV_KEEP : MARKOV_DROP;
    break;
  case OPTION_DEVIATION:
    status = take_word(command, "deviation", "sample", "population", &options->rules.population);
    break;
  case OPTION_ENDS:
    status = take_word(command, "ends", "restart", "stay", &second);
    options->rules.ends = second ? MARKOV_STAY : MARKOV_RESTART;
    break;
  case OPTION_ANY:
    options->any = true;
    break;
  case OPTION_PASSAGE:
    options->passage = optarg;
    break;
  case OPTION_OCCUPANCY:
    options->occupancy = optarg;
    break;
  case OPTION_DOT:
    options->dot = true;
    break;
  default:
    options->svg = true;
  }
  return status;
}

/* Does the file begin as a model does? What can't be read at all is left to whoever opens it then. */
static bool looks_like_model(const char *path)
{
  FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "r");
  int first = file ? fgetc(file) : EOF;
  if (file)
    fclose(file);
  return first == '{';
}

static struct markov_model *build(const struct own_options *options, char **paths, int count,
                                  struct markov_spread **spread, struct trace_error *error)
{
  if (count == 1 && !options->has_rules && looks_like_model(paths[0]))
    return markov_read(paths[0], error);
  struct markov_builder *builder = markov_builder_create(&options->rules, options->any);
  bool good = builder || trace_fail(error, "out of memory");
  for (int i = 0; good && i < count; i++) {
    struct pes_stream *stream = pes_open(paths[i], error);
    good = stream && markov_builder_add(builder, paths[i], stream, error);
    pes_close(stream);
  }
  struct markov_model *model = good ? markov_builder_finish(builder, spread, error) : NULL;
  markov_builder_free(builder);
  return model;
}

static bool find_state(const struct markov_model *model, const char *name, uint32_t *state, struct trace_error *error)
{
  uint32_t count;
  *state = pes_states_find(model->program, model->states, name, &count);
  if (*state != PES_NONE && markov_state_is_used(model, *state))
    return true;
  return trace_fail(
      error, count > 1 ? "several states are called %s: give the number, as #3" : "the model has no state %s", name);
}

static bool put_more(struct print *print, const struct model_view *view, const struct own_options *options,
                     struct trace_error *error)
{
  uint32_t state;
  if (options->occupancy) {
    if (!find_state(view->model, options->occupancy, &state, error))
      return false;
    if (!model_show_occupancy(print, view, state))
      return trace_fail(error, "out of memory");
  }
  if (!options->passage)
    return true;
  bool all = strcmp(options->passage, "all") == 0;
  if (all && view->chain->used > ALL_PAIRS_MAX)
    return trace_fail(error, "%u states are too many for all passages; give --passage a state", view->chain->used);
  state = PES_NONE;
  if (!all && !find_state(view->model, options->passage, &state, error))
    return false;
  return model_show_passage(print, view, state) || trace_fail(error, "out of memory");
}

static bool put_svg(const struct model_view *view, struct trace_error *error)
{
  static const char missing[] =
      "the graph can't be drawn: `dot` is not there or failed (Debian: graphviz); --dot gives "
      "its input";
  if (system("command -v dot >/dev/null 2>&1") != 0)
    return trace_fail(error, "%s", missing);
  fflush(stdout);
  signal(SIGPIPE, SIG_IGN);
  FILE *pipe = popen("dot -Tsvg", "w");
  if (!pipe)
    return trace_fail(error, "%s", missing);
  model_put_dot(pipe, view);
  int status = pclose(pipe);
  return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || trace_fail(error, "%s", missing);
}

static bool show(const struct model_view *view, const struct own_options *options, struct trace_error *error)
{
  if (options->svg)
    return put_svg(view, error);
  if (options->dot) {
    model_put_dot(stdout, view);
    return command_printed() == EXIT_DONE || trace_fail(error, "the graph cannot be written");
  }
  struct print *print = print_open(view->format, stdout, view->model->program->ticks_per_second);
  if (!print)
    return trace_fail(error, "out of memory");
  model_show(print, view);
  bool good = put_more(print, view, options, error);
  return print_close(print) && good;
}

int command_model(int argc, char **argv)
{
  static const struct option list[] = {PLAIN_OPTIONS,
                                       {"output", required_argument, NULL, 'o'},
                                       {"terminal", required_argument, NULL, OPTION_TERMINAL},
                                       {"deviation", required_argument, NULL, OPTION_DEVIATION},
                                       {"ends", required_argument, NULL, OPTION_ENDS},
                                       {"any", no_argument, NULL, OPTION_ANY},
                                       {"passage", required_argument, NULL, OPTION_PASSAGE},
                                       {"occupancy", required_argument, NULL, OPTION_OCCUPANCY},
                                       {"dot", no_argument, NULL, OPTION_DOT},
                                       {"svg", no_argument, NULL, OPTION_SVG},
                                       {NULL, 0, NULL, 0}};
  static const struct plain plain = {help, list, "the file of a sequence, or several", 1, 0, take};
  struct own_options options = {0};
  struct model_view view = {0};
  struct markov_spread *spread = NULL;
  struct trace_error error = {{0}};
  int status = plain_options(&plain, &options, &view.format, argc, argv);
  if (status >= 0)
    return status;
  if (options.dot + options.svg + (view.format != PRINT_TEXT) > 1)
    return command_usage(argv[0], "one of --json, --csv, --dot and --svg is enough");
  struct markov_model *model = build(&options, argv + optind, argc - optind, &spread, &error);
  bool good = model && (!options.output || markov_write(model, options.output, &error));
  struct markov_chain *chain = good ? markov_chain_solve(model) : NULL;
  char **names = good ? model_names(model->program, model->states) : NULL;
  view.model = model;
  view.chain = chain;
  view.names = names;
  view.spread = spread;
  if (good)
    good = chain && names ? show(&view, &options, &error) : trace_fail(&error, "out of memory");
  if (!good)
    command_error(argv[0], "%s", *error.message ? error.message : "the output cannot be written");
  if (names)
    model_names_free(names, model->states);
  markov_chain_free(chain);
  markov_spread_free(spread);
  markov_model_free(model);
  return good ? EXIT_DONE : EXIT_FAULT;
}
