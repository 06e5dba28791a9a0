/* What stays of a thread's records when constructs are chosen by their codes (common/recorder/construct_filter.h). */
#include "common/profile/profile_origin.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_reader.h"
#include "common/recorder/construct_filter.h"
#include "common/recorder/recorder.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

enum {
  WINDOW_SIZE = 65536,
  WINDOW_WORDS = WINDOW_SIZE / 8,
  TEXT_SIZE = 4096,
  BARRIER = 3, /* ompt_sync_region_t, ompt_work_t, ompt_mutex_t, ompt_task_status_t */
  LOOP_BARRIER = 8,
  LOOP = 1,
  LOCK = 1,
  CRITICAL = 4,
  COMPLETE = 1,
  SWITCH = 7,
  IMPLICIT = 2
};

/* Codes of constructs, and ids. */
enum { REGION = 0x1000, OTHER_REGION, FIRST_LOOP, SECOND_LOOP, SECTION, TASK, UNKNOWN };
#define ID(number) (RAW_ID_IMPLICIT + 100 + (number))

/* A thread: its records, and what is kept of them. */
struct thread {
  struct construct_filter *chosen;
  uint64_t words[WINDOW_WORDS];
  size_t count;
  uint64_t now, lost;
  char text[TEXT_SIZE];
};

static struct thread thread, second;

static void choose(uint64_t code)
{
  filter_codes_set(&code, 1);
}

static void begin_at(struct thread *of, uint64_t since)
{
  of->count = 0;
  of->now = since;
  of->lost = 0;
  of->text[0] = '\0';
  assert_true(construct_filter_ops.begin(&of->chosen, WINDOW_SIZE, since));
}

static void put(struct thread *of, uint64_t word)
{
  assert_true(of->count < WINDOW_WORDS);
  of->words[of->count++] = word;
}

/* A record of two or three words, 10 ticks after the one before. */
static void add(struct thread *of, unsigned kind, unsigned detail, uint64_t value)
{
  put(of, raw_head(kind, detail, value));
  put(of, of->now += 10);
}

static void add3(struct thread *of, unsigned kind, unsigned detail, uint64_t value, uint64_t word)
{
  add(of, kind, detail, value);
  put(of, word);
}

static void lock_record(struct thread *of, unsigned kind, uint64_t lock)
{
  add(of, kind, LOCK, lock);
}

/* "P20": what a record is, and its time; of a gap from when to when. */
static void write_record(struct thread *of, const uint64_t *record)
{
  static const char letters[] = {
      [RAW_THREAD_END] = 'E',    [RAW_PARALLEL_BEGIN] = 'P', [RAW_PARALLEL_END] = 'p',   [RAW_IMPLICIT_BEGIN] = 'I',
      [RAW_IMPLICIT_END] = 'i',  [RAW_WORK_BEGIN] = 'W',     [RAW_WORK_END] = 'w',       [RAW_CHUNK] = 'c',
      [RAW_SYNC_BEGIN] = 'S',    [RAW_SYNC_END] = 's',       [RAW_BARRIER_BEGIN] = 'S',  [RAW_BARRIER_END] = 's',
      [RAW_MUTEX_ACQUIRE] = 'A', [RAW_MUTEX_RELEASED] = 'R', [RAW_MUTEX_ACQUIRED] = 'G', [RAW_TASK_CREATE] = 'C',
      [RAW_TASK_SWITCH] = 'T',   [RAW_USER_ENTER] = 'U',     [RAW_USER_LEAVE] = 'u'};
  size_t length = strlen(of->text);
  unsigned kind = raw_kind_of(record[0]);
  char *end = of->text + length;
  if (kind == RAW_GAP)
    snprintf(end, sizeof of->text - length, " %lu-%lu", (unsigned long)record[2], (unsigned long)record[1]);
  else
    snprintf(end, sizeof of->text - length, " %c%lu", kind < sizeof letters && letters[kind] ? letters[kind] : '?',
             (unsigned long)record[1]);
}

