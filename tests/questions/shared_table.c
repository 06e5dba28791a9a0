// question: my threads count words in one table; more threads do not help
// answer: synchronization; shared_table\.c
// compilers: gcc clang
// Each word is looked up within a critical construct.
#include "tests/questions/work.h"
int main(void)
{
  int words = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : words)
  for (int i = 0; i < 400; i++) {
#ifdef MENDED
    work_ms(1.25);
#else
    work_ms(0.25);
#pragma omp critical
    work_ms(1);
#endif
    words++;
  }
  printf("%d\n", words);
}
