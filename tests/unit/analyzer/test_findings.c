/* One answer: hand-made archives of which is known, to the digit, what could be won first and why. A tick is 1 us. */
#include "tests/unit/analyzer/program.h"
#include "tests/unit/analyzer/scene.h"

#include "analyzer/commands/facts.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

struct answer {
  struct fixture *fixture;
  const char *directory;
  struct trace *trace;
  struct pool *pool;
  struct facts facts;
};

static void find_facts(struct answer *a)
{
  struct error error;
  if (!facts_find(a->trace, a->pool, &(struct facts_options){0}, &a->facts, &error))
    fail_msg("%s", error.message);
}

static struct answer ask(struct fixture *fixture)
{
  struct answer a = {.fixture = fixture, .directory = fixture_finish(fixture), .pool = pool_create(2)};
  struct error error;
  a.trace = trace_open(a.directory, &error);
  if (!a.trace)
    fail_msg("%s", error.message);
  find_facts(&a);
  return a;
}

/* The same archive from and to a time. */
static void ask_part(struct answer *a, uint64_t from, uint64_t to)
{
  facts_free(&a->facts);
  trace_restrict_time(a->trace, from, to);
  find_facts(a);
}

/* ... and without a thread. */
static void ask_without(struct answer *a, uint32_t location)
{
  facts_free(&a->facts);
  trace_leave_out(a->trace, location);
  find_facts(a);
}

static void dismiss(struct answer *a)
{
  facts_free(&a->facts);
  pool_destroy(a->pool);
  trace_close(a->trace);
  fixture_destroy(a->fixture);
}

static const struct finding *first_of(const struct answer *a)
{
  if (a->facts.findings.count == 0)
    fail_msg("%s", a->facts.findings.first);
  return &a->facts.findings.list[0];
}

static void expect(const struct answer *a, size_t at, enum finding_kind kind, uint32_t region, double ticks)
{
  assert_true(at < a->facts.findings.count);
  const struct finding *finding = &a->facts.findings.list[at];
  if (finding->kind != kind || finding->region != region)
    fail_msg("%s: %s", finding_kind_name(finding->kind), finding->text);
  assert_near(finding->ticks, ticks);
  assert_near(finding->percent, 100 * ticks / a->facts.findings.run);
}

static bool has_kind(const struct answer *a, enum finding_kind kind)
{
  for (size_t i = 0; i < a->facts.findings.count; i++)
    if (a->facts.findings.list[i].kind == kind)
      return true;
  return false;
}

static void assert_says(const char *text, const char *part)
{
  if (!strstr(text, part))
    fail_msg("'%s' is not in: %s", part, text);
}

/* A critical section, and how it is in a scene. */
struct critical {
  uint32_t region, sblock;
};

static struct critical make_critical(const struct scene *s)
{
  return (struct critical){fixture_openmp(s->f, "!$omp critical @a.c:3", ROLE(CRITICAL)),
                           fixture_openmp(s->f, "!$omp critical sblock @a.c:3", ROLE(CRITICAL_SBLOCK))};
}

/* `rounds` times thread after thread has it, 25 ticks each, from `start` on; all ask for it as soon as they can. */
static void serialize(const struct scene *s, const struct critical *critical, uint32_t thread, uint64_t start,
                      uint32_t rounds)
{
  uint64_t asked = start;
  for (uint32_t k = 0; k < rounds; k++) {
    uint64_t got = start + 25 * (uint64_t)(k * s->count + thread);
    fixture_enter(s->f, thread, asked, critical->region);
    fixture_lock(s->f, thread, got, 5);
    fixture_enter(s->f, thread, got, critical->sblock);
    fixture_leave(s->f, thread, got + 25, critical->sblock);
    fixture_unlock(s->f, thread, got + 25, 5);
    fixture_leave(s->f, thread, got + 25, critical->region);
    asked = got + 25;
  }
}

