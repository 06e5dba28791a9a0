#include "analyzer/commands/siblings.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
  return asprintf(&path, "%s/%s", self, from_bin) < 0 ? NULL : path;
}
