/* The help of commands, from the entries of the table. */
#include "analyzer/command/command.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 116, COLUMN_MOST = 28 };

static const struct command_option help_option = {"help", 'h', NULL, "this text", NULL, 0, 0, 0, NULL};

const char *command_option_value(const struct command_option *option)
{
  return option->argument ? option->argument : option->words;
}

/* Prints "  -o, --output FILE"; returns the width. */
static int help_put_option(FILE *file, const struct command_option *option)
{
  const char *value = command_option_value(option);
  char letter[8] = "    ";
  if (option->letter)
    snprintf(letter, sizeof letter, "-%c, ", option->letter);
  return fprintf(file, "  %s--%s%s%s", letter, option->name, value && *value != '[' ? " " : "", value ? value : "");
}

static int width_of(const struct command_option *option)
{
  char text[256];
  FILE *file = fmemopen(text, sizeof text, "w");
  int width = file ? help_put_option(file, option) : 0;
  if (file)
    fclose(file);
  return width;
}

/* The column of the texts: right of all options but very long ones. */
static int column_of(const struct command *command)
{
  int column = width_of(&help_option) + 2;
  for (int i = 0; i < OPTION_SETS; i++)
    for (const struct command_option *option = command->options[i].list; option && option->name; option++) {
      int width = width_of(option) + 2;
      if (width > column && width <= COLUMN_MOST)
        column = width;
    }
  return column;
}

/* Breaks a text into lines of up to LINE columns, and keeps its own new lines. */
static void put_text(const char *text, int column)
{
  for (int at = column; *text;) {
    int word = (int)strcspn(text, " \n");
    if (at > column && at + 1 + word > LINE) {
      printf("\n%*s", column, "");
      at = column;
    }
    at += printf("%s%.*s", at > column ? " " : "", word, text);
    text += word;
    if (*text == '\n') {
      printf("\n%*s", column, "");
      at = column;
    }
    text += *text != '\0';
  }
  putchar('\n');
}

static void put_entry(const struct command_option *option, int column)
{
  int width = help_put_option(stdout, option);
  if (width + 2 > column)
    printf("\n%*s", column, "");
  else
    printf("%*s", column - width, "");
  put_text(option->help, column);
}

/* The set that --help follows: the last one without a heading of its own. */
static int set_of_help(const struct command *command)
{
  int set = -1;
  for (int i = 0; i < OPTION_SETS; i++)
    if (command->options[i].list && !command->options[i].heading)
      set = i;
  return set;
}

int command_help(const struct command *command)
{
  int column = column_of(command), set = set_of_help(command);
  printf("Usage: heddle %s %s\n%s\n", command->name, command->synopsis, command->about);
  if (set < 0)
    put_entry(&help_option, column);
  for (int i = 0; i < OPTION_SETS; i++) {
    if (command->options[i].heading)
      printf("%s%s\n", i > 0 ? "\n" : "", command->options[i].heading);
    for (const struct command_option *option = command->options[i].list; option && option->name; option++)
      put_entry(option, column);
    if (i == set)
      put_entry(&help_option, column);
  }
  if (command->notes)
    fputs(command->notes, stdout);
  return command_printed();
}

void command_list(const struct command *const *commands, size_t count)
{
  static const char *const groups[] = {[COMMAND_RECORD] = "Record",
                                       [COMMAND_LOOK] = "Look at a run",
                                       [COMMAND_MODEL] = "Model it",
                                       [COMMAND_COMPARE] = "Compare runs",
                                       [COMMAND_EXPORT] = "Export"};
  for (int group = 0; group < COMMAND_GROUPS; group++) {
    printf("\n%s:\n", groups[group]);
    for (size_t i = 0; i < count; i++)
      if ((int)commands[i]->group == group)
        printf("  %-10s  %s\n", commands[i]->name, commands[i]->summary);
  }
}

/* The next words of a command line, for the completion of shells (packaging/heddle.bash-completion). */

static const struct command_option *find(const struct command *command, const char *word)
{
  for (int i = 0; i < OPTION_SETS; i++)
    for (const struct command_option *option = command->options[i].list; option && option->name; option++)
      if ((strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0) ||
          (word[0] == '-' && word[1] != '\0' && word[1] == option->letter && word[2] == '\0'))
        return option;
  return NULL;
}

static void put(const char *text, size_t length, const char *begun)
{
  if (length >= strlen(begun) && strncmp(text, begun, strlen(begun)) == 0)
    printf("%.*s\n", (int)length, text);
}

static void put_words(const char *words, const char *begun)
{
  for (; *words; words += words[0] == '|') {
    size_t length = strcspn(words, "|");
    put(words, length, begun);
    words += length;
  }
}

static void complete_put_option(const char *name, const char *begun)
{
  char text[64];
  put(text, (size_t)snprintf(text, sizeof text, "--%s", name), begun);
}

static void put_options(const struct command *command, const char *begun)
{
  for (int i = 0; i < OPTION_SETS; i++)
    for (const struct command_option *option = command->options[i].list; option && option->name; option++)
      complete_put_option(option->name, begun);
  complete_put_option("help", begun);
}

static void put_commands(const struct command *const *commands, size_t count, const char *begun)
{
  for (size_t i = 0; i < count; i++)
    put(commands[i]->name, strlen(commands[i]->name), begun);
  complete_put_option("help", begun);
  complete_put_option("version", begun);
}

/* Bash hands over "--by=thread" as three words. */
static void put_next(const struct command *command, int words, char **word)
{
  const char *begun = word[words - 1];
  int before = words - 2;
  if (strcmp(begun, "=") == 0)
    begun = "";
  else if (before > 1 && strcmp(word[before], "=") == 0)
    before--;
  const struct command_option *option = before > 0 ? find(command, word[before]) : NULL;
  if (option && option->words)
    put_words(option->words, begun);
  else if (*begun == '-' && !(option && command_option_value(option)))
    put_options(command, begun);
}

int command_complete(const struct command *const *commands, size_t count, int words, char **word)
{
  if (words == 1)
    put_commands(commands, count, word[0]);
  for (size_t i = 0; words > 1 && i < count; i++)
    if (strcmp(word[0], commands[i]->name) == 0)
      put_next(commands[i], words, word);
  return command_printed();
}
