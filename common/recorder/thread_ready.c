#include "common/recorder/thread_ready.h"

#include "common/budget/omitted_counts.h"
#include "common/process/session.h"
#include "common/profile/profile.h"
#include "common/recorder/interruption.h"
#include "common/recorder/recording.h"

#include <pthread.h>

static struct fork_lock making_key;
static atomic_bool has_key;
static pthread_key_t thread_key;

/*
 * The end of a thread that no runtime reports. A runtime's own destructor may have something to record still: so this
 * one lets the others go first.
 */
static void end_thread(void *round)
{
  static char second;
  if (round != &second && pthread_setspecific(thread_key, &second) == 0)
    return;
  if (session_profiles())
    profile_thread_end();
  else {
    budget_end_thread(omitted_counts_report);
    recorder_thread_end();
  }
}

/* False: there are no keys left. */
static bool make_key(void)
{
  if (atomic_load(&has_key))
    return true;
  if (!fork_lock_take(&making_key))
    return false;
  if (!atomic_load(&has_key))
    atomic_store(&has_key, pthread_key_create(&thread_key, end_thread) == 0);
  fork_lock_give_back(&making_key);
  return atomic_load(&has_key);
}

static void begin_process(struct thread_ready_tool *tool)
{
  recorder_thread_begin(0); /* in the child of a recorded process this opens the child's own session */
  if (!session_open(tool->name, "") || !make_key())
    atomic_store(&tool->closed, true);
  else if (!session_profiles())
    omitted_counts_begin();
}

/* Not pthread_once(): a child of _Fork would wait for a thread of its parent's that was at it. */
static void begin_process_once(struct thread_ready_tool *tool)
{
  if (atomic_load(&tool->begun) || !fork_lock_take(&tool->beginning))
    return;
  if (!atomic_load(&tool->begun))
    begin_process(tool);
  atomic_store(&tool->begun, true);
  fork_lock_give_back(&tool->beginning);
}

static void begin_thread(struct thread_ready_tool *tool)
{
  static char first;
  begin_process_once(tool);
  if (recorder_self || atomic_load(&tool->closed))
    return;
  recorder_thread_begin(0);
  if (thread_ready_is_known())
    pthread_setspecific(thread_key, &first);
}

bool thread_ready(struct thread_ready_tool *tool)
{
  /* A signal handler that interrupts the beginning must not wait for its end. */
  static __thread bool beginning __attribute__((tls_model("initial-exec")));
  bool ours = recording_is_ours();
  if (thread_ready_is_known() && ours)
    return true;
  if (thread_ready_is_known() && !ours) /* a child without fork handlers: the state is the parent's */
    recorder_self = NULL;
  if (beginning || recorder_self == RECORDER_NONE) {
    recording_lose_event();
    return false;
  }
  if (atomic_load_explicit(&tool->closed, memory_order_relaxed))
    return false;
  interruption_hold(); /* a thread that is cancelled in there would leave others waiting */
  beginning = true;
  atomic_signal_fence(memory_order_seq_cst);
  begin_thread(tool);
  atomic_signal_fence(memory_order_seq_cst);
  beginning = false;
  interruption_release();
  return thread_ready_is_known();
}
