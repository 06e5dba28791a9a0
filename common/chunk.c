#include "common/chunk.h"

#include "common/process_dir.h"
#include "common/raw_record.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
    error = process_dir_write(fd, zeros, sizeof zeros, at);
  return error;
}

/* prefix<number>suffix */
static void file_name(struct text *name, const char *prefix, uint32_t number, const char *suffix)
{
  text_add(name, prefix);
  text_add_number(name, number);
  text_add(name, suffix);
}

static void *map_file(unsigned slot, uint32_t size, int *error)
{
  char bytes[32];
  struct text name = TEXT_OVER(bytes);
  file_name(&name, "slot-", slot, ".window");
  if (!process_dir_may_reach(size)) {
    *error = EFBIG;
    return MAP_FAILED;
  }
  int fd = process_dir_file(bytes, O_RDWR | O_CREAT | O_EXCL, error);
  if (fd < 0)
    return MAP_FAILED;
  void *map = MAP_FAILED;
  *error = reserve(fd, size);
  if (!*error) {
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *error = map == MAP_FAILED ? errno : 0;
  }
  if (*error && ftruncate(fd, 0) != 0) {
    /* An empty window, or one without an owner, is nobody's. */
  }
  close(fd);
  return map;
}

struct raw_header *chunk_map_window(unsigned slot, uint32_t size, uint32_t ring_slots, bool *in_file, int *error)
{
  void *map = map_file(slot, size, error);
  *in_file = map != MAP_FAILED;
  if (map == MAP_FAILED) {
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
      *error = errno;
      return NULL;
    }
  }
  madvise(map, size, MADV_DONTFORK); /* no child writes into it */
  /* Every page is touched now: MAP_POPULATE would leave the first store into each of them a page fault. */
  memset(map, 0, size);
  struct raw_header *window = map;
  window->version = RAW_VERSION;
  window->window_size = size;
  window->ring_slots = ring_slots;
  __atomic_store_n(&window->magic, RAW_MAGIC, __ATOMIC_RELEASE);
  return window;
}

/* The thread's own log. *no_file: it cannot be opened. */
static int write_log(uint32_t thread, uint64_t offset, const struct raw_header *window, bool *no_file)
{
  char bytes[32];
  struct text name = TEXT_OVER(bytes);
  file_name(&name, "thread-", thread, ".log");
  size_t n = sizeof *window + window->used;
  int error;
  *no_file = false;
  if (!process_dir_may_reach(offset + n))
    return EFBIG;
  int fd = process_dir_file(bytes, O_WRONLY | O_CREAT, &error);
  if (fd < 0) {
    *no_file = true;
    return error;
  }
  error = process_dir_write(fd, window, n, offset);
  if (error && window->ring_slots) {
    static const struct raw_header nobody;
    process_dir_write(fd, &nobody, sizeof nobody, offset);
  } else if (error && ftruncate(fd, (off_t)offset) != 0) {
    /* The torn chunk stays; its sequence number is skipped, and the next chunk overwrites it. */
  }
  close(fd);
  return error;
}

/* All windows' places in spare.log are whole windows long, behind one for its head; a ring's are a window slot's own.
 */
static int write_spare(unsigned slot, const struct raw_header *window)
{
  uint64_t place;
  if (window->ring_slots)
    place = ((uint64_t)slot * window->ring_slots + (uint32_t)window->owner % window->ring_slots) * window->window_size;
  else
    place = process_dir_spare_room(window->window_size);
  return process_dir_spare(window, sizeof *window + window->used, place + window->window_size);
}

int chunk_write(uint32_t thread, unsigned slot, uint64_t *end, const struct raw_header *window)
{
  bool no_file;
  uint32_t sequence = (uint32_t)window->owner;
  uint64_t offset = window->ring_slots ? (uint64_t)(sequence % window->ring_slots) * window->window_size : *end;
  int error = write_log(thread, offset, window, &no_file);
  if (no_file)
    return write_spare(slot, window) == 0 ? 0 : error;
  if (!error)
    *end += sizeof *window + window->used;
  return error;
}

uint64_t chunk_used(const struct raw_header *window)
{
  const uint64_t *words = (const uint64_t *)(window + 1);
  size_t n = (window->window_size - sizeof *window) / sizeof *words, at = 0;
  unsigned length;
  while (at < n && (length = raw_record_words(__atomic_load_n(&words[at], __ATOMIC_ACQUIRE))) && at + length <= n)
    at += length;
  return at * sizeof *words;
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
    } else if (kind != RAW_STALL && kind != RAW_THREAD_NAME && kind != RAW_ID_BLOCK_TAKEN) {
      loss.events++;
    }
  }
  return loss;
}
