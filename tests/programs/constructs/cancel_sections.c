/* cancel sections: both threads cancel, each in the section that it executes. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int arrived = 0, done = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      {
        meet(&arrived, 2);
#pragma omp cancel sections
        atomic_fetch_add(&done, 1);
      }
#pragma omp section
      {
        meet(&arrived, 2);
#pragma omp cancel sections
        atomic_fetch_add(&done, 1);
      }
    }
  }
  truth("parallel", 1);
  truth("members", 2);
  return finish(done == (omp_get_cancellation() ? 0 : 2));
}
