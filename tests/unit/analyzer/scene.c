#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include "tests/unit/analyzer/subjects.h"

struct analyzed analyze(struct fixture *fixture)
{
  struct analyzed a = {.fixture = fixture};
  struct error error;
  a.trace = trace_open(fixture_finish(fixture), &error);
  if (!a.trace)
    fail_msg("%s", error.message);
  a.pool = pool_create(2);
  if (!find_imbalance(a.trace, a.pool, &a.imbalance, &error))
    fail_msg("%s", error.message);
  return a;
}

void drop(struct analyzed *a)
{
  analysis_free(&imbalance_analysis, &a->imbalance);
  pool_destroy(a->pool);
  trace_close(a->trace);
  fixture_destroy(a->fixture);
}

void assert_near(double value, double expected)
{
  if (value < expected - 1e-9 || value > expected + 1e-9)
    fail_msg("%.12g is not %.12g", value, expected);
}

const struct imbalance_wait *find_wait(const struct analyzed *a, uint32_t region, uint32_t waiter, uint32_t last)
{
  for (size_t i = 0; i < a->imbalance.waits.count; i++) {
    const struct imbalance_wait *wait = &a->imbalance.waits.items[i];
    if (wait->region == region && wait->waiter == waiter && wait->last == last)
      return wait;
  }
  return NULL;
}

struct scene make_scene(uint32_t count)
{
  struct scene s = {.f = fixture_create(), .count = count};
  for (uint32_t i = 0; i < count; i++) {
    s.threads[i] = fixture_location(s.f, i == 0 ? "master" : "worker");
    fixture_thread_type(s.f, i, i == 0 ? "initial" : "worker");
  }
  s.team = fixture_team(s.f, s.threads, count);
  s.parallel = fixture_openmp(s.f, "!$omp parallel @a.c:1", ROLE(PARALLEL));
  s.loop = fixture_openmp(s.f, "!$omp for @a.c:2", ROLE(LOOP));
  fixture_describe(s.f, s.loop, "schedule: static");
  s.chunk = fixture_openmp(s.f, "chunk @a.c:2", ROLE(LOOP));
  s.barrier = fixture_openmp(s.f, "!$omp implicit barrier @a.c:2", ROLE(IMPLICIT_BARRIER));
  s.wait = fixture_openmp(s.f, "!$omp implicit barrier wait @a.c:2", ROLE(IMPLICIT_BARRIER));
  return s;
}

void begin_region(const struct scene *s, uint32_t thread, uint64_t time)
{
  if (thread == 0) {
    fixture_enter(s->f, thread, time, s->parallel);
    fixture_fork(s->f, thread, time);
    fixture_team_begin(s->f, thread, time, s->team);
  } else {
    fixture_team_begin(s->f, thread, time, s->team);
    fixture_enter(s->f, thread, time, s->parallel);
  }
}

void end_region(const struct scene *s, uint32_t thread, uint64_t time)
{
  if (thread == 0) {
    fixture_team_end(s->f, thread, time, s->team);
    fixture_join(s->f, thread, time);
    fixture_leave(s->f, thread, time, s->parallel);
  } else {
    fixture_leave(s->f, thread, time, s->parallel);
    fixture_team_end(s->f, thread, time, s->team);
  }
}

void cross_barrier(const struct scene *s, uint32_t thread, uint64_t arrival, uint64_t release)
{
  fixture_enter(s->f, thread, arrival, s->barrier);
  fixture_enter(s->f, thread, arrival, s->wait);
  fixture_leave(s->f, thread, release, s->wait);
  fixture_leave(s->f, thread, release, s->barrier);
}

uint64_t do_loop(const struct scene *s, uint64_t start, const uint64_t *work)
{
  uint64_t longest = 0;
  for (uint32_t t = 0; t < s->count; t++)
    longest = work[t] > longest ? work[t] : longest;
  for (uint32_t t = 0; t < s->count; t++) {
    begin_region(s, t, start);
    fixture_enter(s->f, t, start, s->loop);
    fixture_chunk(s->f, t, start, s->chunk, work[t] / 10, 1);
    fixture_leave(s->f, t, start + work[t], s->chunk);
    fixture_leave(s->f, t, start + work[t], s->loop);
    cross_barrier(s, t, start + work[t], start + longest);
    end_region(s, t, start + longest);
  }
  return start + longest;
}
