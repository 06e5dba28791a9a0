/* Sequences of archives: made while they are read, before, or in a pass of someone else, they are the same. */
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include "analyzer/models/sequences/from_trace.h"
#include "analyzer/models/sequences/pes.h"
#include "analyzer/trace/restriction.h"
#include "analyzer/trace/stream.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 9000, EVENTS = THREADS * (2 + 6 * ROUNDS), WORKERS = 2 };

static struct {
  struct fixture *fixture;
  struct trace *trace;
  struct pool *pool;
} archive;

/* Loops, with a lock in them and a barrier behind them; threads meet at barriers alone. */
static void add_rounds(struct fixture *fixture, uint32_t thread, const uint32_t *regions)
{
  uint32_t random = 17 * thread + 1;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t time = 10 + 1000 * round;
    random = 1664525 * random + 1013904223;
    uint64_t arrives = time + 50 + (random >> 16) % 900;
    fixture_enter(fixture, thread, time, regions[0]);
    fixture_lock(fixture, thread, time + 10 + 10 * thread, thread % 2);
    fixture_unlock(fixture, thread, time + 15 + 10 * thread, thread % 2);
    fixture_leave(fixture, thread, arrives, regions[0]);
    fixture_enter(fixture, thread, arrives, regions[1]);
    fixture_leave(fixture, thread, time + 960, regions[1]);
  }
}

static int set_up(void **state)
{
  struct error error;
  struct fixture *fixture = fixture_create();
  const uint32_t regions[] = {fixture_openmp(fixture, "!$omp for @a.c:1", OTF2_REGION_ROLE_LOOP),
                              fixture_openmp(fixture, "!$omp barrier @a.c:2", OTF2_REGION_ROLE_BARRIER)};
  uint32_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    threads[i] = fixture_location(fixture, "thread");
    fixture_thread_type(fixture, threads[i], i ? "worker" : "initial");
  }
  uint32_t team = fixture_team(fixture, threads, THREADS);
  for (unsigned i = 0; i < THREADS; i++) {
    fixture_team_begin(fixture, threads[i], 1, team);
    add_rounds(fixture, threads[i], regions);
    fixture_team_end(fixture, threads[i], 10 + 1000 * ROUNDS, team);
  }
  archive.fixture = fixture;
  archive.trace = trace_open(fixture_finish(fixture), &error);
  archive.pool = pool_create(WORKERS);
  (void)state;
  return archive.trace && archive.pool ? 0 : -1;
}

static int tear_down(void **state)
{
  pool_destroy(archive.pool);
  trace_close(archive.trace);
  fixture_destroy(archive.fixture);
  (void)state;
  return 0;
}

static struct pes_record *read_all(struct pes_stream *stream, size_t *count)
{
  struct error error;
  struct pes_record *all = NULL;
  size_t more;
  *count = 0;
  do {
    all = reallocarray(all, *count + PES_BATCH, sizeof *all);
    assert_non_null(all);
    assert_true(pes_next(stream, all + *count, &more, &error));
    *count += more;
  } while (more > 0);
  return all;
}

static void assert_same(struct pes_stream *a, struct pes_stream *b)
{
  size_t a_count, b_count;
  struct pes_record *of_a = read_all(a, &a_count), *of_b = read_all(b, &b_count);
  assert_true(pes_program_same_shape(a->program, b->program));
  assert_int_equal(a_count, b_count);
  for (size_t i = 0; i < a_count; i++) {
    assert_int_equal(of_a[i].entry, of_b[i].entry);
    assert_int_equal(of_a[i].state, of_b[i].state);
  }
  assert_int_equal(a->end.time, b->end.time);
  assert_int_equal(a->end.terminal, b->end.terminal);
  assert_int_equal(pes_states_count(a->states), pes_states_count(b->states));
  for (uint32_t i = 0; i < pes_states_count(a->states); i++)
    assert_memory_equal(pes_state(a->states, i)->vector, pes_state(b->states, i)->vector,
                        a->program->component_count * sizeof(uint32_t));
  free(of_a);
  free(of_b);
}

/* In a pass that makes another sequence, too. */
static void take(const struct pes_trace_options *options, uint32_t most, struct pes_stream **streams)
{
  struct error error;
  struct pes_collector *collector = pes_collector_create(archive.trace, options, 2, most, &error);
  assert_non_null(collector);
  const struct subscriber *subscribers[] = {pes_collector_subscriber(collector)};
  assert_true(pass_in_order(archive.trace, archive.pool, subscribers, 1, &error));
  assert_true(pes_collector_finish(collector, streams, &error));
}

