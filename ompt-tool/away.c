#include "ompt-tool/away.h"

#include "common/live.h"
#include "common/needs.h"
#include "common/recording.h"
#include "common/session.h"
#include "ompt-tool/away_plan.h"

#include <sched.h>
#include <unistd.h>

enum state {
  WHOLE,     /* all callbacks are there */
  SWITCHING, /* a thread takes them away, or puts them back */
  AWAY,
  FIXED /* they stay as they are */
};

_Atomic uint32_t away_regions = 1;

static struct away_runtime runtime; /* set_callback NULL: callbacks stay */
static ompt_get_task_info_t get_task_info;
static _Atomic enum state state;
static atomic_int switching; /* the process whose thread is switching for needs: that may be a parent; 0: none */
static atomic_uint roots;    /* begun so far */
static atomic_bool others;   /* any other thread has begun */
static atomic_bool surplus;  /* there may be a callback that nobody needs */
static atomic_bool unseen;   /* regions may be unseen */
static atomic_uint held;     /* mutexes that threads have, as they told last; modulo 2^32 */

static const struct away_callback *list;
static size_t list_count;
static bool there[AWAY_CALLBACKS]; /* registered; of the thread that is switching */

enum away_class away_class(ompt_callbacks_t event)
{
  switch ((int)event) {
  case ompt_callback_mutex_acquire:
  case ompt_callback_mutex_acquired:
  case ompt_callback_mutex_released:
  case ompt_callback_nest_lock:
  case ompt_callback_task_create:
  case ompt_callback_dependences:
  case ompt_callback_task_dependence:
  case ompt_callback_work:
  case ompt_callback_dispatch:
  case ompt_callback_masked:
  case ompt_callback_flush:
    return AWAY_INNER;
  case ompt_callback_task_schedule:
    return AWAY_TASKS;
  case ompt_callback_parallel_begin:
  case ompt_callback_parallel_end:
  case ompt_callback_lock_init:
  case ompt_callback_lock_destroy:
  case ompt_callback_cancel:
    return AWAY_OUTER;
  case ompt_callback_implicit_task:
  case ompt_callback_sync_region:
  case ompt_callback_sync_region_wait:
  case ompt_callback_reduction:
    return AWAY_ENDS;
  default:
    return AWAY_NEVER;
  }
}

/* Where no thread of ours hears of new needs, the program's own must, with what they record. */
static bool is_needed(const struct away_callback *callback, uint32_t mask)
{
  return callback->groups == 0 || (callback->groups & mask) != 0 || !live_has_thread();
}

static void put(size_t i, bool present)
{
  if (there[i] != present)
    runtime.set_callback(list[i].event, present ? list[i].callback : NULL);
  there[i] = present;
}

/* Of an unseen region. */
static void set_all(bool present)
{
  uint32_t mask = needs_mask(needs_now());
  for (size_t i = 0; i < list_count; i++)
    if (away_class(list[i].event) == AWAY_INNER || away_class(list[i].event) == AWAY_TASKS)
      put(i, present && is_needed(&list[i], mask));
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
  live_tell_callbacks(count);
  atomic_store(&switching, 0);
  atomic_store(&state, after);
}

static bool may_go(ompt_callbacks_t event)
{
  enum away_class class = away_class(event);
  return class == AWAY_INNER || class == AWAY_OUTER || (class == AWAY_ENDS && !atomic_load(&others));
}

/*
 * What is measured has changed: puts back what is needed. Tasks of which nothing was seen may have events: so from then
 * on no region is unseen.
 */
static void follow_needs(void)
{
  enum state before = begin_switching();
  uint32_t mask = needs_mask(needs_now());
  bool more = false;
  if ((mask & LIVE_NEED_TASKS) == 0)
    atomic_store(&unseen, false);
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
  end_switching(before == AWAY ? WHOLE : before);
}

