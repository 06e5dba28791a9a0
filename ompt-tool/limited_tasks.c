/* Tasks, and what is recorded or left out with the construct that it is in. */
#include "ompt-tool/limited.h"

#include "ompt-tool/skip.h"

#define RECORDS 5u /* of a task, in words' worth of others: created, begun, completed */

/* Of tasks that end one after the other, the clock is read for so many, and then for one of so many. */
#define ENDS_READ 16u

/* No other task has it while this one lives. */
static uint64_t new_name(struct skip *skip)
{
  return LIMITED_SKIPPED | ((uint64_t)(uintptr_t)skip >> 12 << 26 & ~LIMITED_SKIPPED) | (++skip->tasks & 0x3ffffffu);
}

extension_unreported_tasks *limited_unreported_tasks;

/* Those before the next one that is recorded, the runtime need not report. */
static void lend(struct skip *skip, struct budget_row *row, const void *code)
{
  if (!limited_unreported_tasks || row->until < BUDGET_LOAN)
    return;
  if (!skip->unreported_tasks)
    skip->unreported_tasks = limited_unreported_tasks();
  if (skip->unreported_tasks)
    budget_lend(row, &skip->unreported_tasks[extension_unreported_at(code)]);
}

/* One that was left out by the runtime: it shows only some. */
static bool is_unreported(const ompt_data_t *task)
{
  return task && (task->value & EXTENSION_UNREPORTED_TASK) == EXTENSION_UNREPORTED_TASK;
}

/* The weight of a task that is created now; 0: it is left out. */
static uint32_t weigh(struct skip *skip, int flags, const void *code)
{
  if (!skip || (unsigned)flags & (ompt_task_initial | ompt_task_implicit))
    return 1;
  /* The record of a taskwait with dependences is its begin. */
  struct budget_row *row = (unsigned)flags & ompt_task_taskwait
                               ? NULL
                               : budget_row((uintptr_t)code & RAW_VALUE_MASK, BUDGET_TASKS, 0, RECORDS);
  bool may_be_taken = skip_top(skip)->mute != SKIP_ALL;
  if (!row)
    return may_be_taken;
  budget_take_back(row);
  if (!may_be_taken) {
    budget_leave_out(row);
    lend(skip, row, code);
    return 0;
  }
  uint32_t weight = budget_take(row);
  lend(skip, row, code);
  return weight;
}

void limited_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                         const void *code)
{
  struct skip *skip = skip_self();
  uint32_t weight = weigh(skip, flags, code);
  if (weight == 0) {
    task->value = new_name(skip);
    return;
  }
  skip = skip_now();
  if (skip)
    skip_note_up_to_now(skip);
  left_out_emit_weight(RAW_TASK_CREATE, weight);
  on_task_create(creator, frame, task, flags, dependences, code);
}

void limited_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n)
{
  /* Those of a doacross loop belong to the loop, those of a task to the task. */
  bool doacross = n > 0 && (dependences[0].dependence_type == ompt_dependence_type_source ||
                            dependences[0].dependence_type == ompt_dependence_type_sink);
  if (!doacross && limited_is_skipped(task))
    return;
  enum skip_mute now = skip_muted();
  if (now != SKIP_ALL && !(now != SKIP_NOTHING && doacross))
    on_dependences(task, dependences, n);
}

void limited_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
  if (!limited_is_skipped(source) && !limited_is_skipped(sink))
    on_task_dependence(source, sink);
}

/* A thread that waits in the last barrier of a skipped region executes tasks: that is not waiting. */
static void work_in_barrier(struct skip *skip, struct skip_frame *member, const ompt_data_t *prior,
                            const ompt_data_t *next)
{
  if (member->end != 0 && is_unreported(next))
    return; /* those between two that are shown count */
  uint64_t now = clock_ticks();
  if (limited_is_skipped(prior))
    skip_note(skip, member, now, 0);
  member->begin = now;
  member->end = is_unreported(prior) ? now : 0;
  member->untimed = false;
}

/* The thread goes from what is recorded to a task that is not. Where it waits it is not known how long that lasts. */
static void begin_left_out(struct skip *skip, const ompt_data_t *prior)
{
  struct skip_frame *tasks = skip_push(skip, SKIP_TASKS, 0);
  if (!tasks)
    return;
  tasks->id = id_of(prior);
  tasks->mute = SKIP_ALL_BUT_TASKS;
  if (skip->waits) {
    skip_this(skip, tasks, SKIP_ALL_BUT_TASKS, RAW_SKIPPED_TASKS);
    tasks->end = tasks->begin;
  }
}