/* What is made while it is read, and what is kept; both twice. */
static void the_same_whatever_the_way(void **state)
{
  (void)state;
  static const struct pes_trace_options all[] = {{.vector = PES_THREADS},
                                                 {.vector = PES_COUNTS},
                                                 {.vector = PES_ROLES},
                                                 {.component = PES_OF_BOTH, .vector = PES_COUNTS},
                                                 {.component = PES_OF_CONSTRUCT},
                                                 {.component = PES_OF_LOCKS},
                                                 {.component = PES_OF_COUNTERS, .step = 1}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct error error;
    struct pes_trace_options again = all[i], two[] = {all[i], {.component = all[i].component}};
    struct pes_stream *taken[2];
    again.again = true;
    two[1].step = 1;
    take(two, 0, taken);
    struct pes_stream *once = pes_from_trace(archive.trace, archive.pool, &all[i], &error);
    struct pes_stream *kept = pes_from_trace(archive.trace, archive.pool, &again, &error);
    assert_non_null(once);
    assert_non_null(kept);
    assert_same(once, kept);
    assert_true(pes_rewind(once, &error) && pes_rewind(kept, &error));
    assert_same(once, kept);
    assert_true(pes_rewind(once, &error));
    assert_same(once, taken[0]);
    pes_close(once);
    pes_close(kept);
    pes_close(taken[0]);
    pes_close(taken[1]);
  }
}

/* Events that are read again are decoded once; others once a reading. */
static void decoded_once(void **state)
{
  (void)state;
  for (unsigned kept = 0; kept < 2; kept++) {
    struct error error;
    struct pes_trace_options options = {.again = kept};
    struct reading_cost before = reading_cost_so_far();
    struct pes_stream *stream = pes_from_trace(archive.trace, archive.pool, &options, &error);
    size_t count, again;
    free(read_all(stream, &count));
    assert_true(pes_rewind(stream, &error));
    free(read_all(stream, &again));
    struct reading_cost after = reading_cost_so_far();
    assert_int_equal(count, again);
    assert_int_equal(after.events - before.events, kept ? EVENTS : 2 * EVENTS);
    assert_true(kept ? after.written > before.written : after.written == before.written);
    assert_true(after.written - before.written <= 8 * (uint64_t)EVENTS);
    pes_close(stream);
  }
}

/* By threads there are more states than by roles. */
static void dropped_when_too_many(void **state)
{
  (void)state;
  const struct pes_trace_options two[] = {{.vector = PES_THREADS}, {.vector = PES_ROLES}};
  struct pes_stream *streams[2];
  size_t count;
  take(two, 0, streams);
  uint32_t threads = pes_states_count(streams[0]->states), roles = pes_states_count(streams[1]->states);
  assert_true(roles < threads);
  pes_close(streams[0]);
  pes_close(streams[1]);
  take(two, threads, streams);
  assert_non_null(streams[0]);
  pes_close(streams[0]);
  pes_close(streams[1]);
  take(two, threads - 1, streams);
  assert_null(streams[0]);
  free(read_all(streams[1], &count));
  assert_true(count > ROUNDS);
  pes_close(streams[1]);
  take(two, 1, streams);
  assert_null(streams[0]);
  assert_null(streams[1]);
}

/*
 * A thread that is in one state for many rounds of the pass, and has events in it. Its state is known only afterwards,
 * and the changes of others have to wait for it.
 */
static void long_interval(void **state)
{
  (void)state;
  enum { CHANGES = 30000 };
  struct fixture *fixture = fixture_create();
  struct error error;
  uint32_t barrier = fixture_openmp(fixture, "!$omp barrier @a.c:2", OTF2_REGION_ROLE_BARRIER);
  uint32_t first = fixture_location(fixture, "waits"), second = fixture_location(fixture, "works");
  fixture_thread_type(fixture, first, "initial");
  fixture_thread_type(fixture, second, "initial");
  fixture_enter(fixture, first, 10, barrier);
  for (uint64_t i = 0; i < CHANGES; i++) {
    fixture_lock(fixture, first, 20 + 20 * i, 1);
    fixture_unlock(fixture, first, 30 + 20 * i, 1);
    fixture_enter(fixture, second, 20 + 20 * i, barrier);
    fixture_leave(fixture, second, 30 + 20 * i, barrier);
  }
  fixture_leave(fixture, first, 40 + 20 * CHANGES, barrier);
  struct trace *trace = trace_open(fixture_finish(fixture), &error);
  assert_non_null(trace);
  struct pes_stream *stream = pes_from_trace(trace, archive.pool, &(struct pes_trace_options){0}, &error);
  assert_non_null(stream);
  size_t count;
  struct pes_record *records = read_all(stream, &count);
  /* Alone at 10, then one at each change of the other; the last one is its end. */
  assert_int_equal(count, 1 + 2 * CHANGES);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(records[i].entry, 10 + 10 * i);
  assert_int_equal(stream->end.time, 40 + 20 * CHANGES);
  assert_int_equal(pes_states_count(stream->states), 5);
  free(records);
  pes_close(stream);
  trace_close(trace);
  fixture_destroy(fixture);
}

