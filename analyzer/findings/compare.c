#include "analyzer/command/shared_options.h"
#include "analyzer/findings/compare_show.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_WORSE = 3, EXIT_TOO_FEW = 4, COMPARE_TOP = 20 };

enum compare_output { OUTPUT_PRINT, OUTPUT_MARKDOWN, OUTPUT_JUNIT, OUTPUT_SARIF };

struct compare_own_options {
  struct compare_options options;
  enum compare_output output;
  const char *history; /* NULL: none */
  uint64_t top;        /* 0: the usual number */
};

static int take_output(const struct option_given *given, void *into)
{
  struct compare_own_options *own = into;
  if (own->output != OUTPUT_PRINT)
    return command_usage(given->command, "one of --markdown, --junit and --sarif is enough");
  own->output = given->option->name[0] == 'm'   ? OUTPUT_MARKDOWN
                : given->option->name[0] == 'j' ? OUTPUT_JUNIT
                                                : OUTPUT_SARIF;
  return -1;
}

/* A percentage, with or without its sign. */
static int take_worse(const struct option_given *given, void *into)
{
  struct compare_own_options *own = into;
  size_t length = strlen(given->value);
  if (length > 0 && given->value[length - 1] == '%')
    given->value[length - 1] = 0;
  if (!value_real(given->value, &own->options.worse) || own->options.worse <= 0)
    return command_usage(given->command, "--worse %s: give a percentage above 0: 5%%, 2.5%%, ...", given->value);
  return -1;
}

static int exit_status(enum compare_verdict verdict)
{
  return verdict == VERDICT_WORSE ? EXIT_WORSE : verdict == VERDICT_TOO_FEW ? EXIT_TOO_FEW : EXIT_DONE;
}

/* A recording that is given twice is one sample, not two. */
static bool all_differ(const struct runs *runs, size_t from, struct error *error)
{
  for (size_t i = from; i < runs->list.count; i++)
    for (size_t k = 0; k < i; k++)
      if (run_is_same(&runs->list.items[k], &runs->list.items[i]))
        return error_set(error, "%s: is the same run as %s; give each run once", runs->list.items[i].path,
                         runs->list.items[k].path);
  return true;
}

static bool read_operands(char *const *operands, int count, struct pool *pool, struct runs *runs, struct error *error)
{
  for (int i = 0; i < count; i++)
    if (!runs_of_operand(operands[i], pool, runs, error))
      return false;
  return true;
}

static bool compare_print(const struct compare_own_options *own, const struct shared_options *shared,
                          const struct comparison *comparison)
{
  enum print_format format = own->output == OUTPUT_MARKDOWN ? PRINT_MARKDOWN : shared->format;
  bool people = format == PRINT_TEXT || format == PRINT_MARKDOWN;
  uint64_t top = own->top ? own->top : people ? COMPARE_TOP : UINT64_MAX;
  if (own->output == OUTPUT_JUNIT)
    return compare_show_junit(comparison, stdout) && command_printed() == EXIT_DONE;
  if (own->output == OUTPUT_SARIF)
    return compare_show_sarif(comparison, stdout) && command_printed() == EXIT_DONE;
  return compare_show(comparison, format, top);
}

static int compare_groups(const struct compare_own_options *own, const struct shared_options *shared,
                          char *const *operands, const int counts[2], struct error *error)
{
  struct runs runs = {0};
  struct comparison comparison = {0};
  struct pool *pool = pool_create((unsigned)shared->jobs);
  bool good = pool || error_set(error, "out of memory");
  good = good && read_operands(operands, counts[0], pool, &runs, error);
  size_t old = runs.list.count;
  good = good && read_operands(operands + counts[0], counts[1], pool, &runs, error);
  if (good && (old == 0 || old == runs.list.count))
    good = error_set(error, "%s: has no runs", operands[old == 0 ? 0 : counts[0]]);
  good = good && all_differ(&runs, 0, error);
  if (good)
    good = (compare_runs(&runs, old, &own->options, &comparison) && compare_print(own, shared, &comparison)) ||
           error_set(error, "out of memory");
  int status = good ? exit_status(comparison.verdict) : EXIT_FAULT;
  compare_free(&comparison);
  runs_free(&runs);
  pool_destroy(pool);
  return status;
}

