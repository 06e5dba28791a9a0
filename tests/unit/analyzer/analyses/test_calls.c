/* Samples of code: to which state and construct they belong, and what is wrong with archives of them. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/analyzer/samples_archive.h"
#include "tests/unit/unit.h"

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/compare.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/trace/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An archive with samples, open. */
struct opened {
  struct fixture *fixture;
  struct trace *trace;
  struct samples *samples;
  struct pool *pool;
  struct calls calls;
  struct calls_tree tree;
};

static struct opened open_archive(struct fixture *fixture, const char *directory)
{
  struct error error = {""};
  struct opened opened = {.fixture = fixture, .pool = pool_create(3)};
  bool none;
  opened.trace = trace_open(directory, &error);
  opened.samples = opened.trace ? samples_open(opened.trace, &none, &error) : NULL;
  if (!opened.samples)
    fail_msg("%s", error.message);
  return opened;
}

static void analyze(struct opened *opened)
{
  struct error error;
  if (!analysis_find(&calls_analysis, opened->trace, opened->pool, opened->samples, &opened->calls, &error))
    fail_msg("%s", error.message);
  assert_true(calls_tree_make(opened->samples, CALLS_FUNCTIONS, &opened->tree));
}

static void drop(struct opened *opened)
{
  calls_tree_free(&opened->tree);
  analysis_free(&calls_analysis, &opened->calls);
  pool_destroy(opened->pool);
  samples_close(opened->samples);
  trace_close(opened->trace);
  fixture_destroy(opened->fixture);
}

static uint64_t samples_in(const struct opened *o, struct calls_selection selection)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < o->calls.cell_count; i++)
    if (calls_selects(o->trace, &selection, &o->calls.cells[i]))
      sum += o->calls.cells[i].samples;
  return sum;
}

/* Two threads in a loop and its barrier, and what they ran: main, work, spin. */
struct run {
  struct fixture *fixture;
  uint32_t parallel, loop, barrier;
  uint32_t main, work, spin; /* contexts */
};

