/* cancel parallel by thread 0. Needs OMP_CANCELLATION=true. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int after = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      /* Only activated after release(); thread 1 may come first, so it waits for the gate and then checks. */
      release(&gate);
#pragma omp cancel parallel
      atomic_fetch_add(&after, 1);
    } else {
      hold(&gate);
      while (omp_get_cancellation()) {
#pragma omp cancellation point parallel
        sched_yield();
      }
    }
  }
  truth("parallel", 1);
  return finish(after == (omp_get_cancellation() ? 0 : 1));
}