/* Four threads share a loop whose iterations are critical: each works for 250 of 1000 ticks. */
static void lock_that_serializes_a_loop(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  struct critical critical = make_critical(&s);
  for (uint32_t t = 0; t < 4; t++) {
    begin_region(&s, t, 0);
    fixture_enter(s.f, t, 0, s.loop);
    fixture_chunk(s.f, t, 0, s.chunk, 10, 1);
    serialize(&s, &critical, t, 0, 10);
    fixture_leave(s.f, t, 900 + 25 * (t + 1), s.chunk);
    fixture_leave(s.f, t, 900 + 25 * (t + 1), s.loop);
    cross_barrier(&s, t, 900 + 25 * (t + 1), 1000);
    end_region(&s, t, 1000);
  }
  struct answer a = ask(s.f);
  assert_near(imbalance_efficiency(&a.facts.imbalance.constructs[s.loop]), 0.25);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_LOCK, critical.region, 750);
  assert_string_equal(
      a.facts.findings.first,
      "Look first at !$omp critical @a.c:3: threads waited for it 39 times, 2.850 ms in total (71.2 % of all "
      "threads' time), at most 75.00 us at a time, so up to 750.0 us (75.0 % of the run) could be won; "
      "do less while it is held, or use more locks.");
  dismiss(&a);
}

/* The threads that have the lock one after the other, once: who comes last waited for all. */
static void lock_that_is_unfair(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  struct critical critical = make_critical(&s);
  for (uint32_t t = 0; t < 4; t++) {
    begin_region(&s, t, 0);
    serialize(&s, &critical, t, 0, 1);
    cross_barrier(&s, t, 25 * (t + 1), 100);
    end_region(&s, t, 100);
  }
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_LOCK, critical.region, 75);
  dismiss(&a);
}

/* Each of four threads has it for 1 tick of 100, and gets it 99 late though nobody has it: what is done then is not it.
 */
static void lock_that_is_hardly_held(void **state)
{
  (void)state;
  static const char *const processors[] = {NULL, "1", "4"};
  for (size_t i = 0; i < 3; i++) {
    struct scene s = make_scene(4);
    struct critical critical = make_critical(&s);
    if (processors[i])
      fixture_property(s.f, "HEDDLE::PROCESSORS", processors[i]);
    for (uint32_t t = 0; t < 4; t++) {
      begin_region(&s, t, 0);
      for (uint64_t k = 0; k < 10; k++) {
        uint64_t got = 100 * k + 90 + t;
        fixture_enter(s.f, t, 100 * k, critical.region);
        fixture_lock(s.f, t, got, 5);
        fixture_enter(s.f, t, got, critical.sblock);
        fixture_leave(s.f, t, got + 1, critical.sblock);
        fixture_unlock(s.f, t, got + 1, 5);
        fixture_leave(s.f, t, got + 1, critical.region);
      }
      cross_barrier(&s, t, 991 + t, 1000);
      end_region(&s, t, 1000);
    }
    struct answer a = ask(s.f);
    assert_int_equal(first_of(&a)->kind, FINDING_LOCK);
    assert_says(a.facts.findings.first, "it is held for 40.00 us in total: acquire it less often");
    assert_int_equal(strstr(a.facts.findings.first, "4 share 1 processor, so its owner") != NULL, i == 1);
    assert_int_equal(strstr(a.facts.findings.first, "processor") != NULL, i == 1);
    dismiss(&a);
  }
}

/* 600 ticks in which threads wait for a lock most of the time, then 400 of a loop that loses a quarter. */
static struct fixture *make_lock_and_loop(struct scene *s, struct critical *critical)
{
  static const uint64_t work[] = {400, 260, 260, 260};
  *s = make_scene(4);
  *critical = make_critical(s);
  for (uint32_t t = 0; t < 4; t++) {
    begin_region(s, t, 0);
    serialize(s, critical, t, 0, 6);
    cross_barrier(s, t, 525 + 25 * t, 600);
    fixture_enter(s->f, t, 600, s->loop);
    fixture_chunk(s->f, t, 600, s->chunk, 10, 1);
    fixture_leave(s->f, t, 600 + work[t], s->chunk);
    fixture_leave(s->f, t, 600 + work[t], s->loop);
    cross_barrier(s, t, 600 + work[t], 1000);
    end_region(s, t, 1000);
  }
  return s->f;
}

