#include "otf2-convert/symbols/kernel_page.h"

#include "common/process/vdso.h"
#include "common/raw/kernel_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define COPIES_MOST 64u

/* The library takes paths alone. Closes the file. */
static struct symbols *open_symbols(int fd, const char *build_id)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct symbols *symbols = fd < 0 ? NULL : symbols_open(path, build_id);
  if (fd >= 0)
    close(fd);
  return symbols;
}

static struct symbols *open_own(const char *build_id)
{
  size_t size = 0;
  const void *bytes = vdso_bytes(&size);
  int fd = bytes == NULL ? -1 : memfd_create(VDSO_NAME, MFD_CLOEXEC);
  if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
    close(fd);
    fd = -1;
  }
  return open_symbols(fd, build_id);
}

bool kernel_page_is_copy(const char *name)
{
  size_t length = strlen(name), suffix = sizeof VDSO_SUFFIX - 1;
  return length > suffix && strcmp(name + length - suffix, VDSO_SUFFIX) == 0 && name[0] != '.';
}

static struct symbols *open_kept(int trace_fd, const char *build_id)
{
  int fd = openat(trace_fd, KERNEL_LOG_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  struct symbols *symbols = NULL;
  struct dirent *entry;
  if (list == NULL && fd >= 0)
    close(fd);
  for (unsigned tried = 0; symbols == NULL && list != NULL && tried < COPIES_MOST && (entry = readdir(list)) != NULL;)
    if (kernel_page_is_copy(entry->d_name)) {
      tried++;
      symbols =
          open_symbols(openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), build_id);
    }
  if (list != NULL)
    closedir(list);
  return symbols;
}

struct symbols *kernel_page_symbols(int trace_fd, const char *build_id)
{
  if (strcmp(build_id, "-") == 0) /* any would do */
    return NULL;
  struct symbols *symbols = open_own(build_id);
  return symbols != NULL ? symbols : open_kept(trace_fd, build_id);
}
