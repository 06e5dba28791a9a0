#include "otf2-convert/symbols/module_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens a path that may be relative; frees it. */
static struct symbols *open_at(char *path, const char *build_id)
{
  char *real = path != NULL ? realpath(path, NULL) : NULL;
  struct symbols *symbols = real != NULL ? symbols_open(real, build_id) : NULL;
  free(real);
  free(path);
  return symbols;
}

/* The path below a root. NULL: the root says nothing about it. */
static char *path_below(const char *root, const char *path)
{
  const char *new = strchr(root, '=');
  size_t old = new != NULL ? (size_t)(new - root) : 0;
  char *text;
  if (new != NULL && (strncmp(path, root, old) != 0 || (path[old] != '/' && path[old] != '\0')))
    return NULL;
  return asprintf(&text, "%s%s", new != NULL ? new + 1 : root, path + old) < 0 ? NULL : text;
}

/* Without the module itself, its debug information has the lines and functions. */
static struct symbols *open_by_id(const char *build_id)
{
  const char *home = getenv("HOME"), *cache = getenv("DEBUGINFOD_CACHE_PATH"), *own = getenv("XDG_CACHE_HOME");
  char *paths[3] = {NULL, NULL, NULL};
  struct symbols *symbols = NULL;
  if (strlen(build_id) < 3 || strspn(build_id, "0123456789abcdef") != strlen(build_id) ||
      asprintf(&paths[0], "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2) < 0 ||
      asprintf(&paths[1], "%s%s/%s/debuginfo",
               cache  ? cache
               : own  ? own
               : home ? home
                      : "",
               cache ? ""
               : own ? "/debuginfod_client"
                     : "/.cache/debuginfod_client",
               build_id) < 0 ||
      asprintf(&paths[2], "%.*sexecutable", (int)(strlen(paths[1]) - strlen("debuginfo")), paths[1]) < 0)
    paths[2] = NULL;
  for (unsigned i = 0; i < 3; i++) {
    if (symbols == NULL)
      symbols = open_at(paths[i], build_id);
    else
      free(paths[i]);
  }
  return symbols;
}

struct symbols *module_search(const char *const *roots, const char *path, const char *build_id)
{
  struct symbols *symbols = NULL;
  for (unsigned i = 0; i < MODULE_ROOTS_MOST && roots != NULL && roots[i] != NULL && symbols == NULL; i++)
    symbols = open_at(path_below(roots[i], path), build_id);
  if (symbols == NULL)
    symbols = symbols_open(path, build_id);
  return symbols != NULL || path[0] != '/' ? symbols : open_by_id(build_id);
}