static void lock_before_imbalance(void **state)
{
  (void)state;
  struct scene s;
  struct critical critical;
  struct answer a = ask(make_lock_and_loop(&s, &critical));
  assert_int_equal(a.facts.findings.count, 2);
  expect(&a, 0, FINDING_LOCK, critical.region, 450);
  expect(&a, 1, FINDING_IMBALANCE, s.loop, 105);
  assert_says(a.facts.findings.list[1].text,
              "the slowest 400.0 us, so up to 105.0 us (10.5 % of the run) could be won");
  dismiss(&a);
}

/* The commands say the same, in text and in JSON, and so does the report. */
static void commands_agree(void **state)
{
  (void)state;
  static const char *const commands[] = {"imbalance",        "locks",        "schedule",
                                         "imbalance --json", "locks --json", "schedule --json"};
  struct scene s;
  struct critical critical;
  struct answer a = ask(make_lock_and_loop(&s, &critical));
  static struct outcome outcome;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    run(&outcome, KEEP_OUTPUT, "%s %s", commands[i], a.directory);
    assert_int_equal(outcome.status, 0);
    for (size_t k = 0; k < 2; k++)
      assert_says(outcome.out, a.facts.findings.list[k].text);
    assert_says(outcome.out, a.facts.findings.first);
  }
  run(&outcome, KEEP_OUTPUT, "report -o %s/report.html %s && grep -c '%s' %s/report.html", a.directory, a.directory,
      "\"Look first at !.omp critical @a.c:3: threads waited for it 23 times", a.directory);
  assert_int_equal(outcome.status, 0);
  dismiss(&a);
}

/* Threads 2 and 3 begin after 500 ticks, when 0 and 1 are done. */
static struct answer ask_crowd(const char *processors, uint32_t *region)
{
  struct scene s = make_scene(4);
  if (processors)
    fixture_property(s.f, "HEDDLE::PROCESSORS", processors);
  for (uint32_t t = 0; t < 4; t++) {
    uint64_t begin = t < 2 ? 0 : 500;
    begin_region(&s, t, begin);
    cross_barrier(&s, t, begin + 500, 1000);
    end_region(&s, t, 1000);
  }
  *region = s.parallel;
  return ask(s.f);
}

static void more_threads_than_processors(void **state)
{
  (void)state;
  uint32_t region;
  struct answer a = ask_crowd("2", &region);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_PROCESSORS, region, 500);
  assert_says(a.facts.findings.first, "its team has 4 threads, but the process may use 2 processors: 500.0 us pass");
  assert_says(a.facts.findings.first, "; try 2 threads.");
  dismiss(&a);
  static const char *const others[] = {NULL, "4"};
  for (size_t i = 0; i < 2; i++) { /* it is not known, or not so: then threads are late, and nobody guesses why */
    a = ask_crowd(others[i], &region);
    assert_int_equal(a.facts.findings.count, 1);
    expect(&a, 0, FINDING_LATE, region, 500);
    assert_null(strstr(a.facts.findings.first, "processor"));
    dismiss(&a);
  }
}

/* 100 executions of 60 us, of which thread 0 works 8, and thread 1, which comes 40 us late, too. */
static void region_that_is_too_small(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint64_t k = 0; k < 100; k++)
    for (uint32_t t = 0; t < 2; t++) {
      begin_region(&s, t, 60 * k + 40 * t);
      cross_barrier(&s, t, 60 * k + 40 * t + 8, 60 * k + 60);
      end_region(&s, t, 60 * k + 60);
    }
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_SMALL_REGION, s.parallel, 5200);
  assert_says(a.facts.findings.first,
              "each of its 100 executions takes 60.00 us on average for 8.000 us of work a thread");
  dismiss(&a);
}

/* The same losses in executions that do much: no reason to merge them. */
static void region_that_is_large_enough(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  for (uint64_t k = 0; k < 100; k++)
    for (uint32_t t = 0; t < 2; t++) {
      begin_region(&s, t, 1000 * k + 40 * t);
      cross_barrier(&s, t, 1000 * k + 40 * t + 948, 1000 * k + 1000);
      end_region(&s, t, 1000 * k + 1000);
    }
  struct answer a = ask(s.f);
  expect(&a, 0, FINDING_LATE, s.parallel, 4000);
  assert_false(has_kind(&a, FINDING_SMALL_REGION));
  dismiss(&a);
}

