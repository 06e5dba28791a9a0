#include "common/raw_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_MIN 4096u
#define WINDOW_MAX (64u << 20)
#define RING_MAX   (1u << 20) /* slots that are looked at; a larger ring is cut */

static bool header_is_sane(const struct raw_header *header)
{
  return header->magic == RAW_MAGIC && header->version == RAW_VERSION && header->window_size >= WINDOW_MIN &&
         header->window_size <= WINDOW_MAX && header->window_size % 8 == 0 && header->used % 8 == 0 &&
         header->used <= header->window_size - sizeof(struct raw_header) && (uint32_t)header->owner != 0;
}

static struct raw_chunk chunk_of_header(const struct raw_header *header, uint64_t offset, int32_t slot)
{
  return (struct raw_chunk){.offset = offset + sizeof *header,
                            .used = header->used,
                            .anchor_ticks = header->anchor_ticks,
                            .anchor_ns = header->anchor_ns,
                            .skipped = header->skipped,
                            .lost_after = header->lost_after,
                            .sequence = (uint32_t)header->owner,
                            .slot = slot};
}

/* Reads all of it, or as much as there is; -1 with errno. */
static ssize_t read_at(int fd, void *buffer, size_t size, uint64_t offset)
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

static int log_file(struct raw_log *log)
{
  if (log->fd < 0 && log->has_log) {
    char name[40];
    snprintf(name, sizeof name, "thread-%u.log", log->thread);
    log->fd = openat(log->dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  }
  return log->fd;
}

void raw_log_rest(struct raw_log *log)
{
  if (log->fd >= 0)
    close(log->fd);
  log->fd = -1;
}

/* Reads a header of this thread out of the log. */
static bool log_header(struct raw_log *log, uint64_t offset, struct raw_header *header)
{
  int fd = log_file(log);
  if (fd < 0 || read_at(fd, header, sizeof *header, offset) != (ssize_t)sizeof *header)
    return false;
  return header_is_sane(header) && header->owner >> 32 == log->thread &&
         header->used <= log->size - offset - sizeof *header;
}

static int by_sequence(const void *a, const void *b)
{
  uint32_t x = ((const struct raw_chunk *)a)->sequence, y = ((const struct raw_chunk *)b)->sequence;
  return x < y ? -1 : x > y;
}

/* The chunks of a ring, oldest first. */
static int ring_index(struct raw_log *log, uint32_t window_size)
{
  uint64_t slots = (log->size + window_size - 1) / window_size;
  if (slots > log->ring_slots)
    slots = log->ring_slots;
  if (slots > RING_MAX)
    slots = RING_MAX;
  log->sorted = calloc(slots + 1, sizeof *log->sorted);
  if (log->sorted == NULL)
    return -1;
  for (uint64_t i = 0; i < slots; i++) {
    struct raw_header header;
    if (!log_header(log, i * window_size, &header) || (uint32_t)header.owner % log->ring_slots != i)
      continue;
    log->sorted[log->sorted_count++] = chunk_of_header(&header, i * window_size, RAW_IN_LOG);
    log->bytes += header.used;
  }
  qsort(log->sorted, log->sorted_count, sizeof *log->sorted, by_sequence);
  return 0;
}

/*
 * The header of a chunk of a ring, in which the first places may be empty still: looks where windows may begin. False:
 * the log is no ring.
 */
static bool ring_header(struct raw_log *log, struct raw_header *header)
{
  for (uint64_t offset = 0; offset < log->size && offset <= WINDOW_MAX; offset += WINDOW_MIN)
    if (log_header(log, offset, header))
      return header->ring_slots != 0 &&
             offset == (uint64_t)((uint32_t)header->owner % header->ring_slots) * header->window_size;
  return false;
}

static int log_prepare(struct raw_log *log)
{
  struct stat status;
  struct raw_header header;
  if (!log->has_log || log_file(log) < 0 || fstat(log->fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    raw_log_rest(log);
    log->has_log = false;
    return 0;
  }
  log->size = (uint64_t)status.st_size;
  if (ring_header(log, &header)) {
    log->ring_slots = header.ring_slots;
    return ring_index(log, header.window_size);
  }
  log->ring_slots = 0;
  log->bytes += log->size;
  return 0;
}

static struct raw_log *dir_log_new(struct raw_dir *dir, uint32_t thread)
{
  if ((dir->log_count & (dir->log_count - 1)) == 0) {
    size_t room = dir->log_count == 0 ? 1 : 2 * (size_t)dir->log_count;
    struct raw_log *more = realloc(dir->logs, room * sizeof *more);
    if (more == NULL)
      return NULL;
    dir->logs = more;
  }
  struct raw_log *log = &dir->logs[dir->log_count++];
  *log = (struct raw_log){.dir = dir, .thread = thread, .fd = -1};
  return log;
}

/* A window that somebody owns, or a chunk in spare.log, until its thread's log is known. */
struct owned_window {
  uint32_t thread;
  struct raw_chunk chunk;
};

struct owned_windows {
  struct owned_window *list;
  size_t count;
};

static int windows_add(struct owned_windows *windows, uint32_t thread, struct raw_chunk chunk)
{
  if ((windows->count & (windows->count - 1)) == 0) {
    size_t room = windows->count == 0 ? 1 : 2 * windows->count;
    struct owned_window *more = realloc(windows->list, room * sizeof *more);
    if (more == NULL)
      return -1;
    windows->list = more;
  }
  windows->list[windows->count++] = (struct owned_window){.thread = thread, .chunk = chunk};
  return 0;
}

/* Opens a file to read; its size, or -1. */
static int open_sized(int at, const char *name, uint64_t *size)
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

/* Takes note of the window if somebody owns it. */
static int dir_window(const struct raw_dir *dir, const char *name, uint32_t slot, struct owned_windows *windows)
{
  struct raw_header header;
  uint64_t size;
  int fd = open_sized(dir->fd, name, &size);
  if (fd < 0)
    return 0;
  bool whole = read_at(fd, &header, sizeof header, 0) == (ssize_t)sizeof header;
  close(fd);
  if (!whole || slot > INT32_MAX || !header_is_sane(&header))
    return 0;
  struct raw_chunk chunk = chunk_of_header(&header, 0, (int32_t)slot);
  if (chunk.used == 0)
    chunk.used = header.window_size - sizeof header;
  return windows_add(windows, (uint32_t)(header.owner >> 32), chunk);
}

/* Takes note of the chunks in spare.log: they begin where windows would, and there may be holes. */
static int dir_spare(struct raw_dir *dir, const char *name, struct owned_windows *windows)
{
  struct raw_header header;
  uint64_t size, step = WINDOW_MIN;
  int result = 0, fd = open_sized(dir->fd, name, &size);
  if (fd < 0)
    return 0;
  for (uint64_t at = 0; result == 0 && at < size; at += step) {
    off_t data = lseek(fd, (off_t)at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
      break;
    if (data > 0 && (uint64_t)data / step * step > at)
      at = (uint64_t)data / step * step;
    if (read_at(fd, &header, sizeof header, at) != (ssize_t)sizeof header)
      break;
    if (at == 0 && header.magic == RAW_MAGIC && header.version == RAW_VERSION && header.owner == 0)
      dir->events_lost = header.skipped;
    if (!header_is_sane(&header) || header.used > size - at - sizeof header)
      continue;
    step = header.window_size;
    result = windows_add(windows, (uint32_t)(header.owner >> 32), chunk_of_header(&header, at, RAW_IN_SPARE));
  }
  close(fd);
  return result;
}

static int by_owner(const void *a, const void *b)
{
  const struct owned_window *x = a, *y = b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  if (x->chunk.sequence != y->chunk.sequence)
    return by_sequence(&x->chunk, &y->chunk);
  return x->chunk.slot > y->chunk.slot ? -1 : x->chunk.slot < y->chunk.slot; /* the window's copy counts */
}

static int by_thread(const void *a, const void *b)
{
  uint32_t x = ((const struct raw_log *)a)->thread, y = ((const struct raw_log *)b)->thread;
  return x < y ? -1 : x > y;
}

/* Gives the windows to their threads' logs, which are sorted; threads without a log get one that is empty. */
static int dir_give_windows(struct raw_dir *dir, struct owned_windows *windows)
{
  uint32_t with_log = dir->log_count;
  if (windows->count != 0)
    qsort(windows->list, windows->count, sizeof *windows->list, by_owner);
  for (size_t i = 0, end; i < windows->count; i = end) {
    uint32_t thread = windows->list[i].thread;
    for (end = i + 1; end < windows->count && windows->list[end].thread == thread; end++)
      ;
    struct raw_log key = {.thread = thread};
    struct raw_log *log = with_log == 0 ? NULL : bsearch(&key, dir->logs, with_log, sizeof key, by_thread);
    if (log == NULL && (log = dir_log_new(dir, thread)) == NULL)
      return -1;
    log->windows = malloc((end - i) * sizeof *log->windows);
    if (log->windows == NULL)
      return -1;
    for (size_t k = i; k < end; k++) {
      log->windows[log->window_count++] = windows->list[k].chunk;
      log->bytes += windows->list[k].chunk.used;
    }
  }
  if (dir->log_count != with_log)
    qsort(dir->logs, dir->log_count, sizeof *dir->logs, by_thread);
  return 0;
}

/* The number in "prefix<number>suffix", or -1. */
static int64_t numbered(const char *name, const char *prefix, const char *suffix)
{
  size_t n = strlen(prefix);
  if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9')
    return -1;
  if (name[n] == '0' && name[n + 1] != suffix[0])
    return -1; /* one name a number */
  uint64_t number = 0;
  for (; name[n] >= '0' && name[n] <= '9' && number <= UINT32_MAX; n++)
    number = number * 10 + (uint64_t)(name[n] - '0');
  return strcmp(name + n, suffix) == 0 && number < UINT32_MAX ? (int64_t)number : -1;
}

/* Takes note of every log and every window that is owned. */
static int dir_list(struct raw_dir *dir, struct owned_windows *windows)
{
  int copy = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  if (list == NULL) {
    if (copy >= 0)
      close(copy);
    return -1;
  }
  int result = 0;
  struct dirent *entry;
  while (result == 0 && (entry = readdir(list)) != NULL) {
    int64_t thread = numbered(entry->d_name, "thread-", ".log"), slot = numbered(entry->d_name, "slot-", ".window");
    if (thread >= 0) {
      struct raw_log *log = dir_log_new(dir, (uint32_t)thread);
      if (log == NULL)
        result = -1;
      else
        log->has_log = true;
    } else if (slot >= 0) {
      result = dir_window(dir, entry->d_name, (uint32_t)slot, windows);
    } else if (strcmp(entry->d_name, "spare.log") == 0) {
      result = dir_spare(dir, entry->d_name, windows);
    }
  }
  closedir(list);
  return result;
}

int raw_dir_open(struct raw_dir *dir, int at, const char *name)
{
  *dir = (struct raw_dir){.fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  if (dir->fd < 0)
    return -1;
  struct owned_windows windows = {0};
  int result = dir_list(dir, &windows);
  if (dir->log_count != 0)
    qsort(dir->logs, dir->log_count, sizeof *dir->logs, by_thread);
  if (result == 0)
    result = dir_give_windows(dir, &windows);
  free(windows.list);
  for (uint32_t i = 0; result == 0 && i < dir->log_count; i++) {
    result = log_prepare(&dir->logs[i]);
    raw_log_rest(&dir->logs[i]);
  }
  if (result != 0) {
    int saved = errno;
    raw_dir_close(dir);
    errno = saved;
  }
  return result;
}

void raw_dir_close(struct raw_dir *dir)
{
  for (uint32_t i = 0; i < dir->log_count; i++) {
    raw_log_rest(&dir->logs[i]);
    free(dir->logs[i].sorted);
    free(dir->logs[i].windows);
  }
  free(dir->logs);
  if (dir->fd >= 0)
    close(dir->fd);
  *dir = (struct raw_dir){.fd = -1};
}

/* The next chunk of the log itself, without a step. *bad: something is there that is no chunk. */
static bool log_peek(struct raw_log *log, const struct raw_place *place, struct raw_chunk *chunk, uint64_t *next,
                     bool *bad)
{
  if (log->ring_slots != 0) {
    if (place->next >= log->sorted_count)
      return false;
    *chunk = log->sorted[place->next];
    *next = place->next + 1;
    return true;
  }
  struct raw_header header;
  if (!log->has_log || place->next >= log->size)
    return false;
  if (log->size - place->next < sizeof header || !log_header(log, place->next, &header)) {
    *bad = true;
    return false;
  }
  *chunk = chunk_of_header(&header, place->next, RAW_IN_LOG);
  *next = chunk->offset + chunk->used;
  return true;
}

static bool in_windows(const struct raw_log *log, uint32_t sequence)
{
  struct raw_chunk key = {.sequence = sequence};
  return log->window_count != 0 && bsearch(&key, log->windows, log->window_count, sizeof key, by_sequence) != NULL;
}

bool raw_log_next(struct raw_log *log, struct raw_place *place, struct raw_chunk *chunk, bool *bad)
{
  for (;;) {
    uint64_t next = place->next;
    struct raw_chunk from_log;
    bool found = log_peek(log, place, &from_log, &next, bad);
    bool window = place->window < log->window_count;
    if (!found && !window)
      return false;
    if (found && (from_log.sequence <= place->last_sequence || in_windows(log, from_log.sequence))) {
      place->next = next; /* The window's copy counts, or this one is out of order. */
      continue;
    }
    if (window && (!found || log->windows[place->window].sequence < from_log.sequence)) {
      *chunk = log->windows[place->window++];
      if (chunk->sequence <= place->last_sequence)
        continue;
    } else {
      *chunk = from_log;
      place->next = next;
    }
    place->last_sequence = chunk->sequence;
    return true;
  }
}

void raw_iter_start(struct raw_iter *iter, struct raw_log *log, const struct raw_mark *mark, uint64_t before_ticks,
                    uint64_t *buffer)
{
  *iter = (struct raw_iter){
      .at = buffer, .end = buffer, .log = log, .mark = *mark, .buffer = buffer, .before_ticks = before_ticks};
}

void raw_iter_stop(const struct raw_iter *iter, struct raw_mark *mark)
{
  *mark = iter->mark;
  mark->consumed -= (uint64_t)(iter->end - iter->at) * 8;
}

/* Loads more of the chunk behind the words that are left. False when there is no more of it. */
static bool load(struct raw_iter *iter)
{
  size_t left = (size_t)(iter->end - iter->at);
  uint64_t rest = iter->mark.chunk.used - iter->mark.consumed;
  size_t want = (RAW_ITER_WORDS - left) * 8;
  if (want > rest)
    want = rest;
  if (want == 0)
    return false;
  memmove(iter->buffer, iter->at, left * 8);
  int fd = -1;
  int slot = iter->mark.chunk.slot;
  if (slot == RAW_IN_LOG) {
    fd = log_file(iter->log);
  } else {
    char name[40] = "spare.log";
    if (slot != RAW_IN_SPARE)
      snprintf(name, sizeof name, "slot-%d.window", slot);
    fd = openat(iter->log->dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  }
  ssize_t n = fd < 0 ? -1 : read_at(fd, iter->buffer + left, want, iter->mark.chunk.offset + iter->mark.consumed);
  if (n < 0)
    iter->error = errno;
  if (fd >= 0 && slot != RAW_IN_LOG)
    close(fd);
  iter->at = iter->buffer;
  iter->end = iter->buffer + left + (n > 0 ? (size_t)n / 8 : 0);
  iter->mark.consumed += n > 0 ? (uint64_t)n / 8 * 8 : 0;
  return n >= 8;
}

static void chunk_end(struct raw_iter *iter)
{
  iter->at = iter->end = iter->buffer;
  iter->mark.in_chunk = false;
  iter->mark.consumed = 0;
}

/* Begins the next chunk. 0 no more, 1 begun, 2 begun and chunks before it are missing. */
static int chunk_begin(struct raw_iter *iter)
{
  struct raw_place place = iter->mark.place;
  struct raw_chunk chunk;
  bool bad = false;
  if (iter->error != 0 || !raw_log_next(iter->log, &place, &chunk, &bad) || chunk.anchor_ticks >= iter->before_ticks)
    return 0;
  uint64_t missing = (uint64_t)chunk.sequence - iter->mark.place.last_sequence - 1;
  iter->mark = (struct raw_mark){.place = place, .chunk = chunk, .in_chunk = true};
  if (missing == 0)
    return 1;
  iter->synthetic[0] = raw_head(RAW_GAP, RAW_GAP_MISSING, missing);
  iter->synthetic[1] = chunk.anchor_ticks;
  iter->synthetic[2] = 0;
  return 2;
}

const uint64_t *raw_iter_refill(struct raw_iter *iter)
{
  for (;;) {
    if (iter->mark.in_chunk) {
      size_t left = (size_t)(iter->end - iter->at);
      unsigned words = left == 0 ? 0 : raw_record_words(*iter->at);
      if (left != 0 && words == 0) { /* the end of a window, or no record */
        if (*iter->at != 0 || iter->mark.chunk.slot < 0)
          iter->bad_chunks++;
        chunk_end(iter);
        continue;
      }
      if (left != 0 && words <= left) {
        const uint64_t *record = iter->at;
        iter->at += words;
        return record;
      }
      if (load(iter))
        continue;
      if (left != 0)
        iter->bad_chunks++; /* the last record does not fit into its chunk */
      chunk_end(iter);
    }
    switch (chunk_begin(iter)) {
    case 0:
      return NULL;
    case 2:
      return iter->synthetic;
    default:
      break;
    }
  }
}
