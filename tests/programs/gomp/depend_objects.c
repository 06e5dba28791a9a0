/* Dependences by omp_depend_t objects and by iterators, and mutexinoutset. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  int a[6] = {0}, sum = 0, wrong = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(out : a[0])
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(depobj : object)
    a[0] = 1;
#pragma omp task depend(iterator(i = 1 : 6), out : a[i])
    for (int i = 1; i < 6; i++)
      a[i] = 1;
    for (int t = 0; t < 4; t++) {
#pragma omp task depend(iterator(i = 0 : 6), in : a[i]) depend(mutexinoutset : sum)
      for (int i = 0; i < 6; i++)
        sum += a[i];
    }
#pragma omp task depend(in : sum)
    wrong = sum != 24;
#pragma omp taskwait depend(in : sum)
    wrong += sum != 24;
  }
#pragma omp depobj(object) destroy
  truth("parallel", 1);
  truth("tasks", 7);
  truth("dependences", 1 + 5 + 4 * 7 + 1);
  return finish(!wrong);
}