static void write_records(struct thread *of, const uint64_t *from, const uint64_t *to)
{
  static struct raw_iter iter;
  memset(&iter, 0, sizeof iter);
  iter.is.lock = RAW_NO_LOCK;
  for (; from < to; from += raw_record_words(*from)) {
    unsigned kind = raw_kind_of(*from);
    assert_true(raw_record_words(*from) > 0);
    assert_true(kind < RAW_SHORT || raw_short_expand(&iter, *from));
    if (kind < RAW_SHORT && raw_has_short(kind))
      raw_iter_note(&iter, from);
    write_record(of, kind >= RAW_SHORT ? iter.repeated : from);
    if (iter.second_is_next)
      write_record(of, iter.second);
    iter.second_is_next = false;
  }
}

/* The window is looked at: what stays of it, as text; the next one begins. */
static const char *kept_with_room(struct thread *of, size_t most)
{
  of->text[0] = '\0';
  construct_filter_ops.begin_chunk(of->chosen);
  size_t words = construct_filter_ops.keep(of->chosen, of->words, of->words + of->count, of->words, most, &of->lost);
  write_records(of, of->words, of->words + words);
  of->count = 0;
  return of->text + (of->text[0] == ' ');
}

static const char *kept(struct thread *of)
{
  const char *text = kept_with_room(of, WINDOW_WORDS);
  assert_int_equal(of->lost, 0);
  return text;
}

/* 40 ticks: a loop of one chunk, and its barrier. */
static void loop(struct thread *of, uint64_t code)
{
  add3(of, RAW_WORK_BEGIN, LOOP, code, 8);
  add(of, RAW_CHUNK, 0, 8);
  add(of, RAW_WORK_END, LOOP, 0);
  add(of, RAW_BARRIER_BEGIN, LOOP_BARRIER, code);
  add(of, RAW_BARRIER_END, LOOP_BARRIER, 0);
}

static void region_begins(struct thread *of, uint64_t code, uint64_t id)
{
  profile_origin_note(id, (struct profile_origin){code, of->now});
  add3(of, RAW_PARALLEL_BEGIN, 0, code, id);
}

static void region_ends(struct thread *of, uint64_t id)
{
  add(of, RAW_PARALLEL_END, 0, id);
}

/* Also the moment between the loop and its barrier is in neither. */
static void a_loop_stays_with_its_barrier_and_the_region_around(void **state)
{
  (void)state;
  choose(SECOND_LOOP);
  begin_at(&thread, 0);
  region_begins(&thread, REGION, ID(1));
  loop(&thread, FIRST_LOOP);
  loop(&thread, SECOND_LOOP);
  loop(&thread, FIRST_LOOP);
  region_ends(&thread, ID(1));
  assert_string_equal(kept(&thread), "0-10 P10 10-70 W70 c80 w90 90-100 S100 s110 110-170 p170");
  assert_int_equal(construct_filter_ops.until(thread.chosen), 170);
}

static void a_region_stays_with_all_that_is_inside(void **state)
{
  (void)state;
  choose(REGION);
  begin_at(&thread, 0);
  region_begins(&thread, OTHER_REGION, ID(2));
  loop(&thread, FIRST_LOOP);
  region_ends(&thread, ID(2));
  region_begins(&thread, REGION, ID(3));
  loop(&thread, UNKNOWN);
  add3(&thread, RAW_TASK_CREATE, 0, TASK, ID(4));
  region_ends(&thread, ID(3));
  loop(&thread, FIRST_LOOP);
  assert_string_equal(kept(&thread), "0-80 P80 W90 c100 w110 S120 s130 C140 p150");
}

/* A region inside another one: the one around has its begin and end, once. */
static void nested_regions_have_those_around(void **state)
{
  (void)state;
  choose(REGION);
  begin_at(&thread, 0);
  region_begins(&thread, OTHER_REGION, ID(5));
  for (uint64_t i = 0; i < 2; i++) {
    region_begins(&thread, REGION, ID(6 + i));
    loop(&thread, FIRST_LOOP);
    region_ends(&thread, ID(6 + i));
    loop(&thread, SECOND_LOOP);
  }
  region_ends(&thread, ID(5));
  assert_string_equal(
      kept(&thread),
      "0-10 P10 10-20 P20 W30 c40 w50 S60 s70 p80 80-140 P140 W150 c160 w170 S180 s190 p200 200-260 p260");
}

