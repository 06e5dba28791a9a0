/* A detached task: its body ends before the event that completes it. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int done = 0, gate = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp task detach(event)
      atomic_fetch_add(&done, 1);
#pragma omp taskyield
      omp_fulfill_event(event);
#pragma omp taskwait
      release(&gate);
    }
    hold(&gate);
  }
  truth("tasks", 1);
  return finish(done == 1);
}
