/*
 * ./away_edges N: N parallel regions of two threads, and locks that are half in them: one is acquired before a region
 * and released in it, one the other way round, one from a region to the next one on another thread than the first; a
 * nested lock is acquired once more inside, and tasks are created before and in it. Prints what the tasks did.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 100, acquired = 0;
  omp_lock_t into, out, over;
  omp_nest_lock_t nest;
  omp_init_lock(&into);
  omp_init_lock(&out);
  omp_init_lock(&over);
  omp_init_nest_lock(&nest);
  for (long i = 0; i < n; i++) {
    if (i % 3 == 0)
      omp_set_lock(&into); /* into */
    if (i % 5 == 0)
      omp_set_nest_lock(&nest);
#pragma omp task shared(acquired)
    acquired += i % 3 == 0;
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
        if (i % 3 == 0)
          omp_unset_lock(&into);
        if (i % 5 == 0) {
          omp_set_nest_lock(&nest);
          omp_unset_nest_lock(&nest);
        }
        if (i % 7 == 0)
          omp_set_lock(&out); /* out */
      } else if (i % 4 == 0) {
        omp_set_lock(&over); /* over */
      } else if (i % 4 == 2) {
        omp_unset_lock(&over);
      }
#pragma omp task
#pragma omp critical
      acquired++;
    }
    if (i % 7 == 0)
      omp_unset_lock(&out);
    if (i % 5 == 0)
      omp_unset_nest_lock(&nest);
  }
  printf("%ld\n", acquired);
  return 0;
}
