// question: Each thread counts in a variable of its own, but two threads are slower than one. Why?
// answer: memory; false sharing|cache lines
// compilers: gcc clang
// run: scale
#include <omp.h>
#include <stdio.h>

#ifdef MENDED
enum { APART = 16 };
#else
enum { APART = 1 };
#endif
static _Alignas(64) volatile long counts[64 * 16];

int main(void)
{
#pragma omp parallel
  {
    int mine = omp_get_thread_num() * APART;
#pragma omp for
    for (long i = 0; i < 200000000; i++)
      counts[mine]++;
  }
  printf("%ld\n", counts[0] + counts[APART]);
  return 0;
}
