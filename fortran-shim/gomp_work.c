/* Static loops, which gcc compiles inline: all that is seen of them. */
#include "fortran-shim/provider.h"
#include "fortran-shim/task_state.h"

/*
 * gcc compiles a loop with a static schedule into arithmetic on the number of threads and the thread's own, which it
 * gets by two calls, one right after the other. They are the only trace of such a loop: they mark its begin. In Fortran
 * only the compiler calls these names; in C a program that calls both in a row looks the same.
 */
enum { PAIR_DISTANCE = 32 /* bytes between the two return addresses, at most */ };

int omp_get_num_threads(void)
{
  if (provider_is_on())
    self.num_threads_call = CALLER;
  return gomp.omp_get_num_threads();
}

int omp_get_thread_num(void)
{
  bool on = provider_is_on();
  int number = gomp.omp_get_thread_num();
  if (!on || !self.num_threads_call)
    return number;
  const char *code = CALLER;
  intptr_t distance = code - self.num_threads_call;
  self.num_threads_call = NULL;
  struct task *task = self.settled ? self.task : NULL;
  if (distance <= 0 || distance > PAIR_DISTANCE || !task || !(task->flags & ompt_task_implicit))
    return number;
  /* Inside a construct with an end of its own no loop can begin: there the program wants to know. */
  if (task->work.kind && !task->work.open_ended)
    return number;
  work_begin(task, ompt_work_loop_static, 0, 1, true, code);
  return number;
}
