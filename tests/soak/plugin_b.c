#include "tests/soak/plugin.h"

unsigned long plugin_work(unsigned n)
{
  unsigned long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 3 * n;
  return sum;
}