/* From `from` to `to` the part is in the states that the whole is in, and ends then. */
static void assert_part(struct pes_stream *whole, struct pes_stream *part, uint64_t from, uint64_t to)
{
  size_t count, cut_count, at = 0;
  struct pes_record *all = read_all(whole, &count), *cut = read_all(part, &cut_count);
  for (size_t i = 0; i < count && all[i].entry < to; i++) {
    uint64_t end = i + 1 < count ? all[i + 1].entry : whole->end.time;
    if (end <= from)
      continue;
    assert_true(at < cut_count);
    assert_int_equal(cut[at].entry, all[i].entry < from ? from : all[i].entry);
    char *expected = pes_state_name(whole->program, whole->states, all[i].state);
    char *name = pes_state_name(part->program, part->states, cut[at++].state);
    assert_string_equal(name, expected);
    free(expected);
    free(name);
  }
  assert_int_equal(at, cut_count);
  assert_int_equal(part->end.time, to);
  free(all);
  free(cut);
}

static struct trace *open_part(uint64_t from, uint64_t to)
{
  struct error error;
  struct trace *trace = trace_open(archive.trace->anchor, &error);
  assert_non_null(trace);
  trace_restrict_time(trace, from, to);
  return trace;
}

/* Both borders are where a lock is held; it is one of a thread that need not be looked at. */
static void a_part_is_cut_out_of_the_run(void **state)
{
  (void)state;
  static const struct pes_trace_options all[] = {{.vector = PES_THREADS},     {.vector = PES_COUNTS},
                                                 {.vector = PES_ROLES},       {.component = PES_OF_BOTH},
                                                 {.component = PES_OF_LOCKS}, {.vector = PES_THREADS, .again = true}};
  const uint64_t from = 100 * 1000 + 22, to = 4200 * 1000 + 32;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct error error;
    struct trace *trace = open_part(from, to);
    bool locks = all[i].component == PES_OF_LOCKS;
    for (uint32_t thread = 0; locks && thread < THREADS; thread++)
      trace_exclude(trace, thread); /* who has a lock is known of all */
    struct pes_stream *whole = pes_from_trace(archive.trace, archive.pool, &all[i], &error);
    struct pes_stream *part = pes_from_trace(trace, archive.pool, &all[i], &error);
    assert_non_null(whole);
    assert_non_null(part);
    assert_part(whole, part, from, to);
    pes_close(whole);
    pes_close(part);
    trace_close(trace);
  }
}

/* Excluded threads are no components, and in no count. */
static void threads_are_excluded(void **state)
{
  (void)state;
  struct error error;
  struct trace *trace = trace_open(archive.trace->anchor, &error);
  assert_non_null(trace);
  trace_exclude(trace, 1);
  const uint32_t others[] = {0, 2};
  const struct pes_trace_options selected = {.vector = PES_SELECT, .selected = others, .selected_count = 2};
  struct pes_stream *of_all = pes_from_trace(archive.trace, archive.pool, &selected, &error);
  struct pes_stream *part = pes_from_trace(trace, archive.pool, &(struct pes_trace_options){0}, &error);
  assert_non_null(of_all);
  assert_non_null(part);
  assert_same(of_all, part);
  pes_close(of_all);
  pes_close(part);
  part = pes_from_trace(trace, archive.pool, &(struct pes_trace_options){.vector = PES_COUNTS}, &error);
  assert_non_null(part);
  size_t count;
  free(read_all(part, &count));
  for (uint32_t i = 0; i < part->program->component_count; i++)
    assert_in_range(part->program->sets[part->program->components[i].set].count, 1, 3); /* 0 to 2 threads */
  pes_close(part);
  trace_close(trace);
}

UNIT_TEST(pes_trace)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_whatever_the_way),    cmocka_unit_test(decoded_once),
      cmocka_unit_test(dropped_when_too_many),        cmocka_unit_test(long_interval),
      cmocka_unit_test(a_part_is_cut_out_of_the_run), cmocka_unit_test(threads_are_excluded),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
