/*
 * State of the calling thread, its task and its team, and macros that report events to the tool. All wrappers of
 * libgomp's functions use it.
 *
 * Everything here is the calling thread's, except struct team, which its members read. Addresses of ompt_data_t words
 * stay the same as long as their thread, task or team exists.
 */
#ifndef HEDDLE_FORTRAN_SHIM_STATE_H
#define HEDDLE_FORTRAN_SHIM_STATE_H

#include "common/recorder/ompt_extension.h"

#include <omp-tools.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A parallel region or a league of teams. */
struct team {
  void *first_word; /* where libgomp looks for the reductions of GOMP_parallel_reductions */
  ompt_data_t data;
  struct task *parent;  /* the task that encountered the construct */
  struct task *primary; /* the implicit task of the thread that did */
  atomic_uint size;     /* each member sets it to the same */
  void (*fn)(void *);
  void *argument;
  const void *code;
  ompt_work_t combined; /* the work-sharing construct that begins with the region; 0: none */
  uint64_t count;       /* iterations or sections of it */
  int64_t step;
};

/* The work-sharing construct that an implicit task is in. */
struct work {
  ompt_work_t kind; /* 0: in none */
  unsigned levels;  /* of a doacross loop */
  uint64_t count;   /* iterations or sections, as reported */
  int64_t step;     /* of a loop */
  bool open_ended;  /* the compiler calls nothing at its end: it ends at the next call that can't be inside it */
  bool down;        /* an unsigned loop that counts down */
};

struct task {
  ompt_data_t data;
  struct team *team;
  struct task *parent; /* that created it, or that met its region */
  struct task *next_free;
  uint64_t id, parent_id; /* a task's memory is used again: the parent lives while it has this id */
  ompt_frame_t frame;
  int flags;      /* ompt_task_flag_t */
  unsigned index; /* thread number in the team */
  struct work work;
  bool cancelled;            /* an explicit task that met a cancel */
  bool masked;               /* in a masked region that has an end of its own */
  bool copying;              /* between the two barriers of a single with copyprivate */
  bool omitted;              /* the tool does not know it (omitted_task.h) */
  struct detached *detached; /* its event, of a task with detach */
};

struct thread {
  bool settled; /* `task` is what it executes: it is known, and libgomp does not run tasks on it now */
  bool known;   /* its begin was reported to the tool */
  bool leaving; /* it is in the last barrier of a region; its departure is reported when the thread next calls in */
  int state;    /* ompt_state_t */
  ompt_wait_id_t wait;
  ompt_data_t data;
  struct task *task;    /* what it executes, as far as the tool knows */
  struct task implicit; /* its task in the regions in which it is a worker, or the initial task */
  struct team initial;  /* the region around the initial task */
  struct task *free_tasks;
  const char *num_threads_call; /* where it last asked for the number of threads */
  void (*outlined)(void *);     /* in a callback: what was outlined from its construct; else NULL */
  struct taskloop *making;      /* the taskloop whose tasks it makes now */
  /* For tasks that are not reported. */
  uint32_t shown;   /* executed in this wait */
  uint32_t at_once; /* created one after the other that libgomp ran in the call */
};

extern __thread struct thread self __attribute__((tls_model("initial-exec")));

/* The tool's callbacks; NULL: not wanted. */
struct callbacks {
#define CALLBACK(event, type, answer) type event;
#include "fortran-shim/callbacks.def"
#undef CALLBACK
};
extern struct callbacks tool;

/* The tool's callback beyond OMPT; NULL: none. */
extern extension_doacross_wait *tool_doacross_wait;

/* Reports an event to the tool, if it has a callback, which it may take away meanwhile. */
#define REPORT(event, ...)                                                                                             \
  do {                                                                                                                 \
    __typeof__(tool.event) report_ = __atomic_load_n(&tool.event, __ATOMIC_RELAXED);                                   \
    if (report_)                                                                                                       \
      report_(__VA_ARGS__);                                                                                            \
  } while (0)
