#include "analyzer/commands/command.h"

#include "analyzer/commands/record_convert.h"
#include "analyzer/commands/record_directory.h"
#include "analyzer/commands/record_java.h"
#include "analyzer/commands/record_run.h"
#include "analyzer/commands/siblings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: heddle record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "Runs PROGRAM, records what its OpenMP or Java threads do, and makes an OTF2 archive of it.\n\n"
    "  -o, --output DIR    the trace's directory (default: heddle-PROGRAM-START-PID here)\n"
    "  -f, --force         replace a trace that is in DIR already\n"
    "      --max-size N    record at most N bytes a process, then stop; 0: no limit (HEDDLE_MAX_SIZE)\n"
    "      --ring N        keep only the newest N bytes of each thread (HEDDLE_RING)\n"
    "      --window N      bytes a thread records between two writes (HEDDLE_WINDOW)\n"
    "      --paused        record nothing until omp_control_tool(omp_control_tool_start, ...)\n"
    "      --keep-raw      keep the raw trace beside the archive\n"
    "      --no-convert    leave the raw trace as it is; `heddle convert DIR` makes the archive later\n"
    "      --converter F   convert with the program F (HEDDLE_CONVERTER)\n"
    "      --java OPTIONS  what to record of a JVM: level=jomp,jvm stack=N ..., see heddle-record(1) (HEDDLE_JAVA)\n"
    "      --all-jvms      every JVM that PROGRAM starts, by JAVA_TOOL_OPTIONS; else only when PROGRAM is java\n"
    "      --off           run the program and record nothing (HEDDLE=off)\n"
    "  -v, --verbose       let the recorder say what it does (HEDDLE_VERBOSE=1)\n"
    "  -h, --help          this text\n"
    "N may end in K, M or G. The exit status is PROGRAM's.\n";

enum {
  OPTION_MAX_SIZE = OPTION_FIRST_OWN,
  OPTION_RING,
  OPTION_WINDOW,
  OPTION_PAUSED,
  OPTION_KEEP_RAW,
  OPTION_NO_CONVERT,
  OPTION_CONVERTER,
  OPTION_JAVA,
  OPTION_ALL_JVMS,
  OPTION_OFF
};

struct record_options {
  const char *directory;
  const char *converter;
  bool force, keep_raw, no_convert, all_jvms, off;
};

/* A setting of the recorder: checked here, so that a mistake shows before the program has run for hours. */
static int set_size(const char *command, const char *option, const char *variable)
{
  char *end;
  errno = 0;
  unsigned long long number = strtoull(optarg, &end, 10);
  unsigned shift = *end == 'K' || *end == 'k'   ? 10
                   : *end == 'M' || *end == 'm' ? 20
                   : *end == 'G' || *end == 'g' ? 30
                                                : 0;
  if (shift)
    end++;
  if (*optarg < '0' || *optarg > '9' || *end || errno || number > UINT64_MAX >> shift)
    return command_usage(command, "%s %s: give a number of bytes; it may end in K, M or G", option, optarg);
  setenv(variable, optarg, 1);
  return -1;
}

static int take_option(struct record_options *options, char **argv, int code)
{
  switch (code) {
  case 'o':
    options->directory = optarg;
    return *optarg ? -1 : command_usage(argv[0], "--output needs the name of a directory");
  case 'f':
    options->force = true;
    return -1;
  case 'v':
    setenv("HEDDLE_VERBOSE", "1", 1);
    return -1;
  case 'h':
    return command_help(help);
  case OPTION_MAX_SIZE:
    return set_size(argv[0], "--max-size", "HEDDLE_MAX_SIZE");
  case OPTION_RING:
    return set_size(argv[0], "--ring", "HEDDLE_RING");
  case OPTION_WINDOW:
    return set_size(argv[0], "--window", "HEDDLE_WINDOW");
  case OPTION_PAUSED:
    setenv("HEDDLE_PAUSED", "1", 1);
    return -1;
  case OPTION_KEEP_RAW:
    options->keep_raw = true;
    return -1;
  case OPTION_NO_CONVERT:
    options->no_convert = true;
    return -1;
  case OPTION_CONVERTER:
    options->converter = optarg;
    return -1;
  case OPTION_JAVA:
    setenv("HEDDLE_JAVA", optarg, 1);
    return -1;
  case OPTION_ALL_JVMS:
    options->all_jvms = true;
    return -1;
  case OPTION_OFF:
    options->off = true;
    return -1;
  default:
    return command_bad_option(argv, code);
  }
}

