#include "analyzer/command/shared_options.h"

#include "analyzer/command/values.h"

static int take_format(const struct option_given *given, void *into)
{
  struct shared_options *options = into;
  if (options->format != PRINT_TEXT)
    return command_usage(given->command, "one of --json and --csv is enough");
  options->format = given->option->name[0] == 'j' ? PRINT_JSON : PRINT_CSV;
  return -1;
}

#define FORMAT_OPTIONS                                                                                                 \
  {.name = "json", .help = "JSON instead of text", .take = take_format},                                               \
  {                                                                                                                    \
    .name = "csv", .help = "CSV instead of text", .take = take_format                                                  \
  }
#define JOBS_OPTION                                                                                                    \
  {.name = "jobs",                                                                                                     \
   .letter = 'j',                                                                                                      \
   .argument = "N",                                                                                                    \
   .help = "threads to read with (default: one a processor)",                                                          \
   .take = option_number,                                                                                              \
   .at = offsetof(struct shared_options, jobs),                                                                        \
   .least = 1,                                                                                                         \
   .most = 1024}

const struct command_option format_options[] = {FORMAT_OPTIONS, {.name = NULL}};
const struct command_option jobs_options[] = {JOBS_OPTION, {.name = NULL}};
const struct command_option analysis_options[] = {FORMAT_OPTIONS, JOBS_OPTION, {.name = NULL}};
