#include "analyzer/command/command.h"

#include "analyzer/exchange/mcp/protocol.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints an answer, and frees it. False: nobody reads it. */
static bool put_answer(char *answer)
{
  bool good = true;
  if (answer) {
    fputs(answer, stdout);
    putchar('\n');
    good = command_printed() == EXIT_DONE;
  }
  free(answer);
  return good;
}

/* A line of at most MCP_LINE_MOST bytes, without its end. False: there is no more. */
static bool next_line(char *line, size_t *length, bool *too_long)
{
  int c = EOF;
  *length = 0;
  *too_long = false;
  while ((c = getchar()) != EOF && c != '\n')
    if (*length < MCP_LINE_MOST)
      line[(*length)++] = (char)c;
    else
      *too_long = true;
  return c != EOF || *length > 0;
}

static bool is_blank(const char *line, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (!strchr(" \t\r", line[i]))
      return false;
  return true;
}

static bool serve(const struct served *served, struct error *error)
{
  char *line = malloc(MCP_LINE_MOST), *answer;
  size_t length;
  bool too_long, good = line || error_set(error, "out of memory");
  while (good && next_line(line, &length, &too_long)) {
    if (is_blank(line, length) && !too_long)
      continue;
    good = too_long ? mcp_answer_too_long(&answer) : mcp_answer(served, line, length, &answer);
    if (!good)
      error_set(error, "out of memory");
    else if (!put_answer(answer))
      good = error_set(error, "%s", ""); /* it is on stderr already */
  }
  free(line);
  return good;
}

static int mcp_main(const struct command *command, int argc, char **argv)
{
  void *const into[OPTION_SETS] = {NULL};
  int status = command_take(command, into, argc, argv);
  if (status >= 0)
    return status;
  struct served served = {.count = 0};
  struct error error;
  bool good = true;
  for (int i = optind; i < argc && good; i++)
    good = served_add(&served, argv[i], &error);
  good = good && serve(&served, &error);
  if (!good)
    command_failed(argv[0], error.message);
  served_free(&served);
  return good ? EXIT_DONE : EXIT_FAULT;
}

const struct command command_mcp = {
    .name = "mcp",
    .group = COMMAND_EXPORT,
    .summary = "answers questions about archives over the Model Context Protocol",
    .synopsis = "[OPTION]... DIR...",
    .about =
        "Speaks the Model Context Protocol on standard input and output, so that an assistant can ask about recorded\n"
        "runs: why, account, imbalance, locks, waits, tasks, calls and compare. Reads archives in and below each DIR\n"
        "and nothing else, and starts no program.\n",
    .operand = "directories of archives",
    .least = 1,
    .run = mcp_main,
};
