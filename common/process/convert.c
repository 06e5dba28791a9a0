#include "common/process/convert.h"

#include "base/count_of.h"
#include "common/process/diag.h"
#include "common/process/text.h"
#include "common/recorder/own_stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HEDDLE_BINDIR_FROM_LIBDIR
#define HEDDLE_BINDIR_FROM_LIBDIR "../bin"
#endif

extern char **environ;

/* <directory of this library>/../bin/heddle-convert, as installed and in the build tree. */
static bool find_beside_library(char *path, size_t size)
{
  Dl_info info;
  if (!dladdr((void *)convert_start, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  struct text text = {.bytes = path, .size = size};
  text_add_bytes(&text, info.dli_fname, slash ? (size_t)(slash - info.dli_fname) : 0);
  text_add(&text, slash ? "/" HEDDLE_BINDIR_FROM_LIBDIR "/heddle-convert" : "heddle-convert");
  return !text.cut && access(path, X_OK) == 0;
}

/* Makes an environment in the caller's array: the converter must neither be traced nor have the program's preloads. */
static void clean_environment(char **clean, size_t size)
{
  size_t n = 0;
  for (char **entry = environ; entry && *entry && n < size - 1; entry++)
    if (strncmp(*entry, "LD_PRELOAD=", 11) != 0 && strncmp(*entry, "OMP_TOOL", 8) != 0)
      clean[n++] = *entry;
  clean[n] = NULL;
}

/* The process to be started, and the result. */
struct start {
  const char *trace, *converter;
  pid_t pid; /* 0: it could not be started, which was said */
};

static void start_on_own_stack(void *argument)
{
  struct start *start = argument;
  const char *trace = start->trace, *converter = start->converter;
  char found[PATH_MAX];
  const char *program = *converter ? converter : found;
  if ((*converter && access(converter, X_OK) != 0) || (!*converter && !find_beside_library(found, sizeof found))) {
    diag_say("there is no converter at ", *converter ? converter : "its place beside the tool",
             "; the raw trace stays in ", trace, ". Convert it with: heddle convert ", trace, NULL);
    return;
  }
  char *clean[4096];
  clean_environment(clean, COUNT_OF(clean));
  char name[] = "heddle-convert", quiet[] = "--quiet", if_idle[] = "--if-idle";
  char *arguments[] = {name, quiet, if_idle, (char *)trace, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  /* The program's own handler must not see this child. */
  signal(SIGCHLD, SIG_DFL);
  int error = posix_spawn(&start->pid, program, &actions, &attributes, arguments, clean);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) {
    start->pid = 0;
    diag_say("cannot start ", program, ": ", diag_reason(error), "; the raw trace stays in ", trace,
             ". Convert it with: heddle convert ", trace, NULL);
  }
}

void convert_start(const char *trace, const char *converter)
{
  struct start start = {trace, converter, 0};
  if (!own_stack_call(start_on_own_stack, &start))
    diag_say("not enough memory to convert; the raw trace stays in ", trace, ". Convert it with: heddle convert ",
             trace, NULL);
  if (!start.pid)
    return;
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(start.pid, &status, 0)) < 0 && errno == EINTR)
    ;
  if (ended == start.pid && WIFSIGNALED(status)) {
    char number[24];
    struct text text = TEXT_OVER(number);
    text_add_number(&text, (uint64_t)WTERMSIG(status));
    diag_say("the converter was ended by signal ", number, "; the raw trace stays in ", trace,
             ". Convert it with: heddle convert ", trace, NULL);
  }
}
