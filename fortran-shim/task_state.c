#include "fortran-shim/task_state.h"

#include "fortran-shim/runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

uint64_t unique_id(void)
{
  /* A block of numbers a thread, so that threads that make many tasks don't share a counter. */
  enum { BLOCK = 1024 };
  static atomic_uint_fast64_t blocks = 1;
  static __thread uint64_t next __attribute__((tls_model("initial-exec")));
  if (next % BLOCK == 0)
    next = atomic_fetch_add(&blocks, 1) * BLOCK;
  return next++;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct task *all_free; /* left by threads that ended */

void task_memory_in_child(void)
{
  pthread_mutex_init(&lock, NULL);
  all_free = NULL;
}

struct task *task_new(struct task *parent, int flags)
{
  struct task *task = self.free_tasks;
  if (task) {
    self.free_tasks = task->next_free;
  } else {
    pthread_mutex_lock(&lock);
    task = all_free;
    if (task)
      all_free = task->next_free;
    pthread_mutex_unlock(&lock);
    if (!task)
      task = malloc(sizeof *task);
  }
  if (task)
    *task = (struct task){
        .team = parent->team, .parent = parent, .parent_id = parent->id, .id = unique_id(), .flags = flags};
  return task;
}

void task_free(struct task *task)
{
  task->id = 0;
  task->next_free = self.free_tasks;
  self.free_tasks = task;
}

void task_memory_give_back(void)
{
  struct task *first = self.free_tasks, *last = first;
  if (!first)
    return;
  self.free_tasks = NULL;
  while (last->next_free)
    last = last->next_free;
  pthread_mutex_lock(&lock);
  last->next_free = all_free;
  all_free = first;
  pthread_mutex_unlock(&lock);
}

void work_begin(struct task *task, ompt_work_t kind, uint64_t count, int64_t step, bool open_ended, const void *code)
{
  work_end_open_ended(task, code);
  task->work = (struct work){.kind = kind, .open_ended = open_ended, .count = count, .step = step};
  REPORT(work, kind, ompt_scope_begin, data_of(task->team), &task->data, count, code);
}

void work_end(struct task *task, const void *code)
{
  ompt_work_t kind = task->work.kind;
  task->work.kind = 0;
  task->work.open_ended = false;
  if (kind)
    REPORT(work, kind, ompt_scope_end, data_of(task->team), &task->data, 0, code);
}

void masked_begin(struct task *task, const void *code)
{
  if (task->work.kind != ompt_work_scope) /* where masked may be inside */
    work_end_open_ended(task, code);
  task->masked = true;
  REPORT(masked, ompt_scope_begin, data_of(task->team), &task->data, code);
}

void masked_end(struct task *task, const void *code)
{
  if (task->masked)
    REPORT(masked, ompt_scope_end, data_of(task->team), &task->data, code);
  task->masked = false;
}

ompt_work_t loop_kind(long schedule)
{
  int kind = (int)(schedule & 0xff), chunk;
  if (kind == GOMP_SCHEDULE_RUNTIME)
    gomp.omp_get_schedule(&kind, &chunk);
  switch (kind & 0xff) {
  case GOMP_SCHEDULE_STATIC:
    return ompt_work_loop_static;
  case GOMP_SCHEDULE_DYNAMIC:
    return ompt_work_loop_dynamic;
  case GOMP_SCHEDULE_GUIDED:
    return ompt_work_loop_guided;
  default:
    return ompt_work_loop_other; /* auto */
  }
}

static uint64_t steps(uint64_t distance, uint64_t step)
{
  return step ? distance / step + (distance % step != 0) : 0;
}

uint64_t loop_count(long start, long end, long step)
{
  if (step > 0)
    return start < end ? steps((uint64_t)end - (uint64_t)start, (uint64_t)step) : 0;
  return start > end ? steps((uint64_t)start - (uint64_t)end, -(uint64_t)step) : 0;
}

uint64_t loop_count_ull(bool up, gomp_ull start, gomp_ull end, gomp_ull step)
{
  if (up)
    return start < end ? steps(end - start, step) : 0;
  return start > end ? steps(start - end, -step) : 0;
}

#define LAST_BARRIER ompt_sync_region_barrier_implicit_parallel

void implicit_task_begin(struct task *task, struct team *team, unsigned index)
{
  *task = (struct task){.team = team,
                        .parent = team->parent,
                        .parent_id = team->parent->id,
                        .id = unique_id(),
                        .flags = ompt_task_implicit,
                        .index = index};
  self.task = task;
  self.state = ompt_state_work_parallel;
  self.at_once = 0;
  REPORT(implicit_task, ompt_scope_begin, &team->data, &task->data, team->size, index, ompt_task_implicit);
  if (team->combined) {
    self.outlined = team->fn;
    work_begin(task, team->combined, team->count, team->step, false, team->code);
    self.outlined = NULL;
  }
}

void implicit_task_arrive(struct task *task)
{
  if (task->work.kind)
    work_end(task, NULL);
  task->frame.exit_frame.ptr = NULL;
  if (task->team->size > 1)
    sync_begin(task, LAST_BARRIER, NULL);
  wait_for_tasks(); /* a team of one, too, may have deferred some */
}

void implicit_task_end(struct task *task, bool waited)
{
  tasks_ran((struct running){task, true});
  if (waited) {
    const void *code = task->index == 0 ? task->team->code : NULL; /* the others' end comes late */
    REPORT(sync_region_wait, LAST_BARRIER, ompt_scope_end, NULL, &task->data, code);
    REPORT(sync_region, LAST_BARRIER, ompt_scope_end, NULL, &task->data, NULL);
  }
  REPORT(implicit_task, ompt_scope_end, NULL, &task->data, 0, task->index, ompt_task_implicit);
}

void implicit_task_leave_region(void)
{
  if (!self.leaving)
    return;
  self.leaving = false;
  implicit_task_end(&self.implicit, true);
  self.task = NULL;
}
