#include "otf2-convert/live/live_look.h"

#include "common/raw/archive_names.h"
#include "common/raw/live_control.h"
#include "common/recorder/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMING_BYTES 4096u /* the first records of a chunk: what it has, and names */

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

static void forget(struct live_thread *thread)
{
  free(thread->is.user);
  free(thread->is.java);
  vector_free(&thread->rows);
  vector_free(&thread->metrics);
}

void live_look_end(struct live_look *look)
{
  unmap_windows(look);
  for (size_t i = 0; i < look->threads.count; i++)
    forget(&look->threads.items[i]);
  vector_free(&look->threads);
  vector_free(&look->numbers);
  live_samples_free(&look->samples);
  free(look->buffer);
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

/* Room for that many bytes in the look's buffer. False: memory is short. */
static bool make_room(struct live_look *look, size_t bytes)
{
  if (bytes <= look->buffer_bytes)
    return true;
  uint64_t *more = realloc(look->buffer, bytes);
  if (more == NULL)
    return false;
  look->buffer = more;
  look->buffer_bytes = bytes;
  return true;
}

/* The records of a chunk, or at most so many bytes of them. at is NULL: they cannot be read now. */
static struct words chunk_words(struct live_look *look, struct raw_log *log, const struct raw_chunk *chunk, size_t most)
{
  size_t size = chunk->used < most ? (size_t)chunk->used : most;
  if (chunk->file == RAW_WINDOWS) {
    if (chunk->offset % 8 != 0 || chunk->offset > look->windows.size ||
        chunk->used > look->windows.size - chunk->offset)
      return (struct words){NULL, NULL, NULL};
    const uint64_t *at = (const uint64_t *)(const void *)(look->windows.bytes + chunk->offset);
    return (struct words){at, at + size / 8, (const struct raw_header *)(const void *)at - 1};
  }
  ssize_t got = make_room(look, size) ? raw_log_read(log, chunk, 0, look->buffer, size) : -1;
  return got < 0 ? (struct words){NULL, NULL, NULL} : (struct words){look->buffer, look->buffer + got / 8, NULL};
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

static void live_look_take_text(struct live_is *is, const uint64_t *record, uint64_t head)
{
  unsigned kind = raw_value_of(head) >> 16 & 0xff;
  char **text = kind == RAW_TEXT_NAME ? &is->java : kind == RAW_TEXT_USER ? &is->user : NULL;
  size_t bytes = raw_value_of(head) & 0xffff, room = 8u * (raw_record_words(head) - 2);
  char *copy = text == NULL ? NULL : strndup((const char *)&record[2], bytes < room ? bytes : room);
  if (copy == NULL)
    return;
  free(*text);
  *text = copy;
}

/* Takes the facts on the thread from a record. */
static void live_look_take_name(struct live_is *is, const uint64_t *record, uint64_t head)
{
  switch (raw_kind_of(head)) {
  case RAW_THREAD_BEGIN:
    is->type = raw_detail_of(head);
    is->tid = raw_value_of(head);
    is->begun = record[1];
    break;
  case RAW_THREAD_NAME:
    memcpy(is->system, &record[2], 16);
    break;
  case RAW_THREAD_TEXT:
    live_look_take_text(is, record, head);
    break;
  case RAW_PTHREAD_START:
    is->start = raw_value_of(head);
    break;
  case RAW_JAVA_THREAD:
    is->is_java = true;
    is->java_id = raw_value_of(head);
    is->java_flags |= raw_detail_of(head);
    break;
  }
}

static void take_words(uint64_t *words, const uint64_t *record, uint64_t head)
{
  unsigned count = raw_record_words(head);
  words[0] = head;
  for (unsigned i = 1; i < count; i++)
    words[i] = load(&record[i]);
}

/* False: memory is short. */
static bool take_row(struct live_look *look, struct live_thread *thread, const uint64_t *record, uint64_t head)
{
  struct live_row row = {.words = {0}};
  take_words(row.words, record, head);
  return vector_push(&look->numbers, thread->rows.count) && vector_push(&thread->rows, row);
}

/* The row around it is before it. */
static bool take_metric(struct live_look *look, struct live_thread *thread, const uint64_t *record, uint64_t head)
{
  struct live_metric metric = {.around = SIZE_MAX};
  take_words(metric.words, record, head);
  uint64_t around = metric.words[RAW_METRIC_AROUND];
  if (around > 0 && around <= look->numbers.count)
    metric.around = look->numbers.items[around - 1];
  return vector_push(&look->numbers, SIZE_MAX) && vector_push(&thread->metrics, metric);
}

static void take_profile(struct live_thread *thread, const uint64_t *record, uint64_t head)
{
  thread->seen = clock_ticks(); /* before the rest, so that what the thread does from now on shows in its rows */
  atomic_signal_fence(memory_order_seq_cst);
  uint64_t begin = load(&record[1]), last = load(&record[2]), inside = load(&record[3]);
  thread->first = thread->first == 0 || begin < thread->first ? begin : thread->first;
  thread->last = last > thread->last ? last : thread->last;
  thread->inside = (size_t)inside;
  if (raw_value_of(head) != 0)
    thread->first_index = (uint32_t)raw_value_of(head) - 1;
}

/* The records of a chunk. False: memory is short. */
static bool take_records(struct live_look *look, struct live_thread *thread, struct words words)
{
  uint64_t head;
  const uint64_t *record;
  bool good = true, profile = false;
  look->numbers.count = 0;
  while (good && (record = next_record(&words, &head)) != NULL) {
    switch (raw_kind_of(head)) {
    case RAW_PROFILE_ROW:
    case RAW_PROFILE_TEAM_ROW:
      good = take_row(look, thread, record, head);
      break;
    case RAW_PROFILE_METRIC:
      good = take_metric(look, thread, record, head);
      break;
    case RAW_PROFILE_THREAD:
      take_profile(thread, record, head);
      profile = true;
      break;
    default:
      live_look_take_name(&thread->is, record, head);
    }
  }
  if (profile)
    thread->inside = thread->inside < look->numbers.count ? look->numbers.items[thread->inside] : SIZE_MAX;
  return good;
}

/* True if the window still has that chunk, so that what was read there was the thread's. */
static bool is_still(const struct words *words, uint32_t thread, const struct raw_chunk *chunk)
{
  atomic_thread_fence(memory_order_acquire);
  return words->window == NULL ||
         __atomic_load_n(&words->window->owner, __ATOMIC_RELAXED) == ((uint64_t)thread << 32 | chunk->sequence);
}

/* True if the first records say that rows follow. */
static bool has_rows(struct words words)
{
  uint64_t head;
  while (next_record(&words, &head) != NULL)
    if (raw_kind_of(head) == RAW_PROFILE_THREAD)
      return true;
  return false;
}

/* Takes a chunk with rows, or the first records of one with events: *rows. False: memory is short. *changed: the chunk
 * was moved meanwhile. */
static bool live_look_take_chunk(struct live_look *look, struct live_thread *thread, struct raw_log *log,
                                 uint32_t number, bool *rows, bool *changed)
{
  const struct raw_chunk *chunk = &log->chunks[number];
  struct words words = chunk_words(look, log, chunk, NAMING_BYTES);
  *rows = words.at != NULL && has_rows(words);
  if (*rows)
    words = chunk_words(look, log, chunk, SIZE_MAX);
  if (words.at != NULL && !take_records(look, thread, words))
    return false;
  *changed |= words.at == NULL || !is_still(&words, log->thread, chunk);
  thread->over &= chunk->file != RAW_WINDOWS;
  return true;
}

/* All chunks with rows. If they have events, the first one, and the last one, which may have a new name. */
static bool live_look_take_log(struct live_look *look, struct live_thread *thread, struct raw_log *log, bool *changed)
{
  bool good = true, rows;
  for (uint32_t i = 0; good && i < log->chunk_count; i++) {
    good = live_look_take_chunk(look, thread, log, i, &rows, changed);
    if (!rows && i + 2 < log->chunk_count)
      i = log->chunk_count - 2;
  }
  raw_log_rest(log); /* there may be more threads than files may be open */
  return good;
}

/* log: of the thread's events; its rows are there, or beside. A thread that changes its chunks during the look stays
 * as the last look had it. False: memory is short. */
static bool live_look_at(struct live_look *look, struct live_thread *thread, const struct raw_dir *dir,
                         struct raw_log *log)
{
  struct raw_log *profile = raw_dir_profile(dir, thread->number);
  struct live_thread seen = {
      .number = thread->number, .known = true, .over = true, .told = thread->told, .first_index = UINT32_MAX};
  seen.is.start = thread->is.start; /* its record goes with the first chunk */
  bool changed = log->chunk_count == 0;
  bool good = live_look_take_log(look, &seen, log, &changed);
  if (good && profile != NULL)
    good = live_look_take_log(look, &seen, profile, &changed);
  struct live_thread *worse = changed || !good ? &seen : thread;
  forget(worse);
  if (worse == thread)
    *thread = seen;
  return good;
}

/* The thread with a number, which is new or known; NULL: memory is short. Both lists are sorted. */
static struct live_thread *thread_of(struct live_look *look, uint32_t number, size_t *at)
{
  while (*at < look->threads.count && look->threads.items[*at].number < number)
    ++*at;
  if (*at < look->threads.count && look->threads.items[*at].number == number)
    return &look->threads.items[*at];
  if (!vector_push(&look->threads, ((struct live_thread){.number = number})))
    return NULL;
  struct live_thread *items = look->threads.items, added = items[look->threads.count - 1];
  memmove(&items[*at + 1], &items[*at], (look->threads.count - 1 - *at) * sizeof *items);
  items[*at] = added;
  return &items[*at];
}

/* After the windows: a thread that has ended has reported before. Files that are too short have zeros. */
static void take_allocated(struct live_look *look, int directory)
{
  struct live_allocated allocated;
  int fd = openat(directory, LIVE_ALLOCATED_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  ssize_t size = pread(fd, &allocated, sizeof allocated, 0);
  size_t words = size < 0 ? 0 : (size_t)size / sizeof *allocated.bytes;
  close(fd);
  for (size_t i = 0; i < look->threads.count; i++) {
    struct live_thread *thread = &look->threads.items[i];
    if (thread->number < words)
      thread->allocated = allocated.bytes[thread->number];
  }
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
    good = thread != NULL && (thread->over || live_look_at(look, thread, &dir, &dir.logs[i]));
  }
  take_allocated(look, dir.fd);
  good = good && live_samples_take(&look->samples, dir.fd);
  raw_dir_close(&dir);
  if (!good)
    errno = ENOMEM;
  return good;
}

#define LIVE_SAMPLES_DEPTH_MOST 512u /* calls above one that are looked at ... */
#define LIVE_SAMPLES_STEPS_MOST                                                                                        \
  (1u << 22) /* ... and in all of a reading: a file may have circles; beyond, only functions themselves */

bool live_samples_take(struct live_sampled_functions *samples, int directory)
{
  int fd = openat(directory, LIVE_SAMPLES_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return true;
  if (samples->file == NULL)
    samples->file = malloc(sizeof *samples->file);
  if (samples->file != NULL) {
    ssize_t size = pread(fd, samples->file, sizeof *samples->file, 0);
    size_t has = size < 0 ? 0 : (size_t)size;
    memset((char *)samples->file + has, 0, sizeof *samples->file - has);
  }
  close(fd);
  return samples->file != NULL;
}

void live_samples_free(struct live_sampled_functions *samples)
{
  free(samples->file);
  samples->file = NULL;
  string_table_free(&samples->functions);
  vector_free(&samples->places);
  hash_free(&samples->of_place);
  vector_free(&samples->all);
  hash_free(&samples->index);
  vector_free(&samples->seen);
  vector_free(&samples->waits);
}

/* The number of a function; STRING_TABLE_NONE: memory is short. */
static uint32_t function_of(struct live_sampled_functions *samples, const char *name, uint32_t place)
{
  uint32_t number = string_table_number(&samples->functions, name);
  if (number == samples->places.count && !vector_push(&samples->places, place))
    return STRING_TABLE_NONE;
  return number == STRING_TABLE_NONE || number < samples->places.count ? number : STRING_TABLE_NONE;
}

static uint32_t function_at(struct live_sampled_functions *samples, const struct java_names *names, uint32_t place)
{
  const uint64_t *known = hash_find(&samples->of_place, place);
  if (known != NULL)
    return (uint32_t)*known;
  const struct java_place *at = java_place(names, place);
  if (at == NULL)
    return function_of(samples, NAME_METHOD_UNKNOWN, 0);
  uint32_t function = function_of(samples, at->method, place);
  return function == STRING_TABLE_NONE || hash_add(&samples->of_place, place, function) == NULL ? STRING_TABLE_NONE
                                                                                                : function;
}

static bool live_samples_add(struct live_sampled_functions *samples, uint32_t thread, uint32_t function, uint64_t self,
                             uint64_t total)
{
  uint64_t key = (uint64_t)thread << 32 | function;
  const uint64_t *known = hash_find(&samples->index, key);
  if (known == NULL) {
    struct live_function none = {.thread = thread, .function = function};
    if (function == STRING_TABLE_NONE || !vector_push(&samples->all, none))
      return false;
    known = hash_add(&samples->index, key, samples->all.count - 1);
  }
  if (known == NULL)
    return false;
  samples->all.items[*known].self += self;
  samples->all.items[*known].total += total;
  return true;
}

/* True if a function is new on the path from a call. */
static bool live_samples_is_first(struct live_sampled_functions *samples, uint32_t function, uint32_t from)
{
  if (samples->seen.count <= function && !vector_resize(&samples->seen, (size_t)function + 1))
    return true;
  bool first = samples->seen.items[function] != from;
  samples->seen.items[function] = from;
  return first;
}

/* number: the place's in the file, from 1. */
static bool add_call(struct live_sampled_functions *samples, const struct java_calls *calls,
                     const struct java_names *names, const struct live_sampled *sampled, uint32_t number,
                     uint32_t *steps)
{
  uint32_t thread = (uint32_t)(sampled->who >> 32);
  const struct java_call *call = java_call(calls, (uint32_t)sampled->who);
  bool good = true;
  for (unsigned depth = 0;
       good && call != NULL && depth < LIVE_SAMPLES_DEPTH_MOST && (depth == 0 || *steps < LIVE_SAMPLES_STEPS_MOST);
       depth++) {
    (*steps)++;
    uint32_t function = function_at(samples, names, call->place);
    if (function == STRING_TABLE_NONE)
      return false;
    if (live_samples_is_first(samples, function, number))
      good = live_samples_add(samples, thread, function, depth == 0 ? sampled->count : 0, sampled->count);
    call = java_call(calls, call->caller);
  }
  return good;
}

static int live_samples_by_thread(const void *a, const void *b)
{
  const struct live_function *x = a, *y = b;
  int order = (x->thread > y->thread) - (x->thread < y->thread);
  return order != 0 ? order : (x->function > y->function) - (x->function < y->function);
}

static bool add_all(struct live_sampled_functions *samples, const struct java_calls *calls,
                    const struct java_names *names, bool over)
{
  bool good = true;
  uint32_t steps = 0;
  for (uint32_t i = 0; good && i < LIVE_SAMPLED; i++) {
    const struct live_sampled *sampled = &samples->file->places[i];
    uint64_t thread = sampled->who >> 32;
    if (sampled->count == 0 || sampled->who == 0 || thread >= LIVE_THREADS)
      continue;
    if (java_call(calls, (uint32_t)sampled->who) != NULL)
      good = add_call(samples, calls, names, sampled, i + 1, &steps);
    else if (over)
      good = live_samples_add(samples, (uint32_t)thread, function_of(samples, NAME_METHOD_UNKNOWN, 0), sampled->count,
                              sampled->count);
    else
      samples->waits.items[thread] = true;
  }
  for (uint32_t i = 0; good && i < LIVE_THREADS; i++) {
    uint64_t count = samples->file->without_room[i];
    good = count == 0 || live_samples_add(samples, i, function_of(samples, LIVE_WITHOUT_ROOM, 0), count, count);
  }
  return good;
}

bool live_samples_sum(struct live_sampled_functions *samples, const struct java_calls *calls,
                      const struct java_names *names, bool over)
{
  samples->all.count = 0;
  samples->seen.count = 0;
  hash_free(&samples->index);
  samples->waits.count = 0;
  if (samples->file == NULL)
    return true;
  bool good = vector_resize(&samples->waits, LIVE_THREADS) && add_all(samples, calls, names, over);
  if (samples->all.count > 0)
    qsort(samples->all.items, samples->all.count, sizeof *samples->all.items, live_samples_by_thread);
  return good;
}

const struct live_function *live_samples_of(const struct live_sampled_functions *samples, uint32_t thread,
                                            size_t *count)
{
  size_t from = 0, to = samples->all.count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (samples->all.items[middle].thread < thread)
      from = middle + 1;
    else
      to = middle;
  }
  while (to < samples->all.count && samples->all.items[to].thread == thread)
    to++;
  *count = to - from;
  return *count > 0 ? &samples->all.items[from] : NULL;
}

bool live_samples_wait(const struct live_sampled_functions *samples, uint32_t thread)
{
  return thread < samples->waits.count && samples->waits.items[thread];
}
