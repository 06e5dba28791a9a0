/* Four threads each open a region of four, ten times; loops and criticals in the inner ones. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  int sum = 0;
  omp_set_max_active_levels(2);
  for (int repeat = 0; repeat < 10; repeat++) {
#pragma omp parallel num_threads(4)
    {
#pragma omp parallel num_threads(4)
      {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 8; i++) {
#pragma omp critical
          sum += i;
        }
      }
    }
  }
  truth("parallel", 50);
  truth("members", 200);
  truth("loops", 160);
  truth("iterations", 320);
  truth("criticals", 320);
  return finish(sum == 1120);
}
