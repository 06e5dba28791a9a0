/* A nest lock that each thread takes twice, once within the other; then one nested test that succeeds. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  int a = 0, depth = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    a++;
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_set_nest_lock(&lock);
  depth = omp_test_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
  truth("locks", 3);
  truth("failed_tests", 0);
  return finish(a == 2 && depth == 2);
}