/* A worker has no region of its own: which one its task is of says the region's id. */
static void members_of_a_chosen_region_are_known_by_its_id(void **state)
{
  (void)state;
  choose(REGION);
  begin_at(&thread, 0);
  begin_at(&second, 0);
  region_begins(&thread, REGION, ID(8));
  add3(&second, RAW_IMPLICIT_BEGIN, IMPLICIT, ID(8), 1ull << 32 | 2);
  loop(&second, FIRST_LOOP);
  add(&second, RAW_IMPLICIT_END, IMPLICIT, 0);
  region_ends(&thread, ID(8));
  region_begins(&thread, OTHER_REGION, ID(9));
  add3(&second, RAW_IMPLICIT_BEGIN, IMPLICIT, ID(9), 1ull << 32 | 2);
  loop(&second, FIRST_LOOP);
  add(&second, RAW_IMPLICIT_END, IMPLICIT, 0);
  add3(&second, RAW_IMPLICIT_BEGIN, IMPLICIT, ID(99), 1ull << 32 | 2); /* nobody has noted it */
  loop(&second, FIRST_LOOP);
  assert_string_equal(kept(&second), "0-10 I10 W20 c30 w40 S50 s60 i70");
  assert_string_equal(kept(&thread), "0-10 P10 p20");
}

/* Threads don't see each other's constructs. */
static void threads_are_apart(void **state)
{
  (void)state;
  choose(FIRST_LOOP);
  begin_at(&thread, 0);
  begin_at(&second, 1000);
  add3(&thread, RAW_WORK_BEGIN, LOOP, FIRST_LOOP, 8);
  add3(&second, RAW_WORK_BEGIN, LOOP, SECOND_LOOP, 8);
  assert_string_equal(kept(&thread), "0-10 W10");
  add(&second, RAW_CHUNK, 0, 8);
  assert_string_equal(kept(&second), "");
  assert_int_equal(construct_filter_ops.until(second.chosen), 1000);
  add(&thread, RAW_CHUNK, 0, 8);
  assert_string_equal(kept(&thread), "c20");
}

/* Windows are looked at in the midst of constructs. */
static void a_construct_goes_on_in_the_next_window(void **state)
{
  (void)state;
  choose(FIRST_LOOP);
  begin_at(&thread, 0);
  region_begins(&thread, REGION, ID(10));
  add3(&thread, RAW_WORK_BEGIN, LOOP, FIRST_LOOP, 8);
  assert_string_equal(kept(&thread), "0-10 P10 10-20 W20");
  assert_string_equal(kept(&thread), "");
  add(&thread, RAW_CHUNK, 0, 8);
  add(&thread, RAW_WORK_END, LOOP, 0);
  assert_string_equal(kept(&thread), "c30 w40");
  add(&thread, RAW_SYNC_BEGIN, LOOP_BARRIER, 0);
  add(&thread, RAW_SYNC_END, LOOP_BARRIER, 0);
  region_ends(&thread, ID(10));
  assert_string_equal(kept(&thread), "40-50 S50 s60 60-70 p70");
}

static void a_barrier_that_is_not_the_loops_does_not_stay(void **state)
{
  (void)state;
  choose(FIRST_LOOP);
  begin_at(&thread, 0);
  loop(&thread, FIRST_LOOP);
  add(&thread, RAW_BARRIER_BEGIN, LOOP_BARRIER, REGION);
  add(&thread, RAW_BARRIER_END, LOOP_BARRIER, 0);
  add3(&thread, RAW_WORK_BEGIN, LOOP, FIRST_LOOP, 8);
  add(&thread, RAW_WORK_END, LOOP, 0); /* nowait */
  add(&thread, RAW_BARRIER_BEGIN, BARRIER, REGION);
  add(&thread, RAW_BARRIER_END, BARRIER, 0);
  assert_string_equal(kept(&thread), "0-10 W10 c20 w30 30-40 S40 s50 50-80 W80 w90");
}

