/* What short records mean: worked examples of each form, read at once and with a pause at every place. */
#include "common/raw/raw_reader.h"
#include "tests/unit/otf2-convert/raw_writer.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t buffer[RAW_ITER_WORDS];

struct fixture {
  char trace[32];
  char *directory;
  struct raw_thread *t;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  strcpy(f->trace, "/tmp/heddle-test-XXXXXX");
  assert_non_null(mkdtemp(f->trace));
  f->directory = raw_write_process(f->trace, "h.1.1", RAW_PLAIN_PROCESS);
  f->t = raw_thread_open(f->directory, 0, 4096, 0);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", f->trace);
  free(f->directory);
  free(f);
  *state = NULL;
  return system(command);
}

static const char *name_of(unsigned kind)
{
  switch (kind) {
#define X(name, number, words)                                                                                         \
  case number:                                                                                                         \
    return &#name[sizeof "RAW_" - 1];
    RAW_KINDS(X)
#undef X
  default:
    return "?";
  }
}

static size_t print(char *to, const uint64_t *record)
{
  size_t n = (size_t)sprintf(to, "%s %u %" PRIx64, name_of(raw_kind_of(*record)), raw_detail_of(*record),
                             raw_value_of(*record));
  if (raw_record_words(*record) > 2)
    n += (size_t)sprintf(to + n, " %" PRIx64, record[2]);
  return n + (size_t)sprintf(to + n, " @%" PRIu64 "\n", record[1]);
}

/* The thread's records, a line each. pause: after each one the walk ends, and another one goes on. */
static void walk(const struct fixture *f, char *text, bool pause)
{
  struct raw_dir dir;
  struct raw_mark mark = {0};
  struct raw_iter iter;
  const uint64_t *record;
  uint64_t bad = 0;
  *text = 0;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, f->directory), 0);
  raw_iter_start(&iter, &dir.logs[0], &mark, UINT64_MAX, buffer);
  while ((record = raw_iter_next(&iter)) != NULL) {
    text += print(text, record);
    if (!pause)
      continue;
    if ((record = raw_iter_next(&iter)) != NULL)
      raw_iter_back(&iter, record);
    raw_iter_stop(&iter, &mark);
    bad += iter.bad_chunks;
    memset(&iter, 0x55, sizeof iter);
    raw_iter_start(&iter, &dir.logs[0], &mark, UINT64_MAX, buffer);
  }
  if (bad + iter.bad_chunks != 0)
    sprintf(text, "bad %" PRIu64 "\n", bad + iter.bad_chunks);
  raw_dir_close(&dir);
}

static void expect(const struct fixture *f, const char *expected)
{
  static char text[65536];
  raw_thread_close(f->t);
  walk(f, text, false);
  assert_string_equal(text, expected);
  walk(f, text, true);
  assert_string_equal(text, expected);
}

static void put_word(struct raw_thread *t, uint64_t word)
{
  t->words[t->used++] = word;
}

/* The number of the entry whose part that stays is this. */
static unsigned entry(unsigned kind, unsigned detail, uint64_t stays)
{
  return raw_entry_of(raw_head(kind, detail, stays), 0);
}

/* The example of raw_trace.h. */
static void a_lock_takes_two_words(void **state)
{
  struct fixture *f = *state;
  RAW1(f->t, RAW_MUTEX_ACQUIRE, 2, 0x5000, 100, 0x4010);
  put_word(f->t, raw_short_lock(0, 30));
  put_word(f->t, raw_short_lock(1, 70));
  put_word(f->t, raw_short_acquired(raw_short_moved(entry(RAW_MUTEX_ACQUIRE, 2, 0x4010), 2, 100), 30));
  put_word(f->t, raw_short_lock(1, 20));
  assert_int_equal(f->t->used, 7);
  assert_int_equal(f->t->words[6], 0x7080000000000014);
  assert_int_equal(f->t->words[5] & 0xff003fffffffffff, 0x7100000081e00064);
  expect(f, "MUTEX_ACQUIRE 2 5000 4010 @100\nMUTEX_ACQUIRED 2 5000 @130\nMUTEX_RELEASED 2 5000 @200\n"
            "MUTEX_ACQUIRE 2 5008 4010 @300\nMUTEX_ACQUIRED 2 5008 @330\nMUTEX_RELEASED 2 5008 @350\n");
}

