#include "ompt-tool/away.h"

#include "common/session.h"
#include "ompt-tool/away_plan.h"

#include <sched.h>

enum state {
  WHOLE,     /* all callbacks are there */
  SWITCHING, /* a thread takes them away, or puts them back */
  AWAY,
  FIXED /* they stay as they are */
};

_Atomic uint32_t away_regions = 1;

static ompt_set_callback_t set; /* NULL: callbacks stay */
static _Atomic enum state state;
static atomic_uint roots; /* begun so far */
static atomic_uint held;  /* mutexes that threads have, as they told last; modulo 2^32 */

static const struct away_callback *taken;
static size_t taken_count;

static void set_all(bool there)
{
  for (size_t i = 0; i < taken_count; i++)
    set(taken[i].event, there ? taken[i].callback : NULL);
}

void away_start(ompt_set_callback_t set_callback, const struct away_callback *callbacks, size_t count)
{
  taken = callbacks;
  taken_count = count;
  set = set_callback;
  away_plan_begin(session_budget());
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
    if (now == SWITCHING)
      sched_yield();
    else if (now == AWAY && back)
      put_back(FIXED);
    else
      change(now, FIXED);
  }
}

void away_stop(void)
{
  if (set)
    fix(false);
}

void away_begin_root(void)
{
  if (atomic_fetch_add(&roots, 1) > 0 && set)
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
  return set && skip && skip->depth == 2 && skip->frames[0].kind == SKIP_BASE;
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
  if (!set || !skip || skip->depth != 1)
    return;
  put_back(WHOLE);
  if (atomic_load_explicit(&away_regions, memory_order_relaxed) > 1)
    atomic_store_explicit(&away_regions, 1, memory_order_relaxed);
  away_plan_leave();
}
