#include "ompt-tool/beside.h"

#include "common/profile/profile_origin.h"

static __typeof__(on_parallel_begin) *parallel_begin;
static __typeof__(on_task_create) *task_create;

/* The record of its beginning is the thread's newest. */
static void note(uint64_t id, const void *code)
{
  const struct recorder *recorder = recorder_self;
  if (id <= RAW_VALUE_MASK && (uintptr_t)recorder > (uintptr_t)RECORDER_NONE)
    profile_origin_note(id, (struct profile_origin){code_of_construct(code), recorder->base});
}

static void beside_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                                  unsigned requested, int flags, const void *code)
{
  parallel_begin(task, frame, parallel, requested, flags, code);
  note(parallel->value, code);
}

static void beside_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                               int dependences, const void *code)
{
  task_create(creator, frame, task, flags, dependences, code);
  note(task->value, code);
}

ompt_callback_t beside_callback(ompt_callbacks_t event, ompt_callback_t records)
{
  switch ((int)event) {
  case ompt_callback_parallel_begin:
    parallel_begin = (__typeof__(parallel_begin))records;
    return (ompt_callback_t)beside_parallel_begin;
  case ompt_callback_task_create:
    task_create = (__typeof__(task_create))records;
    return (ompt_callback_t)beside_task_create;
  default:
    return records;
  }
}
