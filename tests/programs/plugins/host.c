/*
 * Loads plug-ins that use OpenMP: ./host WAY [ARGUMENT...]. A plug-in `one` works with one thread, any other with two:
 * so a trace that gives a region to the wrong plug-in is found out.
 *   turns N LIBRARY...      N times in turn: each is loaded, works, and is unloaded
 *   elsewhere LIBRARY       is loaded, the process goes to another directory, it works
 *   crowd N DIRECTORY LIBRARY...    the same as turns, after all libraries in the directory were loaded, to stay
 *   left N LIBRARY...       turns, and no end but _exit
 *   limited ONE OTHER       one works and was listed; then no file may grow, the other one works in its place, and
 * _exit killed LIBRARY          is loaded and works until records were written, then the process kills itself child N
 * LIBRARY...      turns, in a child of a fork spaces LIBRARY          is loaded into a name space of its own (dlmopen);
 * there the runtime would be another one
 */
#include "tests/programs/program.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *first_place; /* where the plug-ins' code was */
static bool one_place = true;

static void *load(const char *path)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "host: %s\n", dlerror());
    exit(2);
  }
  return library;
}

static bool work(void *library, const char *path)
{
  int (*function)(int);
  *(void **)&function = dlsym(library, "plugin_work");
  if (!function)
    return false;
  if (!first_place)
    first_place = (const char *)function;
  one_place = one_place && first_place == (const char *)function;
  int threads = strstr(path, "one.so") ? 1 : 2;
  return function(threads) == threads;
}

static bool turns(char **argv)
{
  bool right = true;
  for (int n = atoi(*argv++); n > 0; n--)
    for (char **path = argv; *path; path++) {
      void *library = load(*path);
      right = right && work(library, *path);
      dlclose(library);
    }
  truth("one_place", one_place);
  return right;
}

static bool elsewhere(const char *path)
{
  void *library = load(path);
  return chdir("/") == 0 && work(library, path);
}

static bool crowd(char **argv)
{
  char path[PATH_MAX];
  DIR *directory = opendir(argv[1]);
  struct dirent *entry;
  while (directory && (entry = readdir(directory)))
    if (strstr(entry->d_name, ".so")) {
      snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
      load(path);
    }
  argv[1] = argv[0];
  return turns(argv + 1);
}

static bool left(char **argv)
{
  _exit(turns(argv) ? 0 : 1);
}

static bool limited(char **argv)
{
  const struct rlimit nothing = {0, 0};
  void *library = load(argv[0]);
  bool right = work(library, argv[0]);
  dlclose(load(argv[1]));
  right = right && setrlimit(RLIMIT_FSIZE, &nothing) == 0;
  dlclose(library);
  library = load(argv[1]);
  right = right && work(library, argv[1]) && one_place;
  _exit(right ? 0 : 1);
}

static bool killed(const char *path)
{
  void *library = load(path);
  while (work(library, path))
    if (getppid() == 1 || access("enough", F_OK) == 0)
      raise(SIGKILL);
  return false;
}

static bool child(char **argv)
{
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0)
    exit(finish(turns(argv)));
  int status;
  return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool spaces(const char *path)
{
  return dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL) != NULL;
}

int main(int argc, char **argv)
{
  if (argc < 3)
    return 2;
#pragma omp critical /* the recording begins before there is a plug-in */
  first_place = NULL;
  char **rest = argv + 2;
  bool right = !strcmp(argv[1], "turns")       ? turns(rest)
               : !strcmp(argv[1], "elsewhere") ? elsewhere(*rest)
               : !strcmp(argv[1], "crowd")     ? crowd(rest)
               : !strcmp(argv[1], "left")      ? left(rest)
               : !strcmp(argv[1], "limited")   ? limited(rest)
               : !strcmp(argv[1], "killed")    ? killed(*rest)
               : !strcmp(argv[1], "child")     ? child(rest)
                                               : !strcmp(argv[1], "spaces") && spaces(*rest);
  return finish(right);
}
