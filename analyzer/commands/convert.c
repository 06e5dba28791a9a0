#include "analyzer/commands/command.h"

#include "analyzer/commands/siblings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Usage: heddle convert [OPTION]... DIR\n"
                           "Makes the OTF2 archive of a raw trace. Runs heddle-convert with the same arguments;\n"
                           "its options: heddle-convert --help\n";

int command_convert(int argc, char **argv)
{
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return command_help(help);
  char *program = sibling_path(SIBLING_CONVERT);
  if (!program) {
    command_error("convert", "the path of heddle itself is unknown: run heddle-convert directly");
    return EXIT_FAULT;
  }
  argv[0] = program;
  execv(program, argv);
  command_error("convert", "%s cannot be started: %s; is the installation complete?", program, strerror(errno));
  free(program);
  return EXIT_FAULT;
}
