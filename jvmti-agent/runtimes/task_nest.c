#include "jvmti-agent/runtimes/task_nest.h"

#include "common/recorder/recorder.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/sites.h"

#include <stdlib.h>

/* OMPT's numbers. */
enum { TASK_COMPLETE = 1, TASK_SWITCH = 7 };

/* On the heap: a library that a process loads later has little room for variables of threads. */
static __thread struct task_nest *task_nest_self __attribute__((tls_model("initial-exec")));

struct task_nest *task_nest(const struct hook *hook)
{
  if (thread_self.mounted || thread_stack_ends(hook))
    return NULL;
  if (!task_nest_self)
    task_nest_self = calloc(1, sizeof *task_nest_self);
  if (task_nest_self && task_nest_self->works &&
      task_nest_self->round != sites_round(task_nest_self->worked)) { /* its end had no hook */
    task_nest_self->works = false;
    task_nest_self->depth = 0;
  }
  return task_nest_self;
}

void task_nest_thread_end(void)
{
  free(task_nest_self);
  task_nest_self = NULL;
}

bool task_nest_enter(struct task_nest *nest, uint64_t id, uint64_t code)
{
  if (nest->depth++ >= NESTING)
    return false;
  nest->tasks[nest->depth - 1] = id;
  nest->codes[nest->depth - 1] = code;
  nest->waits[nest->depth] = 0;
  nest->runs[nest->depth] = 0;
  nest->objects[nest->depth - 1] = (struct task_object){0};
  return true;
}

static struct task_object *task_nest_innermost(struct task_nest *nest)
{
  return nest->depth > 0 && nest->depth <= NESTING ? &nest->objects[nest->depth - 1] : NULL;
}

bool task_nest_goes_up(struct task_nest *nest, const struct site *site, uint32_t hash)
{
  struct task_object *in = task_nest_innermost(nest);
  bool goes_up = in && in->site && in->site != site && in->hash == hash;
  if (goes_up)
    in->above++;
  return goes_up;
}

bool task_nest_comes_down(struct task_nest *nest, const struct site *site)
{
  struct task_object *in = task_nest_innermost(nest);
  bool comes_down = in && in->above > 0 && in->site != site;
  if (comes_down)
    in->above--;
  return comes_down;
}

uint64_t task_nest_code(const struct task_nest *nest)
{
  return nest->depth > 0 && nest->depth <= NESTING ? nest->codes[nest->depth - 1] : 0;
}

void task_nest_begin(uint64_t id)
{
  recorder_emit(RAW_TASK_SWITCH, TASK_SWITCH, id);
}

void task_nest_leave(struct task_nest *nest)
{
  if (nest->depth == 0 || --nest->depth >= NESTING)
    return;
  recorder_emit(RAW_TASK_SWITCH, TASK_COMPLETE, nest->depth > 0 ? nest->tasks[nest->depth - 1] : RAW_ID_IMPLICIT);
}
