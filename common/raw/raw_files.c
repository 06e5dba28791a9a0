#include "common/raw/raw_files.h"

#include "common/raw/raw_record.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_MAX (64u << 20)

bool raw_header_is_sane(const struct raw_header *header)
{
  return header->magic == RAW_MAGIC && header->version == RAW_VERSION && header->window_size >= RAW_WINDOW_MIN &&
         header->window_size <= WINDOW_MAX && header->window_size % 8 == 0 && header->used % 8 == 0 &&
         header->used <= header->window_size - sizeof(struct raw_header);
}

ssize_t raw_read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
  size_t done = 0;
  if (offset > INT64_MAX - size)
    return 0;
  while (done < size) {
    ssize_t n = pread(fd, (char *)buffer + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

int raw_open_sized(int at, const char *name, uint64_t *size)
{
  struct stat status;
  int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(fd);
    return -1;
  }
  if (fd >= 0)
    *size = (uint64_t)status.st_size;
  return fd;
}

uint64_t raw_skip_hole(int fd, uint64_t at, uint64_t size, uint64_t step)
{
  off_t data = lseek(fd, (off_t)at, SEEK_DATA);
  if (data < 0)
    return errno == ENXIO ? size : at; /* nothing follows; or the file system knows of no holes */
  uint64_t place = (uint64_t)data / step * step;
  return place > at ? place : at;
}

/* Bytes of the window that are its header and records. */
static size_t used_of(const struct raw_header *window)
{
  const uint64_t *records = (const uint64_t *)(window + 1);
  size_t room = (window->window_size - sizeof *window) / 8, at = 0;
  for (unsigned words; at < room && (words = raw_record_words(records[at])) > 0;)
    at += words;
  return sizeof *window + 8 * (at < room ? at + 1 : room);
}

static int write_at(int fd, const void *buffer, size_t size, uint64_t offset)
{
  for (size_t done = 0; done < size;) {
    ssize_t n = pwrite(fd, (const char *)buffer + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno != EINTR)
      return -1;
    done += n > 0 ? (size_t)n : 0;
  }
  return 0;
}

/*
 * Copies a window. While it is read, its thread may have written it to a log and begun the next chunk in it, or begun
 * it again: then this one is tried. After a few of them it is left out: what it held last is in the log. A window that
 * is nobody's may be its thread's again in a moment.
 */
static int copy_window(int from, int to, uint64_t at, struct raw_header *window)
{
  enum { TRIES = 8 };
  const uint32_t size = window->window_size;
  for (unsigned i = 0; i < TRIES; i++) {
    struct raw_header after;
    if (raw_read_at(from, &after, sizeof after, at) == (ssize_t)sizeof after && (uint32_t)after.owner == 0) {
      sched_yield();
      continue;
    }
    ssize_t got = raw_read_at(from, window, size, at);
    if (got < (ssize_t)sizeof *window || raw_read_at(from, &after, sizeof after, at) != (ssize_t)sizeof after)
      return got < 0 ? -1 : 0;
    if (!raw_header_is_sane(window) || window->window_size != size)
      return 0;
    memset((char *)window + got, 0, size - (size_t)got);
    if ((uint32_t)window->owner != 0 && window->owner == after.owner && window->lost_after == after.lost_after &&
        window->anchor_ticks == after.anchor_ticks)
      return write_at(to, window, used_of(window), at);
  }
  return 0;
}

static int copy_all(int from, int to, uint64_t size)
{
  struct raw_header header, *window = NULL;
  uint64_t step = 0;
  int result = 0;
  for (uint64_t at = 0; result == 0 && at < size; at += step ? step : RAW_WINDOW_MIN) {
    at = raw_skip_hole(from, at, size, step ? step : RAW_WINDOW_MIN);
    if (at >= size || raw_read_at(from, &header, sizeof header, at) != (ssize_t)sizeof header)
      break;
    if (!raw_header_is_sane(&header) || (step && header.window_size != step))
      continue;
    step = header.window_size;
    if (!window && !(window = malloc(step)))
      return -1;
    window->window_size = header.window_size;
    result = copy_window(from, to, at, window);
  }
  free(window);
  return result;
}

int raw_copy_windows(int directory, int *copy)
{
  uint64_t size = 0;
  int from = raw_open_sized(directory, RAW_WINDOWS_FILE, &size);
  *copy = -1;
  if (from < 0)
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -1 : 0;
  *copy = memfd_create("windows", MFD_CLOEXEC);
  int result = *copy >= 0 && ftruncate(*copy, (off_t)size) == 0 ? copy_all(from, *copy, size) : -1;
  int saved = errno;
  close(from);
  errno = saved;
  return result;
}
