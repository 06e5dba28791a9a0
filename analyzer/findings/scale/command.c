#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/scale/predict_show.h"
#include "analyzer/findings/scale/scale.h"
#include "base/count_of.h"

#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MOST = 64, RUNS = 3, SHOWN_PLACES = 5 };

struct scale_threads {
  unsigned list[THREADS_MOST];
  size_t count;
};

struct scale_own_options {
  struct scale_threads threads; /* numbers of threads to try; none: 1, 2, 4, ... up to the processors */
  struct scale_threads predict; /* numbers to predict; none: nothing */
  uint64_t runs;
  const char *directory; /* NULL: the usual one */
  const char *talp;      /* a directory for tables of TALP; NULL: none */
};

/* Numbers as 1,2,4 or 1-8, `least` to `most` of them. */
static int take_numbers(const struct option_given *given, struct scale_threads *threads, unsigned least, unsigned most)
{
  const char *at = given->value, *word;
  size_t length;
  threads->count = 0;
  while (list_next(&at, &word, &length)) {
    struct number_range range;
    if (!number_range_read(word, length, &range) || range.first == 0)
      return command_usage(given->command, "--%s %s: give numbers of threads: 1,2,4 or 1-8", given->option->name,
                           given->value);
    for (uint32_t number = range.first; number <= range.last; number++) {
      if (threads->count == most)
        return command_usage(given->command, "--%s %s: at most %u numbers", given->option->name, given->value, most);
      threads->list[threads->count++] = number;
    }
  }
  return threads->count >= least
             ? -1
             : command_usage(given->command, "--%s %s: give two numbers or more", given->option->name, given->value);
}

static int take_threads(const struct option_given *given, void *into)
{
  return take_numbers(given, &((struct scale_own_options *)into)->threads, 2, THREADS_MOST);
}

static int take_predict(const struct option_given *given, void *into)
{
  return take_numbers(given, &((struct scale_own_options *)into)->predict, 1, SCALE_PREDICTED);
}

/* 1, 2, 4, ... and all processors that this process may use. */
static void usual_threads(struct scale_threads *options)
{
  cpu_set_t set;
  unsigned processors = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 2;
  for (unsigned threads = 1; threads < processors && options->count + 2 < THREADS_MOST; threads *= 2)
    options->list[options->count++] = threads;
  options->list[options->count++] = processors;
  if (options->count < 2)
    options->list[options->count++] = 2;
}

static void put_first(struct print *print, const struct scale *scale, const char *sentence)
{
  static const struct print_column columns[] = {
      {"kind", "Kind", PRINT_STRING, false},           {"file", "File", PRINT_STRING, false},
      {"line", "Line", PRINT_NUMBER, false},           {"function", "Function", PRINT_STRING, false},
      {"could_win_percent", "Win", PRINT_REAL, false}, {"sentence", "Sentence", PRINT_STRING, false}};
  const struct scale_step *last = &scale->steps.items[scale->steps.count - 1];
  const struct scale_place *place = scale->memory ? scale->growths.items[0].place : NULL;
  struct print_cell cells[] = {print_string(account_kind_name(scale->memory ? ACCOUNT_MEMORY : last->run->first_kind)),
                               place && *place->file ? print_string(place->file) : print_none(),
                               place && place->line ? print_number(place->line) : print_none(),
                               print_string(place ? place->function : NULL),
                               scale->memory ? print_real(last->longer) : print_none(),
                               print_string(sentence)};
  print_object(print, "first", columns, COUNT_OF(columns), cells);
}

/* Whether the place is a function. */
static bool same_name(const struct scale_place *place)
{
  return place->name && place->function && strcmp(place->name, place->function) == 0;
}

static struct print_cell seconds_cell(double seconds)
{
  return print_number((uint64_t)(seconds * SCALE_TICKS + 0.5));
}