/* The regions of a scene whose thread 0 works in a single for 1000 ticks, while others execute its tasks. */
struct maker {
  struct scene s;
  uint32_t single, block, task;
};

static struct maker make_maker(uint32_t threads)
{
  struct maker m = {.s = make_scene(threads)};
  m.single = fixture_openmp(m.s.f, "!$omp single @a.c:5", ROLE(SINGLE));
  m.block = fixture_openmp(m.s.f, "!$omp single sblock @a.c:5", ROLE(SINGLE_SBLOCK));
  m.task = fixture_openmp(m.s.f, "!$omp task @a.c:6", ROLE(TASK));
  return m;
}

/* Thread 1 executes the tasks, `work` ticks each, evenly spread. */
static struct answer ask_maker(const struct maker *m, uint32_t tasks, uint64_t work)
{
  const struct scene *s = &m->s;
  for (uint32_t t = 0; t < s->count; t++) {
    begin_region(s, t, 0);
    fixture_enter(s->f, t, 0, m->single);
    if (t == 0) {
      fixture_enter(s->f, t, 0, m->block);
      for (uint32_t k = 0; k < tasks; k++)
        fixture_create_task(s->f, t, 1000 / tasks * k, (struct fixture_task){s->team, k + 1, false, 0});
      fixture_leave(s->f, t, 1000, m->block);
    }
    fixture_leave(s->f, t, t == 0 ? 1000 : 0, m->single);
    fixture_enter(s->f, t, t == 0 ? 1000 : 0, s->barrier);
    fixture_enter(s->f, t, t == 0 ? 1000 : 0, s->wait);
    for (uint32_t k = 0; t == 1 && k < tasks; k++) {
      fixture_enter(s->f, t, 1000 / tasks * k, m->task);
      fixture_leave(s->f, t, 1000 / tasks * k + work, m->task);
    }
    fixture_leave(s->f, t, 1000, s->wait);
    fixture_leave(s->f, t, 1000, s->barrier);
    end_region(s, t, 1000);
  }
  return ask(s->f);
}

/* 100 tasks of 2 us: 4 threads lose 2800 us for them. */
static void tasks_that_are_too_small(void **state)
{
  (void)state;
  struct maker m = make_maker(4);
  struct answer a = ask_maker(&m, 100, 2);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_SMALL_TASKS, m.s.parallel, 700);
  assert_says(a.facts.findings.first, "its 100 tasks do 2.000 us of work each, and its threads lose 28.00 us for each");
  assert_null(strstr(a.facts.findings.first, "make its work tasks"));
  dismiss(&a);
}

/* One task of half the time: the single makes tasks already. */
static void single_that_makes_tasks(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  struct answer a = ask_maker(&m, 1, 500);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_FEW_TASKS, m.s.parallel, 250);
  assert_null(strstr(a.facts.findings.first, "make its work tasks"));
  dismiss(&a);
}

static void single_without_tasks(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  const struct scene *s = &m.s;
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(s, t, 0);
    fixture_enter(s->f, t, 0, m.single);
    if (t == 0) {
      fixture_enter(s->f, t, 0, m.block);
      fixture_leave(s->f, t, 1000, m.block);
    }
    fixture_leave(s->f, t, t == 0 ? 1000 : 0, m.single);
    cross_barrier(s, t, t == 0 ? 1000 : 0, 1000);
    end_region(s, t, 1000);
  }
  struct answer a = ask(s->f);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_IMBALANCE, m.single, 500);
  assert_says(a.facts.findings.first, "make its work tasks");
  dismiss(&a);
}

/* Ten tasks of 100 us, each after the one before, on two threads in turn; so many have dependences, all have weights.
 */
