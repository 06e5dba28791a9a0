/* if(0): executed at once, in the place where it is made. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int done = 0, gate = 0;
  int seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task if (0)
      atomic_fetch_add(&done, 1);
      seen = done;
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 1);
  truth("tasks_completed", 1);
  return finish(seen == 1);
}
