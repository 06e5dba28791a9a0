/*
 * Tasks that the tool does not want to be told of (ompt_extension.h).
 *
 * One that libgomp runs in the call that creates it goes to libgomp as it is. This is known of some; and of others
 * likely, because the last ones were run so, which one of several that are wrapped shows. The rest is wrapped like the
 * tasks that are reported, so that those executed by a thread that waits are seen.
 *
 * While such a task runs, self.settled is false. What its program calls finds no task of its own, and only then gets
 * one: the tool is told that the thread has switched to it. So the tool never hears of a construct without the task
 * around it, and the task that needs nothing costs nothing.
 */
#ifndef HEDDLE_FORTRAN_SHIM_UNREPORTED_TASK_H
#define HEDDLE_FORTRAN_SHIM_UNREPORTED_TASK_H

#include "fortran-shim/gomp_abi.h"
#include "fortran-shim/state.h"
#include "fortran-shim/unreported.h"

#pragma GCC visibility push(hidden)

/* The tool has asked for them: such tasks are possible. */
extern bool unreported_tasks_are_wanted;

/* The place of a call that creates a task, if that is not to be reported and its flags allow it; else NULL. */
static inline struct extension_unreported *unreported_task_at(const void *code, unsigned flags)
{
  struct extension_unreported *place = &unreported.tasks[extension_unreported_at(code)];
  if (place->code != code || place->left == 0 || flags & (GOMP_TASK_DETACH | GOMP_TASK_FINAL))
    return NULL;
  return place;
}

/* Whether a task that is not to be reported need not be wrapped either. Counts it. */
static inline bool unreported_task_passes(struct extension_unreported *place, bool may_defer)
{
  enum { LIKELY = 16, ONE_OF = 16 };
  place->left--;
  return !may_defer || (self.at_once >= LIKELY && place->left % ONE_OF != 0);
}

/* One that was wrapped has been created. */
static inline void unreported_task_was_run(bool at_once)
{
  self.at_once = at_once ? self.at_once + 1 : 0;
}

/*
 * Whether the thread executes a task that the tool was not told of, and need not be: it would not record that the task
 * waits for others.
 */
static inline bool is_in_unreported_task(void)
{
  return __builtin_expect(!self.settled, 0) && self.known && unreported_tasks_are_wanted;
}

/* The thread executes one of which the tool must know now. */
void unreported_task_begin(void);

/* For the tool. */
struct extension_unreported *unreported_tasks(void);

#pragma GCC visibility pop

#endif