static struct answer ask_in_turn(const struct maker *m, uint32_t dependent)
{
  const struct scene *s = &m->s;
  for (uint32_t t = 0; t < 2; t++) {
    begin_region(s, t, 0);
    for (uint32_t k = 0; t == 0 && k < 10; k++)
      fixture_create_task(s->f, t, 0, (struct fixture_task){s->team, k + 1, k < dependent, 1});
    fixture_enter(s->f, t, 0, s->barrier);
    fixture_enter(s->f, t, 0, s->wait);
    for (uint32_t k = t; k < 10; k += 2) {
      fixture_enter(s->f, t, 100 * (uint64_t)k, m->task);
      fixture_leave(s->f, t, 100 * (uint64_t)k + 100, m->task);
    }
    fixture_leave(s->f, t, 1000, s->wait);
    fixture_leave(s->f, t, 1000, s->barrier);
    end_region(s, t, 1000);
  }
  return ask(s->f);
}

static void tasks_that_wait_for_each_other(void **state)
{
  (void)state;
  struct maker m = make_maker(2);
  struct answer a = ask_in_turn(&m, 10);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_CHAIN, m.s.parallel, 500);
  assert_says(a.facts.findings.first,
              "its tasks wait for each other (10 of 10 have dependences), and 1.0 of its 2 threads "
              "work on average");
  dismiss(&a);
}

/* Half of the tasks must have dependences to be called a chain; attributes of other meaning are none. */
static void attributes_are_not_always_dependences(void **state)
{
  (void)state;
  static const struct {
    uint32_t dependent;
    enum finding_kind kind;
  } cases[] = {{0, FINDING_FEW_TASKS}, {4, FINDING_FEW_TASKS}, {5, FINDING_CHAIN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct maker m = make_maker(2);
    struct answer a = ask_in_turn(&m, cases[i].dependent);
    assert_int_equal(a.facts.imbalance.constructs[m.s.parallel].tasks, 10);
    assert_int_equal(a.facts.imbalance.constructs[m.s.parallel].dependent, cases[i].dependent);
    assert_int_equal(first_of(&a)->kind, cases[i].kind);
    dismiss(&a);
  }
}

/* The iterations of two threads in turn, 100 us each: thread 1 waits for 500 us, thread 0 for 400 and at the end. */
static void iterations_that_wait_for_each_other(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t ordered = fixture_openmp(s.f, "!$omp ordered @a.c:4", ROLE(ORDERED));
  uint32_t block = fixture_openmp(s.f, "!$omp ordered sblock @a.c:4", ROLE(ORDERED_SBLOCK));
  for (uint32_t t = 0; t < 2; t++) {
    uint64_t asked = 0;
    begin_region(&s, t, 0);
    for (uint32_t k = t; k < 10; k += 2) {
      fixture_enter(s.f, t, asked, ordered);
      fixture_enter(s.f, t, 100 * (uint64_t)k, block);
      fixture_leave(s.f, t, asked = 100 * (uint64_t)k + 100, block);
      fixture_leave(s.f, t, asked, ordered);
    }
    cross_barrier(&s, t, asked, 1000);
    end_region(&s, t, 1000);
  }
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_CHAIN, ordered, 500);
  assert_says(a.facts.findings.first, "iterations wait for each other, 900.0 us in total");
  dismiss(&a);
}

/* 5 of 1000 ticks: named, but not as something to do; and what Heddle does not see is said. */
static void nothing_below_one_percent(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 990});
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 0);
  assert_string_equal(
      a.facts.findings.first,
      "Heddle finds nothing to win: the most is !$omp for @a.c:2 with 5.000 us, 0.5 % of the run. Heddle does not "
      "record waits for locks of pthreads, C++ and other libraries, for MPI, for input and output. They count as "
      "work.");
  dismiss(&a);
}

/* Exactly one percent is worth a sentence. */
static void something_from_one_percent_on(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  do_loop(&s, 0, (const uint64_t[]){1000, 980});
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_IMBALANCE, s.loop, 10);
  dismiss(&a);
}

static void nothing_at_all(void **state)
{
  (void)state;
  struct scene s = make_scene(1);
  do_loop(&s, 0, (const uint64_t[]){500});
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 0);
  assert_says(a.facts.findings.first,
              "no construct was executed by more than one thread, and no thread waited for a lock");
  assert_says(a.facts.findings.first, "pthreads");
  assert_says(a.facts.findings.first, "MPI");
  static struct outcome outcome;
  run(&outcome, KEEP_OUTPUT, "locks %s", a.directory);
  assert_says(outcome.out, "No thread waited for a lock of OpenMP or Java. Heddle records neither locks of pthreads");
  assert_says(outcome.out, "MPI");
  dismiss(&a);
}

