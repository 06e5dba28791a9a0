/*
 * The layer of exact calls, against functions that count their own calls. Each path has its calls, on several threads,
 * where functions are left by jumps, and where calls are too deep. Sanitized builds watch the layer itself here.
 */
#include "calls-layer/filter.h"
#include "calls-layer/hooks.h"
#include "calls-layer/tree.h"
#include "common/recorder/clock.h"
#include "tests/unit/calls-layer/functions.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 60000, TREES = 64 };

static int file;
static atomic_uint_fast64_t end; /* of the file */
static atomic_uint next_number;
static __thread uint32_t my_number;

static bool fake_thread(uint32_t *number)
{
  *number = my_number = atomic_fetch_add(&next_number, 1);
  return true;
}

static void *fake_map(size_t size)
{
  uint64_t at = atomic_fetch_add(&end, size);
  if (ftruncate(file, 1 << 30) != 0)
    return NULL;
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)at);
  return map == MAP_FAILED ? NULL : map;
}

static uint64_t fake_trace(unsigned kind, uintptr_t function)
{
  (void)kind, (void)function;
  return clock_ticks();
}

static void fake_code(uintptr_t code)
{
  (void)code;
}

/* A thread's tree, read from the file. */
struct tree {
  struct raw_calls_segment head;
  struct raw_calls_node *nodes;
  uint32_t count;
};

static void read_at(void *into, size_t size, uint64_t at)
{
  assert_int_equal(pread(file, into, size, (off_t)at), size);
}

static struct tree tree_of(uint32_t thread)
{
  struct tree tree = {.nodes = calloc(RAW_CALLS_MOST, sizeof *tree.nodes)};
  struct raw_calls_segment segment;
  assert_non_null(tree.nodes);
  for (uint64_t at = 0; at < atomic_load(&end); at += segment.size) {
    read_at(&segment, sizeof segment, at);
    assert_true(segment.magic == RAW_CALLS_MAGIC);
    if (segment.thread != thread)
      continue;
    if (segment.first == 0)
      tree.head = segment;
    assert_int_equal(segment.first, tree.count);
    read_at(tree.nodes + segment.first, segment.used * sizeof *tree.nodes, at + sizeof segment);
    tree.count += segment.used;
  }
  return tree;
}

static size_t path_of(const struct raw_calls_node *node, const size_t *paths)
{
  for (unsigned i = 0; i < FUNCTIONS; i++)
    if (node->function == (uintptr_t)counted_functions[i])
      return path_below(paths[node->parent], i);
  fail_msg("a function that nobody called");
  return 0;
}

/* Calls by path as the tree has them. What it says of times must hold, too. */
static uint32_t *calls_of(const struct tree *tree)
{
  uint32_t *calls = calloc(PATHS, sizeof *calls);
  size_t *paths = calloc(tree->count, sizeof *paths);
  uint64_t *children = calloc(tree->count, sizeof *children);
  for (uint32_t i = 1; i < tree->count; i++) {
    const struct raw_calls_node *node = &tree->nodes[i];
    assert_true(node->parent < i && node->begin == 0 && node->shortest <= node->longest);
    paths[i] = path_of(node, paths);
    for (unsigned k = 0; k < RAW_CALLS_DURATIONS; k++)
      calls[paths[i]] += (uint32_t)node->durations[k];
    children[node->parent] += node->inclusive;
  }
  for (uint32_t i = 1; i < tree->count; i++)
    assert_true(children[i] == tree->nodes[i].children && children[i] <= tree->nodes[i].inclusive);
  free(paths);
  free(children);
  return calls;
}

struct run {
  struct own_count own;
  uint32_t number;
};

static void *call(void *of)
{
  struct run *run = of;
  call_at_random(&run->own);
  run->number = my_number;
  life_end();
  return NULL;
}

/* Several threads at once, each with its own count. */
static void make_calls(struct run runs[THREADS], bool jumps)
{
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    uint32_t *calls = calloc(PATHS, sizeof *calls);
    assert_non_null(calls);
    runs[i] = (struct run){.own = {.calls = calls, .random = 7 * i + jumps, .wanted = CALLS, .jumps = jumps}};
    assert_int_equal(pthread_create(&threads[i], NULL, call, &runs[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static unsigned depth_of(size_t path)
{
  unsigned depth = 0;
  for (; path > 0; path = (path - 1) / (FUNCTIONS + 1))
    depth++;
  return depth;
}

/* Paths that are not deeper have their own calls; calls of other paths are counted. */
static void check(struct run runs[THREADS], unsigned deepest)
{
  for (unsigned i = 0; i < THREADS; i++) {
    struct tree tree = tree_of(runs[i].number);
    uint32_t *calls = calls_of(&tree), deep = 0;
    for (size_t path = 1; path < PATHS; path++)
      if (depth_of(path) <= deepest)
        assert_int_equal(calls[path], runs[i].own.calls[path]);
      else
        deep += runs[i].own.calls[path];
    assert_int_equal(tree.head.deep, deep);
    assert_int_equal(tree.head.full + tree.head.not_measured + tree.head.unmatched, 0);
    assert_true(tree.head.ended >= tree.head.begun);
    assert_int_equal(tree.head.left > 0, runs[i].own.jumped > 0);
    free(calls);
    free(tree.nodes);
    free(runs[i].own.calls);
  }
}

static void each_path_has_its_calls(void **unused)
{
  (void)unused;
  struct run runs[THREADS];
  make_calls(runs, false);
  check(runs, DEEPEST);
}

static void what_jumps_leave_is_repaired(void **unused)
{
  (void)unused;
  struct run runs[THREADS];
  make_calls(runs, true);
  check(runs, DEEPEST);
}

static void deeper_calls_are_counted(void **unused)
{
  (void)unused;
  struct run runs[THREADS];
  thread_depth = 3;
  make_calls(runs, false);
  thread_depth = UINT32_MAX;
  check(runs, 3);
}

/* Threads begin and end: their slots and memory are used again, and the trees stay in the file. */
static void many_threads_one_after_the_other(void **unused)
{
  (void)unused;
  struct run runs[THREADS];
  for (unsigned i = 0; i < TREES / THREADS; i++) {
    make_calls(runs, i % 2 != 0);
    check(runs, DEEPEST);
  }
}

static int prepare(void **unused)
{
  (void)unused;
  static const struct heddle_calls_recorder recorder = {
      .thread = fake_thread, .map = fake_map, .trace_quickly = fake_trace, .trace = fake_trace, .code = fake_code};
  file = memfd_create("calls", MFD_CLOEXEC);
  clock_use(clock_counter_fault() == NULL);
  if (file < 0 || !life_prepare())
    return -1;
  thread_recorder = &recorder;
  return 0;
}

UNIT_TEST(trees)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_path_has_its_calls), cmocka_unit_test(what_jumps_leave_is_repaired),
      cmocka_unit_test(deeper_calls_are_counted), cmocka_unit_test(many_threads_one_after_the_other)};
  return cmocka_run_group_tests(tests, prepare, NULL);
}
