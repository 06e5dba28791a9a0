/* A loop with an ordered construct: the iterations write their numbers in order. */
#include "tests/programs/program.h"

int main(void)
{
  int order[4], n = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) ordered
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
      order[n++] = i;
    }
  }
  bool right = n == 4;
  for (int i = 0; i < 4 && right; i++)
    right = order[i] == i;
  truth("loops", 2);
  truth("iterations", 4);
  truth("ordereds", 4);
  return finish(right);
}
