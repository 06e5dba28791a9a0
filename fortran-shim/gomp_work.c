/* Worksharing without chunks: static loops, which gcc compiles inline; single, sections and workshare. */
#include "fortran-shim/provider.h"
#include "fortran-shim/serial.h"
#include "fortran-shim/task_state.h"

/*
 * gcc compiles a loop with a static schedule into arithmetic on the number of threads and the thread's number. The code
 * gets them by two calls, one right after the other, which mark the loop's begin; nothing marks its end. In Fortran
 * only the compiler calls these names; in C, a program that calls both in a row looks the same.
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

/*
 * Sections, single and scope. The compiler makes a call only at the begin of a single and a scope. They end at the
 * barrier after them or, with nowait, at the next construct that can't be inside.
 */

#define BARRIER ompt_sync_region_barrier_implicit_workshare

/* OMPT wants to know a section by its code; libgomp numbers them, and the program jumps by that number. */
static unsigned report_section(struct task *task, unsigned number, const void *code)
{
  if (number) {
    ompt_data_t instance = {.ptr = (void *)(uintptr_t)code};
    REPORT(dispatch, data_of(task->team), &task->data, ompt_dispatch_section, instance);
  }
  return number;
}

static struct task *begin(unsigned count, const void *code)
{
  struct task *task = current_task();
  work_begin(task, ompt_work_sections, count, 0, false, code);
  return task;
}

unsigned GOMP_sections_start(unsigned count)
{
  if (!provider_is_on())
    return gomp.GOMP_sections_start(count);
  struct task *task = begin(count, CALLER);
  return report_section(task, gomp.GOMP_sections_start(count), CALLER);
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
  if (!provider_is_on())
    return gomp.GOMP_sections2_start(count, reductions, memory);
  struct task *task = begin(count, CALLER);
  return report_section(task, gomp.GOMP_sections2_start(count, reductions, memory), CALLER);
}

unsigned GOMP_sections_next(void)
{
  bool on = provider_is_on();
  unsigned number = gomp.GOMP_sections_next();
  return on ? report_section(current_task(), number, CALLER) : number;
}

void GOMP_sections_end(void)
{
  if (!provider_is_on()) {
    gomp.GOMP_sections_end();
    return;
  }
  struct task *task = current_task();
  work_end(task, CALLER);
  int before = sync_begin(task, BARRIER, CALLER);
  gomp.GOMP_sections_end();
  sync_end(task, BARRIER, before, CALLER);
}

bool GOMP_sections_end_cancel(void)
{
  if (!provider_is_on())
    return gomp.GOMP_sections_end_cancel();
  struct task *task = current_task();
  work_end(task, CALLER);
  int before = sync_begin(task, BARRIER, CALLER);
  bool cancelled = gomp.GOMP_sections_end_cancel();
  sync_end(task, BARRIER, before, CALLER);
  return cancelled;
}

void GOMP_sections_end_nowait(void)
{
  if (provider_is_on())
    work_end(current_task(), CALLER);
  gomp.GOMP_sections_end_nowait();
}

/* A thread that is not the one has nothing to do in a single, which begins and ends for it at once. */
static void pass_by(struct task *task, const void *code)
{
  work_begin(task, ompt_work_single_other, 1, 0, false, code);
  work_end(task, code);
}

void single_begin(struct task *task, bool mine, const void *code)
{
  if (mine) {
    work_begin(task, ompt_work_single_executor, 1, 0, true, code);
  } else {
    pass_by(task, code);
    task->work.open_ended = true; /* the barrier that follows is the construct's */
  }
}

bool GOMP_single_start(void)
{
  bool on = provider_is_on(), mine = gomp.GOMP_single_start();
  if (on)
    single_begin(current_task(), mine, CALLER);
  return mine;
}

/*
 * With copyprivate, all but one wait in this call until the one has copied. Which thread is the one is known when the
 * call returns, so it, too, is reported to enter the barrier, and leaves it at once.
 */
void *GOMP_single_copy_start(void)
{
  if (!provider_is_on())
    return gomp.GOMP_single_copy_start();
  struct task *task = current_task();
  work_end_open_ended(task, CALLER);
  int before = sync_begin(task, ompt_sync_region_barrier_implementation, CALLER);
  void *data = gomp.GOMP_single_copy_start();
  sync_end(task, ompt_sync_region_barrier_implementation, before, CALLER);
  if (!data) {
    work_begin(task, ompt_work_single_executor, 1, 0, false, CALLER);
  } else {
    pass_by(task, CALLER);
    task->copying = true;
  }
  return data;
}

void GOMP_single_copy_end(void *data)
{
  if (!provider_is_on()) {
    gomp.GOMP_single_copy_end(data);
    return;
  }
  struct task *task = current_task();
  work_end(task, CALLER);
  int before = sync_begin(task, ompt_sync_region_barrier_implementation, CALLER);
  gomp.GOMP_single_copy_end(data);
  sync_end(task, ompt_sync_region_barrier_implementation, before, CALLER);
  task->copying = true;
}

void GOMP_scope_start(uintptr_t *reductions)
{
  bool on = provider_is_on();
  if (gomp.GOMP_scope_start == serial_GOMP_scope_start)
    runtime_find_missing();
  gomp.GOMP_scope_start(reductions);
  if (!on)
    return;
  struct task *task = current_task();
  work_begin(task, ompt_work_scope, 1, 0, true, CALLER);
}
