#include "analyzer/commands/record_options.h"

#include "analyzer/commands/command.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static const char help[] =
    "Usage: heddle record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "Runs PROGRAM, records what its OpenMP or Java threads do, and makes an OTF2 archive of it.\n\n"
    "  -o, --output DIR    the trace's directory (default: heddle-PROGRAM-START-PID here)\n"
    "  -f, --force         replace a trace that DIR already holds\n"
    "      --max-size N    record at most N bytes a process (64K or more), then stop; 0: no limit (HEDDLE_MAX_SIZE)\n"
    "      --max-rate N    record at most N instances a second of each construct, sum the rest (HEDDLE_MAX_RATE)\n"
    "      --ring N        keep only the newest N bytes of each thread, 64K or more (HEDDLE_RING)\n"
    "      --window N      bytes a thread records between two writes, 16K to 16M (HEDDLE_WINDOW)\n"
    "      --paused        record nothing until omp_control_tool(omp_control_tool_start, ...)\n"
    "      --keep-raw      keep the raw trace beside the archive\n"
    "      --no-convert    leave the raw trace as it is; `heddle convert DIR` makes the archive later\n"
    "      --converter F   convert with the program F (HEDDLE_CONVERTER)\n"
    "      --java OPTIONS  what to record in a JVM: level=jomp,jvm stack=N ..., see heddle-record(1) (HEDDLE_JAVA)\n"
    "      --all-jvms      record every JVM that PROGRAM starts, through JAVA_TOOL_OPTIONS (default: only if PROGRAM "
    "is java)\n"
    "      --no-preload    do not preload libheddle-gomp.so: programs of gcc and gfortran are not recorded then\n"
    "      --off           run the program and record nothing (HEDDLE=off)\n"
    "      --dry-run       run nothing; print findings about PROGRAM, the environment and the command\n"
    "  -v, --verbose       report what the recorder does (HEDDLE_VERBOSE=1)\n"
    "  -h, --help          this text\n"
    "N may end in K, M or G: powers of 1024, for --max-rate powers of 1000. The exit status is PROGRAM's.\n";

enum {
  OPTION_MAX_SIZE = OPTION_FIRST_OWN,
  OPTION_MAX_RATE,
  OPTION_RING,
  OPTION_WINDOW,
  OPTION_PAUSED,
  OPTION_KEEP_RAW,
  OPTION_NO_CONVERT,
  OPTION_CONVERTER,
  OPTION_JAVA,
  OPTION_ALL_JVMS,
  OPTION_NO_PRELOAD,
  OPTION_OFF,
  OPTION_DRY_RUN
};

/* As the recorder has them (common/settings.c); a test holds both to the same. */
#define MOST_RATE    1000000000u
#define LEAST_SIZE   (64ull << 10)
#define LEAST_WINDOW (16ull << 10)
#define MOST_WINDOW  (16ull << 20)

/* The bounds of a size; 0 is allowed beside them: no limit, or the default. */
struct size_bounds {
  uint64_t least, most;
  const char *text;
};

/* A setting of the recorder: checked here, so that a mistake shows before the program has run for hours. */
static int set_size(struct record_options *options, const char *option, const char *variable,
                    const struct size_bounds *bounds)
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
    return command_usage("record", "%s %s: give a number of bytes; it may end in K, M or G", option, optarg);
  uint64_t size = (uint64_t)number << shift;
  if (size != 0 && (size < bounds->least || size > bounds->most))
    return command_usage("record", "%s %s: give %s, or 0", option, optarg, bounds->text);
  environment_set(&options->environment, variable, optarg);
  return -1;
}

/* Likewise; of instances a second. */
static int set_rate(struct record_options *options)
{
  char *end;
  unsigned long long number = strtoull(optarg, &end, 10);
  unsigned long long unit = *end == 'K' || *end == 'k' ? 1000 : *end == 'M' || *end == 'm' ? 1000000 : 1;
  if (unit > 1)
    end++;
  if (*optarg < '0' || *optarg > '9' || *end || number > MOST_RATE / unit)
    return command_usage("record", "--max-rate %s: give a number of instances a second; it may end in K or M", optarg);
  environment_set(&options->environment, "HEDDLE_MAX_RATE", optarg);
  return -1;
}

static int take_option(struct record_options *options, char **argv, int code)
{
  static const struct size_bounds size = {LEAST_SIZE, UINT64_MAX / 2, "at least 64K bytes"},
                                  window = {LEAST_WINDOW, MOST_WINDOW, "16K to 16M bytes"};
  switch (code) {
  case 'o':
    options->directory = optarg;
    return *optarg ? -1 : command_usage(argv[0], "--output needs the name of a directory");
  case 'f':
    options->force = true;
    return -1;
  case 'v':
    environment_set(&options->environment, "HEDDLE_VERBOSE", "1");
    return -1;
  case 'h':
    return command_help(help);
  case OPTION_MAX_SIZE:
    return set_size(options, "--max-size", "HEDDLE_MAX_SIZE", &size);
  case OPTION_MAX_RATE:
    return set_rate(options);
  case OPTION_RING:
    return set_size(options, "--ring", "HEDDLE_RING", &size);
  case OPTION_WINDOW:
    return set_size(options, "--window", "HEDDLE_WINDOW", &window);
  case OPTION_PAUSED:
    environment_set(&options->environment, "HEDDLE_PAUSED", "1");
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
    environment_set(&options->environment, "HEDDLE_JAVA", optarg);
    return -1;
  case OPTION_ALL_JVMS:
    options->all_jvms = true;
    return -1;
  case OPTION_NO_PRELOAD:
    options->no_preload = true;
    return -1;
  case OPTION_OFF:
    options->off = true;
    return -1;
  case OPTION_DRY_RUN:
    options->dry_run = true;
    return -1;
  default:
    return command_bad_option(argv, code);
  }
}

int record_options_take(int argc, char **argv, struct record_options *options)
{
  static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                       {"force", no_argument, NULL, 'f'},
                                       {"max-size", required_argument, NULL, OPTION_MAX_SIZE},
                                       {"max-rate", required_argument, NULL, OPTION_MAX_RATE},
                                       {"ring", required_argument, NULL, OPTION_RING},
                                       {"window", required_argument, NULL, OPTION_WINDOW},
                                       {"paused", no_argument, NULL, OPTION_PAUSED},
                                       {"keep-raw", no_argument, NULL, OPTION_KEEP_RAW},
                                       {"no-convert", no_argument, NULL, OPTION_NO_CONVERT},
                                       {"converter", required_argument, NULL, OPTION_CONVERTER},
                                       {"java", required_argument, NULL, OPTION_JAVA},
                                       {"all-jvms", no_argument, NULL, OPTION_ALL_JVMS},
                                       {"no-preload", no_argument, NULL, OPTION_NO_PRELOAD},
                                       {"off", no_argument, NULL, OPTION_OFF},
                                       {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
                                       {"verbose", no_argument, NULL, 'v'},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  int code;
  *options = (struct record_options){.converter = getenv("HEDDLE_CONVERTER")};
  if (options->converter && !*options->converter)
    options->converter = NULL;
  opterr = 0;
  while ((code = getopt_long(argc, argv, "+:o:fvh", list, NULL)) != -1) {
    int status = take_option(options, argv, code);
    if (status >= 0)
      return status;
  }
  return optind < argc ? -1 : command_usage(argv[0], "no program given");
}
