/* The program `heddle`: hands over to the command that its first argument names. */
#include "analyzer/commands/command.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);
} commands[] = {
#define X(name, summary) {#name, summary, command_##name},
    HEDDLE_COMMANDS(X)
#undef X
};

static void put_help(void)
{
  puts("Usage: heddle COMMAND ...\n"
       "Shows what every thread of an OpenMP or Java program really did.\n\n"
       "Commands:");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    printf("  %-10s  %s\n", commands[i].name, commands[i].summary);
  puts("\nFor the options of a command: heddle COMMAND --help\n"
       "A first look:\n"
       "  heddle record -o lu.heddle -- ./lu 512\n"
       "  heddle states lu.heddle\n"
       "  heddle imbalance lu.heddle");
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    fprintf(stderr, "heddle: no command given; see `heddle --help`\n");
    return EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    put_help();
    return command_printed();
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("heddle " HEDDLE_VERSION);
    return command_printed();
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  }
  command_error(argv[1], "there is no such command; see `heddle --help`");
  return EXIT_USAGE;
}
