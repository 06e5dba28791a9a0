/* The program `heddle`: hands over to the command that its first argument names. */
#include "analyzer/table.h"
#include "base/count_of.h"
#include "base/large_stack.h"

#include <stdio.h>
#include <string.h>

#define HEDDLE_ABOUT "Shows what every thread of an OpenMP, POSIX-thread or Java program did, and what to change."

/* The commands to begin with, by the question that each answers; all commands: `heddle help all`. */
static const struct {
  const char *question, *name;
} first_commands[] = {{"Begin", "record"},
                      {"Begin", "doctor"},
                      {"Why is it slow?", "why"},
                      {"What do my threads do?", "states"},
                      {"What do my threads do?", "report"},
                      {"Is a new version slower?", "compare"},
                      {"Does it get faster with more threads?", "scale"},
                      {"What does it do now?", "live"}};

static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < command_table_size; i++)
    if (strcmp(name, command_table[i]->name) == 0)
      return command_table[i];
  return NULL;
}

/* A command of a part that is not built (cmake/parts.cmake) has no line. */
static void put_first_commands(FILE *file)
{
  const char *question = "";
  fputs("Usage: heddle COMMAND ...\n" HEDDLE_ABOUT "\n", file);
  for (size_t i = 0; i < COUNT_OF(first_commands); i++) {
    const struct command *command = find_command(first_commands[i].name);
    if (!command)
      continue;
    if (strcmp(question, first_commands[i].question) != 0)
      fprintf(file, "\n%s\n", first_commands[i].question);
    question = first_commands[i].question;
    fprintf(file, "  %-8s  %s\n", command->name, command->summary);
  }
  fputs("\nAll commands: heddle help all. The options of a command: heddle COMMAND --help\n"
        "A first look:\n"
        "  heddle record -o lu.heddle -- ./lu 512\n"
        "  heddle why lu.heddle\n",
        file);
}

/* `heddle help`, `heddle help all`, `heddle help COMMAND`. */
static int put_help(const char *topic)
{
  const struct command *command = topic ? find_command(topic) : NULL;
  if (command)
    return command_help(command);
  if (topic && strcmp(topic, "all") != 0) {
    command_error(topic, "there is no such command; see `heddle help all`");
    return EXIT_USAGE;
  }
  if (topic) {
    fputs("Usage: heddle COMMAND ...\n" HEDDLE_ABOUT "\n", stdout);
    command_list(command_table, command_table_size);
    puts("\nFor the options of a command: heddle COMMAND --help");
  } else
    put_first_commands(stdout);
  return command_printed();
}

/* The number of letters to insert, to take away, to replace, or to swap with the next one; at most `most`. */
static size_t typos(const char *typed, const char *name, size_t most)
{
  while (*typed && *typed == *name)
    typed++, name++;
  if (!*typed && !*name)
    return 0;
  if (most == 0)
    return 1;
  size_t least = most + 1, tried;
  if (*typed && (tried = 1 + typos(typed + 1, name, most - 1)) < least)
    least = tried;
  if (*name && (tried = 1 + typos(typed, name + 1, most - 1)) < least)
    least = tried;
  if (*typed && *name && (tried = 1 + typos(typed + 1, name + 1, most - 1)) < least)
    least = tried;
  if (typed[0] && typed[1] && typed[0] == name[1] && typed[1] == name[0] &&
      (tried = 1 + typos(typed + 2, name + 2, most - 1)) < least)
    least = tried;
  return least;
}

/* The command that was probably meant: the nearest one, or the only one that begins so. NULL: none. */
static const char *meant(const char *typed)
{
  enum { TYPOS_MOST = 2, LEAST = 3, LONGEST = 32 };
  const char *found = NULL;
  size_t least = TYPOS_MOST + 1, length = strlen(typed);
  if (length < LEAST || length > LONGEST)
    return NULL;
  for (size_t i = 0; i < command_table_size; i++) {
    const char *name = command_table[i]->name;
    size_t count = strncmp(typed, name, length) == 0 ? 1 : typos(typed, name, TYPOS_MOST);
    if (count < least) {
      least = count;
      found = name;
    }
  }
  return found;
}

static int run(int argc, char **argv)
{
  if (argc < 2) {
    put_first_commands(stderr);
    return EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
    return put_help(argv[2]);
  if (strcmp(argv[1], "--version") == 0) {
    puts("heddle " HEDDLE_VERSION);
    return command_printed();
  }
  if (strcmp(argv[1], "--complete") == 0) /* for packaging/heddle.bash-completion */
    return command_complete(command_table, command_table_size, argc - 2, argv + 2);
  const struct command *command = find_command(argv[1]);
  if (command)
    return command->run(command, argc - 1, argv + 1);
  const char *name = meant(argv[1]);
  command_error(argv[1], "there is no such command; %s%s%ssee `heddle help all`", name ? "did you mean " : "",
                name ? name : "", name ? "? Else " : "");
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
