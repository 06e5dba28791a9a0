#include "analyzer/analyses/account/sweep_state.h"

#include <stdlib.h>
#include <string.h>

/* Releases to come. */

static bool earlier(const struct release_entry *a, const struct release_entry *b)
{
  return a->time != b->time ? a->time < b->time : a->location < b->location;
}

void sweep_add_release(struct sweep *sweep, uint64_t time, uint32_t location, uint64_t ordinal)
{
  struct release_entry entry = {time, ordinal, location};
  if (!vector_push(&sweep->heap, entry)) {
    sweep->failed = true;
    return;
  }
  size_t at = sweep->heap.count - 1;
  for (; at > 0 && earlier(&entry, &sweep->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
    sweep->heap.items[at] = sweep->heap.items[(at - 1) / 2];
  sweep->heap.items[at] = entry;
}

static struct release_entry take_release(struct sweep *sweep)
{
  struct release_entry first = sweep->heap.items[0], last = sweep->heap.items[--sweep->heap.count];
  size_t at = 0, child;
  for (; (child = 2 * at + 1) < sweep->heap.count; at = child) {
    if (child + 1 < sweep->heap.count && earlier(&sweep->heap.items[child + 1], &sweep->heap.items[child]))
      child++;
    if (!earlier(&sweep->heap.items[child], &last))
      break;
    sweep->heap.items[at] = sweep->heap.items[child];
  }
  if (sweep->heap.count > 0)
    sweep->heap.items[at] = last;
  return first;
}

/* Where a wake-up turns from the runtime's into a lack of processors. */
void sweep_look_again(struct sweep *sweep, uint32_t location, uint64_t ordinal, uint64_t after)
{
  sweep_add_release(sweep, sweep->now + (after ? after : 1), location, ordinal);
}

struct open_wait *sweep_wait_by(struct sweep *sweep, uint32_t location, uint64_t ordinal)
{
  struct swept_thread *thread = &sweep->threads[location];
  for (size_t i = thread->waits.count; i-- > 0;)
    if (thread->waits.items[i].ordinal == ordinal)
      return &thread->waits.items[i];
  return NULL;
}

/* Locks whose holders are events. */

struct swept_lock *sweep_lock_by(struct sweep *sweep, uint64_t key, bool add)
{
  const uint64_t *known = key ? hash_find(&sweep->locks, key) : NULL;
  if (known)
    return sweep->lock_list.items[*known];
  if (!add || key == 0)
    return NULL;
  struct swept_lock *lock = calloc(1, sizeof *lock);
  if (lock && hash_add(&sweep->locks, key, sweep->lock_list.count) && vector_push(&sweep->lock_list, lock)) {
    lock->holder = TRACE_NONE;
    return lock;
  }
  free(lock);
  sweep->failed = true;
  return NULL;
}

static struct own_work as_synchronization(uint32_t region)
{
  return (struct own_work){ACCOUNT_SYNCHRONIZATION, NOTE_NONE, region, false};
}

/* What the holder did goes to the lock. Own work has no place there: it is where the wait is. */
void sweep_close_hold(struct sweep *sweep, struct swept_lock *lock, bool goes_on)
{
  uint32_t holder = lock->holder;
  if (holder == TRACE_NONE)
    return;
  if (lock->since.taken)
    sweep_did(sweep, holder, &lock->since, as_synchronization(TRACE_NONE), UINT64_MAX, &lock->held);
  sweep_unwatch(sweep, &lock->since);
  if (goes_on)
    sweep_take_past(sweep, holder, &lock->since);
}

void sweep_acquire(struct sweep *sweep, uint32_t location, uint64_t key)
{
  struct swept_lock *lock = sweep_lock_by(sweep, key, true);
  if (!lock)
    return;
  lock->holder = location;
  sweep_unwatch(sweep, &lock->since);
  if (lock->waiting > 0)
    sweep_take_past(sweep, location, &lock->since);
}

void sweep_release(struct sweep *sweep, uint64_t key)
{
  struct swept_lock *lock = sweep_lock_by(sweep, key, false);
  if (!lock)
    return;
  sweep_close_hold(sweep, lock, false);
  lock->holder = TRACE_NONE;
}

void sweep_copy_mix(struct sweep *sweep, struct mix *to, const struct mix *from)
{
  mix_clear(to);
  for (size_t i = 0; i < from->parts.count; i++)
    mix_add(sweep->causes, to, from->parts.items[i].cause, from->parts.items[i].ticks);
}

/* Resolving. */

/* All acquisitions are recorded: a lock that nobody is known to hold is free. */
static bool knows_all_holders(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  const char *budget =
      process < trace->process_count ? trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_BUDGET) : NULL;
  return budget && strcmp(budget, VALUE_BUDGET_NONE) == 0;
}

static void mix_of_lock(struct sweep *sweep, uint32_t location, struct open_wait *wait, struct mix *mix)
{
  struct swept_lock *lock = sweep_lock_by(sweep, wait->object, false);
  uint64_t waited = sweep->now - wait->start;
  uint32_t own = cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, TRACE_NONE);
  uint32_t here = cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, wait->region);
  if (lock) {
    sweep_close_hold(sweep, lock, true);
    lock->waiting -= lock->waiting > 0;
    for (size_t i = 0; i < lock->held.parts.count; i++) {
      uint64_t before = i < wait->held.parts.count ? wait->held.parts.items[i].ticks : 0;
      uint32_t cause = lock->held.parts.items[i].cause;
      if (lock->held.parts.items[i].ticks > before)
        mix_add(sweep->causes, mix, cause == own ? here : cause, lock->held.parts.items[i].ticks - before);
    }
    if (lock->waiting == 0)
      mix_clear(&lock->held);
  }
  if (lock && mix->total == 0 && waited > 0 && knows_all_holders(sweep->trace, location))
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_RUNTIME, NOTE_LOCKS, wait->region), waited);
  else if (mix->total < waited)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_HOLDER_UNKNOWN, wait->region),
            waited - mix->total);
}

