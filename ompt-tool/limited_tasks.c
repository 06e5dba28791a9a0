/* Tasks, and what is recorded or left out with the construct that it is in. */
#include "ompt-tool/limited.h"

#include "ompt-tool/skip.h"

/* Something is recorded inside of what is not: the time up to now comes before it. */
static void note_up_to_now(void)
{
  struct skip *skip = skip_self();
  skip_note(skip, skip_top(skip), clock_ticks(), 0);
}

void limited_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                         const void *code)
{
  bool explicit = !((unsigned)flags & (ompt_task_initial | ompt_task_implicit));
  enum skip_mute now = explicit ? skip_muted() : SKIP_NOTHING;
  if (now == SKIP_ALL) {
    task->value = LIMITED_SKIPPED;
    return;
  }
  if (now != SKIP_NOTHING)
    note_up_to_now();
  on_task_create(creator, frame, task, flags, dependences, code);
}

void limited_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n)
{
  /* Those of a doacross loop belong to the loop, those of a task to the task. */
  bool doacross = n > 0 && (dependences[0].dependence_type == ompt_dependence_type_source ||
                            dependences[0].dependence_type == ompt_dependence_type_sink);
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
static void work_in_barrier(struct skip *skip, struct skip_frame *member, const ompt_data_t *prior)
{
  uint64_t now = clock_ticks();
  if (limited_is_skipped(prior))
    skip_note(skip, member, now, 0);
  member->begin = now;
}

/* A task begins or goes on where all but tasks is left out. */
static void begin_task(struct skip *skip, const ompt_data_t *prior, const ompt_data_t *next)
{
  if (!next || next->value == RAW_ID_IMPLICIT)
    return;
  note_up_to_now();
  struct skip_frame *task = skip_push(skip, SKIP_TASK, 0);
  if (!task)
    return;
  task->mute = SKIP_NOTHING;
  task->id = id_of(prior);
}

/* The thread goes back to what it left for tasks. */
static void end_task(struct skip *skip, const ompt_data_t *next)
{
  if (!next || next->value != skip_top(skip)->id)
    return;
  skip->depth--;
  skip_top(skip)->begin = clock_ticks();
}

void limited_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
  struct skip *skip = skip_now();
  struct skip_frame *top = skip ? skip_top(skip) : NULL;
  if (top && top->mute == SKIP_ALL) {
    if (top->kind == SKIP_MEMBER && top->arrived)
      work_in_barrier(skip, top, prior);
    return;
  }
  if (limited_is_skipped(prior) || limited_is_skipped(next))
    return;
  if (top && top->mute != SKIP_NOTHING)
    begin_task(skip, prior, next);
  on_task_schedule(prior, status, next);
  if (top && top->kind == SKIP_TASK)
    end_task(skip, next);
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
  if (skip_muted() == SKIP_NOTHING)
    on_sync_region_wait(kind, endpoint, parallel, task, code);
}

void limited_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                       ompt_data_t *task, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_reduction(kind, endpoint, parallel, task, code);
}

void limited_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_mutex_acquire(kind, hint, impl, wait, code);
}

void limited_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_mutex_acquired(kind, wait, code);
}

void limited_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_mutex_released(kind, wait, code);
}

void limited_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_lock_init(kind, hint, impl, wait, code);
}

void limited_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_lock_destroy(kind, wait, code);
}

void limited_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code)
{
  if (skip_muted() == SKIP_NOTHING)
    on_nest_lock(endpoint, wait, code);
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
