/*
 * Looks at the profiles of threads that go on: both sides are in this process. Threads keep tables in a mapped file of
 * windows, as the recorder does; a reader takes looks meanwhile.
 */
#include "common/profile/profile_team.h"
#include "otf2-convert/live/live_look.h"
#include "tests/unit/otf2-convert/raw_writer.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(UNDER_TSAN)
enum { WRITERS = 8, ROWS_TO_READ = 20000, LIVES = 300 };
#else
enum { WRITERS = 64, ROWS_TO_READ = 1000000, LIVES = 3000 };
#endif

#define WINDOW          4096u
#define LOOP            10u /* ompt_work_t */
#define LOCK            1u  /* ompt_mutex_t */
#define ROW_WORDS       (RAW_ROW_HISTOGRAM + RAW_ROW_BUCKETS)
#define LOCK_OF(thread) (0x500000000000u + (thread))

static char directory[] = "/tmp/heddle-live-look-XXXXXX";
static int directory_fd;

static int make_directory(void **state)
{
  (void)state;
  strcpy(strrchr(directory, '-') + 1, "XXXXXX");
  assert_non_null(mkdtemp(directory));
  directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(directory_fd >= 0);
  return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
  (void)status, (void)kind, (void)at;
  return remove(path);
}

static int remove_directory(void **state)
{
  (void)state;
  close(directory_fd);
  return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A window, and the table of the thread that has it. */
struct writer {
  struct raw_header *window;
  uint64_t *cursor;
  struct profile_table table;
};

static uint64_t *make_record(void *context, uint64_t head, unsigned words, uint64_t now, bool last)
{
  struct writer *writer = context;
  uint64_t *record = writer->cursor;
  if (record + (last ? words : 2 * words) >= (uint64_t *)(void *)((char *)writer->window + WINDOW))
    return NULL;
  memset(record + 1, 0, words * sizeof *record); /* up to the next head; this one is zero already */
  record[1] = now;
  __atomic_store_n(record, head, __ATOMIC_RELEASE);
  writer->cursor = record + words;
  return record;
}

static void *map_windows(unsigned count)
{
  int fd = openat(directory_fd, "windows", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  assert_true(fd >= 0 && ftruncate(fd, (off_t)count * WINDOW) == 0);
  void *map = mmap(NULL, (size_t)count * WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert_true(map != MAP_FAILED);
  close(fd);
  return map;
}

/* The window becomes the thread's: in the order of common/recorder/window.c. */
static void take_window(struct writer *writer, uint32_t thread, uint64_t from)
{
  struct raw_header *window = writer->window;
  __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
  window->version = RAW_VERSION;
  window->window_size = WINDOW;
  window->used = 0;
  window->anchor_ticks = window->anchor_ns = from;
  writer->cursor = (uint64_t *)(void *)(window + 1);
  __atomic_store_n(writer->cursor, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&window->magic, RAW_MAGIC, __ATOMIC_RELEASE);
  __atomic_store_n(&window->owner, (uint64_t)thread << 32 | 1, __ATOMIC_RELEASE);
  uint64_t *record = writer->cursor;
  record[1] = from;
  record[2] = 0;
  __atomic_store_n(record, raw_head(RAW_THREAD_BEGIN, RAW_THREAD_WORKER, 1000 + thread), __ATOMIC_RELEASE);
  writer->cursor += 2;
  memset(&writer->table, 0, sizeof writer->table);
  writer->table.make = make_record;
  writer->table.context = writer;
  assert_true(profile_table_begin(&writer->table, from));
}

static uint64_t code_of(uint32_t thread)
{
  return 0x4000 + thread;
}

/* One execution of the thread's own loop, of that length; the clock is the table's. */
static void execute(struct writer *writer, uint32_t thread, uint64_t ticks)
{
  uint64_t now = writer->table.last;
  profile_open(&writer->table, RAW_ROW_WORK, LOOP, code_of(thread), now + ticks);
  uint64_t *lock = profile_metric(&writer->table, RAW_METRIC_LOCK, LOCK, code_of(thread), LOCK_OF(thread), 1, now);
  assert_non_null(lock);
  profile_count_wait(lock, 1, ticks);
  profile_count(&lock[RAW_METRIC_HELD], ticks);
  profile_close(&writer->table, now + 2 * ticks, true);
}

static const struct live_metric *metric_of(const struct live_thread *thread)
{
  assert_true(thread->metrics.count < 2);
  return thread->metrics.count > 0 ? thread->metrics.items : NULL;
}

static const struct live_row *row_of(const struct live_thread *thread)
{
  uint64_t head = raw_head(RAW_PROFILE_ROW, raw_row_detail(RAW_ROW_WORK, LOOP), code_of(thread->number));
  for (size_t i = 0; i < thread->rows.count; i++)
    if (thread->rows.items[i].words[0] == head)
      return &thread->rows.items[i];
  return NULL;
}

static atomic_bool stop;
static struct writer *writers;

/* Longer than half a word, so that a word of two halves would be none of its multiples. */
static uint64_t ticks_of(uint32_t thread)
{
  return (1ull << 33) + 2 * thread + 1;
}

/* In bursts with rests between them, or the reader would hardly get a processor. */
static void *write_rows(void *argument)
{
  struct writer *writer = argument;
  uint32_t thread = (uint32_t)(writer - writers) + 1;
  uint64_t count = 0;
  while (!atomic_load_explicit(&stop, memory_order_relaxed) && count < 1u << 29) {
    execute(writer, thread, ticks_of(thread));
    if (++count % 1000 == 0)
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return (void *)(uintptr_t)count;
}

/* A word is one that the thread stored, and not older than the word of the look before. */
static void check_row(const struct live_row *row, struct live_row *before, uint64_t ticks)
{
  const uint64_t *words = row->words;
  unsigned bucket = RAW_ROW_HISTOGRAM + raw_row_bucket(ticks);
  assert_int_equal(words[RAW_ROW_INCLUSIVE] % ticks, 0);
  assert_int_equal(words[RAW_ROW_SELF] % ticks, 0);
  assert_true(words[RAW_ROW_LONGEST] == ticks || words[RAW_ROW_LONGEST] == 0);
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    assert_true(RAW_ROW_HISTOGRAM + i == bucket || words[RAW_ROW_HISTOGRAM + i] == 0);
  for (unsigned i = RAW_ROW_EXECUTIONS; i < LIVE_ROW_WORDS; i++)
    assert_true(words[i] >= before->words[i]);
#if defined(__x86_64__)
  /* Stores and loads are in order here: inclusive time, executions, histogram; executions are read before the others.
   */
  assert_true(words[RAW_ROW_INCLUSIVE] / ticks >= words[RAW_ROW_EXECUTIONS]);
  assert_true(words[bucket] + 1 >= words[RAW_ROW_EXECUTIONS]);
  assert_true(words[RAW_ROW_EXECUTIONS] >= before->words[bucket]);
#endif
  *before = *row;
}

/* The same of a metric. */
static void check_metric(const struct live_thread *thread, struct live_metric *before)
{
  const struct live_metric *metric = metric_of(thread);
  uint64_t ticks = ticks_of(thread->number);
  if (metric == NULL)
    return;
  assert_true(metric->words[RAW_METRIC_OBJECT] == LOCK_OF(thread->number) || metric->words[RAW_METRIC_OBJECT] == 0);
  assert_true(metric->around == SIZE_MAX || &thread->rows.items[metric->around] == row_of(thread));
  assert_int_equal(metric->words[RAW_METRIC_TICKS] % ticks, 0);
  assert_int_equal(metric->words[RAW_METRIC_WAITING] % ticks, 0);
  assert_int_equal(metric->words[RAW_METRIC_HELD] % ticks, 0);
  assert_true(metric->words[RAW_METRIC_LONGEST] == ticks || metric->words[RAW_METRIC_LONGEST] == 0);
  for (unsigned i = RAW_METRIC_COUNT; i < LIVE_METRIC_WORDS; i++)
    assert_true(metric->words[i] >= before->words[i]);
  *before = *metric;
}

static uint64_t check_look(const struct live_look *look, struct live_row *before, struct live_metric *metrics_before)
{
  uint64_t rows = 0;
  for (size_t i = 0; i < look->threads.count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    const struct live_row *row = row_of(thread);
    assert_true(thread->number >= 1 && thread->number <= WRITERS && !thread->over);
    assert_int_equal(thread->is.tid, 1000 + thread->number);
    if (row != NULL)
      check_row(row, &before[thread->number - 1], ticks_of(thread->number));
    check_metric(thread, &metrics_before[thread->number - 1]);
    rows += thread->rows.count + thread->metrics.count;
  }
  return rows;
}

/* What the threads counted, once they have ended, is what the rows say. */
static void check_end(struct live_look *look, pthread_t *threads)
{
  uint64_t count[WRITERS];
  for (unsigned i = 0; i < WRITERS; i++) {
    void *result;
    assert_int_equal(pthread_join(threads[i], &result), 0);
    count[i] = (uintptr_t)result;
  }
  assert_true(live_look_take(look, directory_fd, "."));
  assert_int_equal(look->threads.count, WRITERS);
  for (unsigned i = 0; i < WRITERS; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    uint64_t ticks = ticks_of(i + 1), self = 0;
    const struct live_row *row = row_of(thread);
    for (size_t k = 0; k < thread->rows.count; k++)
      self += thread->rows.items[k].words[RAW_ROW_SELF];
    assert_int_equal(self, thread->last - thread->first);
    assert_true(count[i] == 0 || row != NULL);
    assert_int_equal(row == NULL ? 0 : row->words[RAW_ROW_EXECUTIONS], count[i]);
    assert_int_equal(row == NULL ? 0 : row->words[RAW_ROW_HISTOGRAM + raw_row_bucket(ticks)], count[i]);
    assert_int_equal(row == NULL ? 0 : row->words[RAW_ROW_INCLUSIVE], count[i] * ticks);
    const struct live_metric *metric = metric_of(thread);
    assert_int_equal(metric == NULL ? 0 : metric->words[RAW_METRIC_COUNT], count[i]);
    assert_int_equal(metric == NULL ? 0 : metric->words[RAW_METRIC_CONTENDED], count[i]);
    assert_int_equal(metric == NULL ? 0 : metric->words[RAW_METRIC_HELD], count[i] * ticks);
  }
}

/*
 * The reader has the writers' own mapping here, so that a sanitizer of threads sees both at the same addresses. These
 * are stores of the words, and of each record before its head.
 */
static void no_word_is_torn(void **state)
{
  (void)state;
  static struct live_row before[WRITERS];
  static struct live_metric metrics_before[WRITERS];
  pthread_t threads[WRITERS];
  struct live_look look;
  char *map = map_windows(WRITERS);
  writers = calloc(WRITERS, sizeof *writers);
  assert_non_null(writers);
  atomic_store(&stop, false);
  live_look_begin(&look);
  look.windows.fd = openat(directory_fd, "windows", O_RDONLY | O_CLOEXEC);
  look.windows.bytes = map;
  look.windows.size = (uint64_t)WRITERS * WINDOW;
  for (unsigned i = 0; i < WRITERS; i++) {
    writers[i].window = (struct raw_header *)(void *)(map + (size_t)i * WINDOW);
    take_window(&writers[i], i + 1, 1);
  }
  for (unsigned i = 0; i < WRITERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, write_rows, &writers[i]), 0);
  for (uint64_t rows = 0; rows < ROWS_TO_READ;) {
    assert_true(live_look_take(&look, directory_fd, "."));
    rows += check_look(&look, before, metrics_before);
  }
  atomic_store(&stop, true);
  check_end(&look, threads);
  live_look_end(&look);
  free(writers);
}

enum { SLOTS = 8 };
static atomic_uint next_thread;
static atomic_uint places; /* in the log */
static atomic_uint looks;

static unsigned executions_of(uint32_t thread)
{
  return 1 + thread * 7919u % 500;
}

/* The chunk goes to the log before the window is released. */
static void end_thread(struct writer *writer, int log)
{
  struct raw_header header = *writer->window;
  off_t at = (off_t)(1 + atomic_fetch_add(&places, 1)) * WINDOW;
  header.used = (uint64_t)((char *)writer->cursor - (char *)(writer->window + 1));
  assert_int_equal(pwrite(log, writer->window + 1, header.used, at + (off_t)sizeof header), header.used);
  assert_int_equal(pwrite(log, &header, sizeof header, at), sizeof header);
  __atomic_store_n(&writer->window->owner, 0, __ATOMIC_RELEASE);
}

/* Thread after thread in the same window. */
static void *live_and_end(void *argument)
{
  struct writer *writer = argument;
  int log = openat(directory_fd, "chunks-0.log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  for (uint32_t thread; (thread = atomic_fetch_add(&next_thread, 1)) <= LIVES;) {
    while (atomic_load(&looks) * 50 < thread)
      sched_yield(); /* or all of them would have ended before the first look */
    take_window(writer, thread, 1);
    for (unsigned i = 0; i < executions_of(thread); i++)
      execute(writer, thread, 100);
    end_thread(writer, log);
  }
  close(log);
  return NULL;
}

/* Rows of the thread alone; the rows of an ended thread are its last. */
static void check_lives(const struct live_look *look, uint8_t *over)
{
  for (size_t i = 0; i < look->threads.count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    const struct live_row *row = row_of(thread);
    assert_true(thread->number >= 1 && thread->number <= LIVES);
    assert_true(i == 0 || thread->number > look->threads.items[i - 1].number);
    if (!thread->known)
      continue;
    assert_true(thread->is.tid == 1000 + thread->number || (!thread->over && thread->is.tid == 0));
    for (size_t k = 0; k < thread->rows.count; k++) {
      uint64_t head = thread->rows.items[k].words[0];
      assert_true(&thread->rows.items[k] == row || raw_detail_of(head) >> 4 == RAW_ROW_OUTSIDE);
    }
    assert_true(row == NULL || row->words[RAW_ROW_EXECUTIONS] <= executions_of(thread->number));
    assert_true(thread->over >= over[thread->number]);
    over[thread->number] = thread->over;
    if (thread->over)
      assert_int_equal(row->words[RAW_ROW_EXECUTIONS], executions_of(thread->number));
  }
}

/* The reader has a mapping of its own: a sanitizer of threads does not see that windows change under it. */
static void windows_that_change_hands(void **state)
{
  (void)state;
  static uint8_t over[LIVES + 1];
  pthread_t threads[SLOTS];
  struct live_look look;
  char *map = map_windows(SLOTS);
  writers = calloc(SLOTS, sizeof *writers);
  assert_non_null(writers);
  atomic_store(&next_thread, 1);
  atomic_store(&looks, 0);
  live_look_begin(&look);
  for (unsigned i = 0; i < SLOTS; i++) {
    writers[i].window = (struct raw_header *)(void *)(map + (size_t)i * WINDOW);
    assert_int_equal(pthread_create(&threads[i], NULL, live_and_end, &writers[i]), 0);
  }
  for (; atomic_load(&next_thread) <= LIVES + SLOTS; atomic_fetch_add(&looks, 1)) {
    assert_true(live_look_take(&look, directory_fd, "."));
    check_lives(&look, over);
  }
  for (unsigned i = 0; i < SLOTS; i++)
    pthread_join(threads[i], NULL);
  for (unsigned i = 0; i < 2; i++) { /* the second one has nothing new */
    assert_true(live_look_take(&look, directory_fd, "."));
    check_lives(&look, over);
  }
  assert_int_equal(look.threads.count, LIVES);
  for (unsigned i = 0; i < LIVES; i++)
    assert_true(look.threads.items[i].over);
  live_look_end(&look);
  munmap(map, SLOTS * (size_t)WINDOW);
  free(writers);
}

static void put_row(struct raw_thread *thread, uint64_t code, uint64_t executions)
{
  uint64_t words[ROW_WORDS - 2] = {executions};
  raw_put(thread, RAW_PROFILE_ROW, raw_row_detail(RAW_ROW_WORK, LOOP), code, 10, ROW_WORDS - 2, words);
}

static void put_profile(struct raw_thread *thread)
{
  raw_put(thread, RAW_PROFILE_THREAD, 0, 0, 10, 2, (uint64_t[]){500, 0});
}

/* A thread may have a table of the largest size, after its end as before. */
static void see_a_large_table(bool in_log)
{
  char *process = raw_write_process(directory, "host.1.1", RAW_PLAIN_PROCESS);
  struct raw_thread *thread = raw_thread_open(process, 1, 512 * 1024, 0);
  struct live_look look;
  put_profile(thread);
  for (unsigned i = 0; i < PROFILE_ROWS; i++)
    put_row(thread, 0x4000 + i, i + 1);
  if (!in_log)
    raw_thread_leave(thread, 0);
  raw_thread_close(thread);
  live_look_begin(&look);
  assert_true(live_look_take(&look, AT_FDCWD, process));
  assert_int_equal(look.threads.count, 1);
  assert_int_equal(look.threads.items[0].over, in_log);
  assert_int_equal(look.threads.items[0].rows.count, PROFILE_ROWS);
  for (unsigned i = 0; i < PROFILE_ROWS; i++)
    assert_int_equal(look.threads.items[0].rows.items[i].words[RAW_ROW_EXECUTIONS], i + 1);
  live_look_end(&look);
  free(process);
}

static void a_large_table_in_a_log_is_whole(void **state)
{
  (void)state;
  see_a_large_table(true);
}

static void a_large_table_in_a_window_is_whole(void **state)
{
  (void)state;
  see_a_large_table(false);
}

/* The events of a thread are in the log before its rows are. */
static void a_thread_is_over_with_its_rows(void **state)
{
  (void)state;
  char *process = raw_write_process(directory, "host.1.1", RAW_PLAIN_PROCESS);
  struct raw_thread *events = raw_thread_open(process, 1, WINDOW, 0),
                    *rows = raw_thread_open(process, RAW_PROFILE_OF | 1, WINDOW, 0);
  struct live_look look;
  RAW0(events, RAW_THREAD_BEGIN, RAW_THREAD_WORKER, 77, 10);
  raw_thread_flush(events);
  raw_put(events, RAW_THREAD_NAME, 0, 0, 20, 2, (uint64_t[]){0x64656d616eull /* "named" */, 0});
  raw_thread_close(events);
  put_profile(rows);
  put_row(rows, 0x4000, 5);
  raw_thread_leave(rows, 0);
  live_look_begin(&look);
  assert_true(live_look_take(&look, AT_FDCWD, process));
  assert_int_equal(look.threads.count, 1);
  struct live_thread *thread = look.threads.items;
  assert_true(thread->known && !thread->over);
  assert_int_equal(thread->is.tid, 77);
  assert_string_equal(thread->is.system, "named");
  assert_int_equal(thread->rows.items[0].words[RAW_ROW_EXECUTIONS], 5);

  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/windows", process);
  assert_int_equal(unlink(path), 0);
  rows->sequence = 1;
  put_profile(rows);
  put_row(rows, 0x4000, 6);
  raw_thread_close(rows);
  assert_true(live_look_take(&look, AT_FDCWD, process));
  thread = look.threads.items;
  assert_true(thread->over);
  assert_int_equal(thread->rows.count, 1);
  assert_int_equal(thread->rows.items[0].words[RAW_ROW_EXECUTIONS], 6);
  live_look_end(&look);
  free(process);
}

/* A file that is cut or empty has no threads, and is no error. */
static void files_that_are_cut(void **state)
{
  (void)state;
  char *process = raw_write_process(directory, "host.1.1", RAW_PLAIN_PROCESS), path[PATH_MAX];
  struct raw_thread *thread = raw_thread_open(process, 1, WINDOW, 0);
  struct live_look look;
  put_profile(thread);
  put_row(thread, 0x4000, 5);
  raw_thread_leave(thread, 1);
  raw_thread_close(thread);
  snprintf(path, sizeof path, "%s/windows", process);
  live_look_begin(&look);
  assert_true(live_look_take(&look, AT_FDCWD, process));
  assert_int_equal(look.threads.items[0].rows.count, 1);
  for (off_t size = 2 * WINDOW - 8; size >= 0; size -= 104) {
    assert_int_equal(truncate(path, size), 0);
    assert_true(live_look_take(&look, AT_FDCWD, process));
    assert_int_equal(look.threads.count, 1);
    assert_int_equal(look.threads.items[0].rows.items[0].words[RAW_ROW_EXECUTIONS], 5);
  }
  live_look_end(&look);
  assert_false(live_look_take(&look, AT_FDCWD, "/nonexistent"));
  free(process);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

UNIT_TEST(live_look)
{
  const struct CMUnitTest tests[] = {TEST(no_word_is_torn),
                                     TEST(windows_that_change_hands),
                                     TEST(a_large_table_in_a_log_is_whole),
                                     TEST(a_large_table_in_a_window_is_whole),
                                     TEST(a_thread_is_over_with_its_rows),
                                     TEST(files_that_are_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
