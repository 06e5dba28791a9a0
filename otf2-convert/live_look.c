#include "otf2-convert/live_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMING_WORDS 512u /* a thread is named in its first records */

void live_look_begin(struct live_look *look)
{
  memset(look, 0, sizeof *look);
  look->windows.fd = -1;
}

static void unmap_windows(struct live_look *look)
{
  if (look->windows.bytes != NULL)
    munmap((void *)look->windows.bytes, look->windows.size);
  if (look->windows.fd >= 0)
    close(look->windows.fd);
  look->windows.fd = -1;
  look->windows.bytes = NULL;
  look->windows.size = 0;
}

void live_look_end(struct live_look *look)
{
  unmap_windows(look);
  for (size_t i = 0; i < look->threads.count; i++) {
    free(look->threads.items[i].user);
    free(look->threads.items[i].java);
    vector_free(&look->threads.items[i].rows);
  }
  vector_free(&look->threads);
}

/* The file grows as threads come. */
static void map_windows(struct live_look *look, int directory)
{
  struct stat status;
  if (look->windows.fd >= 0 && fstat(look->windows.fd, &status) == 0 && (uint64_t)status.st_size == look->windows.size)
    return;
  unmap_windows(look);
  look->windows.fd = openat(directory, "windows", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (look->windows.fd < 0 || fstat(look->windows.fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
    return;
  void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, look->windows.fd, 0);
  if (map == MAP_FAILED)
    return;
  look->windows.bytes = map;
  look->windows.size = (uint64_t)status.st_size;
}

/* Words that may be changing. */
struct words {
  const uint64_t *at, *end;
  const struct raw_header *window; /* they are in; NULL: in a log */
};

static uint64_t load(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* The records of a chunk, or the first of them, as far as they fit into the look's buffer. */
static struct words chunk_words(struct live_look *look, const struct raw_dir *dir, const struct raw_chunk *chunk)
{
  if (chunk->file == RAW_WINDOWS) {
    if (chunk->offset % 8 != 0 || chunk->offset > look->windows.size ||
        chunk->used > look->windows.size - chunk->offset)
      return (struct words){NULL, NULL, NULL};
    const uint64_t *at = (const uint64_t *)(const void *)(look->windows.bytes + chunk->offset);
    return (struct words){at, at + chunk->used / 8, (const struct raw_header *)(const void *)at - 1};
  }
  char name[40];
  snprintf(name, sizeof name, "chunks-%u.log", chunk->file);
  int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  size_t size = chunk->used < sizeof look->buffer ? chunk->used : sizeof look->buffer;
  ssize_t got = fd < 0 ? 0 : pread(fd, look->buffer, size, (off_t)chunk->offset);
  if (fd >= 0)
    close(fd);
  return (struct words){look->buffer, look->buffer + (got > 0 ? got / 8 : 0), NULL};
}

/* The next record, whose head becomes *head; NULL: there is none yet. */
static const uint64_t *next_record(struct words *words, uint64_t *head)
{
  if (words->at >= words->end)
    return NULL;
  const uint64_t *record = words->at;
  *head = __atomic_load_n(record, __ATOMIC_ACQUIRE);
  unsigned size = *head == 0 ? 0 : raw_record_words(*head);
  if (size == 0 || size > (size_t)(words->end - record))
    return NULL;
  words->at += size;
  return record;
}

static void take_text(struct live_thread *thread, const uint64_t *record, uint64_t head)
{
  unsigned kind = raw_value_of(head) >> 16 & 0xff;
  char **text = kind == RAW_TEXT_NAME ? &thread->java : kind == RAW_TEXT_USER ? &thread->user : NULL;
  size_t bytes = raw_value_of(head) & 0xffff, room = 8u * (raw_record_words(head) - 2);
  char *copy = text == NULL ? NULL : strndup((const char *)&record[2], bytes < room ? bytes : room);
  if (copy == NULL)
    return;
  free(*text);
  *text = copy;
}

static void take_name(struct live_thread *thread, const uint64_t *record, uint64_t head)
{
  switch (raw_kind_of(head)) {
  case RAW_THREAD_BEGIN:
    thread->type = raw_detail_of(head);
    thread->tid = raw_value_of(head);
    break;
  case RAW_THREAD_NAME:
    memcpy(thread->system, &record[2], 16);
    break;
  case RAW_THREAD_TEXT:
    take_text(thread, record, head);
    break;
  case RAW_JAVA_THREAD:
    thread->is_java = true;
    thread->java_id = raw_value_of(head);
    thread->java_flags |= raw_detail_of(head);
    break;
  }
}

/* False: memory is short. */
static bool take_row(struct live_thread *thread, const uint64_t *record, uint64_t head)
{
  struct live_row row = {.words = {head}};
  for (unsigned i = 1; i < LIVE_ROW_WORDS; i++)
    row.words[i] = load(&record[i]);
  return vector_push(&thread->rows, row);
}

/* The rows of a chunk, which come after its RAW_PROFILE_THREAD. */
static bool take_rows(struct live_thread *thread, struct words words)
{
  uint64_t head;
  const uint64_t *record;
  size_t first = thread->rows.count;
  bool good = true;
  while (good && (record = next_record(&words, &head)) != NULL) {
    if (raw_kind_of(head) == RAW_PROFILE_ROW) {
      good = take_row(thread, record, head);
    } else if (raw_kind_of(head) == RAW_PROFILE_THREAD) {
      uint64_t begin = load(&record[1]), last = load(&record[2]), inside = load(&record[3]);
      thread->first = thread->first == 0 || begin < thread->first ? begin : thread->first;
      thread->last = last > thread->last ? last : thread->last;
      thread->inside = inside < SIZE_MAX - first ? first + (size_t)inside : SIZE_MAX;
      if (raw_value_of(head) != 0)
        thread->first_index = (uint32_t)raw_value_of(head) - 1;
    }
  }
  return good;
}

static void take_names(struct live_look *look, struct live_thread *thread, const struct raw_dir *dir,
                       const struct raw_log *log)
{
  uint64_t head;
  const uint64_t *record;
  if (log->chunk_count == 0)
    return;
  struct words words = chunk_words(look, dir, &log->chunks[0]);
  if (words.end - words.at > NAMING_WORDS)
    words.end = words.at + NAMING_WORDS;
  while ((record = next_record(&words, &head)) != NULL)
    take_name(thread, record, head);
}

/* Whether the window still has that chunk, so that what was read there was the thread's. */
static bool is_still(const struct words *words, uint32_t thread, const struct raw_chunk *chunk)
{
  atomic_thread_fence(memory_order_acquire);
  return words->window == NULL ||
         __atomic_load_n(&words->window->owner, __ATOMIC_RELAXED) == ((uint64_t)thread << 32 | chunk->sequence);
}

/* Takes the rows of a log. False: memory is short. *changed: a chunk was moved meanwhile, or windows do not have it. */
static bool take_all_rows(struct live_look *look, struct live_thread *thread, const struct raw_dir *dir,
                          const struct raw_log *log, bool *changed)
{
  for (uint32_t i = 0; i < log->chunk_count; i++) {
    struct words words = chunk_words(look, dir, &log->chunks[i]);
    if (words.at != NULL && !take_rows(thread, words))
      return false;
    *changed |= words.at == NULL || !is_still(&words, log->thread, &log->chunks[i]);
  }
  return true;
}

/* log: of the thread's events; its rows are there, or beside. What changes during the look stays as the last look had
 * it. */
static bool look_at(struct live_look *look, struct live_thread *thread, const struct raw_dir *dir,
                    const struct raw_log *log)
{
  const struct raw_log *profile = raw_dir_profile(dir, thread->number);
  struct live_thread before = *thread;
  bool changed = false, over = true;
  take_names(look, thread, dir, log);
  memset(&thread->rows, 0, sizeof thread->rows);
  bool good = take_all_rows(look, thread, dir, profile != NULL ? profile : log, &changed);
  for (uint32_t i = 0; i < log->chunk_count; i++)
    over &= log->chunks[i].file != RAW_WINDOWS;
  if (changed || !good) {
    vector_free(&thread->rows);
    thread->rows.items = before.rows.items;
    thread->rows.count = before.rows.count;
    thread->rows.room = before.rows.room;
    thread->first = before.first;
    thread->last = before.last;
    thread->inside = before.inside;
  } else {
    vector_free(&before.rows);
    thread->over = over;
  }
  return good;
}

/* The thread with a number, which is new or known; NULL: memory is short. Both lists are sorted. */
static struct live_thread *thread_of(struct live_look *look, uint32_t number, size_t *at)
{
  while (*at < look->threads.count && look->threads.items[*at].number < number)
    ++*at;
  if (*at < look->threads.count && look->threads.items[*at].number == number)
    return &look->threads.items[*at];
  if (!vector_push(&look->threads, ((struct live_thread){.number = number, .first_index = UINT32_MAX})))
    return NULL;
  struct live_thread *items = look->threads.items, added = items[look->threads.count - 1];
  memmove(&items[*at + 1], &items[*at], (look->threads.count - 1 - *at) * sizeof *items);
  items[*at] = added;
  return &items[*at];
}

bool live_look_take(struct live_look *look, int at, const char *name)
{
  struct raw_dir dir;
  size_t place = 0;
  if (raw_dir_open(&dir, at, name) != 0)
    return false;
  bool good = true;
  map_windows(look, dir.fd);
  for (uint32_t i = 0; good && i < dir.log_count; i++) {
    struct live_thread *thread = thread_of(look, dir.logs[i].thread, &place);
    good = thread != NULL && (thread->over || look_at(look, thread, &dir, &dir.logs[i]));
  }
  raw_dir_close(&dir);
  if (!good)
    errno = ENOMEM;
  return good;
}
