#include "analyzer/record/jvm/talk.h"

#include "base/count_of.h"
#include "common/raw/statuses.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

bool jvm_talk_fail(char message[JVM_ATTACH_MESSAGE], const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(message, JVM_ATTACH_MESSAGE, format, list);
  va_end(list);
  return false;
}

double jvm_talk_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int jvm_talk_connect(const struct sockaddr_un *address, double until)
{
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  while (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
    bool full = errno == EAGAIN; /* of others who wait to be accepted */
    if ((!full && errno != EINTR) || jvm_talk_clock() >= until) {
      int reason = full ? ETIMEDOUT : errno;
      close(fd);
      errno = reason;
      return -1;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  return fd;
}

/* Waits for what poll() calls so. False: not in time. */
static bool wait_for(int fd, short events, double until)
{
  struct pollfd what = {.fd = fd, .events = events};
  for (;;) {
    double left = until - jvm_talk_clock();
    int n = left <= 0 ? 0 : poll(&what, 1, left > 1000 ? 1000000 : (int)(1000 * left) + 1);
    if (n > 0)
      return true;
    if (n == 0 && left <= 0) {
      errno = ETIMEDOUT;
      return false;
    }
    if (n < 0 && errno != EINTR)
      return false;
  }
}

static bool is_for_later(void)
{
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static bool send_all(int fd, const char *bytes, size_t size, double until)
{
  while (size > 0) {
    ssize_t n = wait_for(fd, POLLOUT, until) ? send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
    if (n < 0 && !is_for_later())
      return false;
    if (n > 0) {
      bytes += n;
      size -= (size_t)n;
    }
  }
  return true;
}

/* The request: the version of the protocol, the command, and its three arguments, each ended with a zero. */
static bool send_request(int fd, const char *agent, const char *options, double until)
{
  const char *const parts[] = {"1", "load", agent, "true", options};
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    if (!send_all(fd, parts[i], strlen(parts[i]) + 1, until))
      return false;
  return true;
}

/* Reads up to two lines, as a string, and ignores further ones. Returns its length, -1: errno says why. */
static ssize_t read_lines(int fd, char *answer, size_t room, double until)
{
  size_t used = 0;
  unsigned lines = 0;
  while (used < room - 1 && lines < 2) {
    ssize_t n = wait_for(fd, POLLIN, until) ? recv(fd, answer + used, room - 1 - used, MSG_DONTWAIT) : -1;
    if (n == 0)
      break;
    if (n < 0 && is_for_later())
      continue;
    if (n < 0)
      return -1;
    for (ssize_t i = 0; i < n; i++)
      lines += answer[used + (size_t)i] == '\n';
    used += (size_t)n;
  }
  answer[used] = 0;
  return (ssize_t)used;
}

/* The meaning of the agent's return code (common/raw/statuses.h). */
static const char *refusal(long code)
{
  switch (code) {
  case AGENT_NOT_RECORDED:
    return "it is not being recorded";
  case AGENT_AGAIN:
    return "it is being recorded already; `heddle detach` ends that";
  case AGENT_STARTED:
    return "it was started with the agent, which has ended: start it with `heddle record --live` to record it in parts";
  case AGENT_BUSY:
    return "its threads are still writing the trace before, or another tool writes into it; try again";
  case AGENT_OFF:
    return "HEDDLE=off is in its environment, or it has more rights than its caller";
  default:
    return "its standard error says why";
  }
}

/* A whole line that is a number behind `front`, and nothing else. */
static bool is_number(const char *line, const char *front, long *number)
{
  char *end;
  if (strncmp(line, front, strlen(front)) != 0)
    return false;
  line += strlen(front);
  *number = strtol(line, &end, 10);
  return end != line && *end == 0;
}

/* The answer: a line with the JVM's result, then what the command printed. */
static bool understand(char *answer, pid_t pid, char message[JVM_ATTACH_MESSAGE])
{
  char *text = answer + strcspn(answer, "\n");
  long result, code;
  if (*text)
    *text++ = 0;
  text[strcspn(text, "\n")] = 0;
  if (!is_number(answer, "", &result))
    return jvm_talk_fail(message, "process %d does not answer like a JVM: %.100s", (int)pid, answer);
  if (result == 0 && !*text)
    return jvm_talk_fail(message, "the JVM %d broke off its answer", (int)pid);
  if (result != 0 && !*text)
    return jvm_talk_fail(message, "the JVM %d cannot load the agent: error %.20s", (int)pid, answer);
  if (result != 0 || !is_number(text, "return code: ", &code))
    return jvm_talk_fail(message, "the JVM %d cannot load the agent: %.200s", (int)pid, text);
  return code == 0 || jvm_talk_fail(message, "the agent refused in the JVM %d: %s", (int)pid, refusal(code));
}

bool jvm_talk_load(int fd, pid_t pid, const char *agent, const char *options, double until,
                   char message[JVM_ATTACH_MESSAGE])
{
  char answer[1024];
  if (!send_request(fd, agent, options, until))
    return jvm_talk_fail(message, "the JVM %d does not accept the request: %s", (int)pid, strerror(errno));
  ssize_t used = read_lines(fd, answer, sizeof answer, until);
  if (used < 0)
    return jvm_talk_fail(message, "the JVM %d does not answer: %s", (int)pid, strerror(errno));
  if (used == 0)
    return jvm_talk_fail(message, "the JVM %d did not answer", (int)pid);
  return understand(answer, pid, message);
}
