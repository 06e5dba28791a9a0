#include "analyzer/record/conversion.h"

#include "analyzer/command/command.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/record/launch/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Puts ./ before a name that would otherwise be an option. */
void record_say_next(const char *what, const char *shown, const char *next)
{
  char *path = NULL;
  if (asprintf(&path, "%s%s", *shown == '-' ? "./" : "", shown) < 0)
    path = NULL;
  char *named = escape_text(shown), *word = path ? escape_shell(path) : NULL;
  if (named && word)
    fprintf(stderr, "heddle: %s is in %s; next: heddle %s %s\n", what, named, next, word);
  free(named);
  free(word);
  free(path);
}

/* The value of the converter's option --ended. */
static void end_text(const struct launch_result *ended, char *text, size_t size)
{
  bool killed = WIFSIGNALED(ended->status);
  snprintf(text, size, "--ended=%d:%s:%d:%" PRIu64, (int)ended->pid, killed ? "signal" : "status",
           killed ? WTERMSIG(ended->status) : WEXITSTATUS(ended->status), ended->ended_ns);
}

/* The command that shows what was asked for. */
static const char *next_of(const char *directory)
{
  char *calls = NULL;
  bool exact = asprintf(&calls, "%s/calls.otf2", directory) >= 0 && access(calls, F_OK) == 0;
  free(calls);
  return exact ? "calls" : "why";
}

bool record_convert(const struct record_conversion *conversion)
{
  const char *command = conversion->command, *shown = conversion->shown;
  char *program = conversion->converter ? strdup(conversion->converter) : sibling_path(SIBLING_CONVERT);
  char *directory = strdup(conversion->path);
  char quiet[] = "--quiet", keep[] = "--keep-raw", ended[64];
  char *arguments[6];
  size_t count = 0;
  arguments[count++] = program;
  arguments[count++] = quiet;
  if (conversion->keep_raw)
    arguments[count++] = keep;
  if (conversion->ended) {
    end_text(conversion->ended, ended, sizeof ended);
    arguments[count++] = ended;
  }
  arguments[count++] = directory;
  arguments[count] = NULL;
  struct launch_result result = {.started = false};
  if (program && directory)
    result = launch_run(arguments, environ, NULL);
  if (!result.started)
    command_error(command, "%s: cannot start the converter: %s; the raw trace stays in %s",
                  program ? program : SIBLING_CONVERT, strerror(result.error), shown);
  else if (WIFSIGNALED(result.status))
    command_error(command,
                  "the converter was ended by signal %d (%s); the raw trace stays in %s, try `heddle convert %s`",
                  WTERMSIG(result.status), strsignal(WTERMSIG(result.status)), shown, shown);
  else if (result.status != 0)
    command_error(command,
                  "the conversion failed; the raw trace stays in %s, try `heddle convert %s`, with -o DIR for another "
                  "disk if there is no space left",
                  shown, shown);
  else
    record_say_next("the archive", shown, next_of(conversion->path));
  free(program);
  free(directory);
  return result.started && result.status == 0;
}

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

/* The options of heddle-convert (otf2-convert/options.c) that are for users; a test compares the lists. */
static const struct command_option converter_options[] = {
    {.name = "keep-raw", .letter = 'k', .help = "keep the raw trace"},
    {.name = "remove-raw", .help = "remove it even if a process of the trace may still be recording"},
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .help = "put the archive into DIR, which is created if it is missing"},
    {.name = "jobs", .letter = 'j', .argument = "N", .help = "use N threads (default: one a processor)"},
    {.name = "force-live", .help = "convert although a recorded process is still running"},
    {.name = "sysroot",
     .argument = "DIR",
     .help =
         "look for the program's files below DIR, a container's root; OLD=NEW: a directory in place of another one"},
    {.name = "quiet", .letter = 'q', .help = "report errors only"},
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