static bool is_of_own_pool(const struct sweep *sweep, uint32_t location, uint32_t waker)
{
  return sweep->releases->crews.of_pool[waker] && sweep->threads[waker].pool == location;
}

/* The code that the waker ran last stands for what it did during the wait. */
static void name_waker_code(struct sweep *sweep, const struct open_wait *wait, enum account_note note)
{
  uint32_t code = sweep->threads[wait->record.waker].worked_in;
  if (code != TRACE_NONE)
    causes_name_code(sweep->causes, cause_of(sweep->causes, ACCOUNT_SERIAL, note, TRACE_NONE), code, wait->lost);
}

static void mix_of_join(struct sweep *sweep, uint32_t location, struct open_wait *wait, struct mix *mix)
{
  uint32_t waker = wait->record.waker;
  struct swept_thread *joined = &sweep->threads[waker];
  struct swept_crew *crew =
      sweep->releases->creators[waker] == location ? sweep_crew_joined(sweep, location, waker) : NULL;
  bool team = crew && group_is_team(&crew->group) && !crew->group.of_pool;
  enum account_note note = team ? NOTE_JOIN : is_of_own_pool(sweep, location, waker) ? NOTE_TASKS : NOTE_NONE;
  struct own_work own = {team ? ACCOUNT_IMBALANCE : ACCOUNT_SERIAL, note, TRACE_NONE, !team};
  uint32_t ended = team ? crew->group.ended - joined->stopped : 0;
  if (ended > 0) {
    struct mix others = {0};
    sweep_did(sweep, waker, NULL, own, UINT64_MAX, mix);
    for (size_t i = 0; i < crew->ended.parts.count; i++) {
      struct cause_part part = crew->ended.parts.items[i];
      for (size_t k = 0; joined->stopped && k < joined->sums.parts.count; k++)
        if (joined->sums.parts.items[k].cause == part.cause)
          part.ticks -= joined->sums.parts.items[k].ticks < part.ticks ? joined->sums.parts.items[k].ticks : part.ticks;
      mix_add(sweep->causes, &others, sweep_mapped(sweep, part.cause, own), part.ticks / ended);
    }
    mix_subtract(sweep->causes, mix, &others);
    mix_free(&others);
  }
  if (mix->total == 0)
    sweep_did(sweep, waker, &wait->waker, own, UINT64_MAX, mix);
  if (!team)
    name_waker_code(sweep, wait, note);
}

