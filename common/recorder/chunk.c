#include "common/recorder/chunk.h"

#include "common/process/process_dir.h"
#include "common/raw/raw_record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NEARLY_FULL 4096u /* bytes that a window has left, at most */

/* Allocates blocks, so that a store into the mapping never meets a full disk (SIGBUS). */
static int reserve(int fd, uint64_t offset, uint32_t size)
{
  int error = process_dir_allocate(fd, offset, size);
  if (error != EOPNOTSUPP && error != ENOSYS && error != EINVAL)
    return error;
  static const char zeros[4096];
  error = 0;
  for (uint32_t at = 0; at < size && !error; at += sizeof zeros)
    error = process_dir_write(fd, zeros, sizeof zeros, offset + at);
  return error;
}

static void *map_file(unsigned slot, uint32_t size, int *error)
{
  uint64_t offset = (uint64_t)slot * size;
  int fd = process_dir_windows(error);
  if (fd < 0)
    return MAP_FAILED;
  void *map = MAP_FAILED;
  *error = reserve(fd, offset, size);
  if (!*error) {
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    *error = map == MAP_FAILED ? errno : 0;
  }
  if (*error && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, size) != 0) {
    /* What stays allocated has no owner. */
  }
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
  madvise(map, size, MADV_RANDOM);   /* or the first page brings all the others */
  memset(map, 0, CHUNK_POPULATED < size ? CHUNK_POPULATED : size);
  struct raw_header *window = map;
  window->version = RAW_VERSION;
  window->window_size = size;
  window->ring_slots = ring_slots;
  __atomic_store_n(&window->magic, RAW_MAGIC, __ATOMIC_RELEASE);
  return window;
}

/* Every page is written to: MAP_POPULATE would leave the first store into each of them a page fault. */
void chunk_populate(struct raw_header *window, uint64_t *from)
{
  madvise(window, window->window_size, MADV_NORMAL);
  memset(from, 0, (size_t)((char *)window + window->window_size - (char *)from));
}

struct raw_entry *chunk_map_entries(void)
{
  size_t size = RAW_ENTRIES * sizeof(struct raw_entry);
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return NULL;
  madvise(map, size, MADV_DONTFORK);
  return map;
}

static bool is_full(const struct raw_header *window)
{
  return window->window_size - sizeof *window - window->used < NEARLY_FULL;
}

/* Whole pages cost the kernel less than a part of one; what stands behind the records is of chunks before. */
static size_t bytes_to_write(const struct raw_header *window)
{
  return is_full(window) ? window->window_size : sizeof *window + window->used;
}

/* Each thread has places for its newest chunks, and then one for its profile. */
static uint64_t ring_place(uint32_t thread, uint32_t sequence, uint64_t ring)
{
  bool profile = (thread & RAW_PROFILE_OF) != 0;
  return (thread & ~RAW_PROFILE_OF) * (ring + 1) + (profile ? ring : sequence % ring);
}

int chunk_write(uint32_t thread, const struct raw_header *window)
{
  unsigned log;
  int error, fd = process_dir_log(thread & ~RAW_PROFILE_OF, &log, &error);
  if (fd < 0)
    return error;
  uint64_t ring = window->ring_slots, place;
  if (ring)
    place = process_dir_log_begin() + ring_place(thread, (uint32_t)window->owner, ring) * window->window_size;
  else
    place = process_dir_log_room(fd, log, window->window_size, is_full(window)); /* short threads leave holes */
  error = process_dir_write(fd, window, bytes_to_write(window), place);
  if (error && error != EFBIG) { /* a part of it may be there */
    static const struct raw_header nobody;
    process_dir_write(fd, &nobody, sizeof nobody, place);
  }
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
    } else if (kind != RAW_STALL && kind != RAW_READING && kind != RAW_COUNTERS && kind != RAW_THREAD_NAME &&
               kind != RAW_THREAD_BOUND && kind != RAW_ID_BLOCK_TAKEN) {
      loss.events += kind == RAW_SHORT_ACQUIRED ? 2 : 1;
    }
  }
  return loss;
}
