/* A loop distributed over a league of two teams. */
#include "tests/programs/program.h"

int main(void)
{
  int a[10] = {0}, sum = 0;
#pragma omp teams num_teams(2) thread_limit(1)
  {
#pragma omp distribute
    for (int i = 0; i < 10; i++)
      a[i] = i;
  }
  for (int i = 0; i < 10; i++)
    sum += a[i];
  truth("leagues", 1);
  truth("distributes", 2);
  truth("iterations", 10);
  return finish(sum == 45);
}
