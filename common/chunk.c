#include "common/chunk.h"

#include "common/raw_record.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* A write beyond the limit would kill the program by SIGXFSZ. */
static bool within_file_limit(uint64_t end)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}

static int write_at(int fd, const void *bytes, size_t n, uint64_t offset)
{
  const char *at = bytes;
  while (n) {
    ssize_t done = pwrite(fd, at, n, (off_t)offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done < 0 ? errno : EIO;
    at += done;
    n -= (size_t)done;
    offset += (size_t)done;
  }
  return 0;
}

/* Allocates the file's blocks, so that a store into the mapping never meets a full disk (SIGBUS). */
static int reserve(int fd, uint32_t size)
{
  if (fallocate(fd, 0, 0, size) == 0)
    return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
    return errno;
  static const char zeros[4096];
  int error = 0;
  for (uint32_t at = 0; at < size && !error; at += sizeof zeros)
    error = write_at(fd, zeros, sizeof zeros, at);
  return error;
}

/* `directory`/`prefix`<number>`suffix` */
static void file_path(struct text *path, const char *directory, const char *prefix, uint32_t number, const char *suffix)
{
  text_add(path, directory);
  text_add(path, prefix);
  text_add_number(path, number);
  text_add(path, suffix);
}

struct raw_header *chunk_map_window(const char *directory, unsigned slot, uint32_t size, uint32_t ring_slots,
                                    int *error)
{
  char path[PATH_MAX + 32];
  struct text name = TEXT_OVER(path);
  file_path(&name, directory, "/slot-", slot, ".window");
  if (!within_file_limit(size)) {
    *error = EFBIG;
    return NULL;
  }
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    *error = errno;
    return NULL;
  }
  *error = reserve(fd, size);
  void *map = MAP_FAILED;
  if (!*error) {
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *error = map == MAP_FAILED ? errno : 0;
  }
  close(fd);
  if (*error) {
    unlink(path);
    return NULL;
  }
  /* Every page is touched now: MAP_POPULATE would leave the first store into each of them a page fault. */
  memset(map, 0, size);
  struct raw_header *window = map;
  window->version = RAW_VERSION;
  window->window_size = size;
  window->ring_slots = ring_slots;
  __atomic_store_n(&window->magic, RAW_MAGIC, __ATOMIC_RELEASE);
  return window;
}

int chunk_write(const char *directory, uint32_t thread, uint64_t end, const struct raw_header *window)
{
  char path[PATH_MAX + 32];
  struct text name = TEXT_OVER(path);
  file_path(&name, directory, "/thread-", thread, ".log");
  uint32_t sequence = (uint32_t)window->owner;
  if (window->ring_slots)
    end = (uint64_t)(sequence % window->ring_slots) * window->window_size;
  size_t n = sizeof *window + window->used;
  if (!within_file_limit(end + n))
    return EFBIG;
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return errno;
  int error = write_at(fd, window, n, end);
  if (error && window->ring_slots) {
    static const struct raw_header nobody;
    write_at(fd, &nobody, sizeof nobody, end);
  } else if (error && ftruncate(fd, (off_t)end) != 0) {
    /* The torn chunk stays; its sequence number is skipped, and the next chunk overwrites it. */
  }
  close(fd);
  return error;
}

struct chunk_loss chunk_loss(const uint64_t *words, size_t n, uint64_t begun)
{
  struct chunk_loss loss = {0, begun};
  unsigned length;
  for (size_t at = 0; at < n && (length = raw_record_words(words[at])); at += length) {
    unsigned kind = raw_kind_of(words[at]);
    if (kind == RAW_GAP) {
      loss.events += raw_value_of(words[at]);
      if (words[at + 2] < loss.since)
        loss.since = words[at + 2];
    } else if (kind != RAW_STALL && kind != RAW_THREAD_NAME) {
      loss.events++;
    }
  }
  return loss;
}
