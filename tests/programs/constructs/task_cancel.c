/* cancel taskgroup: the first task cancels the group, the others never run. Needs OMP_CANCELLATION=true. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int done = 0, gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp taskgroup
      {
        for (int i = 0; i < 3; i++) {
#pragma omp task
          {
            atomic_fetch_add(&done, 1);
#pragma omp cancel taskgroup
            atomic_fetch_add(&done, 100);
          }
        }
      }
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 3);
  truth("taskgroups", 1);
  return finish(done == (omp_get_cancellation() ? 1 : 303));
}
