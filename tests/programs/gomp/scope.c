/* scope, with a reduction and with nowait, between barriers of other constructs. */
#include "tests/programs/program.h"

int main(void)
{
  int sum = 0, critical = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp scope reduction(+ : sum)
    sum += 3;
#pragma omp barrier
#pragma omp scope nowait
    {
#pragma omp critical
      critical++;
    }
#pragma omp barrier
  }
  truth("parallel", 1);
  truth("members", 2);
  truth("criticals", 2);
  return finish(sum == 6 && critical == 2);
}