/* A chosen section is from the request on; others' waits and a test that fails do not count as inside. */
static void sections_stay_from_request_to_release(void **state)
{
  (void)state;
  choose(SECTION);
  begin_at(&thread, 0);
  for (unsigned i = 0; i < 2; i++) {
    add3(&thread, RAW_MUTEX_ACQUIRE, CRITICAL, 0x5000, i == 0 ? UNKNOWN : SECTION);
    add(&thread, RAW_MUTEX_ACQUIRED, CRITICAL, 0x5000);
    add(&thread, RAW_MUTEX_RELEASED, CRITICAL, 0x5000);
  }
  add3(&thread, RAW_MUTEX_ACQUIRE, LOCK, 0x6000, SECTION); /* a test that fails */
  loop(&thread, FIRST_LOOP);
  assert_string_equal(kept(&thread), "0-40 A40 G50 R60 60-70 A70");
}

static void locks_need_not_be_released_in_order(void **state)
{
  (void)state;
  choose(SECTION);
  begin_at(&thread, 0);
  add3(&thread, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, SECTION);
  lock_record(&thread, RAW_MUTEX_ACQUIRED, 0x5000);
  add3(&thread, RAW_MUTEX_ACQUIRE, LOCK, 0x6000, UNKNOWN);
  lock_record(&thread, RAW_MUTEX_ACQUIRED, 0x6000);
  lock_record(&thread, RAW_MUTEX_RELEASED, 0x5000);
  lock_record(&thread, RAW_MUTEX_RELEASED, 0x6000);
  loop(&thread, FIRST_LOOP);
  assert_string_equal(kept(&thread), "0-10 A10 G20 A30 G40 R50 R60");
}

static void a_task_is_known_by_its_id(void **state)
{
  (void)state;
  choose(TASK);
  profile_origin_note(ID(20), (struct profile_origin){TASK, 0});
  profile_origin_note(ID(21), (struct profile_origin){UNKNOWN, 0});
  begin_at(&thread, 0);
  add3(&thread, RAW_TASK_CREATE, 0, TASK, ID(20));
  add3(&thread, RAW_TASK_CREATE, 0, UNKNOWN, ID(21));
  for (uint64_t task = 20; task < 22; task++) {
    add(&thread, RAW_TASK_SWITCH, SWITCH, ID(task));
    loop(&thread, FIRST_LOOP);
    add(&thread, RAW_TASK_SWITCH, COMPLETE, RAW_ID_IMPLICIT);
  }
  assert_string_equal(kept(&thread), "0-10 C10 10-30 T30 W40 c50 w60 S70 s80 T90");
}

static void regions_of_the_programs_own_are_known_by_their_names(void **state)
{
  (void)state;
  choose(RAW_CODE_USER | 7);
  begin_at(&thread, 0);
  add(&thread, RAW_USER_ENTER, 0, 6);
  add(&thread, RAW_USER_ENTER, 0, 7);
  loop(&thread, FIRST_LOOP);
  add(&thread, RAW_USER_LEAVE, 0, 7);
  add(&thread, RAW_USER_LEAVE, 0, 6);
  assert_string_equal(kept(&thread), "0-20 U20 W30 c40 w50 S60 s70 u80");
}

static void a_threads_own_life_stays(void **state)
{
  (void)state;
  choose(UNKNOWN);
  begin_at(&thread, 0);
  loop(&thread, FIRST_LOOP);
  add(&thread, RAW_THREAD_END, 0, 0);
  assert_string_equal(kept(&thread), "0-60 E60");
}

static void codes_that_nobody_has_choose_nothing(void **state)
{
  uint64_t many[LIVE_CODES + 1];
  (void)state;
  for (uint64_t i = 0; i <= LIVE_CODES; i++)
    many[i] = i == LIVE_CODES ? FIRST_LOOP : i; /* the last one is beyond; 0 is no code */
  filter_codes_set(many, LIVE_CODES + 1);
  assert_true(filter_codes_have(LIVE_CODES - 1));
  assert_false(filter_codes_have(0));
  assert_false(filter_codes_have(FIRST_LOOP));
  begin_at(&thread, 0);
  region_begins(&thread, 0, ID(30));
  loop(&thread, FIRST_LOOP);
  loop(&thread, 0);
  region_ends(&thread, ID(30));
  assert_string_equal(kept(&thread), "");
  filter_codes_set(many, 0);
  assert_false(filter_codes_have(1));
}

