/*
 * Explicit tasks, also tasks that are not reported (omitted_task.h). A task's function gets a block of data that
 * libgomp copies when the task is made. libgomp calls our function. A header in front of that block leads from it to
 * the program's function and to what the tool keeps of the task. libgomp writes the event of a task with detach into
 * the block's first word: the header's.
 */
#include "fortran-shim/gomp_task.h"

#include "fortran-shim/omitted.h"

#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct header {
  void *event; /* of one that is not reported: not NULL once it began */
  void (*fn)(void *);
  struct task *task; /* NULL: it is not reported */
  void *argument;    /* the program's data where they were not copied; else NULL: they are at `offset` */
  size_t offset;
};

/* Argument of copy_task, for a task whose data the program must copy itself, or whose event must be known early. */
struct source {
  struct header header;
  void *data;
  void (*copy)(void *, void *);
  size_t size;
  bool detached;
};

/* A task with detach that was not fulfilled, or not finished, yet. */
struct detached {
  struct detached *next;
  struct task *task;
  uintptr_t event;
  bool finished, fulfilled;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct detached *all_detached;

/* Locks that threads of the parent's held are nobody's in a fork's child. */
static void in_child(void)
{
  pthread_mutex_init(&lock, NULL);
  all_detached = NULL;
}

__attribute__((constructor)) static void watch_forks(void)
{
  pthread_atfork(NULL, NULL, in_child);
}

int task_flags(struct task *parent, unsigned flags, bool may_defer)
{
  bool in_final = parent->flags & (int)ompt_task_final;
  unsigned bits = ompt_task_explicit | (flags & GOMP_TASK_UNTIED ? ompt_task_untied : 0u) |
                  (flags & GOMP_TASK_MERGEABLE ? ompt_task_mergeable : 0u) |
                  (in_final || flags & GOMP_TASK_FINAL ? ompt_task_final : 0u) |
                  (in_final || !may_defer ? ompt_task_undeferred : 0u);
  return (int)bits;
}

static unsigned read_dependences(void **depend, ompt_dependence_t *out, unsigned room)
{
  bool old = depend[0] != NULL;
  uintptr_t n = (uintptr_t)(old ? depend[0] : depend[1]), outs = (uintptr_t)(old ? depend[1] : depend[2]);
  uintptr_t mutexes = old ? 0 : (uintptr_t)depend[3], plain = old ? n : outs + mutexes + (uintptr_t)depend[4];
  void **address = depend + (old ? 2 : 5);
  unsigned kept = 0;
  for (uintptr_t i = 0; i < n && kept < room; i++, kept++) {
    if (i < plain) { /* out and inout are one to libgomp */
      out[kept].variable.ptr = address[i];
      out[kept].dependence_type = i < outs             ? ompt_dependence_type_inout
                                  : i < outs + mutexes ? ompt_dependence_type_mutexinoutset
                                                       : ompt_dependence_type_in;
    } else { /* an omp_depend_t: address and kind */
      void **object = address[i];
      uintptr_t kind = (uintptr_t)object[1];
      out[kept].variable.ptr = object[0];
      out[kept].dependence_type = kind == 5 ? ompt_dependence_type_inoutset : (ompt_dependence_type_t)kind;
    }
  }
  return kept;
}

/* Not part of GOMP_task's own frame, which stays on the stack while a task runs that is not deferred. */
__attribute__((noinline)) static void report_dependences(struct task *task, void **depend)
{
  enum { MOST = 64 };
  if (!IS_REPORTED(dependences) || !depend)
    return;
  uintptr_t n = (uintptr_t)(depend[0] ? depend[0] : depend[1]);
  ompt_dependence_t *many = n > MOST ? malloc(n * sizeof *many) : NULL;
  unsigned room = many || n < MOST ? (unsigned)n : MOST;
  ompt_dependence_t *all = many ? many : alloca(room * sizeof *all);
  REPORT(dependences, &task->data, all, (int)read_dependences(depend, all, room));
  free(many);
}

bool cancellation_is_possible(void)
{
  static atomic_int possible; /* 0: unknown yet; it never changes in a process */
  int state = atomic_load_explicit(&possible, memory_order_relaxed);
  if (__builtin_expect(state == 0, 0)) {
    state = gomp.omp_get_cancellation() ? 1 : -1;
    atomic_store_explicit(&possible, state, memory_order_relaxed);
  }
  return state > 0;
}

bool task_is_refused(void)
{
  /* Outside of all regions nothing can be cancelled, and libgomp must not be asked: it may have no task there yet. */
  return cancellation_is_possible() && current_task()->team->primary &&
         gomp.GOMP_cancellation_point(GOMP_CANCEL_TASKGROUP);
}

static void detached_add(struct task *task, void *event)
{
  struct detached *detached = calloc(1, sizeof *detached);
  if (!detached)
    return; /* its fulfilment is not reported */
  detached->task = task;
  detached->event = (uintptr_t)event;
  task->detached = detached;
  pthread_mutex_lock(&lock);
  detached->next = all_detached;
  all_detached = detached;
  pthread_mutex_unlock(&lock);
}

static void detached_remove(struct detached *detached)
{
  struct detached **link = &all_detached;
  while (*link != detached)
    link = &(*link)->next;
  *link = detached->next;
  free(detached);
}

/* The program's part has ended: the task is complete, or waits for its event. */
static ompt_task_status_t finish_detached(struct task *task)
{
  pthread_mutex_lock(&lock);
  struct detached *detached = task->detached;
  bool fulfilled = detached->fulfilled;
  detached->finished = true;
  if (fulfilled)
    detached_remove(detached);
  pthread_mutex_unlock(&lock);
  return fulfilled ? ompt_task_complete : ompt_task_detach;
}

void task_run(struct task *task, void (*fn)(void *), void *argument, const ompt_dispatch_chunk_t *chunk)
{
  if (!self.known)
    thread_begin(ompt_thread_initial);
  struct task *before = self.task;
  bool settled = self.settled;
  int state = self.state;
  REPORT(task_schedule, &before->data, ompt_task_switch, &task->data);
  task->index = before->index;
  task->frame.exit_frame.ptr = FRAME;
  self.task = task;
  self.settled = true;
  self.state = ompt_state_work_parallel;
  if (chunk && IS_REPORTED(dispatch)) {
    ompt_data_t instance = {.ptr = (void *)(uintptr_t)chunk};
    REPORT(dispatch, data_of(task->team), &task->data, ompt_dispatch_taskloop_chunk, instance);
  }
  fn(argument);
  self.task = before;
  self.settled = settled;
  self.state = state;
  ompt_task_status_t status = task->detached ? finish_detached(task) : ompt_task_complete;
  bool over = status == ompt_task_complete;
  REPORT(task_schedule, &task->data, over && task->cancelled ? ompt_task_cancel : status, &before->data);
  if (over)
    task_free(task);
}

/* In a wait the tool learns of some tasks, so that it knows how long the thread did not only wait. */
static bool is_shown(void)
{
  enum { FIRST = 16, ONE_OF = 16 };
  self.shown++;
  return self.shown <= FIRST || self.shown % ONE_OF == 0;
}

void task_run_omitted(void (*fn)(void *), void *argument)
{
  if (!self.known)
    thread_begin(ompt_thread_initial);
  int state = self.state;
  struct running before = tasks_may_run();
  bool waits = state >= ompt_state_wait_barrier;
  if (waits && is_shown())
    omitted_task_begin();
  self.state = ompt_state_work_parallel;
  fn(argument);
  self.state = state;
  tasks_ran(before);
}

/* Runs as libgomp's task. */
static void run_task(void *block)
{
  struct header *header = block;
  void *argument = header->argument ? header->argument : (char *)block + header->offset;
  if (!header->task) {
    header->event = header;
    task_run_omitted(header->fn, argument);
    return;
  }
  if (header->task->detached)
    *(void **)argument = header->event;
  task_run(header->task, header->fn, argument, NULL);
}

static void copy_task(void *block, void *from)
{
  struct source *source = from;
  void *argument = (char *)block + source->header.offset;
  *(struct header *)block = source->header;
  if (source->detached && source->data)
    *(void **)source->data = source->header.event;
  if (source->copy)
    source->copy(argument, source->data);
  else if (source->size > 0) /* else data may be NULL */
    memcpy(argument, source->data, source->size);
  if (source->detached)
    detached_add(source->header.task, source->header.event);
}

/* Arguments that GOMP_task passes to libgomp unchanged. */
struct options {
  void **depend, *detach;
  int priority;
  unsigned flags;
  bool may_defer;
};

/*
 * Has libgomp make a task of run_task and a block with the header, which has no offset yet. Returns whether it began in
 * the call, if it is one that is not reported.
 */
static bool create(struct source *source, long alignment, const struct options *o)
{
  struct header *header = &source->header;
  size_t align = alignment > (long)_Alignof(struct header) ? (size_t)alignment : _Alignof(struct header);
  header->offset = (sizeof *header + align - 1) & ~(align - 1);
  size_t whole = header->offset + source->size;
  struct running before = tasks_may_run();
  if (source->copy || source->detached || whole > TASK_BLOCK_ON_STACK) {
    gomp.GOMP_task(run_task, source, copy_task, (long)whole, (long)align, o->may_defer, o->flags, o->depend,
                   o->priority, o->detach);
  } else if (header->task && header->task->flags & (int)ompt_task_undeferred) {
    header->argument = source->data; /* runs in this call: nothing need be copied */
    gomp.GOMP_task(run_task, header, NULL, sizeof *header, (long)align, o->may_defer, o->flags, o->depend, o->priority,
                   o->detach);
  } else {
    /* Not through copy_task: libgomp would no longer drop the task when its taskgroup is cancelled. */
    char *block = alloca(whole);
    memcpy(block, header, sizeof *header);
    if (source->size > 0) /* else data may be NULL */
      memcpy(block + header->offset, source->data, source->size);
    header = (struct header *)block;
    gomp.GOMP_task(run_task, block, NULL, (long)whole, (long)align, o->may_defer, o->flags, o->depend, o->priority,
                   o->detach);
  }
  tasks_ran(before);
  return header->event != NULL;
}

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, bool may_defer,
               unsigned flags, void **depend, int priority, void *detach)
{
  if (!provider_is_on()) {
    gomp.GOMP_task(fn, data, copy, size, alignment, may_defer, flags, depend, priority, detach);
    return;
  }
  struct extension_unreported *place = omitted_task_at(CALLER, flags);
  struct task *parent = NULL, *task = NULL;
  if (!place) {
    parent = task_is_refused() ? NULL : current_task();
    task = parent ? task_new(parent, task_flags(parent, flags, may_defer)) : NULL;
  }
  if (place ? omitted_task_passes(place, may_defer) : !task) {
    struct running before = tasks_may_run();
    gomp.GOMP_task(fn, data, copy, size, alignment, may_defer, flags, depend, priority, detach);
    tasks_ran(before);
    return;
  }
  struct source source = {.header = {.fn = fn, .task = task},
                          .data = data,
                          .copy = copy,
                          .size = (size_t)size,
                          .detached = flags & GOMP_TASK_DETACH};
  struct options options = {depend, detach, priority, flags, may_defer};
  if (!task) {
    omitted_task_was_run(create(&source, alignment, &options));
    return;
  }
  REPORT_OUTLINED(fn, task_create, &parent->data, &parent->frame, &task->data, task->flags,
                  flags & GOMP_TASK_DEPEND ? 1 : 0, CALLER);
  if (flags & GOMP_TASK_DEPEND)
    report_dependences(task, depend);
  frame_enter(parent, FRAME);
  create(&source, alignment, &options);
  frame_leave(parent);
}

