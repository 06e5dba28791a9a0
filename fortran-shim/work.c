#include "fortran-shim/work.h"

#include "fortran-shim/runtime.h"

void work_begin(struct task *task, ompt_work_t kind, uint64_t count, int64_t step, bool open_ended, const void *code)
{
  work_end_open_ended(task, code);
  task->work = (struct work){.kind = kind, .open_ended = open_ended, .step = step};
  REPORT(work, kind, ompt_scope_begin, data_of(task->team), &task->data, count, code);
}

void work_end(struct task *task, const void *code)
{
  ompt_work_t kind = task->work.kind;
  task->work.kind = 0;
  task->work.open_ended = false;
  if (kind)
    REPORT(work, kind, ompt_scope_end, data_of(task->team), &task->data, 0, code);
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

static uint64_t steps(uint64_t distance, uint64_t step)
{
  return step ? distance / step + (distance % step != 0) : 0;
}

uint64_t loop_count(long start, long end, long step)
{
  if (step > 0)
    return start < end ? steps((uint64_t)end - (uint64_t)start, (uint64_t)step) : 0;
  return start > end ? steps((uint64_t)start - (uint64_t)end, -(uint64_t)step) : 0;
}

uint64_t loop_count_ull(bool up, gomp_ull start, gomp_ull end, gomp_ull step)
{
  if (up)
    return start < end ? steps(end - start, step) : 0;
  return start > end ? steps(start - end, -step) : 0;
}
