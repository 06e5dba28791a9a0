/* cancel for: every thread cancels in its first iteration; the runtime never reports the loop's end. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int done = 0, arrived = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 20; i++) {
      atomic_fetch_add(&done, 1);
      if (omp_get_cancellation() && i % 10 == 0)
        meet(&arrived, 2);
#pragma omp cancel for
    }
  }
  truth("parallel", 1);
  truth("members", 2);
  return finish(done == (omp_get_cancellation() ? 2 : 20));
}
