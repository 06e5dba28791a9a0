#include "otf2-convert/live/last_look.h"

#include "common/recorder/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_WAIT_NS 1000000000u /* a program may wait for the converter that it started at its end */
#define TAIL_BYTES   128

void last_look_begin(struct last_look *last, int directory)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d/process", directory);
  *last = (struct last_look){.directory = directory, .notices = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (last->notices >= 0 &&
      (inotify_add_watch(last->notices, path, IN_MODIFY | IN_ATTRIB) < 0 || flock(directory, LOCK_SH | LOCK_NB) != 0))
    last_look_end(last);
}

void last_look_end(struct last_look *last)
{
  if (last->notices < 0)
    return;
  close(last->notices);
  last->notices = -1;
  flock(last->directory, LOCK_UN);
}

/* Its last line says so (common/process/process_file.c). */
static bool says_that_it_ended(int directory)
{
  char tail[TAIL_BYTES + 1];
  struct stat status;
  int fd = openat(directory, "process", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  off_t at = fstat(fd, &status) == 0 && status.st_size > TAIL_BYTES ? status.st_size - TAIL_BYTES : 0;
  ssize_t got = pread(fd, tail, TAIL_BYTES, at);
  close(fd);
  tail[got > 0 ? got : 0] = '\0';
  return strstr(tail, "\nended: ") != NULL;
}

/* Takes the notices that have come. True: somebody wants to remove the files, or the process has said that it ended. */
static bool take_notices(const struct last_look *last)
{
  _Alignas(struct inotify_event) char events[4096];
  bool asked = false, grew = false;
  ssize_t got;
  while ((got = read(last->notices, events, sizeof events)) > 0)
    for (ssize_t i = 0; i < got; i += (ssize_t)sizeof(struct inotify_event)) { /* of a file: no names follow */
      const struct inotify_event *event = (const struct inotify_event *)(const void *)&events[i];
      asked |= (event->mask & (IN_ATTRIB | IN_IGNORED)) != 0;
      grew |= (event->mask & (IN_MODIFY | IN_Q_OVERFLOW)) != 0;
    }
  return asked || (grew && says_that_it_ended(last->directory));
}

bool last_look_wait(struct last_look *last)
{
  struct pollfd from[] = {{.fd = 0, .events = POLLIN}, {.fd = last->notices, .events = POLLIN}};
  for (;;) {
    int ready = poll(from, last->notices >= 0 ? 2 : 1, -1);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready > 0 && last->notices >= 0 && from[1].revents != 0 && take_notices(last))
      return true;
    if (ready < 0 || from[0].revents != 0)
      return false;
  }
}

/* False: somebody watches, and has not looked yet. */
static bool is_watched_by_none(int directory)
{
  return flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void last_look_let(const struct plan *plan)
{
  uint64_t until = clock_monotonic_ns() + MOST_WAIT_NS;
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    int fd = openat(plan->raw_fd, plan->processes.items[i].directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
      continue;
    bool free = is_watched_by_none(fd);
    if (!free)
      utimensat(fd, "process", NULL, AT_SYMLINK_NOFOLLOW); /* its watchers get a notice of it */
    while (!free && clock_monotonic_ns() < until) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      free = is_watched_by_none(fd);
    }
    close(fd);
  }
}
