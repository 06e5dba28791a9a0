#include "analyzer/exchange/mcp/isolated.h"

#include "analyzer/command/command.h"
#include "analyzer/exchange/mcp/confine.h"
#include "analyzer/table.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_OF_COMPARISON = 3 }; /* `heddle compare`: 3 and 4 are answers */

static const struct command *isolated_command(const char *name)
{
  for (size_t i = 0; i < command_table_size; i++)
    if (strcmp(name, command_table[i]->name) == 0)
      return command_table[i];
  return NULL;
}

/* In the new process: never returns. */
static void work(const struct served *served, int count, char *const *words, const int files[2])
{
  const struct command *command = isolated_command(words[0]);
  char **arguments = calloc((size_t)count + 1, sizeof *arguments);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (!command || !arguments || dup2(nothing, 0) < 0 || dup2(files[0], 1) < 0 || dup2(files[1], 2) < 0)
    _exit(EXIT_FAULT);
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* a client that ends the server ends this, too */
  setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
  alarm(ISOLATED_SECONDS);
  confine_to(served);
  memcpy(arguments, words, (size_t)count * sizeof *arguments);
  optind = 0; /* the server's own options were read before */
  int status = command->run(command, count, arguments);
  fflush(stdout);
  _exit(status);
}

/* The beginning of a file, with its whole size. NULL: out of memory. */
static char *read_back(int file, size_t *size)
{
  struct stat status;
  char *text = fstat(file, &status) == 0 ? malloc(ISOLATED_KEPT + 1) : NULL;
  ssize_t got = text ? pread(file, text, ISOLATED_KEPT, 0) : -1;
  if (got < 0) {
    free(text);
    return NULL;
  }
  text[got] = '\0';
  *size = (size_t)status.st_size;
  return text;
}

/* A text for an end without a message. */
static char *say_end(int status)
{
  char *text = NULL;
  int length = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                   ? asprintf(&text, "it took longer than %u s; ask about a part: from, to", ISOLATED_SECONDS)
               : WIFSIGNALED(status) ? asprintf(&text, "it was ended by signal %d", WTERMSIG(status))
                                     : asprintf(&text, "it ended with status %d", WEXITSTATUS(status));
  return length < 0 ? NULL : text;
}

static bool take_result(const int files[2], int status, struct isolated *result, struct error *error)
{
  result->failed = !WIFEXITED(status) || (WEXITSTATUS(status) != EXIT_DONE && WEXITSTATUS(status) < EXIT_OF_COMPARISON);
  result->text = read_back(files[result->failed], &result->size);
  if (result->text && result->failed && (result->size == 0 || !WIFEXITED(status))) {
    free(result->text);
    result->text = say_end(status);
    result->size = result->text ? strlen(result->text) : 0;
  }
  return result->text || error_set(error, "out of memory");
}

bool isolated_run(const struct served *served, int count, char *const *words, struct isolated *result,
                  struct error *error)
{
  int files[2] = {memfd_create("heddle-output", MFD_CLOEXEC), memfd_create("heddle-errors", MFD_CLOEXEC)}, status = 0;
  bool good = files[0] >= 0 && files[1] >= 0;
  fflush(stdout);
  pid_t pid = good ? fork() : -1;
  if (pid == 0)
    work(served, count, words, files);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  good = pid > 0 ? take_result(files, status, result, error)
                 : error_set(error, "no process can be made: %s", strerror(errno));
  for (unsigned i = 0; i < 2; i++)
    if (files[i] >= 0)
      close(files[i]);
  return good;
}
