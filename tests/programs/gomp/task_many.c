/* 3,000 tasks in a team of one, and taskloops of 1,000,000 tasks outside of a region and in one. No stack is enough for
 * all at once. */
#include "tests/programs/program.h"

enum { MANY = 1000000 };

static atomic_int executed;

static void a_million(void)
{
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < MANY; i++)
    atomic_fetch_add(&executed, 1);
}

int main(void)
{
  atomic_int few = 0;
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 3000; i++) {
#pragma omp task
    atomic_fetch_add(&few, 1);
  }
  a_million();
#pragma omp parallel num_threads(2)
#pragma omp single
  a_million();
  truth("tasks", 3000 + 2 * MANY);
  return finish(few == 3000 && executed == 2 * MANY);
}
