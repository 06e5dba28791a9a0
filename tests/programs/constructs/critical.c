/* An unnamed and a named critical section, each entered three times by each thread. */
#include "tests/programs/program.h"

int main(void)
{
  int a = 0, b = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 3; i++) {
#pragma omp critical
    a++;
#pragma omp critical(named)
    b++;
  }
  truth("criticals", 12);
  return finish(a == 6 && b == 6);
}
