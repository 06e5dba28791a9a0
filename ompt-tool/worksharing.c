#include "ompt-tool/callbacks.h"

CALLBACK_REST void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, uint64_t count, const void *code)
{
  if (endpoint != ompt_scope_end)
    recorder_emit3(RAW_WORK_BEGIN, type, code_of_construct(code), count);
  if (endpoint != ompt_scope_begin)
    recorder_emit(RAW_WORK_END, type, 0);
}

void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
             const void *code)
{
  (void)parallel;
  (void)task;
  if (endpoint == ompt_scope_end)
    recorder_emit(RAW_WORK_END, type, 0);
  else if (endpoint == ompt_scope_begin && code_of_construct_is_sure(code))
    recorder_emit3(RAW_WORK_BEGIN, type, (uintptr_t)code, count);
  else
    work(type, endpoint, count, code);
}

/* A range of iterations, in two words where it is small enough. */
static void emit_chunk(ompt_dispatch_t kind, uint64_t first, uint64_t iterations)
{
  if ((uint64_t)(int64_t)(int32_t)first == first && iterations <= 0xffff)
    recorder_emit(RAW_CHUNK, kind, (first & 0xffffffffu) << 16 | iterations);
  else
    recorder_emit4(RAW_CHUNK_WIDE, kind, 0, first, iterations);
}

void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
  (void)parallel;
  (void)task;
  switch (kind) {
  case ompt_dispatch_section:
    recorder_emit(RAW_SECTION, kind, code_of(instance.ptr));
    break;
  case ompt_dispatch_ws_loop_chunk:
  case ompt_dispatch_taskloop_chunk:
  case ompt_dispatch_distribute_chunk: {
    const ompt_dispatch_chunk_t *chunk = instance.ptr;
    if (chunk)
      emit_chunk(kind, chunk->start, chunk->iterations);
    break;
  }
  default:
    emit_chunk(kind, instance.value, 1);
  }
}
