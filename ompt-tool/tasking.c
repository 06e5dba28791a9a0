/* Explicit tasks, their dependences and cancellation. */
#include "ompt-tool/callbacks.h"

#include "ompt-tool/omissions.h"

/* Records of a task, in words' worth of others: created, begun, completed. */
#define TASK_RECORDS 5u

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

CALLBACK_REST void record_task_slowly(ompt_data_t *task, int flags, const void *code)
{
  recorder_emit_new(RAW_TASK_CREATE, task_detail(flags), code_of_construct(code), 0, &task->value);
  if (callbacks_note_origins)
    origin_note(task->value, code);
}

CALLBACK_PART void record_task(ompt_data_t *task, int flags, const void *code)
{
  if ((unsigned)flags & (ompt_task_initial | ompt_task_implicit)) {
    task->value = RAW_ID_IMPLICIT; /* libomp announces initial tasks in implicit_task only; others may do both */
    return;
  }
  if (construct_needs_no_lookup(code) && !callbacks_note_origins)
    recorder_emit_new(RAW_TASK_CREATE, task_detail(flags), (uintptr_t)code, 0, &task->value);
  else
    record_task_slowly(task, flags, code);
}

static void record_dependences(const ompt_data_t *task, const ompt_dependence_t *dependences, int n)
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

CALLBACK_PART void record_switch(const ompt_data_t *prior, ompt_task_status_t status, const ompt_data_t *next)
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

/* If tasks end one after the other, the clock is read for so many, and then for one of so many. */
#define ENDS_READ 16u

/* No other task has it while this one lives. */
static uint64_t new_name(struct omission *omission)
{
  return OMITTED_DATA | ((uint64_t)(uintptr_t)omission >> 12 << 26 & ~OMITTED_DATA) | (++omission->tasks & 0x3ffffffu);
}

extension_unreported_tasks *runtime_unreported_tasks;

/* Those before the next one that is recorded, the runtime need not report. */
static void lend_tasks(struct omission *omission, struct budget_row *row, const void *code)
{
  if (!runtime_unreported_tasks || row->until < BUDGET_LOAN)
    return;
  if (!omission->unreported_tasks)
    omission->unreported_tasks = runtime_unreported_tasks();
  if (omission->unreported_tasks)
    budget_lend(row, &omission->unreported_tasks[extension_unreported_at(code)]);
}

/* One that the runtime did not report: it reports only some. */
static bool is_unreported(const ompt_data_t *task)
{
  return task && (task->value & EXTENSION_UNREPORTED_TASK) == EXTENSION_UNREPORTED_TASK;
}

/* The weight of a task that is created now; 0: it is omitted. */
static uint32_t weigh_task(struct omission *omission, int flags, const void *code)
{
  if (!omission || (unsigned)flags & (ompt_task_initial | ompt_task_implicit))
    return 1;
  /* The record of a taskwait with dependences is its begin. */
  struct budget_row *row = (unsigned)flags & ompt_task_taskwait
                               ? NULL
                               : budget_row((uintptr_t)code & RAW_VALUE_MASK, BUDGET_TASKS, 0, TASK_RECORDS);
  bool may_be_taken = construct_top(&omission->stack)->mute != OMIT_ALL;
  if (!row)
    return may_be_taken;
  budget_take_back(row);
  if (!may_be_taken) {
    budget_omit(row);
    lend_tasks(omission, row, code);
    return 0;
  }
  uint32_t weight = budget_take(row);
  lend_tasks(omission, row, code);
  return weight;
}

CALLBACK_REST void take_task(ompt_data_t *task, int flags, const void *code)
{
  struct omission *omission = omission_self();
  uint32_t weight = weigh_task(omission, flags, code);
  if (weight == 0) {
    task->value = new_name(omission);
    return;
  }
  omission = omission_now();
  if (omission)
    omission_note_up_to_now(omission);
  omitted_emit_weight(RAW_TASK_CREATE, weight);
  record_task(task, flags, code);
}

void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                    const void *code)
{
  (void)creator;
  (void)frame;
  (void)dependences;
  if (!omission_is_used)
    record_task(task, flags, code);
  else
    take_task(task, flags, code);
}

void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n)
{
  /* Dependences of a doacross loop belong to the loop, a task's dependences to the task. */
  bool doacross = n > 0 && (dependences[0].dependence_type == ompt_dependence_type_source ||
                            dependences[0].dependence_type == ompt_dependence_type_sink);
  if (!doacross && is_omitted(task))
    return;
  enum omission_mute now = omitted_now();
  if (now != OMIT_ALL && !(now != OMIT_NOTHING && doacross))
    record_dependences(task, dependences, n);
}

void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
  if (!is_omitted(source) && !is_omitted(sink))
    recorder_emit3(RAW_TASK_PAIR, 0, id_of(source), id_of(sink));
}

/* A thread that waits in the last barrier of a omitted region executes tasks: that is not waiting. */
static void work_in_barrier(struct omission *omission, struct construct *member, const ompt_data_t *prior,
                            const ompt_data_t *next)
{
  if (member->end != 0 && is_unreported(next))
    return; /* those between two that are shown count */
  uint64_t now = clock_ticks();
  if (is_omitted(prior))
    omission_note(omission, member, now, 0);
  member->begin = now;
  member->end = is_unreported(prior) ? now : 0;
  member->untimed = false;
}

