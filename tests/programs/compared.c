/*
 * For heddle compare: loops, a critical section and tasks with a fixed amount of work.
 *
 *     compared [ROUNDS [PERCENT]]
 *
 * Each round has five loops of equal work. The third one has PERCENT more, in the same number of iterations. Prints
 * its line.
 */
#include "tests/programs/program.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 200, STEPS = 2000, TASKS = 10 };

static double sink;

/* A chain of dependent operations: the compiler neither shortens nor vectorizes it. */
static double step(double x, int steps)
{
  for (int i = 0; i < steps; i++)
    x = x * 0.999999 + 1e-6;
  return x;
}

static int third_loop(int steps)
{
  double sum = 0;
  int line = __LINE__ + 1;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < ITERATIONS; i++)
    sum += step(i, steps);
  sink += sum;
  return line;
}

static void other_loops(void)
{
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int i = 0; i < ITERATIONS; i++)
      sum += step(i, STEPS);
#pragma omp for schedule(dynamic, 10) reduction(+ : sum)
    for (int i = 0; i < ITERATIONS; i++)
      sum += step(i, STEPS);
#pragma omp for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < ITERATIONS; i++)
      sum += step(i, STEPS);
#pragma omp critical(total)
    sink += sum;
  }
}

static void tasks(void)
{
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < TASKS; i++)
#pragma omp task
  {
    double x = step(i, STEPS * ITERATIONS / TASKS);
#pragma omp atomic
    sink += x;
  }
}

int main(int argc, char **argv)
{
  int rounds = argc > 1 ? atoi(argv[1]) : 20, percent = argc > 2 ? atoi(argv[2]) : 0, line = 0;
  for (int i = 0; i < rounds; i++) {
    other_loops();
    line = third_loop(STEPS + STEPS * percent / 100);
    tasks();
  }
  printf("%d\n", line);
  return sink < 0;
}
