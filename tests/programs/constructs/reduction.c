/* A reduction clause. The method is the runtime's choice; tests force each one with KMP_FORCE_REDUCTION. */
#include "tests/programs/program.h"

int main(void)
{
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 21;
  truth("parallel", 1);
  truth("members", 2);
  return finish(sum == 42);
}
