#include "analyzer/command/command.h"

#include "analyzer/record/launch/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The converter reads the options itself. */
static int convert_run(const struct command *command, int argc, char **argv)
{
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return command_help(command);
  char *program = sibling_path(SIBLING_CONVERT);
  if (!program) {
    command_error("convert", "the path of heddle itself is unknown: run heddle-convert directly");
    return EXIT_FAULT;
  }
  argv[0] = program;
  execv(program, argv);
  command_error("convert", "%s: cannot start the converter: %s; is the installation complete?", program,
                strerror(errno));
  free(program);
  return EXIT_FAULT;
}

/* The options of heddle-convert (otf2-convert/options.c); a test compares both lists. */
static const struct command_option converter_options[] = {
    {.name = "keep-raw", .letter = 'k', .help = "keep the raw trace"},
    {.name = "remove-raw", .help = "remove it even if a process of the trace may still be recording"},
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "put the archive into DIR, which is created if it is missing"},
    {.name = "jobs", .letter = 'j', .argument = "N", .help = "use N threads (default: one a processor)"},
    {.name = "force-live", .help = "convert although a recorded process is still running"},
    {.name = "if-idle", .help = "do nothing while a recorded process is still running"},
    {.name = "ended",
     .argument = "END",
     .help = "how a process ended that could not record it: PID:signal:NUMBER or PID:status:NUMBER"},
    {.name = "quiet", .letter = 'q', .help = "report errors only"},
    {.name = "version", .letter = 'V', .help = "show the version"},
    {.name = NULL}};

const struct command command_convert = {
    .name = "convert",
    .group = COMMAND_RECORD,
    .summary = "makes the OTF2 archive of a raw trace, also after a crash",
    .synopsis = "[OPTION]... DIR",
    .about = "Makes the OTF2 archive DIR/traces.otf2 from the raw trace DIR/raw, and removes the raw trace. Runs "
             "heddle-convert\n"
             "with the same arguments.\n",
    .options = {{.list = converter_options}},
    .run = convert_run,
};
