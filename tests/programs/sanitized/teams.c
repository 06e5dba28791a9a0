/* A bit of OpenMP without a race, built with sanitizers by tests/end-to-end/sanitizers.py. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  long sum = 0, total = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int round = 0; round < 50; round++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic) reduction(+ : sum)
      for (int i = 0; i < 100; i++) {
        char *memory = malloc(10);
        *memory = 1;
        sum += *memory;
        free(memory);
      }
      omp_set_lock(&lock);
      total++;
      omp_unset_lock(&lock);
    }
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i)
    {
#pragma omp atomic
      sum += i;
    }
  }
  omp_destroy_lock(&lock);
  printf("sum %ld, total %ld\n", sum, total);
  return 0;
}
