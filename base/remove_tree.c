#include "base/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void remove_entries(int fd, unsigned depth)
{
  DIR *list = fdopendir(fd);
  const struct dirent *entry;
  while (list && (entry = readdir(list)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(fd, entry->d_name, 0) != 0 &&
        depth > 0)
      remove_tree(fd, entry->d_name, depth - 1);
  if (list)
    closedir(list);
  else
    close(fd);
}

bool remove_tree(int at, const char *name, unsigned depth)
{
  if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
    return true;
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return false;
  remove_entries(fd, depth);
  return unlinkat(at, name, AT_REMOVEDIR) == 0;
}
