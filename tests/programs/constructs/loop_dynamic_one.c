/* schedule(dynamic, 1) in a team of one: the runtime reports the whole range as one chunk. */
#include "tests/programs/program.h"

int main(void)
{
  int sum = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 10; i++)
      sum += i;
  }
  truth("loops", 1);
  truth("iterations", 10);
  return finish(sum == 45);
}
