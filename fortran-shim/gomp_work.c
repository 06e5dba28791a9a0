/* Work-sharing constructs in general, and the inlined ones: static loops. */
#include "fortran-shim/provider.h"

void work_begin(struct task *task, ompt_work_t kind, uint64_t count, int64_t step, bool open_ended, const void *code)
{
  work_end_open_ended(task, code);
  task->work = (struct work){.kind = kind, .open_ended = open_ended, .step = step};
  TELL(work, kind, ompt_scope_begin, data_of(task->team), &task->data, count, code);
}

void work_end(struct task *task, const void *code)
{
  ompt_work_t kind = task->work.kind;
  task->work.kind = 0;
  task->work.open_ended = false;
  if (kind)
    TELL(work, kind, ompt_scope_end, data_of(task->team), &task->data, 0, code);
}

ompt_work_t loop_kind(long schedule)
{
  int kind = (int)(schedule & 0xff), chunk;
  if (kind == GOMP_SCHEDULE_RUNTIME)
    gomp.omp_get_schedule(&kind, &chunk);
  switch (kind & 0xff) {
  case GOMP_SCHEDULE_STATIC:
    return ompt_work_loop_static;
  case GOMP_SCHEDULE_DYNAMIC:
    return ompt_work_loop_dynamic;
  case GOMP_SCHEDULE_GUIDED:
    return ompt_work_loop_guided;
  default:
    return ompt_work_loop_other; /* auto */
  }
}

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
  struct task *task = self.known ? self.task : NULL;
  if (distance <= 0 || distance > PAIR_DISTANCE || !task || !(task->flags & ompt_task_implicit))
    return number;
  /* Inside a construct with an end of its own no loop can begin: there the program wants to know. */
  if (task->work.kind && !task->work.open_ended)
    return number;
  work_begin(task, ompt_work_loop_static, 0, 1, true, code);
  return number;
}