/* A stretch may begin inside of constructs, and a lock be released by another thread. */
static void ends_without_begins_end_nothing(void **state)
{
  (void)state;
  choose(FIRST_LOOP);
  begin_at(&thread, 0);
  add(&thread, RAW_WORK_END, LOOP, 0);
  add(&thread, RAW_BARRIER_BEGIN, LOOP_BARRIER, 0);
  add(&thread, RAW_BARRIER_END, LOOP_BARRIER, 0);
  lock_record(&thread, RAW_MUTEX_RELEASED, 0x5000);
  add(&thread, RAW_IMPLICIT_END, IMPLICIT, 0);
  region_ends(&thread, ID(40));
  assert_string_equal(kept(&thread), "");
  add3(&thread, RAW_WORK_BEGIN, LOOP, FIRST_LOOP, 8);
  region_ends(&thread, ID(40)); /* of a region that began before the stretch: kept, as all inside */
  add(&thread, RAW_WORK_END, LOOP, 0);
  assert_string_equal(kept(&thread), "0-70 W70 p80 w90");
}

/* More constructs around each other than there is room to know. */
static void deep_nesting_loses_no_balance(void **state)
{
  enum { DEPTH = 100 };
  (void)state;
  choose(REGION);
  begin_at(&thread, 0);
  for (uint64_t i = 0; i < DEPTH; i++)
    region_begins(&thread, i == 1 ? REGION : OTHER_REGION, ID(200 + i));
  for (uint64_t i = DEPTH; i-- > 0;)
    region_ends(&thread, ID(200 + i));
  kept(&thread);
  assert_memory_equal(thread.text, " 0-10 P10 10-20 P20 P30 ", strlen(" 0-10 P10 10-20 P20 P30 "));
  loop(&thread, FIRST_LOOP);
  assert_string_equal(kept(&thread), "");
}

/* Records that no recorder writes end the walk; none is read beyond the window's end. */
static void damage_ends_the_walk(void **state)
{
  (void)state;
  choose(FIRST_LOOP);
  begin_at(&thread, 0);
  loop(&thread, FIRST_LOOP);
  put(&thread, 0);
  loop(&thread, FIRST_LOOP);
  assert_string_equal(kept(&thread), "0-10 W10 c20 w30 30-40 S40 s50");
  add(&thread, RAW_WORK_BEGIN, LOOP, FIRST_LOOP); /* its third word is missing */
  assert_string_equal(kept(&thread), "");
  put(&thread, raw_short(5, 3)); /* means nothing before */
  loop(&thread, FIRST_LOOP);
  assert_string_equal(kept(&thread), "");
}

static void what_has_no_room_is_counted(void **state)
{
  (void)state;
  choose(FIRST_LOOP);
  begin_at(&thread, 0);
  region_begins(&thread, REGION, ID(50));
  for (unsigned i = 0; i < 100; i++)
    loop(&thread, FIRST_LOOP);
  kept_with_room(&thread, 20);
  assert_in_range(thread.lost, 500, 702); /* five records a loop and up to two gaps, but for the records in 20 words */
}

static int begin_origins(void **state)
{
  (void)state;
  return profile_origins_begin() ? 0 : -1;
}

UNIT_TEST(construct_filter)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_stays_with_its_barrier_and_the_region_around),
      cmocka_unit_test(a_region_stays_with_all_that_is_inside),
      cmocka_unit_test(nested_regions_have_those_around),
      cmocka_unit_test(members_of_a_chosen_region_are_known_by_its_id),
      cmocka_unit_test(threads_are_apart),
      cmocka_unit_test(a_construct_goes_on_in_the_next_window),
      cmocka_unit_test(a_barrier_that_is_not_the_loops_does_not_stay),
      cmocka_unit_test(sections_stay_from_request_to_release),
      cmocka_unit_test(locks_need_not_be_released_in_order),
      cmocka_unit_test(a_task_is_known_by_its_id),
      cmocka_unit_test(regions_of_the_programs_own_are_known_by_their_names),
      cmocka_unit_test(a_threads_own_life_stays),
      cmocka_unit_test(codes_that_nobody_has_choose_nothing),
      cmocka_unit_test(ends_without_begins_end_nothing),
      cmocka_unit_test(deep_nesting_loses_no_balance),
      cmocka_unit_test(damage_ends_the_walk),
      cmocka_unit_test(what_has_no_room_is_counted),
  };
  return cmocka_run_group_tests(tests, begin_origins, NULL);
}
