/* LD_PRELOAD: no memory can be made writable that has code, as with some security modules. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int mprotect(void *at, size_t size, int protection)
{
  if (protection & PROT_WRITE && protection & PROT_EXEC) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_mprotect, at, size, protection);
}
