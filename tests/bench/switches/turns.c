/*
 * Two threads on one processor hand a byte to each other through pipes: two context switches a round. Arguments:
 * rounds. Prints ns for a switch. In an OpenMP team, so that a tool is loaded.
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void stay_on_one(void)
{
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0)
    return;
  int first = 0;
  while (!CPU_ISSET(first, &all))
    first++;
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count, char **arguments)
{
  long rounds = count > 1 ? atol(arguments[1]) : 100000;
  int pipes[2][2];
  if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0)
    return 1;
  stay_on_one();
  double took = 0;
  int failed = 0;
#pragma omp parallel num_threads(2) reduction(+ : failed)
  {
    int me = omp_get_thread_num();
    char byte = 0;
    double begin = now();
    if (me == 0)
      failed += write(pipes[1][1], &byte, 1) != 1;
    for (long i = 0; i < rounds; i++) {
      failed += read(pipes[me][0], &byte, 1) != 1;
      if (me == 1 || i + 1 < rounds)
        failed += write(pipes[!me][1], &byte, 1) != 1;
    }
    if (me == 0)
      took = now() - begin;
  }
  printf("%.1f\n", took / (2.0 * (double)rounds));
  return failed != 0;
}
