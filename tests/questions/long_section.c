// question: I use sections; why is one thread idle for most of the time?
// answer: imbalance; section|long_section\.c
// compilers: gcc clang
// One of the two sections takes five times as long as the other.
#include "tests/questions/work.h"
int main(void)
{
  for (int step = 0; step < 10; step++) {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      work_ms(50);
#pragma omp section
      work_ms(10);
    }
  }
  puts("done");
}
