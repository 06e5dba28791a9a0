/* A doacross loop: each iteration waits for the one before. */
#include "tests/programs/program.h"

int main(void)
{
  int a[5] = {1, 0, 0, 0, 0};
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) ordered(1)
    for (int i = 1; i < 5; i++) {
#pragma omp ordered depend(sink : i - 1)
      a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
  }
  truth("loops", 2);
  truth("iterations", 4);
  truth("doacross_posts", 4);
  return finish(a[4] == 5);
}
