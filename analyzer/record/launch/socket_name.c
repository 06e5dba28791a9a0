#include "analyzer/record/launch/socket_name.h"

#include "base/count_of.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
