#include "analyzer/import/directory.h"

#include "base/count_of.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const parts[] = {"traces", "traces.def", "traces.otf2"}; /* of an archive, the anchor last */

bool import_directory_make(struct import_directory *directory, const char *path, struct error *error)
{
  *directory = (struct import_directory){.path = path};
  directory->made = mkdir(path, 0777) == 0;
  if (!directory->made && errno != EEXIST)
    return error_set(error, "%s: cannot make the directory: %s", path, strerror(errno));
  int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0)
    return error_set(error, "%s: cannot open: %s", path, strerror(errno));
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    if (faccessat(at, parts[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
      close(at);
      return error_set(error, "%s: an archive is there already; name another directory", path);
    }
  }
  close(at);
  if (asprintf(&directory->part, "%s/.heddle-import.XXXXXX", path) < 0)
    directory->part = NULL;
  if (directory->part && mkdtemp(directory->part))
    return true;
  error_set(error, "%s: cannot write: %s", path, strerror(directory->part ? errno : ENOMEM));
  free(directory->part);
  if (directory->made)
    rmdir(path);
  return false;
}

/* Removes a directory and what is in it, as the library makes it. */
static void remove_tree(int at, const char *name, int depth)
{
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;
  while (list && (entry = readdir(list)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(fd, entry->d_name, 0) != 0 &&
        depth > 0)
      remove_tree(fd, entry->d_name, depth - 1);
  if (list)
    closedir(list);
  unlinkat(at, name, AT_REMOVEDIR);
}

static bool move_parts(const struct import_directory *directory)
{
  int from = open(directory->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int to = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = from >= 0 && to >= 0;
  for (size_t i = 0; i < COUNT_OF(parts) && good; i++)
    good = renameat(from, parts[i], to, parts[i]) == 0;
  int why = errno;
  if (from >= 0)
    close(from);
  if (to >= 0)
    close(to);
  errno = why;
  return good;
}

bool import_directory_end(struct import_directory *directory, bool good, struct error *error)
{
  if (good && !move_parts(directory))
    good = error_set(error, "%s: cannot write: %s", directory->path, strerror(errno));
  remove_tree(AT_FDCWD, directory->part, 2);
  free(directory->part);
  if (!good && directory->made)
    rmdir(directory->path); /* only if nothing else is there */
  return good;
}
