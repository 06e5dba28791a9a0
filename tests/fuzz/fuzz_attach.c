/*
 * libFuzzer target: any bytes as what a JVM answers over the attach protocol. The first byte says in how many parts,
 * and whether the JVM then closes or stays silent. Reading ends, and an answer that is none is refused with a line.
 */
#include "analyzer/record/jvm/talk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char message[JVM_ATTACH_MESSAGE];
  int fds[2];
  if (size == 0 || size > 16384) /* a socket takes all of it at once */
    return 0;
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  size_t part = size / ((data[0] & 7) + 1u) + 1;
  for (size_t at = 1; at < size; at += part) {
    size_t n = size - at < part ? size - at : part;
    require(send(fds[1], data + at, n, MSG_NOSIGNAL) == (ssize_t)n);
  }
  if (data[0] & 8)
    shutdown(fds[1], SHUT_WR); /* else it stays silent: time is up at once */
  memset(message, 'x', sizeof message);
  bool silent = !(data[0] & 8);
  bool good = jvm_talk_load(fds[0], 1, "/agent.so", "", jvm_talk_clock() + (silent ? 0.002 : 60), message);
  require(good || memchr(message, 0, sizeof message));
  require(good || strlen(message) > 20);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
