#include "analyzer/exchange/import/directory.h"

#include "base/count_of.h"
#include "base/remove_tree.h"
#include "common/process/own_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const parts[] = {"traces", "traces.def", "traces.otf2"}; /* files of an archive, the anchor last */

/* Opens the directory, and makes one in it for the incomplete archive. */
static bool open_both(struct import_directory *directory, struct error *error)
{
  const char *why, *path = directory->path;
  char random[OWN_RANDOM + 1];
  directory->at = own_directory_open(AT_FDCWD, path, &why);
  if (directory->at < 0)
    return error_set(error, "%s: cannot open: %s", path, why ? why : strerror(errno));
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    if (faccessat(directory->at, parts[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      return error_set(error, "%s: already has an archive; name another directory", path);
  own_random(random);
  snprintf(directory->name, sizeof directory->name, ".heddle-import.%s", random);
  if (mkdirat(directory->at, directory->name, 0700) == 0)
    directory->inside = own_directory_open(directory->at, directory->name, &why);
  if (directory->inside < 0)
    return error_set(error, "%s: cannot write: %s", path, why ? why : strerror(errno));
  /* The library needs a path: this one leads from the descriptor, if /proc exists. */
  if (asprintf(&directory->part, "/proc/self/fd/%d", directory->inside) < 0)
    directory->part = NULL;
  if (directory->part && access(directory->part, X_OK) != 0) {
    free(directory->part);
    if (asprintf(&directory->part, "%s/%s", path, directory->name) < 0)
      directory->part = NULL;
  }
  return directory->part || error_set(error, "out of memory");
}

static void close_both(struct import_directory *directory)
{
  if (*directory->name)
    remove_tree(directory->at, directory->name, 2);
  if (directory->inside >= 0)
    close(directory->inside);
  if (directory->at >= 0)
    close(directory->at);
  free(directory->part);
}

bool import_directory_make(struct import_directory *directory, const char *path, struct error *error)
{
  *directory = (struct import_directory){.path = path, .at = -1, .inside = -1};
  directory->made = mkdir(path, OWN_DIRECTORY_MODE) == 0;
  if (!directory->made && errno != EEXIST)
    return error_set(error, "%s: cannot make the directory: %s", path, strerror(errno));
  if (open_both(directory, error))
    return true;
  close_both(directory);
  if (directory->made)
    rmdir(path);
  return false;
}

static bool move_parts(const struct import_directory *directory)
{
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    if (renameat(directory->inside, parts[i], directory->at, parts[i]) != 0)
      return false;
  return true;
}

bool import_directory_end(struct import_directory *directory, bool good, struct error *error)
{
  if (good && !move_parts(directory))
    good = error_set(error, "%s: cannot write: %s", directory->path, strerror(errno));
  close_both(directory);
  if (!good && directory->made)
    rmdir(directory->path); /* only if nothing else is there */
  return good;
}
