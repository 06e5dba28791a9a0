#include "ompt-tool/registered_callbacks.h"

#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum state {
  OPEN,      /* what nobody needs may go where a region begins */
  SWITCHING, /* a thread takes callbacks away, or puts them back */
  FIXED      /* none goes any more */
};

static struct registered_runtime runtime;
static ompt_get_task_info_t get_task_info;
static _Atomic enum state state;
static atomic_int switching; /* the process whose thread is switching: that may be a parent; 0: none */
static atomic_uint roots;    /* begun so far */
static atomic_bool others;   /* any other thread has begun */
static atomic_bool surplus;  /* there may be a callback that nobody needs */

static const struct registered_callback *list;
static size_t list_count;
static bool there[REGISTERED_MOST]; /* registered; of the thread that is switching */

/* At the begin of a region outside of all others. */
static bool may_go(ompt_callbacks_t event)
{
  switch ((int)event) {
  case ompt_callback_parallel_begin:
  case ompt_callback_parallel_end:
  case ompt_callback_masked:
  case ompt_callback_work:
  case ompt_callback_dispatch:
  case ompt_callback_mutex_acquire:
  case ompt_callback_mutex_acquired:
  case ompt_callback_mutex_released:
  case ompt_callback_nest_lock:
  case ompt_callback_lock_init:
  case ompt_callback_lock_destroy:
  case ompt_callback_flush:
  case ompt_callback_task_create:
  case ompt_callback_dependences:
  case ompt_callback_task_dependence:
  case ompt_callback_cancel:
    return true;
  case ompt_callback_implicit_task:
  case ompt_callback_sync_region:
  case ompt_callback_sync_region_wait:
  case ompt_callback_reduction:
    return !atomic_load(&others);
  default:
    return false;
  }
}

/* Where no thread of ours hears of new needs, the program's own must, with what they record. */
static bool is_needed(const struct registered_callback *callback, uint32_t mask)
{
  return callback->groups == 0 || (callback->groups & mask) != 0 || !live_has_thread();
}

static void put(size_t i, bool present)
{
  if (there[i] != present)
    runtime.set_callback(list[i].event, present ? list[i].callback : NULL);
  there[i] = present;
}

/* In a child of a process one of whose threads was switching, nobody is. */
static bool is_stuck(enum state now)
{
  int who = atomic_load(&switching);
  return now == SWITCHING && who != 0 && who != getpid();
}

/* Begins to switch, and returns the state before. */
static enum state begin_switching(void)
{
  for (;;) {
    enum state now = atomic_load(&state), before = is_stuck(now) ? FIXED : now;
    if ((now != SWITCHING || before == FIXED) && atomic_compare_exchange_strong(&state, &now, SWITCHING)) {
      atomic_store(&switching, getpid());
      return before;
    }
    sched_yield();
  }
}

static void end_switching(enum state after)
{
  unsigned count = 0;
  for (size_t i = 0; i < list_count; i++)
    count += there[i] && list[i].groups != 0;
  live_report_callbacks(count);
  atomic_store(&switching, 0);
  atomic_store(&state, after);
}

/* What is measured has changed: puts back what is needed. */
static void follow_needs(void)
{
  enum state before = begin_switching();
  uint32_t mask = needs_mask(needs_now());
  bool more = false;
  for (size_t i = 0; i < list_count; i++) {
    bool needed = is_needed(&list[i], mask);
    if (needed || runtime.anytime)
      put(i, needed);
    more |= there[i] && !needed && may_go(list[i].event);
  }
  for (size_t i = 0; more && i < list_count; i++)
    if (list[i].event == ompt_callback_parallel_begin) /* there the others go, and it with them */
      put(i, true);
  atomic_store(&surplus, more);
  end_switching(before);
}

void registered_start(struct registered_runtime given, const struct registered_callback *callbacks, size_t count)
{
  list = callbacks;
  list_count = count < REGISTERED_MOST ? count : REGISTERED_MOST;
  runtime = given;
  get_task_info = (ompt_get_task_info_t)runtime.lookup("ompt_get_task_info");
  recording_watch_needs(follow_needs);
  follow_needs();
}

/* The calling thread, the only root, is in no region and no explicit task. */
static bool is_outside(void)
{
  int flags = 0;
  return get_task_info && get_task_info(0, &flags, NULL, NULL, NULL, NULL) == 2 &&
         ((unsigned)flags & ompt_task_initial) != 0;
}

static __attribute__((noinline)) void drop_unneeded(void)
{
  enum state open = OPEN;
  if (atomic_load(&roots) != 1 || !is_outside() || !atomic_compare_exchange_strong(&state, &open, SWITCHING))
    return;
  atomic_store(&switching, getpid());
  uint32_t mask = needs_mask(needs_now());
  for (size_t i = 0; atomic_load(&roots) == 1 && i < list_count; i++)
    if (!is_needed(&list[i], mask) && may_go(list[i].event))
      put(i, false);
  atomic_store(&surplus, false);
  end_switching(OPEN);
}

void registered_drop_unneeded(void)
{
  if (__builtin_expect(atomic_load_explicit(&surplus, memory_order_relaxed), 0))
    drop_unneeded();
}

void registered_begin_other(void)
{
  atomic_store(&others, true);
}

/* Waits, for less than a microsecond, where another thread is switching. */
void registered_stop(void)
{
  enum state now;
  while (runtime.set_callback && (now = atomic_load(&state)) != FIXED)
    if (now == SWITCHING && !is_stuck(now))
      sched_yield();
    else
      atomic_compare_exchange_strong(&state, &now, FIXED);
}

void registered_begin_root(void)
{
  if (atomic_fetch_add(&roots, 1) > 0)
    registered_stop();
}