static void mix_of_wait(struct sweep *sweep, uint32_t location, struct open_wait *wait, struct mix *mix)
{
  uint32_t waker = wait->record.waker;
  uint8_t waits = wait->waits;
  bool held = wait->known && wait->record.flags & WAIT_LOCKS;
  bool by_other = wait->known && waker != TRACE_NONE && waker != location;
  bool never = wait->known && wait->record.flags & WAIT_NEVER_ENDS && sweep->releases->last_waits[location].forever;
  if (never)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_FOREVER, NOTE_NONE, wait->region), 1);
  else if (wait->known && wait->record.flags & WAIT_TIMES_OUT)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_BLOCKED, NOTE_NONE, wait->region), 1);
  else if (waits == FOR_TASKS)
    sweep_mix_of_tasks(sweep, wait, wait->pending, mix);
  else if (waits == FOR_LOCK)
    mix_of_lock(sweep, location, wait, mix);
  else if ((waits == FOR_END || wait->record.flags & WAIT_JOINS) && by_other)
    mix_of_join(sweep, location, wait, mix);
  else if (!held && by_other &&
           (waits == FOR_SIGNAL || waits == FOR_SEMAPHORE || waits == FOR_ATOMIC || waits == FOR_PERMIT)) {
    enum account_note note = is_of_own_pool(sweep, location, waker) ? NOTE_TASKS : NOTE_NONE;
    uint32_t place = sweep->releases->code ? TRACE_NONE : wait->region;
    sweep_did(sweep, waker, &wait->waker, (struct own_work){ACCOUNT_SERIAL, note, place, true}, UINT64_MAX, mix);
    name_waker_code(sweep, wait, note);
  } else if ((waits == FOR_MUTEX || waits == FOR_OWNER || waits == FOR_PERMIT_LOCK || held) && by_other)
    sweep_did(sweep, waker, &wait->waker, as_synchronization(wait->region), UINT64_MAX, mix);
  if (mix->total > 0)
    return;
  mix_add(sweep->causes, mix, sweep_cause_of_open(sweep, wait), 1);
}

/* Corrects snapshots that were taken during the wait. */
static void correct_pasts(struct sweep *sweep, struct swept_thread *thread, uint64_t ordinal, const struct mix *mix)
{
  for (size_t i = 0; i < thread->watchers.count; i++) {
    struct past *past = thread->watchers.items[i];
    for (size_t k = past->pending.count; k-- > 0;) {
      if (past->pending.items[k].ordinal != ordinal)
        continue;
      struct mix parts = {0};
      mix_spread(sweep->causes, &parts, mix, past->pending.items[k].ticks);
      past->pending.items[k] = past->pending.items[--past->pending.count];
      if (!vector_resize(&past->ticks, thread->sums.parts.count))
        sweep->failed = true;
      for (size_t p = 0; p < parts.parts.count; p++)
        for (size_t s = 0; s < past->ticks.count; s++)
          if (thread->sums.parts.items[s].cause == parts.parts.items[p].cause)
            past->ticks.items[s] += parts.parts.items[p].ticks;
      mix_free(&parts);
    }
    if (past->pending.count == 0)
      thread->watchers.items[i--] = thread->watchers.items[--thread->watchers.count];
  }
}

static bool is_for_lock(const struct open_wait *wait)
{
  return wait->waits == FOR_LOCK || wait->waits == FOR_MUTEX || wait->waits == FOR_OWNER ||
         wait->waits == FOR_PERMIT_LOCK;
}

/* The holder was blocked while it held the lock. */
static void name_what_holds(struct sweep *sweep, const struct open_wait *wait, const struct mix *mix)
{
  for (size_t i = 0; i < mix->parts.count && mix->total > 0; i++) {
    const struct cause_part *part = &mix->parts.items[i];
    if (sweep->causes->list.items[part->cause].kind == ACCOUNT_BLOCKED)
      causes_name_lock(sweep->causes, part->cause, wait->lock, wait->lock_class,
                       (uint64_t)((wait->lost >> FINE_SHIFT) * part->ticks / mix->total));
  }
}

void sweep_resolve_as(struct sweep *sweep, uint32_t location, struct open_wait *wait, const struct mix *mix)
{
  struct swept_thread *thread = &sweep->threads[location];
  mix_spread(sweep->causes, &thread->sums, mix, wait->pending);
  correct_pasts(sweep, thread, wait->ordinal, mix);
  uint64_t lost = (uint64_t)(wait->lost >> FINE_SHIFT);
  mix_book(sweep->causes, mix, wait->lost, wait->record.waker == TRACE_NONE ? location : wait->record.waker);
  if (wait->lock != 0)
    causes_name_lock(sweep->causes, cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, wait->region),
                     wait->lock, wait->lock_class, lost);
  if (wait->lock != 0 && is_for_lock(wait))
    name_what_holds(sweep, wait, mix);
  wait->pending = 0;
  wait->lost = 0;
  wait->released = true;
  wait->woken = wait->waits == FOR_MEETING ? sweep_woken_before(sweep, wait->team) : 0;
  sweep_unwatch(sweep, &wait->waker);
  sweep_recount(sweep, location);
  if (wait->known && wait->record.end > sweep->now + sweep->wake_up)
    sweep_look_again(sweep, location, wait->ordinal, sweep->wake_up);
}