/* Appends the operands' runs to the file, but what is in it already, and searches it. */
static int compare_history(const struct compare_own_options *own, const struct shared_options *shared,
                           char *const *operands, int count, struct error *error)
{
  struct runs runs = {0};
  struct changes changes = {0};
  struct pool *pool = pool_create((unsigned)shared->jobs);
  bool there = access(own->history, F_OK) == 0;
  bool good = pool || error_set(error, "out of memory");
  good = good && (!there || runs_of_history(own->history, &runs, error));
  size_t before = runs.list.count;
  good = good && read_operands(operands, count, pool, &runs, error);
  for (size_t i = before; good && i < runs.list.count; i++)
    good = runs_is_known(&runs, i) || runs_to_history(own->history, &runs.list.items[i], 1, error);
  for (size_t i = runs.list.count; i-- > before;)
    if (runs_is_known(&runs, i))
      runs_remove(&runs, i);
  enum print_format format = own->output == OUTPUT_MARKDOWN ? PRINT_MARKDOWN : shared->format;
  uint64_t top = own->top ? own->top : format == PRINT_TEXT || format == PRINT_MARKDOWN ? COMPARE_TOP : UINT64_MAX;
  if (good && runs.list.count == 0)
    good = error_set(error, "%s: has no runs yet; give runs to add", own->history);
  if (good)
    good = (changes_find(&runs, &own->options, &changes) && changes_show(&changes, format, top)) ||
           error_set(error, "out of memory");
  int status = good ? exit_status(changes.verdict) : EXIT_FAULT;
  changes_free(&changes);
  runs_free(&runs);
  pool_destroy(pool);
  return status;
}

/* Where `--` is among the arguments, which getopt_long() moves; 0: nowhere. */
static int border_of(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--") == 0)
      return i;
  return 0;
}

static int compare_run(const struct command *command, int argc, char **argv)
{
  struct compare_own_options own = {.options = {.level = 0.01, .worse = 5}};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct error error = {{0}};
  int border = border_of(argc, argv), behind = border ? argc - border - 1 : 0;
  int status = command_take(command, (void *[OPTION_SETS]){&own, &shared}, argc, argv);
  if (status >= 0)
    return status;
  const int counts[2] = {argc - optind - behind, behind};
  if (own.output != OUTPUT_PRINT && shared.format != PRINT_TEXT)
    return command_usage(argv[0], "one of --json, --csv, --markdown, --junit and --sarif is enough");
  if (own.history && border)
    return command_usage(argv[0], "--history takes runs to add, without --");
  if (own.history && own.output > OUTPUT_MARKDOWN)
    return command_usage(argv[0], "--history prints text, --json, --csv or --markdown");
  if (!own.history && (counts[0] < 1 || counts[1] < 1))
    return command_usage(argv[0], "give old runs, --, and new runs");
  status = own.history ? compare_history(&own, &shared, argv + optind, counts[0], &error)
                       : compare_groups(&own, &shared, argv + optind, counts, &error);
  if (status == EXIT_FAULT)
    command_failed(argv[0], error.message);
  return status;
}

static const struct command_option compare_own_options[] = {
    {.name = "worse",
     .argument = "PERCENT",
     .help = "worse is what takes this much longer, proved (default: 5%)",
     .take = take_worse},
    {.name = "history",
     .argument = "FILE",
     .help = "add the runs to FILE, a line each, and find the runs where something changed",
     .take = option_text,
     .at = offsetof(struct compare_own_options, history)},
    {.name = "top",
     .argument = "N",
     .help = "print N rows at most (default: 20; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct compare_own_options, top),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "markdown", .help = "Markdown instead of text, for a review's comment", .take = take_output},
    {.name = "junit",
     .help = "JUnit's XML instead of text, a test case for each time that was tested",
     .take = take_output},
    {.name = "sarif", .help = "SARIF 2.1.0 instead of text: what is slower, at its source line", .take = take_output},
    {.name = NULL}};

const struct command command_compare = {
    .name = "compare",
    .group = COMMAND_COMPARE,
    .summary = "tests what became slower or faster between two versions of a program",
    .synopsis = "[OPTION]... OLD... -- NEW...\n       heddle compare [OPTION]... --history FILE [RUN]...",
    .about =
        "Compares runs of two versions by construct, lock, task line, pool, function and cause of lost time. Runs are\n"
        "samples: what is called slower is proved by an exact test. OLD and NEW are archives, profiles, directories\n"
        "with them, or files that --history wrote.\n",
    .notes = "Exit status: 0 no worse, 1 the input is at fault, 2 wrong usage, 3 worse, 4 too few runs to decide.\n",
    .operand = "old runs, --, and new runs",
    .options = {{.list = compare_own_options}, {.list = format_options}},
    .run = compare_run,
};
