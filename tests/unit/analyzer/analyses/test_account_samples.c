/* What samples add to the account: spin locks, waits in the runtime, locks of libraries, and names of serial code. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/account/account.h"
#include "analyzer/analyses/account/sentence.h"
#include "analyzer/trace/trace.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD 10000 /* ticks, of a microsecond */

/* The initial thread works alone up to 100,000; then two threads have a region up to 200,000. */
struct two {
  struct fixture *fixture;
  struct taken *taken;
  const char *directory;
  uint32_t parallel, off, reads, team;
  uint32_t main; /* a context */
  struct trace *trace;
  struct pool *pool;
  struct account account;
  char *sentence;
};

static struct two begin_two(void)
{
  struct two two = {.fixture = fixture_create()};
  struct fixture *f = two.fixture;
  uint32_t threads[] = {fixture_location(f, "master"), fixture_location(f, "worker")};
  two.team = fixture_team(f, threads, 2);
  two.parallel = fixture_openmp(f, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL);
  two.off = fixture_region(f, REGION_OFF_PROCESSOR, OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, two.off, "state: off");
  two.reads =
      fixture_region(f, "blocked in read (pipe)", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(f, two.reads, "state: off");
  fixture_archive_property(f, "HEDDLE::SAMPLES", "1");
  fixture_archive_property(f, "HEDDLE::SWITCHES", "0");
  fixture_thread_type(f, 0, "initial");
  fixture_thread_type(f, 1, "worker");
  fixture_thread_begin(f, 0, 0);
  for (uint32_t t = 0; t < 2; t++) {
    fixture_team_begin(f, t, 100000, two.team);
    fixture_enter(f, t, 100000, two.parallel);
  }
  return two;
}

static void end_region(struct two *two)
{
  for (uint32_t t = 0; t < 2; t++) {
    fixture_leave(two->fixture, t, 200000, two->parallel);
    fixture_team_end(two->fixture, t, 200000, two->team);
  }
  fixture_thread_end(two->fixture, 0, 200000);
  two->directory = fixture_finish(two->fixture);
  two->taken = taken_create(two->directory);
  taken_trigger(two->taken, "cpu", true, PERIOD * 1000);
  two->main = taken_context(two->taken, TAKEN_TOP, taken_function(two->taken, "main"), 3);
}

static void account_of(struct two *two)
{
  struct error error = {""};
  taken_finish(two->taken);
  two->pool = pool_create(2);
  two->trace = trace_open(two->directory, &error);
  if (!two->trace || !analysis_find(&account_analysis, two->trace, two->pool, NULL, &two->account, &error))
    fail_msg("%s", error.message);
  two->sentence = account_sentence(two->trace, &two->account);
  assert_non_null(two->sentence);
}

static void drop_two(struct two *two)
{
  free(two->sentence);
  analysis_free(&account_analysis, &two->account);
  pool_destroy(two->pool);
  trace_close(two->trace);
  fixture_destroy(two->fixture);
}

static void take_to(const struct two *two, uint32_t location, uint64_t first, uint64_t last, uint32_t context)
{
  for (uint64_t time = first; time <= last; time += PERIOD)
    taken_take(two->taken, location, time, context, 0, 1);
}

static const struct account_cause *cause_with(const struct account *account, enum account_note note)
{
  const struct account_cause *found = NULL;
  for (size_t i = 0; i < account->cause_count && !found; i++)
    found = account->causes[i].note == note ? &account->causes[i] : NULL;
  assert_non_null(found);
  return found;
}

static void a_loop_that_waits_is_no_work(void **state)
{
  (void)state;
  struct two two = begin_two();
  end_region(&two);
  uint32_t work = taken_context(two.taken, two.main, taken_function(two.taken, "work"), 4);
  uint32_t spin = taken_context(two.taken, work, taken_function(two.taken, "enter"), 5);
  taken_property(two.taken, spin, CONTEXT_SPINS);
  take_to(&two, 0, PERIOD, 190000, work);
  take_to(&two, 1, 110000, 160000, spin);
  take_to(&two, 1, 170000, 190000, work);
  account_of(&two);
  const struct account_cause *cause = cause_with(&two.account, NOTE_SPIN);
  assert_int_equal(cause->ticks, 60000);
  assert_int_equal(two.account.ticks[ACCOUNT_SYNCHRONIZATION], 60000);
  assert_int_equal(two.account.ticks[ACCOUNT_SERIAL], 100000);
  assert_int_equal(two.account.ticks[ACCOUNT_WORK], 240000);
  assert_string_equal(cause->function, "enter");
  assert_int_equal(cause->line, 5);
  drop_two(&two);
}

static void serial_code_has_the_name_of_most_samples(void **state)
{
  (void)state;
  struct two two = begin_two();
  end_region(&two);
  uint32_t fill = taken_function(two.taken, "fill");
  uint32_t one = taken_context(two.taken, two.main, fill, 7), other = taken_context(two.taken, two.main, fill, 8);
  uint32_t inside = taken_context(two.taken, other, taken_function(two.taken, "memset"), 0);
  take_to(&two, 0, PERIOD, 40000, two.main);
  take_to(&two, 0, 50000, 60000, one);
  take_to(&two, 0, 70000, 100000, inside);
  account_of(&two);
  assert_int_equal(account_first(&two.account), ACCOUNT_SERIAL);
  const struct account_cause *cause = account_first_cause(&two.account);
  assert_string_equal(cause->function, "fill");
  assert_string_equal(cause->file, "/src/fill.c");
  assert_int_equal(cause->line, 8);
  assert_string_equal(cause->library, "memset");
  assert_non_null(strstr(two.sentence, "fill at fill.c:8"));
  drop_two(&two);
}

/* The kernel takes no samples of itself: time without samples belongs to the call that was seen last. */
static void waits_in_the_runtime_are_ordered(void **state)
{
  (void)state;
  struct two two = begin_two();
  end_region(&two);
  uint32_t runtime = taken_context(two.taken, two.main, taken_function(two.taken, "__kmpc_doacross_wait"), 0);
  uint32_t yield = taken_context(two.taken, runtime, taken_function(two.taken, "sched_yield"), 0);
  taken_property(two.taken, yield, CONTEXT_CALLS_KERNEL);
  take_to(&two, 0, PERIOD, 190000, two.main);
  taken_take(two.taken, 1, 120000, yield, 0, 1); /* from 110000 on, and in the kernel up to 180000 */
  taken_take(two.taken, 1, 190000, two.main, 0, 1);
  account_of(&two);
  const struct account_cause *cause = cause_with(&two.account, NOTE_ORDERED);
  assert_int_equal(cause->ticks, 80000); /* from 190000 on it is in the kernel again, as far as anybody knows */
  drop_two(&two);
}

static void a_lock_of_a_library_has_its_function(void **state)
{
  (void)state;
  struct two two = begin_two();
  for (uint64_t time = 110000; time < 200000; time += 2000) {
    fixture_enter(two.fixture, 1, time, two.off);
    fixture_leave(two.fixture, 1, time + 1000, two.off);
  }
  fixture_enter(two.fixture, 1, 200000 - 1000, two.reads); /* is no futex */
  fixture_leave(two.fixture, 1, 200000, two.reads);
  end_region(&two);
  taken_trigger(two.taken, NAME_TRIGGER_FUTEX, false, 1);
  uint32_t rand = taken_context(two.taken, two.main, taken_function(two.taken, "rand"), 0);
  uint32_t wait = taken_context(two.taken, rand, taken_function(two.taken, "lll_lock_wait"), 0);
  taken_take(two.taken, 1, 150500, wait, 1, 1);
  account_of(&two);
  const struct account_cause *cause = cause_with(&two.account, NOTE_LIBRARY);
  assert_int_equal(cause->ticks, 45000);
  assert_int_equal(two.account.ticks[ACCOUNT_BLOCKED], 1000);
  assert_string_equal(cause->library, "rand");
  assert_string_equal(cause->function, "main");
  drop_two(&two);
}

/* A sample right after a call for a futex is a look. The time that it stands for is at the lock, too. */
static void a_sample_after_a_wait_is_a_look(void **state)
{
  (void)state;
  struct two two = begin_two();
  fixture_enter(two.fixture, 1, 112000, two.off);
  fixture_leave(two.fixture, 1, 118000, two.off);
  end_region(&two);
  uint32_t rand = taken_context(two.taken, two.main, taken_function(two.taken, "rand"), 0);
  uint32_t wait = taken_context(two.taken, rand, taken_function(two.taken, "lll_lock_wait"), 0);
  taken_property(two.taken, wait, CONTEXT_CALLS_FUTEX);
  taken_take(two.taken, 1, 150000, wait, 0, 1);
  account_of(&two);
  assert_int_equal(cause_with(&two.account, NOTE_LIBRARY)->ticks, 6000 + 10000);
  assert_int_equal(two.account.ticks[ACCOUNT_BLOCKED], 0);
  drop_two(&two);
}

/* A look at a wait in the program's own code, or in a template, names no library. */
static void own_waits_stay_blocked(void **state)
{
  (void)state;
  struct two two = begin_two();
  fixture_enter(two.fixture, 1, 110000, two.off);
  fixture_leave(two.fixture, 1, 150000, two.off);
  end_region(&two);
  taken_trigger(two.taken, NAME_TRIGGER_FUTEX, false, 1);
  uint32_t header = taken_context(two.taken, two.main, taken_function(two.taken, "std::wait"), 9);
  taken_take(two.taken, 1, 120000, two.main, 1, 1);
  taken_take(two.taken, 1, 130000, header, 1, 1);
  account_of(&two);
  assert_int_equal(two.account.ticks[ACCOUNT_BLOCKED], 40000);
  assert_int_equal(two.account.ticks[ACCOUNT_SYNCHRONIZATION], 0);
  drop_two(&two);
}

/* A look in a call that is no futex names what called; a look at a futex says nothing about other calls. */
static void a_blocked_call_has_its_caller(void **state)
{
  (void)state;
  struct two two = begin_two();
  fixture_enter(two.fixture, 1, 110000, two.reads);
  fixture_leave(two.fixture, 1, 150000, two.reads);
  end_region(&two);
  taken_trigger(two.taken, NAME_TRIGGER_FUTEX, false, 1);
  taken_trigger(two.taken, NAME_TRIGGER_CALL, false, 1);
  uint32_t other = taken_context(two.taken, two.main, taken_function(two.taken, "rand"), 0);
  uint32_t call = taken_context(two.taken, two.main, taken_function(two.taken, "read"), 0);
  taken_take(two.taken, 1, 120000, call, 2, 1);
  taken_take(two.taken, 1, 145000, other, 1, 1);
  account_of(&two);
  const struct account_cause *blocked = NULL;
  for (size_t i = 0; i < two.account.cause_count; i++)
    blocked = two.account.causes[i].kind == ACCOUNT_BLOCKED ? &two.account.causes[i] : blocked;
  assert_int_equal(two.account.ticks[ACCOUNT_BLOCKED], 40000);
  assert_string_equal(blocked->library, "read");
  assert_string_equal(blocked->function, "main");
  drop_two(&two);
}

UNIT_TEST(account_samples)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_that_waits_is_no_work),     cmocka_unit_test(serial_code_has_the_name_of_most_samples),
      cmocka_unit_test(waits_in_the_runtime_are_ordered), cmocka_unit_test(a_lock_of_a_library_has_its_function),
      cmocka_unit_test(a_sample_after_a_wait_is_a_look),  cmocka_unit_test(own_waits_stay_blocked),
      cmocka_unit_test(a_blocked_call_has_its_caller),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