/* True if the tool has a callback for the event; REPORT may find that it no longer has. */
#define IS_REPORTED(event) (__atomic_load_n(&tool.event, __ATOMIC_RELAXED) != NULL)

/* The same for a construct from which the compiler outlined a function. */
#define REPORT_OUTLINED(function, event, ...)                                                                          \
  do {                                                                                                                 \
    self.outlined = (function);                                                                                        \
    REPORT(event, __VA_ARGS__);                                                                                        \
    self.outlined = NULL;                                                                                              \
  } while (0)

/* libgomp has mutexes of one kind: libgomp_mutex_impl_futex. */
enum { MUTEX_IMPLEMENTATION = 1 };

/* The return address of a wrapper: where the program called. */
#define CALLER __builtin_return_address(0)
#define FRAME  __builtin_frame_address(0)

enum provider_state { PROVIDER_UNKNOWN, PROVIDER_OFF, PROVIDER_ON };
extern atomic_int provider_state;

static inline ompt_data_t *data_of(struct team *team)
{
  return team ? &team->data : NULL;
}

/* Returns the state of a thread that waits there. */
static inline ompt_state_t wait_state(ompt_sync_region_t kind)
{
  switch ((int)kind) {
  case ompt_sync_region_barrier_implicit_parallel:
    return ompt_state_wait_barrier_implicit_parallel;
  case ompt_sync_region_barrier_implicit_workshare:
    return ompt_state_wait_barrier_implicit_workshare;
  case ompt_sync_region_barrier_explicit:
    return ompt_state_wait_barrier_explicit;
  case ompt_sync_region_barrier_implementation:
    return ompt_state_wait_barrier_implementation;
  case ompt_sync_region_taskwait:
    return ompt_state_wait_taskwait;
  case ompt_sync_region_taskgroup:
    return ompt_state_wait_taskgroup;
  default:
    return ompt_state_wait_barrier;
  }
}

/* The thread's task as it was before a call of libgomp's in which libgomp may run tasks. */
struct running {
  struct task *task;
  bool settled;
};

/* Reports the end of omitted tasks that libgomp ran and that were reported late (omitted.h). */
void omitted_tasks_end(struct task *before);

/* Around a call in which libgomp may run tasks. */
static inline struct running tasks_may_run(void)
{
  struct running before = {self.task, self.settled};
  self.settled = false;
  return before;
}

static inline void tasks_ran(struct running before)
{
  if (__builtin_expect(self.task != before.task, 0))
    omitted_tasks_end(before.task);
  self.settled = before.settled;
}

/* The same where the thread waits until libgomp has no more of them. */
static inline void wait_for_tasks(void)
{
  self.settled = false;
  self.shown = self.at_once = 0;
}

/* A barrier, a taskwait or a taskgroup's end: the region and the waiting in it. The state before, for sync_end. */
static inline int sync_begin(struct task *task, ompt_sync_region_t kind, const void *code)
{
  int before = self.state;
  REPORT(sync_region, kind, ompt_scope_begin, data_of(task->team), &task->data, code);
  REPORT(sync_region_wait, kind, ompt_scope_begin, data_of(task->team), &task->data, code);
  self.state = wait_state(kind);
  wait_for_tasks();
  return before;
}

static inline void sync_end(struct task *task, ompt_sync_region_t kind, int before, const void *code)
{
  tasks_ran((struct running){task, true});
  self.state = before;
  REPORT(sync_region_wait, kind, ompt_scope_end, data_of(task->team), &task->data, code);
  REPORT(sync_region, kind, ompt_scope_end, data_of(task->team), &task->data, code);
}

/* Marks for the tool's stack walks where the program's frames end and the runtime's begin. */
static inline void frame_enter(struct task *task, void *frame)
{
  task->frame.enter_frame.ptr = frame;
}

static inline void frame_leave(struct task *task)
{
  task->frame.enter_frame.ptr = NULL;
}

#pragma GCC visibility pop

#endif
