/*
 * Executes several constructs on command, for tests of a trace of chosen ones: each line of standard input is a number
 * of rounds. In a round there are two regions of 2 threads. One has two loops and a critical section; in the other,
 * threads make a task each in a single construct. A line "done: N" says that they have ended.
 */
#include "tests/programs/program.h"

#include <stdlib.h>

#define N 64

static double field[N];
static long sum, made;

static void add(void)
{
#pragma omp critical(adding) /* critical */
  sum++;
}

static void round_of_work(void)
{
#pragma omp parallel num_threads(2) /* region with loops */
  {
#pragma omp for schedule(guided, 16) /* first loop */
    for (int i = 0; i < N; i++)
      field[i] += 1;
#pragma omp for schedule(guided, 8) /* second loop */
    for (int i = 0; i < N; i++)
      field[i] += 1;
    add();
  }
#pragma omp parallel num_threads(2) /* region with tasks */
#pragma omp single                  /* single */
  for (int i = 0; i < 2; i++) {
#pragma omp task /* task */
    {
#pragma omp atomic
      made++;
    }
  }
}

int main(void)
{
  char line[64];
  long expected = 0;
  while (fgets(line, sizeof line, stdin)) {
    long rounds = strtol(line, NULL, 10);
    for (long i = 0; i < rounds; i++)
      round_of_work();
    expected += 2 * rounds;
    printf("done: %ld\n", rounds);
    fflush(stdout);
  }
  double all = 0;
  for (int i = 0; i < N; i++)
    all += field[i];
  truth("sum", sum);
  return finish(sum == expected && made == expected && all == (double)N * (double)expected);
}
