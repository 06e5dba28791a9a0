/*
 * What an OpenMP construct costs, as the EPCC microbenchmarks measure it: parallel { repeat { construct } }, time /
 * number of repetitions. The bodies are empty: only differences between runs with different tools are looked at.
 *     ./constructs REPETITIONS
 * prints a line a construct: name, ns an execution, events an execution on thread 0 (0 where the tool does not count).
 * The number of events comes from the tool by omp_control_tool with command 64: tool_floor.c answers it.
 * Compiled by clang for libomp, and by gcc for libgomp.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT_EVENTS = 64 };

#ifndef __clang__ /* libgomp has it from gcc 16 on; with a provider of OMPT before it, it is there */
#pragma weak omp_control_tool
int omp_control_tool(int command, int modifier, void *argument);
typedef int omp_control_tool_t;
#endif

static omp_lock_t lock;

static void parallel(int n)
{
  for (int i = 0; i < n; i++) {
#pragma omp parallel
    __asm__ volatile("");
  }
}

/* A function of its own: within one, gcc asks only once which thread it is, which is all that is seen of the loop. */
static void __attribute__((noinline)) one_for_static(int threads)
{
#pragma omp for schedule(static)
  for (int k = 0; k < threads; k++)
    __asm__ volatile("");
}

static void for_static(int n)
{
  int threads = omp_get_max_threads();
#pragma omp parallel
  for (int i = 0; i < n; i++)
    one_for_static(threads);
}

/* A chunk of one iteration is what costs here, so the unit is the chunk. A team of one takes the whole loop as one. */
static void for_dynamic_1(int n)
{
  int chunks = n * omp_get_max_threads();
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (int k = 0; k < chunks; k++)
      __asm__ volatile("");
  }
}

/* The whole loop, of 64 iterations a thread: a handful of chunks. */
static void for_guided(int n)
{
  int iterations = 64 * omp_get_max_threads();
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp for schedule(guided)
    for (int k = 0; k < iterations; k++)
      __asm__ volatile("");
  }
}

static void for_ordered(int n)
{
  int iterations = n * omp_get_max_threads();
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic, 1)
    for (int k = 0; k < iterations; k++) {
#pragma omp ordered
      __asm__ volatile("");
    }
  }
}

static void barrier(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp barrier
  }
}

static void single(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp single
    __asm__ volatile("");
  }
}

static void critical(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp critical
    __asm__ volatile("");
  }
}

static void named_critical(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp critical(name)
    __asm__ volatile("");
  }
}

static void set_unset_lock(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}

static void reduction(int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) {
#pragma omp parallel reduction(+ : sum)
    sum += 1;
  }
}

/* Every thread makes its own tasks, a few at a time. */
static void task(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp task
    __asm__ volatile("");
    if (i % 64 == 63) {
#pragma omp taskwait
    }
  }
}

static void taskwait(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp taskwait
  }
}

static void taskgroup(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp taskgroup
    __asm__ volatile("");
  }
}

/* Four tasks; every thread makes its own. */
static void taskloop(int n)
{
#pragma omp parallel
  for (int i = 0; i < n; i++) {
#pragma omp taskloop num_tasks(4)
    for (int k = 0; k < 4; k++)
      __asm__ volatile("");
  }
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int events(void)
{
#ifndef __clang__
  if (!omp_control_tool)
    return 0;
#endif
  int n = omp_control_tool((omp_control_tool_t)COUNT_EVENTS, 0, NULL);
  return n > 1 ? n : 0; /* negative: no tool; 0 and 1: a tool that does not know the command */
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(int);
  } constructs[] = {
      {"parallel", parallel},
      {"for static", for_static},
      {"for dynamic,1", for_dynamic_1},
      {"for guided", for_guided},
      {"barrier", barrier},
      {"single", single},
      {"critical", critical},
      {"critical(name)", named_critical},
      {"lock", set_unset_lock},
      {"ordered", for_ordered},
      {"reduction", reduction},
      {"task", task},
      {"taskwait", taskwait},
      {"taskgroup", taskgroup},
      {"taskloop of 4", taskloop},
  };
  int repetitions = argc > 1 ? atoi(argv[1]) : 10000;
  if (repetitions < 100) {
    fprintf(stderr, "constructs: REPETITIONS is a number from 100\n");
    return 2;
  }
  omp_init_lock(&lock);
  /* Starts the threads and the tool, and goes once through all the memory that a tool uses for its windows. */
  parallel(5 * repetitions);
  for (size_t c = 0; c < sizeof constructs / sizeof *constructs; c++) {
    constructs[c].run(repetitions / 10);
    int before = events();
    double start = now();
    constructs[c].run(repetitions);
    double ns = (now() - start) / repetitions;
    printf("%s\t%.2f\t%.2f\n", constructs[c].name, ns, (double)(events() - before) / repetitions);
  }
  omp_destroy_lock(&lock);
  return 0;
}
