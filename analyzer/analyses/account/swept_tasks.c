#include "analyzer/analyses/account/sweep_state.h"

static void settle_tasks(struct sweep *sweep, struct swept_tasks *tasks)
{
  if (tasks->made > tasks->begun && !tasks->depend)
    tasks->ready_ticks += sweep->now - tasks->since;
  tasks->since = sweep->now;
}

/* A task is made while no other is ready, and by a task that runs alone: its thread makes them for all. */
static void make(struct sweep *sweep, struct swept_tasks *tasks, const struct account_step *step)
{
  if (tasks->made <= tasks->begun && tasks->begun == tasks->done + 1) {
    tasks->making_ticks += sweep->now - tasks->none_since;
    tasks->made_at = step->region;
  }
  tasks->made += step->number;
  tasks->depend |= step->flags & ACT_DEPENDS;
}

void sweep_count_tasks(struct sweep *sweep, const struct account_step *step)
{
  if (step->team == TRACE_NONE)
    return;
  struct swept_tasks *tasks = &sweep->teams[step->team].tasks;
  settle_tasks(sweep, tasks);
  switch (step->kind) {
  case ACT_TASK_MADE:
    make(sweep, tasks, step);
    break;
  case ACT_TASK_BEGIN:
    tasks->begun += step->number;
    break;
  default:
    tasks->done += step->number;
    break;
  }
  if (tasks->done >= tasks->made) /* also where instances are omitted, and counts differ */
    *tasks = (struct swept_tasks){.since = sweep->now,
                                  .ready_ticks = tasks->ready_ticks,
                                  .making_ticks = tasks->making_ticks,
                                  .made_at = tasks->made_at};
  if (tasks->made <= tasks->begun)
    tasks->none_since = sweep->now;
}

void sweep_settle_task_wait(struct sweep *sweep, struct open_wait *wait, bool waits)
{
  if (wait->team == TRACE_NONE || (wait->waits != FOR_TASKS && wait->waits != FOR_MEETING))
    return;
  struct swept_tasks *tasks = &sweep->teams[wait->team].tasks;
  settle_tasks(sweep, tasks);
  wait->ready += waits ? tasks->ready_ticks - wait->ready_at : 0;
  wait->making += waits ? tasks->making_ticks - wait->making_at : 0;
  wait->ready_at = tasks->ready_ticks;
  wait->making_at = tasks->making_ticks;
}

/* The part of `ticks` that `of` is of `whole`. */
static uint64_t task_part(uint64_t ticks, uint64_t of, uint64_t whole)
{
  return of >= whole ? (of ? ticks : 0) : (uint64_t)((unsigned __int128)ticks * of / whole);
}

void sweep_mix_of_tasks(struct sweep *sweep, const struct open_wait *wait, uint64_t ticks, struct mix *mix)
{
  uint64_t waited = wait->pending - wait->pending_at;
  uint64_t ready = task_part(ticks, wait->ready, waited), making = task_part(ticks, wait->making, waited);
  uint32_t place = wait->team == TRACE_NONE ? TRACE_NONE : sweep->teams[wait->team].tasks.made_at;
  making = making < ticks - ready ? making : ticks - ready;
  if (ready > 0)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_RUNTIME, NOTE_TASKS, wait->region), ready);
  if (making > 0)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_SERIAL, NOTE_NONE, place), making);
  if (ticks - ready - making > 0 || ticks == 0)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_TASKS, NOTE_NONE, wait->region),
            ticks == 0 ? 1 : ticks - ready - making);
}
