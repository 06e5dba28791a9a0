// question: each step has a parallel loop, but only half of the speedup is there
// answer: serial; alone
// compilers: gcc clang
// After each loop the first thread updates the boundary, which takes as long as the loop.
#include "tests/questions/work.h"
int main(void)
{
  for (int step = 0; step < 40; step++) {
#pragma omp parallel for
    for (int row = 0; row < 8; row++)
      work_ms(2);
#ifdef MENDED
#pragma omp parallel for
#endif
    for (int cell = 0; cell < 8; cell++)
      work_ms(1);
  }
  puts("done");
}
