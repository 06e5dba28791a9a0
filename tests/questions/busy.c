// question: can my program be faster on this machine?
// answer: nothing; .
// compilers: gcc clang
// All threads work all the time, and as many as there are processors.
#include "tests/questions/work.h"
int main(void)
{
#pragma omp parallel for
  for (int i = 0; i < 40; i++)
    work_ms(25);
  puts("done");
}
