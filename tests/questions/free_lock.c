// question: my loop takes an omp_lock that is always free, what does that cost?
// answer: runtime,grain; free_lock
// compilers: gcc clang
// Each thread has a lock of its own, and takes it for each of 20,000,000 additions.
#include <omp.h>
#include <stdio.h>
static struct {
  omp_lock_t lock;
  volatile long sum;
  char apart[240];
} of[64];
int main(void)
{
  for (int i = 0; i < 64; i++)
    omp_init_lock(&of[i].lock);
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (long i = 0; i < 20000000; i++) {
#ifndef MENDED
      omp_set_lock(&of[me].lock);
#endif
      of[me].sum += i;
#ifndef MENDED
      omp_unset_lock(&of[me].lock);
#endif
    }
  }
  printf("%ld\n", of[0].sum);
}
