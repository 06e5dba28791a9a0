/*
 * The OMPT side that the two reference tools share: all callbacks that ompt-tool/tool.c registers, each with the body
 * EVENT(number, a, b). The including file defines EVENT, and EVENTS_SO_FAR of the calling thread. So the tools get the
 * same calls from the runtime as Heddle's does.
 */
#ifndef HEDDLE_BENCH_CALLBACKS_H
#define HEDDLE_BENCH_CALLBACKS_H

#include <omp-tools.h>
#include <stddef.h>
#include <stdint.h>

#define WORD(x) ((uint64_t)(x))
#define CODE(p) ((uint64_t)(uintptr_t)(p))

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  EVENT(1, type, 0);
}

static void on_thread_end(ompt_data_t *thread)
{
  EVENT(2, 0, 0);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *code)
{
  EVENT(3, CODE(code), requested);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  EVENT(4, CODE(code), 0);
}

static void on_implicit_task(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                             unsigned index, int flags)
{
  EVENT(5, end, index);
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *code)
{
  EVENT(6, CODE(code), count);
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  EVENT(7, chunk && kind != ompt_dispatch_section && kind != ompt_dispatch_iteration ? chunk->start : 0, kind);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task,
                           const void *code)
{
  EVENT(8, CODE(code), end);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel,
                                ompt_data_t *task, const void *code)
{
  EVENT(9, CODE(code), end);
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task,
                         const void *code)
{
  EVENT(10, CODE(code), end);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  EVENT(11, CODE(code), wait);
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  EVENT(12, CODE(code), wait);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  EVENT(13, CODE(code), wait);
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  EVENT(14, CODE(code), wait);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  EVENT(15, CODE(code), wait);
}

static void on_nest_lock(ompt_scope_endpoint_t end, ompt_wait_id_t wait, const void *code)
{
  EVENT(16, CODE(code), wait);
}

static void on_masked(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  EVENT(17, CODE(code), end);
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int dependences, const void *code)
{
  EVENT(18, CODE(code), WORD(flags));
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int n)
{
  EVENT(19, WORD(n), 0);
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
  EVENT(20, CODE(source), CODE(sink));
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  EVENT(21, next ? next->value : 0, status);
}

static void on_cancel(ompt_data_t *task, int flags, const void *code)
{
  EVENT(22, CODE(code), WORD(flags));
}

static void on_flush(ompt_data_t *thread, const void *code)
{
  EVENT(23, CODE(code), 0);
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code)
{
  EVENT(24, CODE(code), severity);
}

/* The program asks by omp_control_tool how many events this thread had so far (see constructs.c). */
static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
  return EVENTS_SO_FAR;
}

static inline void set_callbacks(ompt_function_lookup_t lookup)
{
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
#define ON(name) set(ompt_callback_##name, (ompt_callback_t)on_##name)
  ON(thread_begin), ON(thread_end), ON(parallel_begin), ON(parallel_end), ON(implicit_task), ON(masked), ON(work);
  ON(dispatch), ON(sync_region), ON(sync_region_wait), ON(reduction), ON(mutex_acquire), ON(mutex_acquired);
  ON(mutex_released), ON(lock_init), ON(lock_destroy), ON(nest_lock), ON(flush), ON(task_create), ON(dependences);
  ON(task_dependence), ON(task_schedule), ON(cancel), ON(error), ON(control_tool);
#undef ON
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
  set_callbacks(lookup);
  return 1;
}

static void finish(ompt_data_t *tool)
{
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
  static ompt_start_tool_result_t result = {start, finish, {0}};
  return &result;
}

#endif
