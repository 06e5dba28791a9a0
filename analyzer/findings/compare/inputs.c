/* Operands: an archive, a directory of archives, a history file. */
#include "analyzer/findings/compare/figures.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANCHOR "traces.otf2"

static bool has_anchor(const char *directory)
{
  char *path;
  if (asprintf(&path, "%s/" ANCHOR, directory) < 0)
    return false;
  bool there = access(path, F_OK) == 0;
  free(path);
  return there;
}

static bool run_of_entry(const char *directory, const char *name, struct pool *pool, struct runs *runs, bool *found,
                         struct error *error)
{
  char *path;
  if (asprintf(&path, "%s/%s", directory, name) < 0)
    return error_set(error, "%s: out of memory", directory);
  bool archive = *name != '.' && has_anchor(path);
  bool good = !archive || run_of_archive(path, pool, runs, error);
  *found |= archive;
  free(path);
  return good;
}

static bool runs_of_directory(const char *path, struct pool *pool, struct runs *runs, struct error *error)
{
  struct dirent **entries;
  int count = scandir(path, &entries, NULL, versionsort);
  bool good = count >= 0 || error_set(error, "%s: cannot open: %s", path, strerror(errno)), found = false;
  for (int i = 0; i < count; i++) {
    good = good && run_of_entry(path, entries[i]->d_name, pool, runs, &found, error);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  if (good && !found)
    return error_set(error, "%s: is no archive, and has none in it; record runs with `heddle record -o %s/1 PROGRAM`",
                     path, path);
  return good;
}

bool runs_of_operand(const char *path, struct pool *pool, struct runs *runs, struct error *error)
{
  struct stat status;
  size_t length = strlen(path);
  if (stat(path, &status) != 0)
    return error_set(error, "%s: cannot open: %s", path, strerror(errno));
  if (S_ISDIR(status.st_mode) && !has_anchor(path))
    return runs_of_directory(path, pool, runs, error);
  if (S_ISDIR(status.st_mode) || (length > 5 && strcmp(path + length - 5, ".otf2") == 0))
    return run_of_archive(path, pool, runs, error);
  return runs_of_history(path, runs, error);
}