static int take_options(int argc, char **argv, struct record_options *options)
{
  static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                       {"force", no_argument, NULL, 'f'},
                                       {"max-size", required_argument, NULL, OPTION_MAX_SIZE},
                                       {"ring", required_argument, NULL, OPTION_RING},
                                       {"window", required_argument, NULL, OPTION_WINDOW},
                                       {"paused", no_argument, NULL, OPTION_PAUSED},
                                       {"keep-raw", no_argument, NULL, OPTION_KEEP_RAW},
                                       {"no-convert", no_argument, NULL, OPTION_NO_CONVERT},
                                       {"converter", required_argument, NULL, OPTION_CONVERTER},
                                       {"java", required_argument, NULL, OPTION_JAVA},
                                       {"all-jvms", no_argument, NULL, OPTION_ALL_JVMS},
                                       {"off", no_argument, NULL, OPTION_OFF},
                                       {"verbose", no_argument, NULL, 'v'},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  int code;
  opterr = 0;
  while ((code = getopt_long(argc, argv, "+:o:fvh", list, NULL)) != -1) {
    int status = take_option(options, argv, code);
    if (status >= 0)
      return status;
  }
  return optind < argc ? -1 : command_usage(argv[0], "no program is given");
}

/* The path of what is loaded into programs, to be freed; NULL: it is not there, which was said. */
static char *find_tool(const char *sibling)
{
  char *tool = sibling_path(sibling);
  if (tool && access(tool, R_OK) == 0)
    return tool;
  command_error("record", "the tool %s is missing; is the installation complete?", tool ? tool : sibling);
  free(tool);
  return NULL;
}

/* The tool goes before other tools that the user may have named; the runtime takes the first that accepts. */
static bool set_environment(const char *directory)
{
  char *tool = find_tool(SIBLING_OMPT_TOOL);
  if (!tool)
    return false;
  const char *others = getenv("OMP_TOOL_LIBRARIES");
  char *libraries = NULL;
  if (asprintf(&libraries, "%s%s%s", tool, others && *others ? ":" : "", others ? others : "") < 0)
    libraries = NULL;
  bool good = libraries && setenv("OMP_TOOL_LIBRARIES", libraries, 1) == 0 && setenv("OMP_TOOL", "enabled", 1) == 0 &&
              setenv("HEDDLE", "on", 1) == 0 && setenv("HEDDLE_DIR", directory, 1) == 0 &&
              setenv("HEDDLE_CONVERT", "0", 1) == 0;
  if (!good)
    command_error("record", "out of memory");
  free(libraries);
  free(tool);
  return good;
}

/* The command line of the program, with the agent where it is a JVM. */
struct command_line {
  char **arguments;
  char **made;  /* NULL: the arguments are the user's */
  char *option; /* the agent's, or NULL */
};

/* Brings the agent into the JVM that the program is, or into all JVMs. False: said why not. */
static bool add_agent(struct command_line *line, bool all_jvms)
{
  if (!all_jvms && !record_is_java(line->arguments[0]))
    return true;
  char *agent = find_tool(SIBLING_AGENT);
  if (!agent)
    return false;
  line->option = record_agent_option(agent);
  free(agent);
  bool good = line->option;
  if (good && all_jvms)
    good = record_java_everywhere(line->option);
  else if (good)
    good = (line->made = line->arguments = record_java_arguments(line->arguments, line->option)) != NULL;
  if (!good)
    command_error("record", "out of memory");
  return good;
}

static void free_command_line(struct command_line *line)
{
  free(line->made);
  free(line->option);
}

static void say_why_nothing(const char *program)
{
  command_error("record",
                "nothing was recorded: %s did not start LLVM's OpenMP runtime (libomp). A program built with gcc uses "
                "libgomp, which cannot be traced yet; a statically linked runtime may not support tools; or it has no "
                "parallel region. A script that starts Java needs --all-jvms",
                program);
}

/* After the program: converts, and says in one line where the archive is and what to do with it. */
static void finish(const struct record_options *options, const struct record_directory *directory, const char *program)
{
  if (!record_directory_has_raw(directory)) {
    say_why_nothing(program);
    record_directory_drop(directory);
  } else if (options->no_convert) {
    fprintf(stderr, "heddle: the raw trace is in %s; next: heddle convert %s\n", directory->shown, directory->shown);
  } else {
    record_convert("record", directory->path, directory->shown, options->converter, options->keep_raw);
  }
}

int command_record(int argc, char **argv)
{
  struct record_options options = {.converter = getenv("HEDDLE_CONVERTER")};
  int status = take_options(argc, argv, &options);
  if (status >= 0)
    return status;
  struct command_line line = {.arguments = argv + optind};
  const char *program = line.arguments[0];
  if (options.converter && !*options.converter)
    options.converter = NULL;

  struct record_directory directory = {0};
  if (options.off) {
    setenv("HEDDLE", "off", 1);
  } else {
    if (!record_directory_make(&directory, options.directory, program, options.force))
      return EXIT_FAULT;
    if (!set_environment(directory.path) || !add_agent(&line, options.all_jvms)) {
      record_directory_drop(&directory);
      record_directory_free(&directory);
      free_command_line(&line);
      return EXIT_FAULT;
    }
  }
  struct record_result result = record_run(line.arguments);
  if (!result.started) {
    command_error("record", "%s: %s", program, strerror(result.error));
    if (!options.off)
      record_directory_drop(&directory);
  } else if (!options.off) {
    record_clean_environment();
    finish(&options, &directory, program);
  }
  record_directory_free(&directory);
  free_command_line(&line);
  return record_exit_status(&result);
}