void away_start(struct away_runtime given, const struct away_callback *callbacks, size_t count)
{
  list = callbacks;
  list_count = count < AWAY_CALLBACKS ? count : AWAY_CALLBACKS;
  runtime = given;
  get_task_info = (ompt_get_task_info_t)runtime.lookup("ompt_get_task_info");
  atomic_store(&unseen, given.unseen);
  if (given.unseen)
    away_plan_begin(session_budget());
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
  enum state whole = WHOLE;
  if (atomic_load(&roots) != 1 || !is_outside() || !atomic_compare_exchange_strong(&state, &whole, SWITCHING))
    return;
  atomic_store(&switching, getpid());
  uint32_t mask = needs_mask(needs_now());
  for (size_t i = 0; atomic_load(&roots) == 1 && i < list_count; i++)
    if (!is_needed(&list[i], mask) && may_go(list[i].event))
      put(i, false);
  atomic_store(&surplus, false);
  end_switching(WHOLE);
}

void away_drop_unneeded(void)
{
  if (__builtin_expect(atomic_load_explicit(&surplus, memory_order_relaxed), 0))
    drop_unneeded();
}

void away_begin_other(void)
{
  atomic_store(&others, true);
}

/* Only one thread goes from a state to SWITCHING. */
static bool change(enum state from, enum state to)
{
  return atomic_compare_exchange_strong(&state, &from, to);
}

static bool take_away(void)
{
  if (!change(WHOLE, SWITCHING))
    return false;
  bool sole = atomic_load(&roots) == 1;
  if (sole)
    set_all(false);
  atomic_store(&state, sole ? AWAY : FIXED);
  return sole;
}

static void put_back(enum state after)
{
  if (!change(AWAY, SWITCHING))
    return;
  set_all(true);
  atomic_store(&state, after);
}

/* Waits, for less than a microsecond, where another thread is switching. */
static void fix(bool back)
{
  enum state now;
  while ((now = atomic_load(&state)) != FIXED) {
    if (now == SWITCHING && is_stuck(now))
      change(now, FIXED);
    else if (now == SWITCHING)
      sched_yield();
    else if (now == AWAY && back)
      put_back(FIXED);
    else
      change(now, FIXED);
  }
}

void away_stop(void)
{
  if (runtime.set_callback)
    fix(false);
}

void away_begin_root(void)
{
  if (atomic_fetch_add(&roots, 1) > 0 && runtime.set_callback)
    fix(true);
}

void away_note_held(struct skip *skip, uint32_t now)
{
  atomic_fetch_add_explicit(&held, now - skip->told, memory_order_relaxed);
  skip->told = now;
}

/* Workers have told at the last barrier. */
static bool any_held(const struct skip *skip)
{
  return skip->wait_count + skip->held > 0 || atomic_load_explicit(&held, memory_order_relaxed) != skip->told;
}

/* On the thread that is in no other region; where there is one root, that is its. */
static bool is_outermost(const struct skip *skip)
{
  return atomic_load_explicit(&unseen, memory_order_relaxed) && skip && skip->depth == 2 &&
         skip->frames[0].kind == SKIP_BASE;
}

uint64_t away_begin_region(const struct skip *skip, struct budget_row *row, bool recorded, const ompt_data_t *task)
{
  if (!is_outermost(skip) || !row)
    return 0;
  if (atomic_load_explicit(&state, memory_order_relaxed) == FIXED) {
    row->least = 1;
    return 0;
  }
  struct away_place *place = away_plan_region(row);
  if (!place)
    return 0;
  if (recorded) {
    atomic_store_explicit(&away_regions, place->unseen + 1, memory_order_relaxed);
    place->unseen = 0;
  } else if (place->every > 1 || place->unseen > 0) { /* until the next one that is recorded */
    if (place->unseen < AWAY_MOST)
      place->unseen++;
    bool gone = !any_held(skip) && id_of(task) == RAW_ID_IMPLICIT && take_away();
    return gone ? AWAY_UNSEEN | AWAY_GONE : AWAY_UNSEEN;
  }
  away_plan_see(place);
  return 0;
}

void away_end_region(const struct skip *skip)
{
  if (!runtime.unseen || !skip || skip->depth != 1)
    return;
  put_back(WHOLE);
  if (atomic_load_explicit(&away_regions, memory_order_relaxed) > 1)
    atomic_store_explicit(&away_regions, 1, memory_order_relaxed);
  away_plan_leave();
}