static void fulfill(uintptr_t event)
{
  pthread_mutex_lock(&lock);
  struct detached *detached = all_detached;
  while (detached && detached->event != event)
    detached = detached->next;
  struct task *task = detached ? detached->task : NULL;
  bool finished = detached && detached->finished;
  if (finished)
    detached_remove(detached);
  else if (detached)
    detached->fulfilled = true;
  /* Under the lock, so that the task does not end, and its memory is not reused, before this is reported. */
  if (task)
    REPORT(task_schedule, &task->data, finished ? ompt_task_late_fulfill : ompt_task_early_fulfill, NULL);
  pthread_mutex_unlock(&lock);
  if (finished)
    task_free(task);
}

void omp_fulfill_event(uintptr_t event)
{
  if (provider_is_on())
    fulfill(event);
  gomp.omp_fulfill_event(event);
}

void omp_fulfill_event_(uintptr_t event)
{
  if (provider_is_on())
    fulfill(event);
  gomp.omp_fulfill_event_(event);
}

void GOMP_taskwait(void)
{
  if (!provider_is_on() || is_in_omitted_task()) {
    gomp.GOMP_taskwait();
    return;
  }
  struct task *task = current_task();
  frame_enter(task, FRAME);
  int before = sync_begin(task, ompt_sync_region_taskwait, CALLER);
  gomp.GOMP_taskwait();
  sync_end(task, ompt_sync_region_taskwait, before, CALLER);
  frame_leave(task);
}