/* Alone for 800 of 1000 ticks: two threads could do that in 400. */
static void serial_part(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_begin(s.f, 0, 0);
  do_loop(&s, 800, (const uint64_t[]){200, 200});
  struct answer a = ask(s.f);
  expect(&a, 0, FINDING_SERIAL, TRACE_NONE, 400);
  assert_int_equal(first_of(&a)->location, 0);
  assert_says(a.facts.findings.first, "master works alone for 800.0 us outside of parallel regions, so up to 400.0 us "
                                      "(40.0 % of the run) could be won if 2 threads shared it");
  dismiss(&a);
}

/* What a part of the run has of its serial part: 800 ticks before a region, 500 after it, 100 in a loop among them. */
static void serial_part_of_a_part(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_begin(s.f, 0, 0);
  uint64_t end = do_loop(&s, 800, (const uint64_t[]){200, 200});
  fixture_enter(s.f, 0, end + 100, s.loop); /* its state is decided at its end */
  fixture_leave(s.f, 0, end + 200, s.loop);
  fixture_thread_end(s.f, 0, end + 500);
  struct answer a = ask(s.f);
  static const struct {
    uint64_t from, to, alone;
  } parts[] = {{0, UINT64_MAX, 1300}, {0, 1501, 1300}, {1, 801, 799},    {300, 700, 400},  {300, 900, 500},
               {750, 1200, 250},      {800, 1000, 0},  {850, 950, 0},    {950, 1150, 150}, {1100, 1200, 100},
               {1120, 1150, 30},      {1500, 1501, 0}, {850, 1400, 400}, {0, 850, 800}};
  assert_int_equal(end, 1000);
  expect(&a, 0, FINDING_SERIAL, TRACE_NONE, 650);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    ask_part(&a, parts[i].from, parts[i].to);
    assert_int_equal(a.facts.imbalance.alone[0], parts[i].alone);
    assert_int_equal(a.facts.imbalance.alone[1], 0);
    assert_int_equal(has_kind(&a, FINDING_SERIAL), parts[i].alone > 0);
    if (parts[i].alone > 0)
      assert_near(first_of(&a)->ticks, (double)parts[i].alone / 2);
  }
  for (uint64_t border = 1; border < 1500; border += 17) {
    ask_part(&a, 0, border);
    uint64_t before = a.facts.imbalance.alone[0];
    ask_part(&a, border, UINT64_MAX);
    assert_int_equal(before + a.facts.imbalance.alone[0], 1300);
  }
  dismiss(&a);
}

/* A thread that forks nothing and stays in one state: where its team begins and ends is seen all the same. */
static void a_team_without_a_fork_is_not_alone(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_thread_begin(s.f, 0, 0);
  for (uint64_t at = 100; at < 500; at += 200) {
    fixture_team_begin(s.f, 0, at, s.team);
    fixture_team_end(s.f, 0, at + 100, s.team);
  }
  fixture_thread_end(s.f, 0, 500);
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.imbalance.alone[0], 300);
  ask_part(&a, 50, 350);
  assert_int_equal(a.facts.imbalance.alone[0], 150);
  ask_part(&a, 150, 450);
  assert_int_equal(a.facts.imbalance.alone[0], 150);
  dismiss(&a);
}

/* Where not all threads of a process are looked at, nobody knows whether one worked alone. */
static void serial_part_of_some_threads(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  uint32_t other = fixture_location(s.f, "another process");
  fixture_thread_type(s.f, other, "initial");
  fixture_process(s.f, other, 1);
  fixture_thread_begin(s.f, other, 0);
  fixture_thread_end(s.f, other, 100);
  fixture_thread_begin(s.f, 0, 0);
  do_loop(&s, 800, (const uint64_t[]){200, 200});
  struct answer a = ask(s.f);
  expect(&a, 0, FINDING_SERIAL, TRACE_NONE, 400);
  ask_without(&a, other);
  expect(&a, 0, FINDING_SERIAL, TRACE_NONE, 400);
  ask_without(&a, 1);
  assert_int_equal(a.facts.imbalance.alone[0], 800);
  assert_false(has_kind(&a, FINDING_SERIAL));
  dismiss(&a);
}

