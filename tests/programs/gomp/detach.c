/* Detached tasks: fulfilled inside the task, before it ends, and after it ended, by another thread; with depend. */
#include "tests/programs/program.h"
#include <omp.h>

static omp_event_handle_t late;
static atomic_int handed;

static void fulfill_in_task(atomic_int *done)
{
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) firstprivate(done)
  {
    omp_fulfill_event(event);
    atomic_fetch_add(done, 1);
  }
}

static void fulfill_later(atomic_int *done, int *chain)
{
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : *chain) firstprivate(done)
  {
    late = event;
    atomic_fetch_add(done, 1);
    release(&handed);
  }
#pragma omp task depend(in : *chain) firstprivate(done)
  atomic_fetch_add(done, atomic_load(done) >= 10 ? 1 : 100);
}

int main(void)
{
  atomic_int done = 0;
  int chain = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      fulfill_in_task(&done);
#pragma omp taskwait
      fulfill_later(&done, &chain);
#pragma omp taskwait
    } else {
      hold(&handed);
      for (int i = 0; i < 100; i++) /* by now the task has ended, nearly always */
        sched_yield();
      atomic_fetch_add(&done, 10);
      omp_fulfill_event(late);
    }
  }
  truth("parallel", 1);
  truth("members", 2);
  truth("tasks", 3);
  truth("dependences", 2);
  return finish(done == 13);
}
