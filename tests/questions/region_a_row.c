// question: with OpenMP my program is not faster than without
// answer: grain; region_a_row\.c
// compilers: gcc clang
// Each row of 2 us is a parallel region.
#include <math.h>
#include <stdio.h>
static double cells[400];
int main(void)
{
  for (int row = 0; row < 100000; row++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 400; i++)
      cells[i] = sqrt(cells[i] + i);
  }
  printf("%f\n", cells[7]);
}
