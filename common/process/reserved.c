#include "common/process/reserved.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *reserved_make(size_t size)
{
  int kept = errno;
  if (address_space_for(size, ADDRESS_SPACE_OTHERS) < size)
    return NULL;
  void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = kept;
  return map == MAP_FAILED ? NULL : map;
}

bool reserved_use(void *at, size_t n)
{
  int kept = errno;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
  bool good = mprotect((void *)from, (uintptr_t)at + n - from, PROT_READ | PROT_WRITE) == 0;
  errno = kept;
  return good;
}