/* 100 of a thread's 1000 ms are recording's own. */
static void measurement(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_recording(s.f, 0, 100000);
  do_loop(&s, 0, (const uint64_t[]){1000000, 1000000});
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 1);
  assert_int_equal(first_of(&a)->kind, FINDING_MEASUREMENT);
  assert_near(first_of(&a)->ticks, 100000);
  assert_says(a.facts.findings.first, "Look first at the measurement: recording has likely slowed master down by 11 %");
  dismiss(&a);
}

/* What it cost each thread is known; in which part of the thread's life is not. */
static void measurement_of_a_part(void **state)
{
  (void)state;
  struct scene s = make_scene(2);
  fixture_recording(s.f, 0, 100000);
  fixture_recording(s.f, 1, 90000);
  do_loop(&s, 0, (const uint64_t[]){1000000, 1000000});
  struct answer a = ask(s.f);
  expect(&a, 0, FINDING_MEASUREMENT, s.parallel, 100000);
  ask_without(&a, 0);
  assert_int_equal(a.facts.overhead.location, 1);
  expect(&a, 0, FINDING_MEASUREMENT, s.parallel, 90000);
  ask_part(&a, 0, 900000);
  assert_int_equal(a.facts.overhead.location, TRACE_NONE);
  assert_false(has_kind(&a, FINDING_MEASUREMENT));
  dismiss(&a);
}

/* Two threads fork teams that lose 100 of 400 ticks each, side by side: the run can win 100. */
static void regions_side_by_side(void **state)
{
  (void)state;
  struct scene s = make_scene(4);
  uint32_t teams[2] = {fixture_team(s.f, (const uint32_t[]){0, 1}, 2), fixture_team(s.f, (const uint32_t[]){2, 3}, 2)};
  for (uint32_t t = 0; t < 4; t++) {
    uint64_t work = t % 2 == 0 ? 400 : 200;
    if (t % 2 == 0) {
      fixture_enter(s.f, t, 0, s.parallel);
      fixture_fork(s.f, t, 0);
    }
    fixture_team_begin(s.f, t, 0, teams[t / 2]);
    if (t % 2 == 1)
      fixture_enter(s.f, t, 0, s.parallel);
    cross_barrier(&s, t, work, 400);
    if (t % 2 == 1)
      fixture_leave(s.f, t, 400, s.parallel);
    fixture_team_end(s.f, t, 400, teams[t / 2]);
    if (t % 2 == 0) {
      fixture_join(s.f, t, 400);
      fixture_leave(s.f, t, 400, s.parallel);
    }
  }
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.findings.count, 1);
  expect(&a, 0, FINDING_IMBALANCE, s.parallel, 100);
  assert_near(first_of(&a)->percent, 25);
  dismiss(&a);
}

/*
 * Thread 0 of an outer team {0, 1} forks {0, 2} and waits there for 300 of 400 ticks, thread 1 for it: the nested
 * region loses 150 of the 300 ticks that the outer one has without work.
 */
