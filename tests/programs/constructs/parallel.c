/* Three parallel regions, two threads each. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int members = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    atomic_fetch_add(&members, 1);
  }
  truth("parallel", 3);
  truth("members", 6);
  truth("implicit_barriers", 6);
  return finish(members == 6);
}
