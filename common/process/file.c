#include "common/process/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t file_read(const char *path, char *buffer, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  size_t have = 0;
  while (have < size - 1) {
    ssize_t got = read(fd, buffer + have, size - 1 - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    have += (size_t)got;
  }
  close(fd);
  buffer[have] = '\0';
  return (ssize_t)have;
}
