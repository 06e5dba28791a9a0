#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/try/try.h"
#include "base/count_of.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>

#define TRY_TIME_NS UINT64_C(300000000000)

enum { PATCHES_MOST = 8 };

struct try_own_options {
  const char *patches[PATCHES_MOST];
  unsigned patch_count;
  const char *build; /* NULL: none */
  uint64_t runs;
  uint64_t time_ns;
  const char *same, *record; /* NULL: none */
  bool in_place;
};

static int try_take_time(const struct option_given *given, void *into)
{
  struct try_own_options *options = into;
  if (!time_word_ns(given->value, &options->time_ns) || options->time_ns == 0)
    return command_usage(given->command, "--time %s: give a time: 60s, 10.5s, ...", given->value);
  return -1;
}

static int try_take_patch(const struct option_given *given, void *into)
{
  struct try_own_options *options = into;
  if (options->patch_count == PATCHES_MOST)
    return command_usage(given->command, "--patch %s: at most %u patches", given->value, PATCHES_MOST);
  options->patches[options->patch_count++] = given->value;
  return -1;
}

/* "23.1 % faster (21.9 to 24.4, 14 pairs)", or how much slower. */
static void put_figures(FILE *into, const struct experiment *experiment)
{
  const struct sequential *test = &experiment->test;
  if (test->look == 0)
    return;
  bool faster = test->gain >= 0;
  fprintf(into, "%.1f %% %s (%.1f to %.1f, %u pairs)", fabs(test->gain), faster ? "faster" : "slower",
          faster ? test->low : -test->high, faster ? test->high : -test->low, experiment->pairs);
}

static void put_outcome(FILE *into, const struct experiment *experiment)
{
  switch (experiment->outcome) {
  case EXPERIMENT_KEPT:
  case EXPERIMENT_SLOWER:
    put_figures(into, experiment);
    break;
  case EXPERIMENT_NO_GAIN:
    fputs(experiment->test.gain >= 0 ? "gains less than 1 %: " : "", into);
    put_figures(into, experiment);
    break;
  case EXPERIMENT_OPEN:
  case EXPERIMENT_UNDECIDED:
    fprintf(into, "not proved after %u pairs", experiment->pairs);
    if (experiment->test.look > 0) {
      fputs(": ", into);
      put_figures(into, experiment);
    }
    break;
  case EXPERIMENT_OTHER_OUTPUT:
    fputs("rejected: the program's output differs", into);
    break;
  case EXPERIMENT_FAILED:
  case EXPERIMENT_HUNG:
    fprintf(into, "rejected: the program %s", experiment->failure);
    break;
  case EXPERIMENT_NOT_TRIED:
    fputs("not tried: there was no time for it; see --time", into);
    break;
  }
}

/* "OMP_NUM_THREADS=2: 23.1 % faster (21.9 to 24.4, 14 pairs); predicted 21 %". NULL: out of memory. */
static char *experiment_sentence(const struct experiment *experiment)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  fprintf(file, "%s: ", experiment->name);
  put_outcome(file, experiment);
  if (experiment->test.look > 0 && !isnan(experiment->predicted))
    fprintf(file, "; predicted %.0f %%", experiment->predicted);
  return fclose(file) == 0 ? text : NULL;
}

/* The kept experiment with the largest gain. */
static const struct experiment *best_kept(const struct try_result *result)
{
  const struct experiment *best = NULL;
  for (size_t i = 0; i < result->experiments.list.count; i++) {
    const struct experiment *experiment = &result->experiments.list.items[i];
    if (experiment->outcome == EXPERIMENT_KEPT && (!best || experiment->test.gain > best->test.gain))
      best = experiment;
  }
  return best;
}

static bool put_first_sentence(struct print *print, const struct try_result *result)
{
  const struct experiment *best = best_kept(result);
  char *text;
  int length = best ? asprintf(&text, "Run it with %s: %.3f s in place of %.3f s (medians).", best->name,
                               try_median(best->seconds, best->pairs), try_median(result->seconds, result->runs))
               : result->experiments.list.count
                   ? asprintf(&text, "No change is proved to be faster: %.3f s without one (median of %u runs).",
                              try_median(result->seconds, result->runs), result->runs)
                   : asprintf(&text, "No finding of this run has a setting to try. %s", result->evidence.first);
  if (length < 0)
    return false;
  print_sentence(print, "verdict", text);
  free(text);
  return true;
}

