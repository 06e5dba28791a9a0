#include "ompt-tool/callbacks.h"

/* OMPT's 32 flag bits, folded into eight. */
static unsigned task_detail(int flags)
{
  unsigned bits = (unsigned)flags;
  return (bits & ompt_task_explicit ? RAW_TASK_EXPLICIT : 0u) | (bits & ompt_task_target ? RAW_TASK_TARGET : 0u) |
         (bits & ompt_task_taskwait ? RAW_TASK_TASKWAIT : 0u) |
         (bits & ompt_task_undeferred ? RAW_TASK_UNDEFERRED : 0u) | (bits & ompt_task_untied ? RAW_TASK_UNTIED : 0u) |
         (bits & ompt_task_final ? RAW_TASK_FINAL : 0u) | (bits & ompt_task_mergeable ? RAW_TASK_MERGEABLE : 0u) |
         (bits & ompt_task_merged ? RAW_TASK_MERGED : 0u);
}

CALLBACK_REST void create_task(ompt_data_t *task, int flags, const void *code)
{
  recorder_emit_new(RAW_TASK_CREATE, task_detail(flags), code_of_construct(code), 0, &task->value);
}

void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                    const void *code)
{
  (void)creator;
  (void)frame;
  (void)dependences;
  if ((unsigned)flags & (ompt_task_initial | ompt_task_implicit)) {
    task->value = RAW_ID_IMPLICIT; /* libomp announces initial tasks in implicit_task only; others may do both */
    return;
  }
  if (code_of_construct_is_sure(code))
    recorder_emit_new(RAW_TASK_CREATE, task_detail(flags), (uintptr_t)code, 0, &task->value);
  else
    create_task(task, flags, code);
}

void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n)
{
  unsigned kept = n < 0 ? 0 : (unsigned)n < RECORDER_MOST ? (unsigned)n : RECORDER_MOST;
  bool doacross = false;
  struct recorder *recorder = recorder_enter_list(kept);
  if (!recorder)
    return;
  uint64_t(*elements)[RAW_EXTRA] = recorder_list(recorder);
  for (unsigned i = 0; i < kept; i++) {
    ompt_dependence_type_t type = dependences[i].dependence_type;
    elements[i][0] = type;
    elements[i][1] = dependences[i].variable.value;
    doacross |= type == ompt_dependence_type_source || type == ompt_dependence_type_sink;
  }
  recorder_publish_list(recorder, doacross ? RAW_DOACROSS : RAW_TASK_DEPENDENCES, doacross ? 0 : id_of(task), kept);
}

void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
  recorder_emit3(RAW_TASK_PAIR, 0, id_of(source), id_of(sink));
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  switch (status) {
  case ompt_task_complete:
  case ompt_task_yield:
  case ompt_task_switch:
    recorder_emit(RAW_TASK_SWITCH, status, id_of(next));
    break;
  default: /* these may be about a task that the thread does not execute */
    recorder_emit3(RAW_TASK_STATUS, status, id_of(next), id_of(prior));
  }
}

void on_cancel(ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  recorder_emit(RAW_CANCEL, (unsigned)flags, code_of(code));
}
