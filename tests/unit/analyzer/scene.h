/* For the tests of imbalance: an archive of one team whose threads open regions, share loops and wait at barriers. */
#ifndef HEDDLE_TESTS_ANALYZER_SCENE_H
#define HEDDLE_TESTS_ANALYZER_SCENE_H

#include "tests/unit/analyzer/fixture.h"

#include "analyzer/analyses/imbalance/imbalance.h"

#define ROLE(name) OTF2_REGION_ROLE_##name

/* The regions that the tests use, and threads in one team. */
struct scene {
  struct fixture *f;
  uint32_t threads[8], team, count;
  uint32_t parallel, loop, chunk, barrier, wait;
};

struct scene make_scene(uint32_t count);

void begin_region(const struct scene *s, uint32_t thread, uint64_t time);
void end_region(const struct scene *s, uint32_t thread, uint64_t time);
void cross_barrier(const struct scene *s, uint32_t thread, uint64_t arrival, uint64_t release);

/* One region from `start` on, in which thread t works work[t] in a loop of one chunk; then its barrier. Returns its
 * end. */
uint64_t do_loop(const struct scene *s, uint64_t start, const uint64_t *work);

/* An archive as it is analyzed. */
struct analyzed {
  struct fixture *fixture;
  struct trace *trace;
  struct pool *pool;
  struct imbalance imbalance;
};

/* Finishes the archive and analyzes it; drop() frees everything. */
struct analyzed analyze(struct fixture *fixture);
void drop(struct analyzed *a);

/* How long one thread waited for another at the barrier of a region, or NULL. */
const struct imbalance_wait *find_wait(const struct analyzed *a, uint32_t region, uint32_t waiter, uint32_t last);

void assert_near(double value, double expected);

#endif
