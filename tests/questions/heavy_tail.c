// question: why do two threads not make my loop twice as fast?
// answer: imbalance; heavy_tail\.c
// compilers: gcc clang
// Half of the rows, the last ones, take seven times as long, and the schedule is static.
#include "tests/questions/work.h"
#ifdef MENDED
#define SCHEDULE schedule(dynamic)
#else
#define SCHEDULE schedule(static)
#endif
int main(void)
{
  for (int step = 0; step < 5; step++) {
#pragma omp parallel for SCHEDULE
    for (int row = 0; row < 40; row++)
      work_ms(row < 20 ? 1 : 7);
  }
  puts("done");
}