static void a_lock_that_waits_takes_three(void **state)
{
  struct fixture *f = *state;
  RAW1(f->t, RAW_MUTEX_ACQUIRE, 2, 0x5000, 100, 0x4010);
  RAW0(f->t, RAW_MUTEX_ACQUIRED, 2, 0x6000, 200); /* of another lock */
  put_word(f->t, raw_short_lock(1, 1));
  put_word(f->t, raw_short_moved(entry(RAW_MUTEX_ACQUIRE, 2, 0x4010), 0x8000, RAW_MOVED_TICKS - 1));
  put_word(f->t, raw_short_lock(0, RAW_LOCK_TICKS - 1));
  char expected[400];
  const uint64_t before = 0x1000000005000 - 0x20000, at = 200 + RAW_MOVED_TICKS; /* it has 48 bits */
  snprintf(expected, sizeof expected,
           "MUTEX_ACQUIRE 2 5000 4010 @100\nMUTEX_ACQUIRED 2 6000 @200\nMUTEX_RELEASED 2 6000 @201\n"
           "MUTEX_ACQUIRE 2 %" PRIx64 " 4010 @%" PRIu64 "\nMUTEX_ACQUIRED 2 %" PRIx64 " @%" PRIu64 "\n",
           before, at, before, at + (uint64_t)RAW_LOCK_TICKS - 1);
  expect(f, expected);
}

static void ids_and_counts_move(void **state)
{
  struct fixture *f = *state;
  const uint64_t block = 7ull << RAW_ID_BLOCK_SHIFT, size = 4ull << RAW_VALUE_BITS;
  RAW1(f->t, RAW_PARALLEL_BEGIN, 2, 0x4010, 10, size | block);
  RAW1(f->t, RAW_IMPLICIT_BEGIN, 2, block, 20, 3ull << 32 | 4);
  RAW1(f->t, RAW_WORK_BEGIN, 1, 0x4020, 30, 100);
  RAW1(f->t, RAW_TASK_CREATE, 1, 0x4030, 40, block + 1);
  RAW0(f->t, RAW_TASK_SWITCH, 7, block + 1, 50);
  RAW0(f->t, RAW_TASK_SWITCH, 1, RAW_ID_IMPLICIT, 60);
  RAW0(f->t, RAW_PARALLEL_END, 2, block, 70);
  put_word(f->t, raw_short_moved(entry(RAW_PARALLEL_BEGIN, 2, 0x4010), 2, 1));
  put_word(f->t, raw_short_moved(entry(RAW_IMPLICIT_BEGIN, 2, 3 << 24 | 4), 2, 2));
  put_word(f->t, raw_short_moved(entry(RAW_WORK_BEGIN, 1, 0x4020), 0xffff, 3));
  put_word(f->t, raw_short_moved(entry(RAW_TASK_CREATE, 1, 0x4030), 0x7fff, 4));
  put_word(f->t, raw_short_moved(entry(RAW_TASK_SWITCH, 7, 0), 0xffff, 5));
  put_word(f->t, raw_short(entry(RAW_TASK_SWITCH, 1, RAW_ID_IMPLICIT), 6));
  put_word(f->t, raw_short_moved(entry(RAW_PARALLEL_END, 2, 0), 2, 7));
  put_word(f->t, raw_short_moved(entry(RAW_PARALLEL_END, 2, 0), 2, 8)); /* from where it is now */
  expect(f, "PARALLEL_BEGIN 2 4010 4000007000000 @10\nIMPLICIT_BEGIN 2 7000000 300000004 @20\n"
            "WORK_BEGIN 1 4020 64 @30\nTASK_CREATE 1 4030 7000001 @40\nTASK_SWITCH 7 7000001 @50\n"
            "TASK_SWITCH 1 1 @60\nPARALLEL_END 2 7000000 @70\n"
            "PARALLEL_BEGIN 2 4010 4000007000002 @71\nIMPLICIT_BEGIN 2 7000002 300000004 @73\n"
            "WORK_BEGIN 1 4020 63 @76\nTASK_CREATE 1 4030 7008000 @80\nTASK_SWITCH 7 7000000 @85\n"
            "TASK_SWITCH 1 1 @91\nPARALLEL_END 2 7000002 @98\nPARALLEL_END 2 7000004 @106\n");
}

/* The first iteration by 11 bits, the iterations by 5; the first one is a signed number of 32 bits. */
static void chunks_move(void **state)
{
  struct fixture *f = *state;
  unsigned place = entry(RAW_CHUNK, 3, 0);
  RAW0(f->t, RAW_CHUNK, 3, 10ull << 16 | 8, 1);
  put_word(f->t, raw_short_moved(place, 8 << 5, 1));
  put_word(f->t, raw_short_moved(place, 0x400 << 5 | 0x10, 1)); /* by -1024 and -16 */
  put_word(f->t, raw_short_moved(place, 0x3ff << 5 | 0x0f, 1)); /* by 1023 and 15 */
  expect(f, "CHUNK 3 a0008 @1\nCHUNK 3 120008 @2\nCHUNK 3 fffffc12fff8 @3\nCHUNK 3 110007 @4\n");
}

