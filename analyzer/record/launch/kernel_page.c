#include "analyzer/record/launch/kernel_page.h"

#include "analyzer/record/launch/kernel_writer.h"
#include "common/process/vdso.h"

#include <unistd.h>

void kernel_page_keep(int trace)
{
  size_t size = 0;
  const void *bytes = vdso_bytes(&size);
  int fd = bytes ? kernel_writer_file(trace, VDSO_SUFFIX) : -1;
  if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size)
    (void)!ftruncate(fd, 0);
  if (fd >= 0)
    close(fd);
}
