/* The program `heddle`: hands over to the command that its first argument names. */
#include "analyzer/table.h"
#include "base/large_stack.h"

#include <stdio.h>
#include <string.h>

static void put_help(void)
{
  puts("Usage: heddle COMMAND ...\n"
       "Shows what every thread of an OpenMP or Java program really did.");
  command_list(command_table, command_table_size);
  puts("\nFor the options of a command: heddle COMMAND --help\n"
       "A first look:\n"
       "  heddle record -o lu.heddle -- ./lu 512\n"
       "  heddle states lu.heddle\n"
       "  heddle imbalance lu.heddle");
}

static int run(int argc, char **argv)
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
  if (strcmp(argv[1], "--complete") == 0) /* for packaging/heddle.bash-completion */
    return command_complete(command_table, command_table_size, argc - 2, argv + 2);
  for (size_t i = 0; i < command_table_size; i++) {
    if (strcmp(argv[1], command_table[i]->name) == 0)
      return command_table[i]->run(command_table[i], argc - 1, argv + 1);
  }
  command_error(argv[1], "there is no such command; see `heddle --help`");
  return EXIT_USAGE;
}

int main(int argc, char **argv)
{
  int status = large_stack_run(run, argc, argv);
  if (status >= 0)
    return status;
  fprintf(stderr, "heddle: no memory for a stack: raise the limits (ulimit -s 1024, ulimit -v)\n");
  return EXIT_FAULT;
}
