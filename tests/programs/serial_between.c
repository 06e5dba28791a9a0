/*
 * Two regions with 100 ms of serial work (sleep) between them. libomp reports a worker's end of the first region only
 * when the second one begins: 100 ms late, unless it is corrected.
 */
#include "tests/programs/program.h"
#include <time.h>

int main(void)
{
  atomic_int members = 0;
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
#pragma omp parallel num_threads(2)
  atomic_fetch_add(&members, 1);
  truth("parallel", 2);
  truth("members", 4);
  return finish(members == 4);
}
