/* Without a runtime: tasks. Each runs when it is made. */
#include "fortran-shim/serial.h"

#include "fortran-shim/serial_range.h"

#include <stdlib.h>
#include <string.h>

/* A copy of a task's data, aligned as it is to be. NULL: no memory. Its allocation is *whole. */
static void *copy_of(void *data, void (*copy)(void *, void *), long size, long alignment, void **whole)
{
  uintptr_t align = alignment > 1 ? (uintptr_t)alignment : 1;
  *whole = malloc((size_t)size + align);
  if (!*whole)
    return NULL;
  void *to = (void *)(((uintptr_t)*whole + align - 1) / align * align);
  if (copy)
    copy(to, data);
  else if (size > 0)
    memcpy(to, data, (size_t)size);
  return to;
}

void serial_GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                      bool may_defer, unsigned flags, void **depend, int priority, void *detach)
{
  static char event;
  (void)may_defer;
  (void)depend;
  (void)priority;
  (void)detach;
  if (flags & GOMP_TASK_DETACH)
    *(void **)data = &event;
  void *whole = NULL, *argument = copy ? copy_of(data, copy, size, alignment, &whole) : data;
  if (copy && !argument)
    abort(); /* libgomp ends the program, too, when it has no memory for a task */
  fn(argument);
  free(whole);
}

/* One task has all iterations; its range is in the first two words of its data. */
static void run_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                         const uint64_t range[2])
{
  void *whole, *argument = copy_of(data, copy, size, alignment, &whole);
  if (!argument)
    abort();
  memcpy(argument, range, 2 * sizeof *range);
  fn(argument);
  free(whole);
}

void serial_GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                          unsigned flags, unsigned long tasks, int priority, long start, long end, long step)
{
  (void)flags;
  (void)tasks;
  (void)priority;
  const uint64_t range[2] = {(uint64_t)start, (uint64_t)end};
  if (!range_is_empty(start, end, step))
    run_taskloop(fn, data, copy, size, alignment, range);
}

void serial_GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
                              unsigned flags, unsigned long tasks, int priority, gomp_ull start, gomp_ull end,
                              gomp_ull step)
{
  (void)tasks;
  (void)priority;
  (void)step;
  const uint64_t range[2] = {start, end};
  if (!range_is_empty_ull(flags & GOMP_TASK_UP, start, end))
    run_taskloop(fn, data, copy, size, alignment, range);
}

void serial_GOMP_taskwait(void)
{
}

void serial_GOMP_taskwait_depend(void **depend)
{
  (void)depend;
}

void serial_GOMP_taskgroup_start(void)
{
}

void serial_GOMP_taskgroup_end(void)
{
}

void serial_omp_fulfill_event(uintptr_t event)
{
  (void)event;
}

void serial_omp_fulfill_event_(uintptr_t event)
{
  (void)event;
}