/* The thread goes from what is recorded to a task that is not. Where it waits it is not known how long that lasts. */
static void begin_omitted(struct omission *omission, const ompt_data_t *prior)
{
  struct construct *tasks = omission_push(omission, CONSTRUCT_TASKS, 0);
  if (!tasks)
    return;
  tasks->key = id_of(prior);
  tasks->mute = OMIT_ALL_BUT_TASKS;
  if (omission->waits) {
    frame_omit(omission, tasks, OMIT_ALL_BUT_TASKS, RAW_OMITTED_TASKS);
    tasks->end = tasks->begin;
  }
}

/* The clock is not read at the end of each. */
static bool is_looked_at(struct construct *tasks, const ompt_data_t *ended)
{
  return tasks->parts++ < ENDS_READ || tasks->parts % ENDS_READ == 0 || is_unreported(ended);
}

/* The thread goes from an omitted task to another one. False: `next` is recorded, and not what it comes from.
 */
static bool go_on_omitted(struct construct *tasks, const ompt_data_t *prior, const ompt_data_t *next)
{
  if (is_omitted(prior) && tasks->omitted && is_looked_at(tasks, prior))
    tasks->end = clock_ticks();
  tasks->over = id_of(next) == tasks->key;
  return tasks->over || is_omitted(next);
}

/* A recorded task begins or goes on where other things are omitted. before: what the thread comes from. */
static void begin_recorded(struct omission *omission, uint64_t before)
{
  omission_note_up_to_now(omission);
  struct construct *task = omission_push(omission, RAW_ROW_TASK, 0);
  if (!task)
    return;
  task->mute = OMIT_NOTHING;
  task->key = before;
}

/* What the trace has as the thread's task, where the thread goes to an omitted task. */
static uint64_t known_below(const struct omission *omission)
{
  for (uint32_t i = omission->stack.depth; i-- > 0;)
    if ((omission->stack.open[i].kind == RAW_ROW_TASK || omission->stack.open[i].kind == CONSTRUCT_TASKS) &&
        !(omission->stack.open[i].key & OMITTED_DATA))
      return omission->stack.open[i].key;
  return RAW_ID_IMPLICIT;
}

/* The thread goes back to what it left for a recorded task. */
static void end_recorded(struct omission *omission)
{
  omission->stack.depth--;
  construct_top(&omission->stack)->begin = clock_ticks();
}

static bool is_switch(ompt_task_status_t status)
{
  return status == ompt_task_complete || status == ompt_task_yield || status == ompt_task_switch;
}

/* Both tasks are recorded, or one of them is, and the thread is not among omitted ones. */
static void switch_task(struct omission *omission, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  struct construct *top = construct_top(&omission->stack);
  bool back = top->kind == RAW_ROW_TASK && next && next->value == top->key;
  if (is_omitted(next)) {
    if (status == ompt_task_complete)
      record_switch(prior, status, &(ompt_data_t){.value = known_below(omission)});
    if (back)
      end_recorded(omission);
    else
      begin_omitted(omission, prior);
    return;
  }
  if (top->mute != OMIT_NOTHING && next && next->value != RAW_ID_IMPLICIT)
    begin_recorded(omission, id_of(prior));
  record_switch(prior, is_omitted(prior) ? ompt_task_switch : status, next);
  if (back)
    end_recorded(omission);
  omission->waits = status == ompt_task_complete;
}

CALLBACK_REST void take_switch(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  struct omission *omission = omission_self();
  if (!omission) {
    record_switch(prior, status, next);
    return;
  }
  chunks_take_back(omission);
  if (construct_top(&omission->stack)->kind == CONSTRUCT_TASKS && construct_top(&omission->stack)->over &&
      is_omitted(next)) {
    construct_top(&omission->stack)->over = false; /* one more of them */
    return;
  }
  struct construct *top = construct_top(&omission_now()->stack);
  if (top->mute == OMIT_ALL) {
    if (top->kind == RAW_ROW_MEMBER && top->at_barrier)
      work_in_barrier(omission, top, prior, next);
    return;
  }
  if (!next || !is_switch(status)) { /* a task that need not be the thread's */
    if (!is_omitted(prior) && !is_omitted(next))
      record_switch(prior, status, next);
    return;
  }
  if (top->kind == CONSTRUCT_TASKS && go_on_omitted(top, prior, next))
    return;
  if (top->kind != CONSTRUCT_TASKS && top->mute != OMIT_NOTHING && is_omitted(next))
    return; /* all of this is omitted already */
  switch_task(omission, prior, status, next);
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  if (!omission_is_used)
    record_switch(prior, status, next);
  else
    take_switch(prior, status, next);
}

void on_cancel(ompt_data_t *task, int flags, const void *code)
{
  (void)task;
  if (omitted_now() == OMIT_NOTHING)
    recorder_emit(RAW_CANCEL, (unsigned)flags, code_of(code));
}
