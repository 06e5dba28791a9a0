#include "analyzer/analyses/intervals/plan.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/exchange/generate/generate.h"
#include "analyzer/trace/output.h"
#include "base/count_of.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spec_own_options {
  struct generate_options generated;
  const char *output;
  bool language_given;
};

static int take_language(const struct option_given *given, void *into)
{
  struct spec_own_options *options = into;
  unsigned language;
  struct command_option option = *given->option;
  option.at = 0;
  int status = option_word(&(struct option_given){given->command, &option, given->value}, &language);
  options->generated.language = (enum generate_language)language;
  options->language_given = true;
  return status;
}

static struct spec *read_checked(const char *path, struct error *error)
{
  struct spec *spec = spec_read(path, error);
  if (spec && spec_check(spec, error))
    return spec;
  spec_free(spec);
  return NULL;
}

/* A public class must be in a file of its name. */
static bool is_java_file(const struct spec_own_options *options, const struct spec *spec)
{
  const char *slash = options->output ? strrchr(options->output, '/') : NULL;
  const char *file = slash ? slash + 1 : options->output;
  size_t size = strlen(spec->name);
  return !file || strcmp(file, "-") == 0 || options->generated.language != GENERATE_JAVA ||
         (strncmp(file, spec->name, size) == 0 && strcmp(file + size + (file[size] == '_'), ".java") == 0);
}

static bool generate(const struct spec_own_options *options, const char *path, struct error *error)
{
  struct output output;
  struct spec *spec = read_checked(path, error);
  bool good = spec && generate_check(spec, &options->generated, error);
  if (good && !is_java_file(options, spec))
    good = error_set(error, "%s: Java needs the file name %s.java", options->output, spec->name);
  if (good && (good = output_open(&output, options->output ? options->output : "-", error))) {
    generate_write(spec, &options->generated, output.file);
    good = output_close(&output, true, error);
  }
  spec_free(spec);
  return good;
}

struct spec_view {
  struct print *print;
  const struct trace *trace;
};

static void put_built(void *context, const struct spec_built *built)
{
  const struct spec_view *view = context;
  const char *version = strchr(built->hash, ' ');
  char hash[SPEC_HASH_SIZE];
  size_t size = version ? (size_t)(version - built->hash) : strlen(built->hash);
  snprintf(hash, sizeof hash, "%.*s", (int)(size < SPEC_HASH_SIZE ? size : SPEC_HASH_SIZE - 1), built->hash);
  const struct print_cell cells[] = {print_string(view->trace->processes[built->process].name),
                                     print_string(built->name), print_string(hash),
                                     version ? print_string(version + 1) : print_none(),
                                     print_string(built->fits    ? "fits"
                                                  : built->named ? "does not fit"
                                                                 : "another specification")};
  print_row(view->print, cells);
}

static bool check_spec(const char *path, const char *directory, enum print_format format, struct error *error)
{
  static const struct print_column columns[] = {{"process", "Process", PRINT_STRING, false},
                                                {"specification", "Specification", PRINT_STRING, false},
                                                {"hash", "Hash", PRINT_STRING, false},
                                                {"version", "Heddle", PRINT_STRING, false},
                                                {"fits", "Here", PRINT_STRING, false}};
  char hash[SPEC_HASH_SIZE];
  struct spec *spec = read_checked(path, error);
  struct trace *trace = spec && directory ? trace_open(directory, error) : NULL;
  struct spec_view view = {NULL, trace};
  bool good = spec && (trace || !directory);
  if (good) {
    view.print = print_open(format, stdout, trace ? trace->ticks_per_second : 0);
    good = view.print || error_set(error, "out of memory");
  }
  if (good) {
    spec_hash_text(spec_hash(spec), hash);
    print_fact(view.print, "specification", "Specification", PRINT_STRING,
               spec->name ? print_string(spec->name) : print_none());
    print_fact(view.print, "hash", "Hash", PRINT_STRING, print_string(hash));
    if (trace) {
      print_table(view.print, "processes", "Processes were built with", columns, COUNT_OF(columns), false);
      spec_for_each_built(trace, spec, put_built, &view);
      print_table_end(view.print);
    }
    good = print_close(view.print); /* else the message is there */
    good = good && (!trace || spec_fits(trace, spec, error));
  }
  trace_close(trace);
  spec_free(spec);
  return good;
}

static int spec_run(const struct command *command, int argc, char **argv)
{
  struct spec_own_options options = {.language_given = false};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  const char *what = argv[optind], *spec = argv[optind + 1], *directory = argc - optind > 2 ? argv[optind + 2] : NULL;
  bool generates = strcmp(what, "generate") == 0, good;
  if (!generates && strcmp(what, "check") != 0)
    return command_usage(argv[0], "%s: generate or check expected", what);
  if (!spec)
    return command_usage(argv[0], "no specification is given: name a file (heddle-spec(1))");
  if (generates && !options.language_given)
    return command_usage(argv[0], "generate needs --lang %s", GENERATE_LANGUAGES);
  if (generates && directory)
    return command_usage(argv[0], "%s: one specification expected", directory);
  if (options.generated.package && options.generated.language != GENERATE_JAVA)
    return command_usage(argv[0], "--package is for --lang java");
  if (generates)
    good = generate(&options, spec, &error);
  else
    good = check_spec(spec, directory, shared.format, &error);
  if (!good) {
    command_printed();
    command_failed(argv[0], error.message);
    return EXIT_FAULT;
  }
  return command_printed();
}

static const struct command_option spec_own_options[] = {{.name = "lang",
                                                          .letter = 'l',
                                                          .words = GENERATE_LANGUAGES,
                                                          .help = "of the code; c also serves C++",
                                                          .take = take_language},
                                                         {.name = "output",
                                                          .letter = 'o',
                                                          .argument = "FILE",
                                                          .help = "write the code there (default: standard output)",
                                                          .take = option_text,
                                                          .at = offsetof(struct spec_own_options, output)},
                                                         {.name = "package",
                                                          .argument = "NAME",
                                                          .help = "package of the class, in Java (default: none)",
                                                          .take = option_text,
                                                          .at = offsetof(struct spec_own_options, generated.package)},
                                                         {.name = NULL}};

const struct command command_spec = {
    .name = "spec",
    .group = COMMAND_RECORD,
    .summary = "makes logging functions from a specification of events, or checks a specification",
    .synopsis = "generate --lang LANGUAGE [-o FILE] [--package NAME] SPEC | check SPEC [DIR]",
    .about = "generate: makes the source code of a logging function for each event that the file SPEC declares.\n"
             "check: checks the file SPEC, and whether the program of the trace DIR was built with its events.\n",
    .operand = "generate or check, and a specification",
    .least = 1,
    .most = 3,
    .options = {{"Options of generate:", spec_own_options}, {"Options of check:", format_options}},
    .run = spec_run,
};
