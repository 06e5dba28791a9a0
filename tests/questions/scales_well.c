// question: Does this loop get faster with more threads, or is something in its way?
// answer: nothing,runtime,imbalance,processors; .
// compilers: gcc clang
// run: scale
#include "tests/questions/work.h"

int main(void)
{
#pragma omp parallel for
  for (int i = 0; i < 200; i++)
    work_ms(4);
  return 0;
}
