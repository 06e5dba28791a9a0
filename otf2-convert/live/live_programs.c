#include "otf2-convert/live/live_programs.h"

#include "otf2-convert/plan/process_info.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The start in the name of a process directory, <host>.<pid>.<start>, if all before it is that of another one; 0: it is
 * not. */
static uint64_t start_of(const char *name, const char *other)
{
  const char *start = strrchr(other, '.');
  size_t length = start != NULL ? (size_t)(start - other) + 1 : 0;
  return length > 0 && strncmp(name, other, length) == 0 ? strtoull(name + length, NULL, 10) : 0;
}

/* Ticks at which a program began; UINT64_MAX: it is not known. */
static uint64_t begin_of(int raw, const char *name)
{
  struct process_info info;
  int fd = openat(raw, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  uint64_t begin = UINT64_MAX;
  if (fd >= 0 && process_info_read(&info, fd, "process")) {
    begin = info.first.ticks != 0 ? info.first.ticks : UINT64_MAX;
    process_info_free(&info);
  }
  if (fd >= 0)
    close(fd);
  return begin;
}

void live_programs_find(struct live_programs *programs, int directory)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/'), *own = slash != NULL ? slash + 1 : path;
  int fd = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    uint64_t start = start_of(entry->d_name, own), begin;
    programs->executed |= start != 0 && start < start_of(own, own);
    if (start > start_of(own, own) && (begin = begin_of(dirfd(list), entry->d_name)) < programs->replaced)
      programs->replaced = begin;
  }
  if (list != NULL)
    closedir(list);
  else if (fd >= 0)
    close(fd);
}

bool live_programs_is_other(const struct live_programs *programs, uint64_t begun, uint64_t ticks)
{
  return (programs->executed && ticks < begun) || ticks >= programs->replaced;
}
