// question: my tasks are large, and still one thread waits
// answer: serial,tasks; single|alone|slow_producer\.c
// compilers: gcc clang
// The thread that makes the tasks needs as long for each as the task takes.
#include "tests/questions/work.h"
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 100; i++) {
#ifndef MENDED
    work_ms(4);
#endif
#pragma omp task
    {
#ifdef MENDED
      work_ms(2);
#endif
      work_ms(2);
#ifdef MENDED
      work_ms(2);
#endif
    }
  }
  puts("done");
}
