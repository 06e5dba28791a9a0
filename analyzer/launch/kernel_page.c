#include "analyzer/launch/kernel_page.h"

#include "common/vdso.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void kernel_page_keep(const char *directory)
{
  char host[256] = "", *path = NULL;
  size_t size = 0;
  const void *bytes = vdso_bytes(&size);
  gethostname(host, sizeof host - 1);
  mkdir(directory, 0700);
  if (bytes == NULL || asprintf(&path, "%s/%s.%d" VDSO_SUFFIX, directory, host, (int)getpid()) < 0)
    return;
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size)
    unlink(path);
  if (fd >= 0)
    close(fd);
  free(path);
}