/* All of them stay: their word 2, or their value, says what can't be packed. */
static void what_does_not_fit_stays(void **state)
{
  struct fixture *f = *state;
  uint64_t team = 1ull << 56 | 5, object = 9ull << 32;
  RAW1(f->t, RAW_IMPLICIT_BEGIN, 2, 77, 1, team);
  put_word(f->t, raw_short(raw_entry_of(raw_head(RAW_IMPLICIT_BEGIN, 2, 77), team), 1));
  RAW1(f->t, RAW_MUTEX_ACQUIRE, RAW_MUTEX_MONITOR, object, 3, 0x4010);
  put_word(f->t, raw_short(raw_entry_of(raw_head(RAW_MUTEX_ACQUIRE, RAW_MUTEX_MONITOR, object), 0x4010), 1));
  put_word(f->t, raw_short_lock(1, 1));
  expect(f, "IMPLICIT_BEGIN 2 4d 100000000000005 @1\nIMPLICIT_BEGIN 2 4d 100000000000005 @2\n"
            "MUTEX_ACQUIRE 64 900000000 4010 @3\nMUTEX_ACQUIRE 64 900000000 4010 @4\nMUTEX_RELEASED 64 900000000 @5\n");
}

/* What no recorder writes ends its chunk; the next one begins anew. */
static void what_cannot_be_ends_its_chunk(void **state)
{
  struct fixture *f = *state;
  unsigned section = entry(RAW_SECTION, 0, 5), work = entry(RAW_WORK_BEGIN, 1, 5);
  const uint64_t bad[] = {
      raw_short_moved(section, 1, 1),               /* nothing moves in it */
      raw_short_moved(work, 1, 1) | RAW_SHORT_BOTH, /* no such form */
      raw_short_acquired(raw_short_moved(work, 1, 1), 1),
      raw_short_moved(work ^ 1, 1, 1), /* no entry */
      raw_short(work ^ 1, 1),
      raw_short(work, 1) | RAW_SHORT_BOTH,
      raw_short_lock(0, 1), /* nothing was acquired */
  };
  char expected[1000] = "";
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    RAW0(f->t, RAW_SECTION, 0, 5, 1);
    RAW1(f->t, RAW_WORK_BEGIN, 1, 5, 2, 9);
    put_word(f->t, bad[i]);
    RAW0(f->t, RAW_FLUSH, 0, 0, 3);
    raw_thread_flush(f->t);
    strcat(expected, "SECTION 0 5 @1\nWORK_BEGIN 1 5 9 @2\n");
  }
  RAW0(f->t, RAW_MUTEX_ACQUIRED, 2, 0x5000, 4);
  raw_thread_flush(f->t);
  put_word(f->t, raw_short_lock(1, 1)); /* that was in another chunk */
  strcat(expected, "MUTEX_ACQUIRED 2 5000 @4\nbad 8\n");
  expect(f, expected);
}

/* A step and its way back, at the ends of what it holds. */
static void steps_lead_back(void **state)
{
  (void)state;
  static const struct {
    unsigned kind;
    uint64_t from, to;
    bool fits;
  } cases[] = {
      {RAW_PARALLEL_END, 100000, 100000 + 0x7fff, true},
      {RAW_PARALLEL_END, 100000, 100000 + 0x8000, false},
      {RAW_PARALLEL_END, 100000, 100000 - 0x8000, true},
      {RAW_PARALLEL_END, 100000, 100000 - 0x8001, false},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) + 0x1fffc, true},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) + 0x20000, false},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) - 0x20000, true},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) - 0x20004, false},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) + 2, false},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) - 1, false},
      {RAW_MUTEX_ACQUIRE, 1 << 20, (1 << 20) - 4, true},
      {RAW_CHUNK, 0, 1023 << 16 | 15, true},
      {RAW_CHUNK, 0, 1024 << 16, false},
      {RAW_CHUNK, 20, 4, true},
      {RAW_CHUNK, 20, 3, false},
      {RAW_CHUNK, 20, 36, false},
      {RAW_CHUNK, 5, 0xfffffc00ull << 16 | 5, true},
      {RAW_CHUNK, 5, 0xfffffbffull << 16 | 5, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t step = raw_step(cases[i].kind, cases[i].from, cases[i].to);
    assert_int_equal(step < RAW_NO_STEP, cases[i].fits);
    if (cases[i].fits)
      assert_int_equal(raw_stepped(cases[i].kind, cases[i].from, step), cases[i].to);
  }
}

UNIT_TEST(raw_short)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(a_lock_takes_two_words),      TEST(a_lock_that_waits_takes_three),
      TEST(ids_and_counts_move),         TEST(chunks_move),
      TEST(what_does_not_fit_stays),     TEST(what_cannot_be_ends_its_chunk),
      cmocka_unit_test(steps_lead_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