/* NULL: unknown. */
static const char *kind_of(const struct experiment *experiment)
{
  return experiment->kind == ACCOUNT_UNKNOWN ? NULL : account_kind_name(experiment->kind);
}

static bool put_group(struct print *print, const struct try_result *result, bool kept)
{
  const struct print_column columns[] = {
      {"experiment", kept ? "Proved" : "Rejected, or not proved", PRINT_STRING, false},
      {"for", "Against", PRINT_STRING, false},
      {"place", "Most of it at", PRINT_STRING, true}};
  bool begun = false, good = true;
  for (size_t i = 0; i < result->experiments.list.count && good; i++) {
    const struct experiment *experiment = &result->experiments.list.items[i];
    if ((experiment->outcome == EXPERIMENT_KEPT) != kept)
      continue;
    if (!begun)
      print_table(print, kept ? "kept" : "others", NULL, columns, COUNT_OF(columns), false);
    begun = true;
    char *text = experiment_sentence(experiment);
    struct print_cell cells[] = {print_string(text), print_string(kind_of(experiment)),
                                 print_string(experiment->place->name)};
    good = text != NULL;
    print_row(print, cells);
    free(text);
  }
  if (begun)
    print_table_end(print);
  return good;
}

/* All experiments, for programs. */
static bool put_experiments(struct print *print, const struct try_result *result)
{
  static const struct print_column columns[] = {
      {"change", "", PRINT_STRING, false},       {"outcome", "", PRINT_STRING, false},
      {"gain_percent", "", PRINT_REAL, false},   {"low", "", PRINT_REAL, false},
      {"high", "", PRINT_REAL, false},           {"pairs", "", PRINT_NUMBER, false},
      {"p", "", PRINT_PROBABILITY, false},       {"predicted_percent", "", PRINT_REAL, false},
      {"kind", "", PRINT_STRING, false},         {"place", "", PRINT_STRING, false},
      {"file", "", PRINT_STRING, false},         {"line", "", PRINT_NUMBER, false},
      {"median_seconds", "", PRINT_REAL, false}, {"failure", "", PRINT_STRING, false},
      {"sentence", "", PRINT_STRING, false}};
  bool good = true;
  print_table(print, "experiments", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < result->experiments.list.count && good; i++) {
    const struct experiment *experiment = &result->experiments.list.items[i];
    const struct sequential *test = &experiment->test;
    const struct evidence_place *place = experiment->place;
    bool looked = test->look > 0;
    char *text = experiment_sentence(experiment);
    struct print_cell cells[] = {print_string(experiment->name),
                                 print_string(experiment_outcome_name(experiment->outcome)),
                                 looked ? print_finite(test->gain) : print_none(),
                                 looked ? print_finite(test->low) : print_none(),
                                 looked ? print_finite(test->high) : print_none(),
                                 print_number(experiment->pairs),
                                 looked ? print_real(test->p) : print_none(),
                                 print_finite(experiment->predicted),
                                 print_string(kind_of(experiment)),
                                 print_string(place->name),
                                 place->file && *place->file ? print_string(place->file) : print_none(),
                                 place->line ? print_number(place->line) : print_none(),
                                 print_finite(try_median(experiment->seconds, experiment->pairs)),
                                 *experiment->failure ? print_string(experiment->failure) : print_none(),
                                 print_string(text)};
    good = text != NULL;
    print_row(print, cells);
    free(text);
  }
  print_table_end(print);
  return good;
}