static void put_steps(struct print *print, const struct scale *scale)
{
  static const struct print_column columns[] = {{"threads", "Threads", PRINT_NUMBER, false},
                                                {"runs", "Runs", PRINT_COUNT, false},
                                                {"time", "Time", PRINT_DURATION, false},
                                                {"speedup", "Speedup", PRINT_RATIO, false},
                                                {"efficiency", "Efficiency =", PRINT_PERCENT, false},
                                                {"load_balance", "Load balance x", PRINT_PERCENT, false},
                                                {"serialization", "Serialization x", PRINT_PERCENT, false},
                                                {"transfer", "Transfer x", PRINT_PERCENT, false},
                                                {"work", "Work", PRINT_PERCENT, false}};
  print_table(print, "steps", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < scale->steps.count; i++) {
    const struct scale_step *step = &scale->steps.items[i];
    const struct efficiency *of = &step->run->efficiency;
    struct print_cell cells[] = {
        print_number(step->run->threads), print_number(step->runs),  seconds_cell(step->run->duration),
        print_real(step->speedup),        print_real(step->overall), print_real(of->balance),
        print_real(of->serialization),    print_real(of->transfer),  print_real(step->work)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void put_growths(struct print *print, enum print_format format, const struct scale *scale)
{
  const struct scale_step *first = scale->steps.items, *last = first + scale->steps.count - 1;
  char title[96], before[48], after[48];
  snprintf(title, sizeof title, "Work that takes longer with %u threads", last->run->threads);
  snprintf(before, sizeof before, "Threads: %u", first->run->threads);
  snprintf(after, sizeof after, "Threads: %u", last->run->threads);
  const struct print_column columns[] = {{"place", title, PRINT_STRING, false},
                                         {"function", "Function", PRINT_STRING, true},
                                         {"before", before, PRINT_DURATION, false},
                                         {"after", after, PRINT_DURATION, false},
                                         {"percent", "Share", PRINT_PERCENT, false}};
  double all = 0;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    all += last->run->seconds[i];
  bool begun = false;
  for (size_t i = 0, shown = 0; i < scale->growths.count; i++) {
    const struct scale_growth *growth = &scale->growths.items[i];
    const char *name = growth->place->name ? growth->place->name : "code outside of constructs";
    double percent = all > 0 ? 100 * (growth->after - growth->before) / all : 0;
    if (format == PRINT_TEXT && (percent < 1 || shown++ == SHOWN_PLACES))
      break;
    struct print_cell cells[] = {print_string(name),
                                 print_string(same_name(growth->place) ? NULL : growth->place->function),
                                 seconds_cell(growth->before), seconds_cell(growth->after), print_real(percent)};
    if (!begun)
      print_table(print, "places", NULL, columns, COUNT_OF(columns), false);
    begun = true;
    print_row(print, cells);
  }
  if (begun)
    print_table_end(print);
}

/* A program that has as many threads in each run takes its number from elsewhere. */
static bool numbers_differ(const struct scale_runs *runs, struct error *error)
{
  for (size_t i = 1; i < runs->list.count; i++)
    if (runs->list.items[i].most != runs->list.items[0].most)
      return true;
  return error_set(error,
                   "%u threads at most worked in each run, whatever OMP_NUM_THREADS was: write {threads} in the "
                   "program's arguments where it takes its number of threads",
                   runs->list.count ? runs->list.items[0].most : 0);
}

static bool print_scale(const struct scale *scale, enum print_format format, const struct scale_prediction *predictions,
                        size_t predicted, struct error *error)
{
  struct print *print = print_open(format, stdout, SCALE_TICKS);
  char *sentence = scale_sentence(scale);
  bool good = print && sentence;
  if (good && format == PRINT_JSON)
    put_first(print, scale, sentence);
  else if (good && format == PRINT_TEXT)
    print_sentence(print, "first", sentence);
  if (good) {
    put_steps(print, scale);
    put_growths(print, format, scale);
    if (predicted > 0)
      scale_put_predictions(print, scale, predictions, predicted);
  }
  free(sentence);
  return (print ? print_close(print) && good : good) || error_set(error, "out of memory");
}

/* Compares, predicts and prints. What cannot be predicted is an error, but the comparison is printed. */
static bool show_runs(const struct scale_runs *runs, const struct scale_own_options *own, uint32_t first,
                      enum print_format format, struct error *error)
{
  struct scale scale;
  struct scale_prediction predictions[SCALE_PREDICTED];
  bool good = scale_compare(runs, &scale, error);
  bool can = good && own->predict.count > 0 && scale_predict(runs, &scale, first, predictions, error);
  struct error second;
  if (good)
    good = print_scale(&scale, format, predictions, can ? own->predict.count : 0, can ? error : &second);
  scale_end(&scale);
  return good && (can || own->predict.count == 0);
}

/* Behind `--` is a program; without it a file that can be executed is one. */
static bool is_program(char *const *operands)
{
  struct stat status;
  return strcmp(operands[-1], "--") == 0 ||
         (stat(operands[0], &status) == 0 && S_ISREG(status.st_mode) && access(operands[0], X_OK) == 0);
}

static bool record_runs(char *const *program, const struct scale_own_options *options, unsigned jobs,
                        struct scale_runs *runs, struct error *error)
{
  char usual[256], name[64];
  const char *slash = strrchr(program[0], '/');
  snprintf(name, sizeof name, "%s", slash ? slash + 1 : program[0]);
  snprintf(usual, sizeof usual, "heddle-scale-%s-%lld-%ld", name, (long long)time(NULL), (long)getpid());
  struct scale_plan plan = {.arguments = program,
                            .threads = options->threads.list,
                            .count = options->threads.count,
                            .runs = (unsigned)options->runs,
                            .directory = options->directory ? options->directory : usual,
                            .jobs = jobs};
  if (!scale_record(&plan, runs, error) || !numbers_differ(runs, error))
    return false;
  fprintf(stderr, "heddle: the archives are in %s; again: heddle scale %s/*-run-*[0-9]\n", plan.directory,
          plan.directory);
  return true;
}

static int scale_main(const struct command *command, int argc, char **argv)
{
  struct scale_own_options own = {.runs = RUNS};
  struct shared_options shared = {.format = PRINT_TEXT};
  void *const into[OPTION_SETS] = {[OPTIONS_OWN] = &own, [OPTIONS_SHARED] = &shared};
  int status = command_take(command, into, argc, argv);
  if (status >= 0)
    return status;
  struct scale_runs runs = {0};
  uint32_t first = 0;
  struct error error;
  bool program = is_program(argv + optind), good = true;
  if (own.threads.count == 0)
    usual_threads(&own.threads);
  if (own.predict.count > 0)
    scale_set_teams(&runs, own.predict.list, own.predict.count, &first);
  otf2_library_quiet();
  if (program)
    good = record_runs(argv + optind, &own, (unsigned)shared.jobs, &runs, &error);
  for (int i = optind; !program && good && i < argc; i++)
    good = scale_is_talp(argv[i]) ? scale_add_talp(&runs, argv[i], &error)
                                  : scale_add(&runs, argv[i], 0, (unsigned)shared.jobs, &error);
  good = good && (!own.talp || scale_write_talp(&runs, own.talp, &error)) &&
         show_runs(&runs, &own, first, shared.format, &error);
  if (!good)
    command_error(argv[0], "%s", error.message);
  scale_free(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option scale_own_options[] = {
    {.name = "threads",
     .argument = "LIST",
     .help =
         "with PROGRAM: numbers of threads to try: 1,2,4 or 1-8 (default: 1, 2, 4, ... to the number of processors)",
     .take = take_threads},
    {.name = "runs",
     .argument = "N",
     .help = "with PROGRAM: record N runs of each number, in turn (default: 3)",
     .take = option_number,
     .at = offsetof(struct scale_own_options, runs),
     .least = 1,
     .most = 1000},
    {.name = "predict",
     .argument = "LIST",
     .help = "predict runs with these numbers of threads, as 8,16,64: at most 12 numbers",
     .take = take_predict},
    {.name = "talp",
     .argument = "DIR",
     .help = "also write each run as a table of TALP into DIR, which is new",
     .take = option_text,
     .at = offsetof(struct scale_own_options, talp)},
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "with PROGRAM: put the archives and what the program prints into DIR, which is new",
     .take = option_text,
     .at = offsetof(struct scale_own_options, directory)},
    {.name = NULL}};

const struct command command_scale = {
    .name = "scale",
    .group = COMMAND_COMPARE,
    .summary = "compares runs with different numbers of threads: what limits the speedup, and which work takes longer",
    .synopsis = "[OPTION]... DIR...|[--] PROGRAM [ARGUMENT]...",
    .about =
        "Compares runs of one program with different numbers of threads. Work that takes longer with more threads is\n"
        "named: the threads share bandwidth, a cache, cache lines, or atomic variables. PROGRAM is recorded with\n"
        "different values of OMP_NUM_THREADS; {threads} in its arguments is replaced by the number. DIR is a recorded\n"
        "archive: its number is how many threads had something to do at once. A file that ends in .json is a table of "
        "TALP.\n",
    .operand = "archives of runs with different numbers of threads, or a program",
    .least = 1,
    .stops_at_operand = 1,
    .options = {{.list = scale_own_options}, [OPTIONS_SHARED] = {.list = format_options}},
    .run = scale_main,
};
