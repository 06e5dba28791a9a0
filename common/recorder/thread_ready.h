/*
 * Tools that no runtime starts and whose threads no runtime reports. The first record of such a tool opens the session,
 * or joins another tool's session, and makes its thread known to the recorder. A thread that became known here ends by
 * itself. Any thread; errno is kept; no call reports an error, and each reason is said once on stderr.
 */
#ifndef HEDDLE_COMMON_RECORDER_THREAD_READY_H
#define HEDDLE_COMMON_RECORDER_THREAD_READY_H

#include "common/process/fork_lock.h"
#include "common/recorder/recorder.h"

/* One a tool; all zero but the name. */
struct thread_ready_tool {
  const char *name; /* as session_open has it */
  struct fork_lock beginning;
  atomic_bool begun, closed; /* closed: there is no session, and won't be */
};

/* True if the calling thread has a recorder; it may be its parent's, in a child without fork handlers. */
static inline bool thread_ready_is_known(void)
{
  return (uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE;
}

/* False: the process is not recorded, or the thread ended; an event that is lost thereby was counted. */
bool thread_ready(struct thread_ready_tool *tool);

#endif