static void region_in_a_region(void **state)
{
  (void)state;
  struct scene s = make_scene(3);
  uint32_t outer = fixture_team(s.f, (const uint32_t[]){0, 1}, 2),
           inner = fixture_team(s.f, (const uint32_t[]){0, 2}, 2);
  uint32_t nested = fixture_openmp(s.f, "!$omp parallel @a.c:9", ROLE(PARALLEL));
  fixture_enter(s.f, 0, 0, s.parallel);
  fixture_fork(s.f, 0, 0);
  fixture_team_begin(s.f, 0, 0, outer);
  fixture_enter(s.f, 0, 0, nested);
  fixture_fork(s.f, 0, 0);
  fixture_team_begin(s.f, 0, 0, inner);
  cross_barrier(&s, 0, 100, 400);
  fixture_team_end(s.f, 0, 400, inner);
  fixture_join(s.f, 0, 400);
  fixture_leave(s.f, 0, 400, nested);
  cross_barrier(&s, 0, 400, 400);
  fixture_team_end(s.f, 0, 400, outer);
  fixture_join(s.f, 0, 400);
  fixture_leave(s.f, 0, 400, s.parallel);
  fixture_team_begin(s.f, 1, 0, outer);
  fixture_enter(s.f, 1, 0, s.parallel);
  cross_barrier(&s, 1, 100, 400);
  fixture_leave(s.f, 1, 400, s.parallel);
  fixture_team_end(s.f, 1, 400, outer);
  fixture_team_begin(s.f, 2, 0, inner);
  fixture_enter(s.f, 2, 0, nested);
  cross_barrier(&s, 2, 400, 400);
  fixture_leave(s.f, 2, 400, nested);
  fixture_team_end(s.f, 2, 400, inner);
  struct answer a = ask(s.f);
  assert_int_equal(a.facts.imbalance.constructs[nested].parallel, s.parallel);
  assert_int_equal(a.facts.findings.count, 2);
  expect(&a, 0, FINDING_IMBALANCE, nested, 150);
  expect(&a, 1, FINDING_WAITING, s.parallel, 150);
  dismiss(&a);
}

/* Two threads of Java that use a monitor, of which one waits for half of the run: the mean of both. */
static void monitor_of_java(void **state)
{
  (void)state;
  struct fixture *f = fixture_create();
  uint32_t enter = fixture_region(f, "monitor enter @A.java:7", ROLE(CRITICAL), OTF2_PARADIGM_PTHREAD, 7);
  fixture_describe(f, enter, "state: blocked in mutex");
  struct fixture_object object = {fixture_class(f, "java.lang.Object"), 0x1f, 100, UINT32_MAX};
  for (uint32_t t = 0; t < 2; t++) {
    fixture_location(f, t == 0 ? "main" : "other");
    fixture_thread_type(f, t, "java");
    fixture_java_id(f, t, 100 + t);
    fixture_thread_begin(f, t, 0);
  }
  fixture_enter_object(f, 1, 100, enter, object);
  fixture_acquire(f, 1, 600);
  fixture_leave(f, 1, 600, enter);
  for (uint32_t t = 0; t < 2; t++)
    fixture_thread_end(f, t, 1000);
  struct answer a = ask(f);
  expect(&a, 0, FINDING_LOCK, enter, 250);
  assert_says(a.facts.findings.first,
              "Look first at monitor java.lang.Object@1f at monitor enter @A.java:7: threads waited "
              "for it once, 500.0 us in total (25.0 % of all threads' time)");
  dismiss(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lock_that_serializes_a_loop),
      cmocka_unit_test(lock_that_is_unfair),
      cmocka_unit_test(lock_that_is_hardly_held),
      cmocka_unit_test(lock_before_imbalance),
      cmocka_unit_test(commands_agree),
      cmocka_unit_test(more_threads_than_processors),
      cmocka_unit_test(region_that_is_too_small),
      cmocka_unit_test(region_that_is_large_enough),
      cmocka_unit_test(tasks_that_are_too_small),
      cmocka_unit_test(single_that_makes_tasks),
      cmocka_unit_test(single_without_tasks),
      cmocka_unit_test(tasks_that_wait_for_each_other),
      cmocka_unit_test(attributes_are_not_always_dependences),
      cmocka_unit_test(iterations_that_wait_for_each_other),
      cmocka_unit_test(nothing_below_one_percent),
      cmocka_unit_test(something_from_one_percent_on),
      cmocka_unit_test(nothing_at_all),
      cmocka_unit_test(serial_part),
      cmocka_unit_test(serial_part_of_a_part),
      cmocka_unit_test(a_team_without_a_fork_is_not_alone),
      cmocka_unit_test(serial_part_of_some_threads),
      cmocka_unit_test(measurement),
      cmocka_unit_test(measurement_of_a_part),
      cmocka_unit_test(regions_side_by_side),
      cmocka_unit_test(region_in_a_region),
      cmocka_unit_test(monitor_of_java),
  };
  return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
