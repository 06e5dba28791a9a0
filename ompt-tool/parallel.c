#include "ompt-tool/callbacks.h"

#include "common/process/session.h"

void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
  (void)thread;
  recorder_thread_begin(type);
}

void on_thread_end(ompt_data_t *thread)
{
  (void)thread;
  session_thread_ends();
  recorder_thread_end();
}

/* The initial task is called by no runtime. */
static unsigned outer_detail(const ompt_frame_t *frame)
{
  return frame && !frame->exit_frame.ptr ? RAW_PARALLEL_OUTER : 0u;
}

static unsigned parallel_detail(int flags)
{
  return ((unsigned)flags & ompt_parallel_league ? RAW_PARALLEL_LEAGUE : 0u) |
         ((unsigned)flags & ompt_parallel_invoker_runtime ? RAW_PARALLEL_RUNTIME : 0u);
}

CALLBACK_REST void begin_region(ompt_data_t *parallel, uint64_t size, unsigned detail, const void *code)
{
  recorder_emit_new(RAW_PARALLEL_BEGIN, detail, code_of_construct(code), size << RAW_VALUE_BITS, &parallel->value);
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                       int flags, const void *code)
{
  (void)task;
  unsigned detail = parallel_detail(flags) | outer_detail(frame);
  uint64_t size = requested < 0xffff ? requested : 0xffff;
  if (code_of_construct_is_sure(code))
    recorder_emit_new(RAW_PARALLEL_BEGIN, detail, (uintptr_t)code, size << RAW_VALUE_BITS, &parallel->value);
  else
    begin_region(parallel, size, detail, code);
}

void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  (void)code;
  recorder_emit(RAW_PARALLEL_END, parallel_detail(flags), id_of(parallel));
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team_size,
                      unsigned index, int flags)
{
  unsigned detail = (unsigned)flags & 3u;
  if (endpoint == ompt_scope_end) {
    recorder_emit(RAW_IMPLICIT_END, detail, 0);
    return;
  }
  if (task)
    task->value = RAW_ID_IMPLICIT;
  recorder_emit3(RAW_IMPLICIT_BEGIN, detail, id_of(parallel), (uint64_t)index << 32 | team_size);
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  (void)parallel;
  (void)task;
  if (endpoint == ompt_scope_begin)
    recorder_emit(RAW_MASKED_BEGIN, 0, code_of(code));
  else
    recorder_emit(RAW_MASKED_END, 0, 0);
}
