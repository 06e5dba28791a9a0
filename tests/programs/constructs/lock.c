/* A lock, and one with a hint, set three times by each thread. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  int a = 0, b = 0;
  omp_lock_t plain, hinted;
  omp_init_lock(&plain);
  omp_init_lock_with_hint(&hinted, omp_sync_hint_contended);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 3; i++) {
    omp_set_lock(&plain);
    a++;
    omp_unset_lock(&plain);
    omp_set_lock(&hinted);
    b++;
    omp_unset_lock(&hinted);
  }
  omp_destroy_lock(&plain);
  omp_destroy_lock(&hinted);
  truth("locks", 12);
  return finish(a == 6 && b == 6);
}
