/* A league of two teams on the host. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int sum = 0;
#pragma omp teams num_teams(2) thread_limit(1)
  atomic_fetch_add(&sum, 1);
  truth("leagues", 1);
  return finish(sum == 2);
}
