#include "otf2-convert/plan/process_life.h"

#include "common/process/own_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_small(const char *path, char *buffer, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, buffer, size - 1);
  if (fd >= 0)
    close(fd);
  buffer[n > 0 ? n : 0] = 0;
  buffer[strcspn(buffer, "\n")] = 0;
  return n > 0;
}

struct here here_now(void)
{
  struct here here = {0};
  char link[64];
  read_small("/proc/sys/kernel/random/boot_id", here.boot_id, sizeof here.boot_id);
  ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);
  link[n > 0 ? n : 0] = 0;
  const char *number = strchr(link, '[');
  here.pid_namespace = number == NULL ? 0 : strtoull(number + 1, NULL, 10);
  return here;
}

bool process_same_boot(const struct process_info *info, const struct here *here)
{
  return info->boot_id != NULL && here->boot_id[0] != 0 && strcmp(info->boot_id, here->boot_id) == 0;
}

/* The start time of a process that lives, in jiffies since boot; 0: there is none. */
static uint64_t start_of_living(uint64_t pid)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
  if (!read_small(path, text, sizeof text))
    return 0;
  char *at = strrchr(text, ')'); /* the name before it may hold anything */
  if (at == NULL || strlen(at) < 3 || at[2] == 'Z' || at[2] == 'X')
    return 0;
  for (int field = 2; field < 22 && at != NULL; field++)
    at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10);
}

/* The lock that a process holds on its file as long as it lives says more than all else, where it can be asked. */
static enum process_life life_by_lock(const struct process_info *info, int directory, bool same_boot)
{
  struct stat status;
  int fd = openat(directory, "process", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return LIFE_UNKNOWN;
  enum process_life life = LIFE_UNKNOWN;
  if (fstat(fd, &status) != 0 || status.st_ino != info->lock_inode)
    life = LIFE_UNKNOWN; /* a copy; its process writes to another file */
  else if (flock(fd, LOCK_SH | LOCK_NB) != 0)
    life = errno == EWOULDBLOCK ? LIFE_GOES_ON : LIFE_UNKNOWN;
  else if (same_boot || (info->lock_local && file_system_is_local(fd)))
    life = LIFE_OVER; /* free for everybody who could have it */
  close(fd);
  return life;
}

enum process_life process_life_of(const struct process_info *info, int directory, const struct here *here)
{
  bool same_boot = process_same_boot(info, here);
  if (info->ended)
    return LIFE_OVER;
  enum process_life life = info->lock_inode != 0 ? life_by_lock(info, directory, same_boot) : LIFE_UNKNOWN;
  if (life != LIFE_UNKNOWN)
    return life;
  if (!same_boot || info->start_jiffies == 0 || info->pid_namespace == 0 || info->pid_namespace != here->pid_namespace)
    return LIFE_UNKNOWN;
  return start_of_living(info->pid) == info->start_jiffies ? LIFE_GOES_ON : LIFE_OVER;
}
