/* Thread 1 is late at the first barrier, thread 2 at the second one: the critical path is known. */
#include <omp.h>
#include <time.h>

static void nap(long ms)
{
  nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

int main(void)
{
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 1)
      nap(150);
#pragma omp barrier
    if (omp_get_thread_num() == 2)
      nap(100);
  }
  return 0;
}
