/* The next words of a command line, for the completion of shells (packaging/heddle.bash-completion). */
#include "analyzer/command/command.h"

#include <stdio.h>
#include <string.h>

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
