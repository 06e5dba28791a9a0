/* Cancellation where the constructs' own programs have none: cancellation points, if clauses, tasks that wait. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  bool on = omp_get_cancellation();
  atomic_int seen = 0, ran = 0, after = 0;
  int done = 0;
#pragma omp parallel num_threads(2)
  {
    /* Nothing is cancelled: the condition is false. */
#pragma omp for schedule(dynamic) reduction(+ : done)
    for (int i = 0; i < 10; i++) {
#pragma omp cancel for if (i > 100)
      done++;
    }
#pragma omp cancellation point parallel
#pragma omp barrier
    /* The tasks that did not begin when their group is cancelled never do. */
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task shared(ran)
        {
#pragma omp cancel taskgroup
          atomic_fetch_add(&ran, 1);
        }
#pragma omp taskwait
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(ran)
          atomic_fetch_add(&ran, 1);
        }
#pragma omp taskloop nogroup num_tasks(10)
        for (int i = 0; i < 10; i++)
          atomic_fetch_add(&ran, 1);
      }
      atomic_fetch_add(&after, 1);
    }
    /* One thread cancels the region, the other one notices. */
    if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
      atomic_fetch_add(&seen, 1);
    } else {
      for (int i = 0; i < 10; i++) {
#pragma omp cancellation point parallel
      }
      if (!on)
        atomic_fetch_add(&seen, 1);
    }
#pragma omp barrier
  }
  truth("parallel", 1);
  truth("members", 2);
  return finish(done == 10 && after == 1 && (on ? ran == 0 && seen == 0 : ran == 111 && seen == 2));
}
