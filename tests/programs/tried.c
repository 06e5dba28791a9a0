/*
 * For heddle try: programs that a setting of the runtime makes faster, and programs that must not be changed by one.
 *
 *     tried MODE [ROUNDS]
 *
 * schedule: a loop with schedule(runtime), whose last iterations sleep: on two threads, dynamic takes half the time.
 * static:   the same loop with schedule(static).
 * small:    many small regions, which suffer if threads are more than processors.
 * output, crash, hang: as small; with fewer than 8 threads it prints something else, crashes, or never ends.
 * input:    reads a line of standard input.
 * chance:   prints another number in each run.
 * short, fail: ends at once, with status 0 or 3.
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPS = 16, SLEEP_NS = 30000000, ITERATIONS = 256, REGIONS = 40, STEPS = 2000, MANY_THREADS = 8 };

/* A chain of dependent operations: the compiler neither shortens nor vectorizes it. */
static double step(double x, int steps)
{
  for (int i = 0; i < steps; i++)
    x = x * 0.999999 + 1e-6;
  return x;
}

/* A sleep needs no processor, so the time does not depend on other programs. */
static double iteration(int i)
{
  if (i >= SLEEPS / 2)
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
  return i;
}

static double runtime_loop(void)
{
  double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < SLEEPS; i++)
    sum += iteration(i);
  return sum;
}

static double static_loop(void)
{
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < SLEEPS; i++)
    sum += iteration(i);
  return sum;
}

static double small_regions(void)
{
  double sum = 0;
  for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < ITERATIONS; i++)
      sum += step(i, STEPS);
  }
  return sum;
}

static void misbehave(const char *mode)
{
  struct timespec now;
  char line[64];
  clock_gettime(CLOCK_REALTIME, &now);
  if (strcmp(mode, "chance") == 0)
    printf("%ld\n", now.tv_nsec);
  if (strcmp(mode, "input") == 0 && fgets(line, sizeof line, stdin))
    printf("read %s", line);
  if (omp_get_max_threads() >= MANY_THREADS)
    return;
  if (strcmp(mode, "output") == 0)
    printf("%d threads\n", omp_get_max_threads());
  if (strcmp(mode, "crash") == 0)
    abort();
  while (strcmp(mode, "hang") == 0)
    pause();
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "schedule";
  int rounds = argc > 2 ? atoi(argv[2]) : 2;
  double sum = 0;
  if (strcmp(mode, "short") == 0 || strcmp(mode, "fail") == 0)
    return strcmp(mode, "fail") == 0 ? 3 : 0;
  misbehave(mode);
  for (int i = 0; i < rounds; i++)
    sum += strcmp(mode, "schedule") == 0 ? runtime_loop()
           : strcmp(mode, "static") == 0 ? static_loop()
                                         : small_regions();
  printf("%s: %s\n", mode, sum > 0 ? "done" : "not done");
  return 0;
}
