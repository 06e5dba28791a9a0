#include "analyzer/record/launch/siblings.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same path with its directory resolved (no "..", no links), which is shorter to read; unresolved if this fails. */
static char *with_plain_directory(char *path)
{
  char *slash = strrchr(path, '/'), *plain = NULL, directory[PATH_MAX];
  *slash = '\0';
  bool good = realpath(path, directory) && asprintf(&plain, "%s/%s", directory, slash + 1) >= 0;
  *slash = '/';
  if (!good)
    return path;
  free(path);
  return plain;
}

char *sibling_path(const char *from_bin)
{
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0)
    return NULL;
  self[length] = '\0';
  char *slash = strrchr(self, '/');
  if (!slash)
    return NULL;
  *slash = '\0';
  char *path = NULL;
  return asprintf(&path, "%s/%s", self, from_bin) < 0 ? NULL : with_plain_directory(path);
}