/* The clock is not read at the end of each. */
static bool is_looked_at(struct skip_frame *tasks, const ompt_data_t *ended)
{
  return tasks->parts++ < ENDS_READ || tasks->parts % ENDS_READ == 0 || is_unreported(ended);
}

/* The thread goes from a task that is left out to another one. False: `next` is recorded, and not what it comes from.
 */
static bool go_on_left_out(struct skip_frame *tasks, const ompt_data_t *prior, const ompt_data_t *next)
{
  if (limited_is_skipped(prior) && tasks->skipped && is_looked_at(tasks, prior))
    tasks->end = clock_ticks();
  tasks->over = id_of(next) == tasks->id;
  return tasks->over || limited_is_skipped(next);
}

/* A recorded task begins or goes on where other things are left out. before: what the thread comes from. */
static void begin_recorded(struct skip *skip, uint64_t before)
{
  skip_note_up_to_now(skip);
  struct skip_frame *task = skip_push(skip, SKIP_TASK, 0);
  if (!task)
    return;
  task->mute = SKIP_NOTHING;
  task->id = before;
}

/* What the trace has as the thread's task, where the thread goes to a task that is left out. */
static uint64_t known_below(const struct skip *skip)
{
  for (uint32_t i = skip->depth; i-- > 0;)
    if ((skip->frames[i].kind == SKIP_TASK || skip->frames[i].kind == SKIP_TASKS) &&
        !(skip->frames[i].id & LIMITED_SKIPPED))
      return skip->frames[i].id;
  return RAW_ID_IMPLICIT;
}

/* The thread goes back to what it left for a recorded task. */
static void end_recorded(struct skip *skip)
{
  skip->depth--;
  skip_top(skip)->begin = clock_ticks();
}

static bool is_switch(ompt_task_status_t status)
{
  return status == ompt_task_complete || status == ompt_task_yield || status == ompt_task_switch;
}

/* Both tasks are recorded, or one of them is, and the thread is not among those that are left out. */
static void switch_task(struct skip *skip, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  struct skip_frame *top = skip_top(skip);
  bool back = top->kind == SKIP_TASK && next && next->value == top->id;
  if (limited_is_skipped(next)) {
    if (status == ompt_task_complete)
      on_task_schedule(prior, status, &(ompt_data_t){.value = known_below(skip)});
    if (back)
      end_recorded(skip);
    else
      begin_left_out(skip, prior);
    return;
  }
  if (top->mute != SKIP_NOTHING && next && next->value != RAW_ID_IMPLICIT)
    begin_recorded(skip, id_of(prior));
  on_task_schedule(prior, limited_is_skipped(prior) ? ompt_task_switch : status, next);
  if (back)
    end_recorded(skip);
  skip->waits = status == ompt_task_complete;
}

void limited_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  struct skip *skip = skip_self();
  if (!skip) {
    on_task_schedule(prior, status, next);
    return;
  }
  limited_take_back_chunks(skip);
  if (skip_top(skip)->kind == SKIP_TASKS && skip_top(skip)->over && limited_is_skipped(next)) {
    skip_top(skip)->over = false; /* one more of them */
    return;
  }
  struct skip_frame *top = skip_top(skip_now());
  if (top->mute == SKIP_ALL) {
    if (top->kind == SKIP_MEMBER && top->arrived)
      work_in_barrier(skip, top, prior, next);
    return;
  }
  if (!next || !is_switch(status)) { /* a task that need not be the thread's */
    if (!limited_is_skipped(prior) && !limited_is_skipped(next))
      on_task_schedule(prior, status, next);
    return;
  }
  if (top->kind == SKIP_TASKS && go_on_left_out(top, prior, next))
    return;
  if (top->kind != SKIP_TASKS && top->mute != SKIP_NOTHING && limited_is_skipped(next))
    return; /* all of that is left out already */
  switch_task(skip, prior, status, next);
}

void limited_cancel(ompt_data_t *task, int flags, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_cancel(task, flags, code);
}

void limited_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_masked(endpoint, parallel, task, code);
}

void limited_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                              ompt_data_t *task, const void *code)
{
  struct skip *skip = skip_now();
  if (skip)
    skip->waits = endpoint == ompt_scope_begin;
  if (!skip || skip_top(skip)->mute == SKIP_NOTHING)
    on_sync_region_wait(kind, endpoint, parallel, task, code);
}

void limited_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                       ompt_data_t *task, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_reduction(kind, endpoint, parallel, task, code);
}

void limited_flush(ompt_data_t *thread, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_flush(thread, code);
}

void limited_doacross_wait(const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_doacross_wait(code);
}