/* With dependences a taskwait is a task of its own, which nothing runs. */
void GOMP_taskwait_depend(void **depend)
{
  struct task *parent = provider_is_on() && !task_is_refused() ? current_task() : NULL;
  const int flags = (int)(ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable);
  struct task *task = parent ? task_new(parent, flags) : NULL;
  if (!task) {
    gomp.GOMP_taskwait_depend(depend);
    return;
  }
  REPORT(task_create, &parent->data, &parent->frame, &task->data, flags, 1, CALLER);
  report_dependences(task, depend);
  frame_enter(parent, FRAME);
  int before = self.state;
  self.state = wait_state(ompt_sync_region_taskwait);
  struct running running = tasks_may_run();
  gomp.GOMP_taskwait_depend(depend);
  tasks_ran(running);
  self.state = before;
  frame_leave(parent);
  REPORT(task_schedule, &task->data, ompt_taskwait_complete, NULL);
  task_free(task);
}

void GOMP_taskgroup_start(void)
{
  bool on = provider_is_on();
  gomp.GOMP_taskgroup_start();
  if (!on || is_in_omitted_task())
    return;
  struct task *task = current_task();
  REPORT(sync_region, ompt_sync_region_taskgroup, ompt_scope_begin, data_of(task->team), &task->data, CALLER);
}

void taskgroup_wait_begin(struct task *task, const void *code)
{
  REPORT(sync_region_wait, ompt_sync_region_taskgroup, ompt_scope_begin, data_of(task->team), &task->data, code);
  self.state = wait_state(ompt_sync_region_taskgroup);
  wait_for_tasks();
}

void GOMP_taskgroup_end(void)
{
  if (!provider_is_on() || is_in_omitted_task()) {
    gomp.GOMP_taskgroup_end();
    return;
  }
  struct task *task = current_task();
  frame_enter(task, FRAME);
  int before = self.state;
  taskgroup_wait_begin(task, CALLER);
  gomp.GOMP_taskgroup_end();
  sync_end(task, ompt_sync_region_taskgroup, before, CALLER);
  frame_leave(task);
}
