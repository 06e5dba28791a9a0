#include "analyzer/record/launch/blocked_calls.h"

#include "base/count_of.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define LINES_MOST 100000 /* of a table that are looked at */

/* "0100007F:1538", or with 32 digits: words of the address in the machine's byte order, and the port. */
static int put_address(const char *digits, const char *protocol, char *text, size_t size)
{
  const char *colon = strchr(digits, ':');
  size_t length = colon ? (size_t)(colon - digits) : 0;
  uint32_t words[4];
  char address[INET6_ADDRSTRLEN];
  if (length != 8 && length != 32)
    return 0;
  for (size_t i = 0; i < length / 8; i++) {
    char word[9] = "";
    memcpy(word, digits + 8 * i, 8);
    words[i] = (uint32_t)strtoul(word, NULL, 16);
  }
  unsigned port = (unsigned)strtoul(colon + 1, NULL, 16);
  if (!inet_ntop(length == 8 ? AF_INET : AF_INET6, words, address, sizeof address))
    return 0;
  snprintf(text, size, length == 8 ? "%s %s:%u" : "%s [%s]:%u", protocol, address, port);
  return 1;
}

static int of_internet(const char *line, const char *protocol, uint64_t inode, char *text, size_t size)
{
  char own[48], other[48];
  uint64_t number;
  if (sscanf(line, " %*u: %47s %47s %*s %*s %*s %*s %*s %*s %" SCNu64, own, other, &number) != 3 || number != inode)
    return 0;
  const char *port = strchr(other, ':');
  return put_address(port && strcmp(port, ":0000") != 0 ? other : own, protocol, text, size);
}

static int of_unix(const char *line, uint64_t inode, char *text, size_t size)
{
  uint64_t number;
  int path = 0;
  if (sscanf(line, "%*s %*s %*s %*s %*s %*s %" SCNu64 " %n", &number, &path) != 1 || number != inode)
    return 0;
  size_t length = path ? strcspn(line + path, "\n") : 0;
  snprintf(text, size, length ? "UNIX socket %.*s" : "UNIX socket", (int)length, line + path);
  return 1;
}

int socket_name_of_line(const char *line, const char *protocol, uint64_t inode, char *text, size_t size)
{
  return strcmp(protocol, "UNIX") == 0 ? of_unix(line, inode, text, size)
                                       : of_internet(line, protocol, inode, text, size);
}

static int look_in(uint32_t process, const char *table, const char *protocol, uint64_t inode, char *text, size_t size)
{
  char path[64], line[512];
  int found = 0;
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/net/%s", process, table);
  FILE *file = fopen(path, "re");
  for (unsigned i = 0; file && !found && i < LINES_MOST && fgets(line, sizeof line, file); i++)
    found = socket_name_of_line(line, protocol, inode, text, size);
  if (file)
    fclose(file);
  return found;
}

void socket_name(uint32_t process, uint64_t inode, char *text, size_t size)
{
  static const char *const tables[][2] = {
      {"tcp", "TCP"}, {"tcp6", "TCP"}, {"unix", "UNIX"}, {"udp", "UDP"}, {"udp6", "UDP"}};
  for (size_t i = 0; i < COUNT_OF(tables); i++)
    if (look_in(process, tables[i][0], tables[i][1], inode, text, size))
      return;
  snprintf(text, size, "socket");
}

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

/* "pipe:[123]" is a pipe; its number says nothing to people. */
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

#define ASKED_AT_ONCE 256u
#define CALL_TEXT     192

void blocked_calls_out(struct blocked_calls *calls, uint64_t who, uint64_t time)
{
  (void)hash_put(&calls->waiting, who, time);
}

void blocked_calls_in(struct blocked_calls *calls, uint64_t who)
{
  if (hash_find(&calls->waiting, who))
    hash_remove(&calls->waiting, who);
}

/* What /proc says about the call that a thread is in, as a text. False: it is in none, or not there any more, or it may
 * not be asked. */
static bool read_text(uint64_t who, char text[CALL_TEXT])
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", (unsigned)(who >> 32), (unsigned)who);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, text, CALL_TEXT - 1);
  if (fd >= 0)
    close(fd);
  if (got <= 0)
    return false;
  text[got] = '\0';
  return true;
}

/* The call that the thread is in, and its first argument. False: as read_text. */
static bool read_call(uint64_t who, uint32_t *call, uint64_t *argument)
{
  char text[CALL_TEXT], *end;
  if (!read_text(who, text))
    return false;
  long number = strtol(text, &end, 10);
  *call = (uint32_t)number;
  *argument = end != text ? strtoull(end, NULL, 16) : 0;
  return end != text && *end == ' ' && number >= 0 && number < 4096;
}

void blocked_calls_ask(struct blocked_calls *calls, uint64_t before, blocked_calls_taker *taker, void *context)
{
  struct hash_entry asked[ASKED_AT_ONCE];
  size_t count = 0;
  for (size_t i = 0; i < calls->waiting.room && count < ASKED_AT_ONCE; i++)
    if (calls->waiting.entries[i].used && calls->waiting.entries[i].value <= before)
      asked[count++] = calls->waiting.entries[i];
  for (size_t i = 0; i < count; i++) {
    uint32_t call;
    uint64_t argument;
    char on[BLOCKED_ON_SIZE];
    hash_remove(&calls->waiting, asked[i].key);
    if (read_call(asked[i].key, &call, &argument))
      taker(context, asked[i].key, call, blocked_on((uint32_t)(asked[i].key >> 32), call, argument, on) ? on : NULL);
  }
}

/* The number of the call, six arguments, the stack pointer, and where the thread goes on. */
static bool read_registers(uint64_t who, char text[CALL_TEXT], struct kernel_registers *registers, bool *futex)
{
  long call = -1;
  *registers = (struct kernel_registers){0};
  bool good = read_text(who, text) && sscanf(text, "%ld %*s %*s %*s %*s %*s %*s %" SCNx64 " %" SCNx64, &call,
                                             &registers->sp, &registers->ip) == 3;
  *futex = call == SYS_futex;
  return good && call >= 0;
}

bool blocked_calls_look(uint64_t who, struct kernel_registers *registers, void *stack, size_t *size, bool *futex)
{
  char before[CALL_TEXT], after[CALL_TEXT];
  struct kernel_registers later;
  if (!read_registers(who, before, registers, futex))
    return false;
  struct iovec to = {stack, *size}, from = {(void *)(uintptr_t)registers->sp, *size};
  ssize_t got = process_vm_readv((pid_t)(who >> 32), &to, 1, &from, 1, 0);
  if (got < 0) { /* the stack may begin in the last page of it */
    from.iov_len = to.iov_len = 4096 - (size_t)(registers->sp & 4095);
    got = to.iov_len < *size ? process_vm_readv((pid_t)(who >> 32), &to, 1, &from, 1, 0) : -1;
  }
  *size = got > 0 ? (size_t)got / 8 * 8 : 0;
  return *size > 0 && read_registers(who, after, &later, futex) && strcmp(before, after) == 0;
}

void blocked_calls_free(struct blocked_calls *calls)
{
  hash_free(&calls->waiting);
}
