#include "analyzer/record/launch/blocked_on.h"

#include "analyzer/record/launch/socket_name.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Calls that may wait for what is behind their first argument, a descriptor. */
static const uint32_t calls_of_descriptors[] = {
    SYS_read,    SYS_write,   SYS_pread64,   SYS_pwrite64, SYS_readv,     SYS_writev,    SYS_preadv,
    SYS_pwritev, SYS_connect, SYS_accept,    SYS_accept4,  SYS_sendto,    SYS_recvfrom,  SYS_sendmsg,
    SYS_recvmsg, SYS_fsync,   SYS_fdatasync, SYS_flock,    SYS_ftruncate, SYS_fallocate, SYS_getdents64,
    SYS_ioctl,   SYS_fcntl,   SYS_close,     SYS_recvmmsg, SYS_sendmmsg,  SYS_splice,    SYS_tee};

static bool is_of_descriptor(uint32_t call)
{
  for (size_t i = 0; i < COUNT_OF(calls_of_descriptors); i++)
    if (calls_of_descriptors[i] == call)
      return true;
  return false;
}

/* "pipe:[123]" is a pipe, of which the number says nothing to people. */
static bool name_descriptor(uint32_t process, uint64_t descriptor, char text[BLOCKED_ON_SIZE])
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%" PRIu64, process, descriptor);
  ssize_t length = readlink(path, text, BLOCKED_ON_SIZE - 1);
  if (length <= 0)
    return false;
  text[length] = '\0';
  if (strncmp(text, "socket:[", 8) == 0)
    socket_name(process, strtoull(text + 8, NULL, 10), text, BLOCKED_ON_SIZE);
  else if (strncmp(text, "pipe:[", 6) == 0)
    strcpy(text, "pipe");
  return true;
}

bool blocked_on(uint32_t process, uint32_t call, uint64_t argument, char text[BLOCKED_ON_SIZE])
{
  if (call == SYS_futex) {
    snprintf(text, BLOCKED_ON_SIZE, "0x%" PRIx64, argument);
    return true;
  }
  return is_of_descriptor(call) && argument <= INT32_MAX && name_descriptor(process, argument, text);
}
