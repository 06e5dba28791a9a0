/* Atomic updates: clang makes instructions of them, so no event may appear. */
#include "tests/programs/program.h"

int main(void)
{
  int sum = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp atomic
    sum += 1;
  }
  truth("parallel", 1);
  truth("criticals", 0);
  return finish(sum == 20);
}