static struct run record_loop(void)
{
  struct run run = {.fixture = fixture_create()};
  struct fixture *f = run.fixture;
  uint32_t threads[] = {fixture_location(f, "master"), fixture_location(f, "worker")};
  uint32_t team = fixture_team(f, threads, 2);
  run.parallel = fixture_openmp(f, "!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL);
  run.loop = fixture_openmp(f, "!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP);
  run.barrier = fixture_openmp(f, "!$omp implicit barrier @a.c:2", OTF2_REGION_ROLE_IMPLICIT_BARRIER);
  fixture_archive_property(f, "HEDDLE::SAMPLES", "1");
  fixture_archive_property(f, "HEDDLE::SWITCHES", "0");
  fixture_thread_type(f, 0, "initial");
  fixture_thread_begin(f, 0, 1000);
  for (uint32_t t = 0; t < 2; t++) {
    fixture_team_begin(f, t, 2000, team);
    fixture_enter(f, t, 2000, run.parallel);
    fixture_enter(f, t, 3000, run.loop);
    fixture_leave(f, t, 5000 + 2000 * t, run.loop);
    fixture_enter(f, t, 5000 + 2000 * t, run.barrier);
    fixture_leave(f, t, 8000, run.barrier);
    fixture_leave(f, t, 9000, run.parallel);
    fixture_team_end(f, t, 9000, team);
  }
  fixture_thread_end(f, 0, 10000);
  return run;
}

/* A sample each 500 ticks from `first` on, before the end. */
static void take_each(struct taken *s, uint32_t location, uint64_t first, uint64_t end, uint32_t context)
{
  for (uint64_t time = first; time < end; time += 500)
    taken_take(s, location, time, context, 0, 1);
}

static struct opened record_samples(struct run *run)
{
  const char *directory = fixture_finish(run->fixture);
  struct taken *s = taken_create(directory);
  taken_trigger(s, "cpu", true, 500000);
  run->main = taken_context(s, TAKEN_TOP, taken_function(s, "main"), 3);
  run->work = taken_context(s, run->main, taken_function(s, "work"), 4);
  run->spin = taken_context(s, run->work, taken_function(s, "spin"), 5);
  take_each(s, 0, 500, 3000, run->main);
  take_each(s, 0, 3000, 5000, run->work);
  take_each(s, 0, 5000, 8000, run->spin);
  take_each(s, 0, 8000, 10500, run->main);
  take_each(s, 1, 3000, 7000, run->work);
  take_each(s, 1, 7000, 8000, run->spin);
  taken_finish(s);
  return open_archive(run->fixture, directory);
}

static struct calls_selection in(uint32_t location, uint32_t construct, uint32_t state)
{
  struct calls_selection selection = CALLS_ALL;
  selection.location = location;
  selection.construct = construct;
  selection.state = state;
  return selection;
}

static void a_sample_has_the_state_and_construct_of_its_time(void **unused)
{
  (void)unused;
  struct run run = record_loop();
  struct opened o = record_samples(&run);
  analyze(&o);
  assert_int_equal(calls_samples(&o.calls, TRACE_NONE), 30);
  assert_int_equal(calls_samples(&o.calls, 0), 30);
  assert_int_equal(samples_in(&o, CALLS_ALL), 30);
  assert_int_equal(samples_in(&o, in(0, CALLS_ANY, CALLS_OUTSIDE)), 2); /* at 500, at 10000 */
  assert_int_equal(samples_in(&o, in(0, TRACE_NONE, STATE_RUN)), 4);    /* 1000 to 2000, 9000 to 10000 */
  assert_int_equal(samples_in(&o, in(0, run.loop, CALLS_ANY)), 4);
  assert_int_equal(samples_in(&o, in(1, run.loop, CALLS_ANY)), 8);
  assert_int_equal(samples_in(&o, in(0, run.barrier, STATE_SYNCH_IMPLICIT_BARRIER)), 6);
  assert_int_equal(samples_in(&o, in(1, run.barrier, STATE_SYNCH_IMPLICIT_BARRIER)), 2);
  assert_int_equal(samples_in(&o, in(CALLS_ANY, run.parallel, CALLS_ANY)), 4);
  uint64_t ticks = 0;
  for (size_t i = 0; i < o.calls.time_count; i++)
    ticks += o.calls.times[i].ticks;
  assert_int_equal(ticks, 9000 + 7000);
  drop(&o);
}

/* Prints a thread's states, each with its function. */
struct listing {
  const struct opened *opened;
  struct states_functions *functions;
  char text[400];
};

static void list_state(void *context, const struct state_interval *interval)
{
  struct listing *listing = context;
  uint32_t function;
  assert_true(states_functions_next(listing->functions, interval, &function));
  size_t used = strlen(listing->text);
  snprintf(listing->text + used, sizeof listing->text - used, "%s %s; ", state_name(interval->state),
           function == TRACE_NONE ? "-" : listing->opened->samples->functions[function].name);
}

static void check_listing(const struct opened *o, uint32_t location, const char *states, uint32_t in_run,
                          uint32_t in_barrier)
{
  struct error error;
  struct listing listing = {o, states_functions_open(o->trace, o->samples, location, &error), ""};
  assert_non_null(listing.functions);
  assert_true(states_list(o->trace, location, list_state, &listing, &error));
  assert_string_equal(listing.text, states);
  assert_int_equal(states_functions_of(listing.functions, STATE_RUN), in_run);
  assert_int_equal(states_functions_of(listing.functions, STATE_SYNCH_IMPLICIT_BARRIER), in_barrier);
  assert_int_equal(states_functions_of(listing.functions, STATE_GC), TRACE_NONE);
  states_functions_close(listing.functions);
}

static void states_have_the_function_of_most_samples(void **unused)
{
  (void)unused;
  struct run run = record_loop();
  struct opened o = record_samples(&run);
  enum { MAIN, WORK, SPIN };
  check_listing(&o, 0, "RUN main; RUN main; RUN work; SYNCH implicit barrier spin; RUN main; RUN main; ", MAIN, SPIN);
  check_listing(&o, 1, "RUN -; RUN work; SYNCH implicit barrier spin; RUN -; ", WORK, SPIN);
  trace_restrict_time(o.trace, 4500, 4999);
  check_listing(&o, 0, "RUN work; ", WORK, TRACE_NONE);
  drop(&o);
}

static void a_part_of_the_run_has_its_samples_alone(void **unused)
{
  (void)unused;
  struct run run = record_loop();
  struct opened o = record_samples(&run);
  trace_restrict_time(o.trace, 4000, 7500);
  analyze(&o);
  assert_int_equal(samples_in(&o, CALLS_ALL), 14);
  assert_int_equal(samples_in(&o, in(CALLS_ANY, CALLS_ANY, CALLS_OUTSIDE)), 0);
  assert_int_equal(samples_in(&o, in(CALLS_ANY, run.loop, CALLS_ANY)), 2 + 6);
  assert_int_equal(samples_in(&o, in(CALLS_ANY, run.barrier, CALLS_ANY)), 5 + 1);
  drop(&o);
}

static void assert_same_calls(const struct calls *a, const struct calls *b)
{
  assert_int_equal(a->cell_count, b->cell_count);
  assert_int_equal(a->time_count, b->time_count);
  for (size_t i = 0; i < a->cell_count; i++) {
    assert_int_equal(a->cells[i].context, b->cells[i].context);
    assert_int_equal(a->cells[i].location, b->cells[i].location);
    assert_int_equal(a->cells[i].construct, b->cells[i].construct);
    assert_int_equal(a->cells[i].state, b->cells[i].state);
    assert_int_equal(a->cells[i].samples, b->cells[i].samples);
  }
  for (size_t i = 0; i < a->time_count; i++)
    assert_int_equal(a->times[i].ticks, b->times[i].ticks);
}

static void sums_of_threads_merge_to_the_sums_of_all(void **unused)
{
  (void)unused;
  struct calls merged = {0};
  struct run run = record_loop();
  struct opened o = record_samples(&run);
  struct error error;
  analyze(&o);
  for (uint32_t only = 0; only < 2; only++) {
    struct calls part;
    o.trace->locations[only].excluded = false;
    o.trace->locations[1 - only].excluded = true;
    assert_true(analysis_find(&calls_analysis, o.trace, o.pool, o.samples, &part, &error));
    assert_true(part.cell_count > 0 && part.cell_count < o.calls.cell_count);
    assert_true(analysis_merge(&calls_analysis, &merged, &part));
    analysis_free(&calls_analysis, &part);
  }
  assert_same_calls(&merged, &o.calls);
  analysis_free(&calls_analysis, &merged);
  drop(&o);
}

/* More threads than may have an open file: their streams are closed and go on. */
static void streams_of_samples_go_on_where_they_were(void **unused)
{
  (void)unused;
  enum { THREADS = 12, SAMPLES = 5000 };
  struct fixture *f = fixture_create();
  fixture_archive_property(f, "HEDDLE::SAMPLES", "1");
  for (uint32_t t = 0; t < THREADS; t++) {
    fixture_location(f, "thread");
    fixture_thread_begin(f, t, 0);
    fixture_thread_end(f, t, SAMPLES);
  }
  const char *directory = fixture_finish(f);
  struct taken *s = taken_create(directory);
  uint32_t trigger = taken_trigger(s, "cpu", true, 1000);
  uint32_t top = taken_context(s, TAKEN_TOP, taken_function(s, "main"), 1);
  for (uint32_t t = 0; t < THREADS; t++)
    for (uint32_t i = 0; i < SAMPLES - t; i++)
      taken_take(s, t, i, top, trigger, 1);
  taken_finish(s);
  struct opened o = open_archive(f, directory);
  struct samples_stream *streams[THREADS];
  struct error error;
  open_streams_limit(4);
  for (uint32_t t = 0; t < THREADS; t++)
    assert_non_null(streams[t] = samples_stream_open(o.samples, &o.trace->locations[t], &error));
  for (uint32_t i = 0; i < SAMPLES; i++)
    for (uint32_t t = 0; t < THREADS; t++) {
      const struct samples_event *event = samples_stream_peek(streams[t]);
      assert_false(samples_stream_failed(streams[t]));
      assert_int_equal(event != NULL, i < SAMPLES - t);
      assert_int_equal(event ? event->time : i, i);
      if (event)
        samples_stream_take(streams[t]);
    }
  for (uint32_t t = 0; t < THREADS; t++)
    samples_stream_close(streams[t]);
  open_streams_limit(0);
  drop(&o);
}

/* A million functions, each called by the one before. */
static void a_deep_chain_is_no_problem(void **unused)
{
  (void)unused;
  enum { DEEP = 1000000 };
  struct run run = record_loop();
  const char *directory = fixture_finish(run.fixture);
  struct taken *s = taken_create(directory);
  taken_trigger(s, "cpu", true, 500000);
  uint32_t context = TAKEN_TOP, functions[] = {taken_function(s, "even"), taken_function(s, "odd")};
  for (uint32_t i = 0; i < DEEP; i++)
    context = taken_context(s, context, functions[i % 2], 0);
  taken_take(s, 0, 5500, context, 0, 3);
  taken_finish(s);
  struct opened o = open_archive(run.fixture, directory);
  struct calls_figures figures;
  struct calls_cycles cycles;
  struct calls_selection selection = CALLS_ALL;
  analyze(&o);
  assert_true(calls_figures_find(o.trace, &o.calls, &selection, &o.tree, &figures));
  assert_int_equal(figures.codes[0].inclusive, 3);
  assert_int_equal(figures.codes[1].self, 3);
  assert_true(calls_cycles_find(&figures, &cycles));
  assert_int_equal(cycles.count, 1);
  assert_int_equal(cycles.list[0].count, 2);
  assert_int_equal(cycles.list[0].inclusive, 3);
  calls_cycles_free(&cycles);
  calls_figures_free(&figures);
  drop(&o);
}

/* What is wrong with an archive, which is said in one line. */
enum wrong { LATER_PARENT, OWN_PARENT, NO_FUNCTION, NO_CONTEXT, NO_TRIGGER, BACKWARDS, WRONGS };

/* The library writes no times that run backwards. */
static void change_time(const char *directory, uint64_t old, uint64_t time)
{
  char path[256], bytes[4096];
  snprintf(path, sizeof path, "%s/samples/0.evt", directory);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  char *at = memmem(bytes, size, &old, sizeof old);
  assert_non_null(at);
  assert_int_equal(fseek(file, at - bytes, SEEK_SET), 0);
  assert_int_equal(fwrite(&time, sizeof time, 1, file), 1);
  fclose(file);
}

static void say_what_is_wrong(enum wrong wrong, struct error *error)
{
  struct run run = record_loop();
  const char *directory = fixture_finish(run.fixture);
  struct taken *s = taken_create(directory);
  bool none;
  taken_trigger(s, "cpu", true, 500000);
  uint32_t function = taken_function(s, "main");
  uint32_t parent = wrong == LATER_PARENT ? 1 : wrong == OWN_PARENT ? 0 : TAKEN_TOP;
  taken_any_context(s, parent, wrong == NO_FUNCTION ? 99 : function);
  taken_any_context(s, TAKEN_TOP, function);
  taken_take(s, 0, 3000, wrong == NO_CONTEXT ? 77 : 0, wrong == NO_TRIGGER ? 5 : 0, 1);
  taken_take(s, 0, 3001, 0, 0, 1);
  taken_finish(s);
  if (wrong == BACKWARDS)
    change_time(directory, 3001, 2999);
  struct trace *trace = trace_open(directory, error);
  assert_non_null(trace);
  struct samples *samples = samples_open(trace, &none, error);
  if (samples) {
    struct pool *pool = pool_create(2);
    struct calls calls;
    assert_false(analysis_find(&calls_analysis, trace, pool, samples, &calls, error));
    analysis_free(&calls_analysis, &calls);
    pool_destroy(pool);
  }
  assert_false(none);
  samples_close(samples);
  trace_close(trace);
  fixture_destroy(run.fixture);
}

static void damage_is_said(void **unused)
{
  (void)unused;
  static const char *const expected[WRONGS] = {[LATER_PARENT] = "calling context 0 has a parent that is not defined",
                                               [OWN_PARENT] = "calling context 0 has a parent that is not defined",
                                               [NO_FUNCTION] = "calling context 0 has an undefined function",
                                               [NO_CONTEXT] = "an undefined calling context",
                                               [NO_TRIGGER] = "an undefined trigger",
                                               [BACKWARDS] = "time runs backwards"};
  for (enum wrong wrong = 0; wrong < WRONGS; wrong++) {
    struct error error = {""};
    say_what_is_wrong(wrong, &error);
    if (!strstr(error.message, expected[wrong]))
      fail_msg("'%s' instead of '%s'", error.message, expected[wrong]);
  }
}

/* The thread runs for 7000 us in the loop and has no sample of it: with a period of 50 us this is no chance. */
static void kernel_time_is_what_samples_do_not_explain(void **unused)
{
  (void)unused;
  struct run run = record_loop();
  const char *directory = fixture_finish(run.fixture);
  struct taken *s = taken_create(directory);
  taken_trigger(s, "cpu", true, 10000);
  uint32_t top = taken_context(s, TAKEN_TOP, taken_function(s, "main"), 1);
  for (uint64_t time = 1000; time < 9000; time += 10)
    if (time < 3000 || time >= 4500)
      taken_take(s, 0, time, top, 0, 1);
  for (uint64_t time = 2000; time < 9000; time += 10)
    taken_take(s, 1, time, top, 0, 1);
  taken_finish(s);
  struct opened o = open_archive(run.fixture, directory);
  struct calls_kernel kernel;
  analyze(&o);
  assert_true(calls_kernel_find(o.trace, o.samples, &o.calls, 0, &kernel));
  assert_true(kernel.known);
  assert_int_equal(kernel.count, 2); /* the last 1000 us of the first thread, too */
  for (size_t i = 0; i < kernel.count; i++) {
    assert_int_equal(kernel.list[i].location, 0);
    assert_float_equal(kernel.list[i].ticks, kernel.list[i].construct == run.loop ? 1500 : 1000, 1e-6);
  }
  calls_kernel_free(&kernel);
  assert_true(calls_kernel_find(o.trace, o.samples, &o.calls, 1, &kernel)); /* there is no such trigger */
  assert_false(kernel.known);
  drop(&o);
}

UNIT_TEST(calls)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_sample_has_the_state_and_construct_of_its_time),
                                     cmocka_unit_test(states_have_the_function_of_most_samples),
                                     cmocka_unit_test(a_part_of_the_run_has_its_samples_alone),
                                     cmocka_unit_test(sums_of_threads_merge_to_the_sums_of_all),
                                     cmocka_unit_test(streams_of_samples_go_on_where_they_were),
                                     cmocka_unit_test(a_deep_chain_is_no_problem),
                                     cmocka_unit_test(damage_is_said),
                                     cmocka_unit_test(kernel_time_is_what_samples_do_not_explain)};
  otf2_library_quiet();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
