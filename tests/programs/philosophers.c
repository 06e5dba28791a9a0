/*
 * The dining philosophers, a thread each, the forks are OpenMP locks: ./philosophers [N] [meals]. Everybody takes the
 * fork with the lower number first, so nobody starves.
 */
#include "tests/programs/program.h"
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 5, meals = argc > 2 ? atoi(argv[2]) : 100;
  if (n < 2 || n > 64 || meals < 1) {
    fprintf(stderr, "philosophers: N is a number from 2 to 64, meals one from 1\n");
    return 2;
  }
  omp_lock_t forks[64];
  int uses[64] = {0}, eaten = 0; /* each protected by its fork; the last by the critical section */
  for (int i = 0; i < n; i++)
    omp_init_lock(&forks[i]);

#pragma omp parallel num_threads(n)
  {
    int me = omp_get_thread_num(), next = (me + 1) % n;
    int first = me < next ? me : next, second = me < next ? next : me;
    for (int i = 0; i < meals; i++) {
      omp_set_lock(&forks[first]);
      omp_set_lock(&forks[second]);
      uses[first]++;
      uses[second]++;
      omp_unset_lock(&forks[second]);
      omp_unset_lock(&forks[first]);
#pragma omp critical(dinner)
      eaten++;
    }
  }

  bool right = eaten == n * meals;
  for (int i = 0; i < n; i++) {
    right = right && uses[i] == 2 * meals;
    omp_destroy_lock(&forks[i]);
  }
  truth("parallel", 1);
  truth("members", n);
  truth("locks", 2l * n * meals);
  truth("criticals", (long)n * meals);
  return finish(right);
}
