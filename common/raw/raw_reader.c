#include "common/raw/raw_reader.h"

#include "common/raw/raw_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_MIN   4096u /* bytes */
#define WINDOW_MAX   (64u << 20)
#define WINDOWS_FILE "windows"

static bool header_is_sane(const struct raw_header *header)
{
  return header->magic == RAW_MAGIC && header->version == RAW_VERSION && header->window_size >= WINDOW_MIN &&
         header->window_size <= WINDOW_MAX && header->window_size % 8 == 0 && header->used % 8 == 0 &&
         header->used <= header->window_size - sizeof(struct raw_header);
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

/* Opens a file to be read. Returns its descriptor, or -1. */
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

/* Returns the first place from `at` on that is not in a hole of the file. */
static uint64_t skip_hole(int fd, uint64_t at, uint64_t size, uint64_t step)
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
 * it again. Then it is copied again. After a few attempts it is not used: its last contents are in the log. A window
 * that is nobody's may be its thread's again in a moment.
 */
static int copy_window(int from, int to, uint64_t at, struct raw_header *window)
{
  enum { TRIES = 8 };
  const uint32_t size = window->window_size;
  for (unsigned i = 0; i < TRIES; i++) {
    struct raw_header after;
    if (read_at(from, &after, sizeof after, at) == (ssize_t)sizeof after && (uint32_t)after.owner == 0) {
      sched_yield();
      continue;
    }
    ssize_t got = read_at(from, window, size, at);
    if (got < (ssize_t)sizeof *window || read_at(from, &after, sizeof after, at) != (ssize_t)sizeof after)
      return got < 0 ? -1 : 0;
    if (!header_is_sane(window) || window->window_size != size)
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
  for (uint64_t at = 0; result == 0 && at < size; at += step ? step : WINDOW_MIN) {
    at = skip_hole(from, at, size, step ? step : WINDOW_MIN);
    if (at >= size || read_at(from, &header, sizeof header, at) != (ssize_t)sizeof header)
      break;
    if (!header_is_sane(&header) || (step && header.window_size != step))
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

/*
 * Copies the windows of a running process into memory, each with its header as they were at one moment. `copy`
 * becomes a descriptor, or -1: there are no windows. 0, or -1 with errno.
 */
static int copy_windows(int directory, int *copy)
{
  uint64_t size = 0;
  int from = open_sized(directory, WINDOWS_FILE, &size);
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

static struct raw_chunk chunk_of_header(const struct raw_header *header, uint64_t offset, uint32_t file)
{
  return (struct raw_chunk){.offset = offset + sizeof *header,
                            .used = header->used,
                            .anchor_ticks = header->anchor_ticks,
                            .anchor_ns = header->anchor_ns,
                            .not_measured = header->not_measured,
                            .lost_after = header->lost_after,
                            .sequence = (uint32_t)header->owner,
                            .file = file};
}

/* "windows", or "chunks-<n>.log". */
static void file_name(char name[40], uint32_t file)
{
  if (file == RAW_WINDOWS)
    strcpy(name, WINDOWS_FILE);
  else
    snprintf(name, 40, "chunks-%" PRIu32 ".log", file);
}

void raw_log_rest(struct raw_log *log)
{
  if (log->fd >= 0)
    close(log->fd);
  log->fd = -1;
}

/* The descriptor of a file that has chunks of the thread; it stays open until another one is asked for. */
static int file_of(struct raw_log *log, uint32_t file)
{
  if (log->fd >= 0 && log->open_file == file)
    return log->fd;
  char name[40];
  raw_log_rest(log);
  file_name(name, file);
  log->open_file = file;
  if (file == RAW_WINDOWS && log->dir->windows >= 0)
    return log->fd = fcntl(log->dir->windows, F_DUPFD_CLOEXEC, 0);
  return log->fd = openat(log->dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

ssize_t raw_log_read(struct raw_log *log, const struct raw_chunk *chunk, uint64_t from, void *buffer, size_t size)
{
  int fd = file_of(log, chunk->file);
  return fd < 0 ? -1 : read_at(fd, buffer, size, chunk->offset + from);
}

/* A chunk that was found, and whose it is. */
struct owned_chunk {
  uint32_t thread;
  struct raw_chunk chunk;
};

struct owned_chunks {
  struct owned_chunk *list;
  size_t count;
};

static int add_chunk(struct owned_chunks *chunks, uint32_t thread, struct raw_chunk chunk)
{
  if ((chunks->count & (chunks->count - 1)) == 0) {
    size_t room = chunks->count == 0 ? 1 : 2 * chunks->count;
    struct owned_chunk *more = reallocarray(chunks->list, room, sizeof *more);
    if (more == NULL)
      return -1;
    chunks->list = more;
  }
  chunks->list[chunks->count++] = (struct owned_chunk){.thread = thread, .chunk = chunk};
  return 0;
}

/* Takes the chunk at a place of a file; it may also be the head of the first log, or unknown data. */
static int take_place(struct raw_dir *dir, uint32_t file, uint64_t at, uint64_t size, const struct raw_header *header,
                      struct owned_chunks *chunks)
{
  struct raw_chunk chunk = chunk_of_header(header, at, file);
  if (file == 0 && at == 0 && header->owner == 0)
    dir->events_lost = header->not_measured;
  if ((uint32_t)header->owner == 0)
    return 0;
  bool keeps = file == RAW_WINDOWS && (header->lost_after & RAW_UNTRACED) != 0;
  chunk.traced = keeps ? (uint32_t)chunk.used : 0;
  if (file == RAW_WINDOWS && (chunk.used == 0 || keeps))
    chunk.used = header->window_size - sizeof *header;
  if (chunk.used > size - at - sizeof *header)
    return 0;
  return add_chunk(chunks, (uint32_t)(header->owner >> 32), chunk);
}

static int open_chunks(const struct raw_dir *dir, uint32_t file, const char *name, uint64_t *size)
{
  struct stat status;
  if (file != RAW_WINDOWS || dir->windows < 0)
    return open_sized(dir->fd, name, size);
  *size = fstat(dir->windows, &status) == 0 ? (uint64_t)status.st_size : 0;
  return fcntl(dir->windows, F_DUPFD_CLOEXEC, 0);
}

/* Takes note of the chunks in a file: they stand at multiples of the window size, and there may be holes. */
static int list_chunks(struct raw_dir *dir, uint32_t file, struct owned_chunks *chunks)
{
  char name[40];
  file_name(name, file);
  struct raw_header header;
  uint64_t size, step = 0;
  int result = 0, fd = open_chunks(dir, file, name, &size);
  if (fd < 0)
    return 0;
  for (uint64_t at = 0; result == 0 && at < size; at += step ? step : WINDOW_MIN) {
    at = skip_hole(fd, at, size, step ? step : WINDOW_MIN);
    if (at >= size || read_at(fd, &header, sizeof header, at) != (ssize_t)sizeof header)
      break;
    if (!header_is_sane(&header))
      continue;
    step = step ? step : header.window_size;
    if (header.window_size == step)
      result = take_place(dir, file, at, size, &header, chunks);
  }
  close(fd);
  return result;
}

static int by_owner(const void *a, const void *b)
{
  const struct owned_chunk *x = a, *y = b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  if (x->chunk.sequence != y->chunk.sequence)
    return x->chunk.sequence < y->chunk.sequence ? -1 : 1;
  if (x->chunk.file != y->chunk.file)
    return x->chunk.file > y->chunk.file ? -1 : 1; /* the window's copy counts */
  return x->chunk.offset < y->chunk.offset ? -1 : x->chunk.offset > y->chunk.offset;
}

/* Gives a thread its chunks, each once: they are sorted. */
static int fill_log(struct raw_log *log, const struct owned_chunk *chunks, size_t count)
{
  log->chunks = calloc(count, sizeof *log->chunks);
  if (log->chunks == NULL)
    return -1;
  for (size_t i = 0; i < count; i++) {
    if (i != 0 && chunks[i].chunk.sequence == chunks[i - 1].chunk.sequence)
      continue;
    log->chunks[log->chunk_count++] = chunks[i].chunk;
    log->bytes += chunks[i].chunk.used;
  }
  return 0;
}

/* Gives the chunks to their threads. */
static int make_logs(struct raw_dir *dir, struct owned_chunks *chunks)
{
  size_t threads = 0;
  if (chunks->count != 0)
    qsort(chunks->list, chunks->count, sizeof *chunks->list, by_owner);
  for (size_t i = 0; i < chunks->count; i++)
    threads += i == 0 || chunks->list[i].thread != chunks->list[i - 1].thread;
  dir->logs = calloc(threads + 1, sizeof *dir->logs);
  if (dir->logs == NULL)
    return -1;
  for (size_t i = 0, end; i < chunks->count; i = end) {
    uint32_t thread = chunks->list[i].thread;
    for (end = i + 1; end < chunks->count && chunks->list[end].thread == thread; end++)
      ;
    struct raw_log *log = &dir->logs[dir->log_count + dir->profile_count];
    if ((thread & RAW_PROFILE_OF) == 0)
      dir->log_count++;
    else
      dir->profile_count++;
    dir->profiles = &dir->logs[dir->log_count]; /* their numbers are the largest */
    *log = (struct raw_log){.dir = dir, .thread = thread, .fd = -1};
    if (fill_log(log, &chunks->list[i], end - i) != 0)
      return -1;
  }
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

/* Takes note of the chunks in all files that may have some. The windows come first: a chunk that its thread, which
 * still runs, moves to a log meanwhile is found twice, not never. */
static int list_files(struct raw_dir *dir, struct owned_chunks *chunks)
{
  int copy = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  if (list == NULL) {
    if (copy >= 0)
      close(copy);
    return -1;
  }
  int result = list_chunks(dir, RAW_WINDOWS, chunks);
  struct dirent *entry;
  while (result == 0 && (entry = readdir(list)) != NULL) {
    int64_t log = numbered(entry->d_name, "chunks-", ".log");
    if (log >= 0)
      result = list_chunks(dir, (uint32_t)log, chunks);
  }
  closedir(list);
  return result;
}

static int open_dir(struct raw_dir *dir, int at, const char *name, bool still)
{
  *dir = (struct raw_dir){.fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), .windows = -1};
  if (dir->fd < 0)
    return -1;
  struct owned_chunks chunks = {0};
  int result = still ? copy_windows(dir->fd, &dir->windows) : 0;
  if (result == 0)
    result = list_files(dir, &chunks);
  if (result == 0)
    result = make_logs(dir, &chunks);
  free(chunks.list);
  if (result != 0) {
    int saved = errno;
    raw_dir_close(dir);
    errno = saved;
  }
  return result;
}

int raw_dir_open(struct raw_dir *dir, int at, const char *name)
{
  return open_dir(dir, at, name, false);
}

int raw_dir_open_running(struct raw_dir *dir, int at, const char *name)
{
  return open_dir(dir, at, name, true);
}

struct raw_log *raw_dir_profile(const struct raw_dir *dir, uint32_t thread)
{
  uint32_t from = 0, to = dir->profile_count;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (dir->profiles[middle].thread < (thread | RAW_PROFILE_OF))
      from = middle + 1;
    else
      to = middle;
  }
  bool found = from < dir->profile_count && dir->profiles[from].thread == (thread | RAW_PROFILE_OF);
  return found ? &dir->profiles[from] : NULL;
}

void raw_dir_close(struct raw_dir *dir)
{
  for (uint32_t i = 0; i < dir->log_count + dir->profile_count; i++) {
    raw_log_rest(&dir->logs[i]);
    free(dir->logs[i].chunks);
  }
  free(dir->logs);
  if (dir->fd >= 0) {
    close(dir->fd);
    if (dir->windows >= 0)
      close(dir->windows);
  }
  *dir = (struct raw_dir){.fd = -1, .windows = -1};
}

bool raw_log_next(const struct raw_log *log, struct raw_place *place, struct raw_chunk *chunk)
{
  if (place->next >= log->chunk_count)
    return false;
  *chunk = log->chunks[place->next++];
  place->last_sequence = chunk->sequence;
  return true;
}

void raw_iter_start(struct raw_iter *iter, struct raw_log *log, const struct raw_mark *mark, uint64_t before_ticks,
                    uint64_t *buffer)
{
  *iter = (struct raw_iter){
      .at = buffer, .end = buffer, .log = log, .mark = *mark, .buffer = buffer, .before_ticks = before_ticks};
  iter->read_again = mark->consumed;
  iter->second_again = mark->second;
  iter->is.lock = RAW_NO_LOCK;
  iter->mark.consumed = 0;
}

void raw_iter_stop(const struct raw_iter *iter, struct raw_mark *mark)
{
  *mark = iter->mark;
  mark->consumed -= (uint64_t)(iter->end - iter->at) * 8;
  mark->second = iter->second_is_next;
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
  ssize_t n = raw_log_read(iter->log, &iter->mark.chunk, iter->mark.consumed, iter->buffer + left, want);
  if (n < 0)
    iter->error = errno;
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
  iter->read_again = 0;
  iter->second_is_next = false;
}

/* Begins the next chunk. 0 no more, 1 begun, 2 begun and chunks before it are missing. */
static int chunk_begin(struct raw_iter *iter)
{
  struct raw_place place = iter->mark.place;
  struct raw_chunk chunk;
  if (iter->error != 0 || !raw_log_next(iter->log, &place, &chunk) || chunk.anchor_ticks >= iter->before_ticks)
    return 0;
  uint64_t missing = (uint64_t)chunk.sequence - iter->mark.place.last_sequence - 1;
  iter->mark = (struct raw_mark){.place = place, .chunk = chunk, .in_chunk = true};
  iter->is = (struct raw_built){.lock = RAW_NO_LOCK};
  memset(iter->entries, 0, sizeof iter->entries);
  if (missing == 0)
    return 1;
  iter->synthetic[0] = raw_head(RAW_GAP, RAW_GAP_MISSING, missing);
  iter->synthetic[1] = chunk.anchor_ticks;
  iter->synthetic[2] = 0;
  return 2;
}

const uint64_t *raw_iter_repeat(struct raw_iter *iter, const uint64_t *record)
{
  if (raw_short_expand(iter, *record))
    return iter->repeated;
  iter->bad_chunks++;
  chunk_end(iter);
  return NULL;
}

/* The next words of the chunk that are a record, short or not; NULL: end of the chunk. */
static const uint64_t *next_in_chunk(struct raw_iter *iter)
{
  for (;;) {
    size_t left = (size_t)(iter->end - iter->at);
    unsigned words = left == 0 ? 0 : raw_record_words(*iter->at);
    if (left != 0 && words == 0) { /* the end of a window, or no record */
      if (*iter->at != 0 || iter->mark.chunk.file != RAW_WINDOWS)
        iter->bad_chunks++;
      break;
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
    break;
  }
  chunk_end(iter);
  return NULL;
}

/* True if the mark is at or behind the end of what was read of the chunk. */
static bool is_before_mark(const struct raw_iter *iter)
{
  return iter->mark.consumed - (uint64_t)(iter->end - iter->at) * 8 <= iter->read_again;
}

static bool is_at_mark(const struct raw_iter *iter)
{
  return iter->mark.consumed - (uint64_t)(iter->end - iter->at) * 8 == iter->read_again;
}

const uint64_t *raw_iter_refill(struct raw_iter *iter)
{
  for (;;) {
    if (iter->second_is_next) {
      iter->second_is_next = false;
      return iter->second;
    }
    const uint64_t *record = iter->mark.in_chunk ? next_in_chunk(iter) : NULL;
    if (record) {
      bool again = iter->read_again > 0 && is_before_mark(iter);
      record = raw_iter_expanded(iter, record);
      if (record && !again)
        return record;
      if (again && !(iter->second_again && is_at_mark(iter)))
        iter->second_is_next = false;
      continue;
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