static bool print_result(const struct try_result *result, enum print_format format, struct error *error)
{
  struct print *print = print_open(format, stdout, 0);
  bool good = print != NULL;
  if (good && format == PRINT_JSON) {
    print_fact(print, "runs", "Runs", PRINT_NUMBER, print_number(result->runs));
    print_fact(print, "median_seconds", "Median", PRINT_REAL, print_finite(try_median(result->seconds, result->runs)));
    print_fact(print, "level", "Level", PRINT_REAL, print_real(TRY_LEVEL));
  }
  good = good && put_first_sentence(print, result);
  good = good && (format == PRINT_TEXT ? put_group(print, result, true) && put_group(print, result, false)
                                       : put_experiments(print, result));
  return (print ? print_close(print) && good : good) || error_set(error, "out of memory");
}

static int try_main(const struct command *command, int argc, char **argv)
{
  struct try_own_options own = {.runs = SEQUENTIAL_MOST, .time_ns = TRY_TIME_NS};
  struct shared_options shared = {.format = PRINT_TEXT};
  void *const into[OPTION_SETS] = {[OPTIONS_OWN] = &own, [OPTIONS_SHARED] = &shared};
  int status = command_take(command, into, argc, argv);
  if (status >= 0)
    return status;
  if (own.patch_count > 0 && (!own.build || own.in_place))
    return command_usage(argv[0], own.build ? "--patch: not with --in-place" : "--patch: needs --build CMD");
  struct try_plan plan = {.arguments = argv + optind,
                          .same = own.same,
                          .runs = (unsigned)own.runs,
                          .time = (double)own.time_ns / 1e9,
                          .in_place = own.in_place,
                          .patches = own.patches,
                          .patch_count = own.patch_count,
                          .build = own.build,
                          .jobs = (unsigned)shared.jobs};
  struct try_result result;
  struct error error;
  otf2_library_quiet();
  bool good = try_program(&plan, &result, &error) && print_result(&result, shared.format, &error) &&
              (!own.record || try_record(own.record, &result, plan.arguments, &error));
  if (!good)
    command_error(argv[0], "%s", error.message);
  try_free(&result);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option try_own_options[] = {
    {.name = "runs",
     .argument = "N",
     .help = "at most N pairs of runs of each experiment (default: 32)",
     .take = option_number,
     .at = offsetof(struct try_own_options, runs),
     .least = 1,
     .most = SEQUENTIAL_MOST},
    {.name = "time", .argument = "TIME", .help = "begin no run after TIME (default: 300s)", .take = try_take_time},
    {.name = "same",
     .argument = "CMD",
     .help = "outputs are the same if the command CMD, with two files behind it, ends with status 0 (default: equal)",
     .take = option_text,
     .at = offsetof(struct try_own_options, same)},
    {.name = "in-place",
     .help = "run in the working directory itself, not in a copy",
     .take = option_flag,
     .at = offsetof(struct try_own_options, in_place)},
    {.name = "patch",
     .argument = "FILE",
     .help = "an experiment with the source: apply FILE by `patch -p1` in a copy, and build it there; may be repeated",
     .take = try_take_patch},
    {.name = "build",
     .argument = "CMD",
     .help = "the command that builds the program in the copies, such as make",
     .take = option_text,
     .at = offsetof(struct try_own_options, build)},
    {.name = "record",
     .argument = "FILE",
     .help = "append what was predicted and measured to FILE, a line of JSON an experiment",
     .take = option_text,
     .at = offsetof(struct try_own_options, record)},
    {.name = NULL}};

const struct command command_try = {
    .name = "try",
    .group = COMMAND_COMPARE,
    .summary = "tries settings of the runtime that may help a program, and keeps what is proved to be faster",
    .synopsis = "[OPTION]... [--] PROGRAM [ARGUMENT]...",
    .about =
        "Records PROGRAM once, and tries settings of the OpenMP runtime or the JVM for what the run lost time to. "
        "Runs\n"
        "without and with each setting take turns, until it is certain whether the setting helps. Runs happen in a\n"
        "copy of the working directory, and read nothing.\n",
    .operand = "a program",
    .least = 1,
    .stops_at_operand = 1,
    .options = {{.list = try_own_options}, [OPTIONS_SHARED] = {.list = format_options}},
    .run = try_main,
};