/* The waits that end with the same signal, of threads that do the same. Other threads that met there before have
 * arrived, too. */
static void meet_at_atomic(struct sweep *sweep, uint64_t object, struct wait_record record)
{
  struct swept_thread *last = &sweep->threads[record.waker];
  const struct past *last_since = last->met_at == object ? &last->met : NULL;
  for (uint32_t other = 0; other < sweep->trace->location_count; other++) {
    struct swept_thread *thread = &sweep->threads[other];
    struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
    if (other == record.waker || !wait || wait->waits != FOR_ATOMIC || wait->object != object || wait->released ||
        wait->record.waker != record.waker || wait->record.release != record.release)
      continue;
    sweep_resolve_meeting(sweep, other, wait, thread->met_at == object ? &thread->met : NULL, record.waker, last_since);
    thread->met_at = object;
  }
  last->met_at = object;
  for (uint32_t other = 0; other < sweep->trace->location_count; other++)
    if (sweep->threads[other].met_at == object && !sweep->threads[other].stopped)
      sweep_take_past(sweep, other, &sweep->threads[other].met);
}

void sweep_resolve(struct sweep *sweep, uint32_t location, struct open_wait *wait)
{
  struct mix mix = {0};
  if (wait->waits == FOR_ATOMIC && wait->known && wait->record.flags & WAIT_MEETS)
    meet_at_atomic(sweep, wait->object, wait->record);
  else if (wait->known && wait->record.flags & WAIT_MEETS && (wait->waits == FOR_PERMIT || wait->waits == FOR_SIGNAL))
    sweep_meet_crew(sweep, location, wait);
  if (wait->released)
    return;
  sweep_settle(sweep, location);
  if (wait->waits == FOR_MEETING && wait->known && wait->record.detail) { /* tasks were left when all had arrived */
    uint64_t arrived = wait->record.detail > wait->start ? wait->record.detail - wait->start : 0;
    uint64_t waited = sweep->now - wait->start;
    arrived = arrived < waited ? arrived : waited;
    mix_spread(sweep->causes, &mix, &wait->mix, arrived);
    sweep_mix_of_tasks(sweep, wait, waited - arrived, &mix);
  }
  if (mix.total == 0)
    mix_of_wait(sweep, location, wait, &mix);
  sweep_resolve_as(sweep, location, wait, &mix);
  mix_free(&mix);
}

/* A4: what the last one had more of than this one since they met last. */
void sweep_resolve_meeting(struct sweep *sweep, uint32_t location, struct open_wait *wait, const struct past *since,
                           uint32_t last, const struct past *last_since)
{
  struct mix mix = {0}, mine = {0};
  struct own_work own = {ACCOUNT_IMBALANCE, NOTE_NONE, wait->region, false};
  sweep_settle(sweep, location);
  sweep_did(sweep, last, last_since, own, UINT64_MAX, &mix);
  sweep_did(sweep, location, since, own, wait->ordinal, &mine);
  mix_subtract(sweep->causes, &mix, &mine);
  if (mix.total == 0)
    mix_add(sweep->causes, &mix, sweep_cause_of_open(sweep, wait), 1);
  bool tasks = wait->known && wait->record.detail != 0 && wait->record.release > sweep->now;
  if (tasks) {
    sweep_copy_mix(sweep, &wait->mix, &mix);
    wait->pending_at = wait->pending;
    wait->ready = wait->making = 0;
  } else
    sweep_resolve_as(sweep, location, wait, &mix);
  mix_free(&mix);
  mix_free(&mine);
}

void sweep_release_due(struct sweep *sweep, uint64_t time)
{
  while (sweep->heap.count > 0 && sweep->heap.items[0].time <= time) {
    struct release_entry entry = take_release(sweep);
    sweep_advance(sweep, entry.time);
    struct open_wait *wait = sweep_wait_by(sweep, entry.location, entry.ordinal);
    if (wait && !wait->released) {
      sweep_resolve(sweep, entry.location, wait);
    } else if (wait || (entry.ordinal == LATE && sweep->threads[entry.location].late)) {
      sweep_settle(sweep, entry.location);
      uint64_t woken = wait ? wait->woken : sweep->threads[entry.location].late_woken;
      if (woken < sweep->wake_up)
        sweep_look_again(sweep, entry.location, entry.ordinal, sweep->wake_up - woken);
    }
  }
}
