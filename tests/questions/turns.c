// question: my loop has an ordered part; is it the reason?
// answer: synchronization; ordered
// compilers: gcc clang
// Most of each iteration is ordered.
#include "tests/questions/work.h"
int main(void)
{
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 300; i++) {
    work_ms(0.5);
#pragma omp ordered
    work_ms(2);
  }
  puts("done");
}
