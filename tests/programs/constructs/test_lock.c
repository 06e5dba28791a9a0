/* omp_test_lock: thread 0 holds the lock while thread 1 tests it in vain, then thread 1 gets it. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  int in_vain = -1, then = -1;
  atomic_int held = 0, tested = 0, given_up = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      release(&held);
      hold(&tested);
      omp_unset_lock(&lock);
      release(&given_up);
    } else {
      hold(&held);
      in_vain = omp_test_lock(&lock);
      release(&tested);
      hold(&given_up);
      then = omp_test_lock(&lock);
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  truth("locks", 2);
  truth("failed_tests", 1);
  return finish(in_vain == 0 && then == 1);
}
