#include "analyzer/analyses/account/sweep_state.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* Sums and snapshots. */

void past_free(struct past *past)
{
  vector_free(&past->ticks);
  vector_free(&past->pending);
  past->taken = false;
}

void sweep_unwatch(struct sweep *sweep, struct past *past)
{
  if (!past->taken)
    return;
  struct swept_thread *thread = &sweep->threads[past->thread];
  for (size_t i = 0; i < thread->watchers.count; i++)
    if (thread->watchers.items[i] == past)
      thread->watchers.items[i--] = thread->watchers.items[--thread->watchers.count];
  past->taken = false;
}

/* `past` stays where it is until sweep_unwatch(). */
void sweep_take_past(struct sweep *sweep, uint32_t location, struct past *past)
{
  struct swept_thread *thread = &sweep->threads[location];
  sweep_unwatch(sweep, past);
  sweep_settle(sweep, location);
  past->taken = true;
  past->thread = location;
  past->count = thread->sums.parts.count;
  if (!vector_resize(&past->ticks, past->count)) {
    sweep->failed = true;
    past->count = 0;
  }
  for (size_t i = 0; i < past->count; i++)
    past->ticks.items[i] = thread->sums.parts.items[i].ticks;
  past->pending.count = 0;
  for (size_t i = thread->waits.count; i-- > 0;) {
    const struct open_wait *wait = &thread->waits.items[i];
    struct pending pending = {wait->ordinal, wait->pending};
    if (!wait->released && wait->pending > 0)
      sweep->failed |= !vector_push(&past->pending, pending);
  }
  if (past->pending.count > 0)
    sweep->failed |= !vector_push(&thread->watchers, past);
}

void sweep_watch_again(struct sweep *sweep, struct past *past)
{
  past->taken = true;
  if (past->pending.count > 0)
    sweep->failed |= !vector_push(&sweep->threads[past->thread].watchers, past);
}

/* What waits mean while nobody knows yet what they are for. */
uint32_t sweep_cause_of_open(struct sweep *sweep, const struct open_wait *wait)
{
  switch (wait->waits) {
  case FOR_LOCK:
  case FOR_MUTEX:
  case FOR_OWNER:
  case FOR_PERMIT_LOCK:
    return cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_HOLDER_UNKNOWN, wait->region);
  case FOR_TASKS:
    return cause_of(sweep->causes, ACCOUNT_TASKS, NOTE_NONE, wait->region);
  case FOR_MEETING:
  case FOR_OBJECT_MEETING:
    return cause_of(sweep->causes, ACCOUNT_RUNTIME, NOTE_NONE, wait->region);
  case FOR_ATOMIC:
  case FOR_PERMIT:
  case FOR_SIGNAL:
    return cause_of(sweep->causes, wait->known && wait->record.flags & WAIT_MEETS ? ACCOUNT_RUNTIME : ACCOUNT_UNKNOWN,
                    NOTE_NONE, wait->region);
  default:
    return cause_of(sweep->causes, ACCOUNT_UNKNOWN, NOTE_NONE, wait->region);
  }
}

/* What other threads of a pool lose while a task runs and they have none. */
static uint32_t cause_of_pool(struct sweep *sweep, uint32_t place)
{
  return cause_of(sweep->causes, sweep->releases->lone_taker ? ACCOUNT_THREADS : ACCOUNT_TASKS, NOTE_TASKS, place);
}

static bool is_pool_task(const struct sweep *sweep, uint32_t place)
{
  return place != TRACE_NONE && trace_region_begins(&sweep->trace->regions[place], NAME_POOL_TASK);
}

uint32_t sweep_mapped(struct sweep *sweep, uint32_t cause, struct own_work own)
{
  struct cause of = sweep->causes->list.items[cause];
  if (of.kind != ACCOUNT_WORK && of.note != NOTE_OMITTED)
    return cause;
  if (of.note == NOTE_ALONE)
    return cause_of(sweep->causes, ACCOUNT_SERIAL, NOTE_ALONE, of.place);
  if (own.note == NOTE_TASKS && is_pool_task(sweep, of.place))
    return cause_of_pool(sweep, of.place);
  own.note = own.note == NOTE_TASKS ? NOTE_NONE : own.note;
  if (own.keeps_place && of.place == TRACE_NONE && own.place != TRACE_NONE)
    return cause_of(sweep->causes, own.kind, NOTE_AWAITED, own.place);
  return cause_of(sweep->causes, own.kind, own.note, own.keeps_place ? of.place : own.place);
}

/* Adds what a thread did since `past`, or since its begin: NULL. `without`: a wait of its own that is not counted. */
void sweep_did(struct sweep *sweep, uint32_t location, const struct past *past, struct own_work own, uint64_t without,
               struct mix *mix)
{
  sweep_settle(sweep, location);
  struct swept_thread *thread = &sweep->threads[location];
  for (size_t i = 0; i < thread->sums.parts.count; i++) {
    uint64_t before = past && past->taken && i < past->ticks.count ? past->ticks.items[i] : 0;
    if (thread->sums.parts.items[i].ticks > before)
      mix_add(sweep->causes, mix, sweep_mapped(sweep, thread->sums.parts.items[i].cause, own),
              thread->sums.parts.items[i].ticks - before);
  }
  for (size_t i = 0; i < thread->waits.count; i++) {
    const struct open_wait *wait = &thread->waits.items[i];
    uint64_t before = 0;
    for (size_t k = 0; past && past->taken && k < past->pending.count; k++)
      before = past->pending.items[k].ordinal == wait->ordinal ? past->pending.items[k].ticks : before;
    if (!wait->released && wait->ordinal != without && wait->pending > before)
      mix_add(sweep->causes, mix, sweep_cause_of_open(sweep, wait), wait->pending - before);
  }
}

static void add_sum(struct sweep *sweep, struct swept_thread *thread, enum account_kind kind, enum account_note note,
                    uint32_t place, uint64_t ticks)
{
  mix_add(sweep->causes, &thread->sums, cause_of(sweep->causes, kind, note, place), ticks);
}

static void book(struct sweep *sweep, enum account_kind kind, enum account_note note, uint32_t place, fine_ticks ticks,
                 uint32_t who)
{
  if (ticks > 0)
    causes_book(sweep->causes, cause_of(sweep->causes, kind, note, place), ticks, who);
}

/*
 * Time from an action that ended a wait, or from a fork, until the thread went on: it lacks a processor while none is
 * free. Else the first ticks are the runtime's: *used has them.
 */
static void settle_wake_up(struct sweep *sweep, uint32_t location, uint64_t *used, uint32_t place, bool on,
                           enum account_note note)
{
  struct swept_thread *thread = &sweep->threads[location];
  uint64_t ticks = sweep->now - thread->since, full = sweep->full - thread->full_at;
  fine_ticks share = thread->counts == COUNTS_WAITING ? sweep->share - thread->share_at : 0;
  uint64_t unfilled = on ? ticks : ticks > full ? ticks - full : 0, left = on ? ticks : sweep->wake_up - *used;
  uint64_t runtime = unfilled < left ? unfilled : left;
  if (ticks == 0)
    return;
  *used += on ? 0 : runtime;
  fine_ticks of_runtime = unfilled == 0 ? 0 : share / unfilled * runtime + share % unfilled * runtime / unfilled;
  add_sum(sweep, thread, ACCOUNT_RUNTIME, note, place, runtime);
  add_sum(sweep, thread, ACCOUNT_PROCESSORS, note, place, ticks - runtime);
  book(sweep, ACCOUNT_RUNTIME, note, place, of_runtime, location);
  book(sweep, ACCOUNT_PROCESSORS, note, place, share - of_runtime, location);
}

static void settle_wait(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
  uint64_t ticks = sweep->now - thread->since;
  fine_ticks share = sweep->share - thread->share_at;
  if (!wait) {
    add_sum(sweep, thread, ACCOUNT_UNKNOWN, NOTE_NONE, thread->now.place, ticks);
    book(sweep, ACCOUNT_UNKNOWN, NOTE_NONE, thread->now.place,
         thread->counts == COUNTS_WAITING ? share * thread->weight : 0, location);
    return;
  }
  if (!wait->released) {
    sweep_settle_task_wait(sweep, wait, true);
    wait->pending += ticks;
    wait->lost += thread->counts == COUNTS_WAITING ? share * thread->weight : 0;
    return;
  }
  bool lock = wait->waits == FOR_LOCK || wait->waits == FOR_MUTEX || wait->waits == FOR_PERMIT_LOCK ||
              wait->record.flags & WAIT_LOCKS;
  if (thread->now.kernel == ON_READY) {
    add_sum(sweep, thread, ACCOUNT_PROCESSORS, NOTE_WAKE_UP, wait->region, ticks);
  } else if (lock) {
    add_sum(sweep, thread, ACCOUNT_SYNCHRONIZATION, NOTE_HANDED, wait->region, ticks);
    book(sweep, ACCOUNT_SYNCHRONIZATION, NOTE_HANDED, wait->region,
         thread->counts == COUNTS_WAITING ? share * thread->weight : 0, location);
  } else {
    settle_wake_up(sweep, location, &wait->woken, wait->region, thread->now.kernel == ON_PROCESSOR, NOTE_WAKE_UP);
  }
}

static void settle_running(struct sweep *sweep, uint32_t location, enum account_kind kind, enum account_note note,
                           uint32_t place)
{
  struct swept_thread *thread = &sweep->threads[location];
  add_sum(sweep, thread, kind, note, place, sweep->now - thread->since);
  if (kind == ACCOUNT_WORK && sweep->now > thread->since) {
    uint32_t cause = cause_of(sweep->causes, kind, note, place);
    if (cause < sweep->causes->list.count)
      sweep->causes->list.items[cause].did += sweep->now - thread->since;
    if (thread->now.ran != TRACE_NONE)
      causes_name_code(sweep->causes, cause, thread->now.ran, (fine_ticks)(sweep->now - thread->since) << FINE_SHIFT);
    thread->work += sweep->now - thread->since;
    thread->worked += thread->counts == COUNTS_RUNNING ? sweep->work - thread->work_at : 0;
    thread->work_place = place;
    if (place == TRACE_NONE && thread->now.ran != TRACE_NONE)
      thread->worked_in = thread->now.ran;
  }
  if (thread->counts == COUNTS_RUNNING)
    book(sweep, kind, note, place, sweep->work - thread->work_at, location);
}

/* A wait that samples or looks know, and no event. */
static void settle_sampled(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  enum account_note note =
      thread->now.does == DOES_LIBRARY || code_is_at_lock_of_library(sweep->releases->code, thread->now.ran)
          ? NOTE_LIBRARY
      : code_is_ordered(sweep->releases->code, thread->now.ran) ? NOTE_ORDERED
                                                                : NOTE_SPIN;
  uint64_t ticks = sweep->now - thread->since;
  fine_ticks lost = thread->counts == COUNTS_WAITING ? sweep->share - thread->share_at : 0;
  uint32_t cause = cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, note, thread->now.place);
  mix_add(sweep->causes, &thread->sums, cause, ticks);
  causes_book(sweep->causes, cause, lost, location);
  causes_name_code(sweep->causes, cause, thread->now.ran, (fine_ticks)ticks << FINE_SHIFT);
}

/* Books what a thread has done up to now. */
void sweep_settle(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  uint64_t ticks = sweep->now - thread->since;
  uint32_t place = thread->now.place;
  if (ticks == 0) /* no integral has moved, either */
    return;
  if (sweep->paused) {
    thread->since = sweep->now;
    return;
  }
  bool of_jvm = sweep->releases->services[location] == SERVICE_OF_JVM;
  fine_ticks share = sweep->share - thread->share_at;
  enum account_note note = thread->now.in_task ? NOTE_TASKS : NOTE_NONE;
  switch (thread->late ? DOES_IDLE : thread->now.does) {
  case DOES_WORK:
  case DOES_ALONE:
    if (place != TRACE_NONE && thread->regions.count > 0)
      sweep->grain->within[place] = thread->regions.items[thread->regions.count - 1];
    settle_running(sweep, location, of_jvm ? ACCOUNT_RUNTIME : ACCOUNT_WORK,
                   of_jvm                           ? NOTE_JVM
                   : thread->now.does == DOES_ALONE ? NOTE_ALONE
                                                    : NOTE_NONE,
                   place);
    break;
  case DOES_RUNTIME:
    settle_running(sweep, location, ACCOUNT_RUNTIME, thread->now.of_jvm ? NOTE_JVM : NOTE_NONE, place);
    break;
  case DOES_MEASUREMENT:
    settle_running(sweep, location, ACCOUNT_MEASUREMENT, NOTE_NONE, TRACE_NONE);
    break;
  case DOES_UNKNOWN:
    settle_running(sweep, location, ACCOUNT_UNKNOWN, thread->now.ran != TRACE_NONE ? NOTE_MPI : NOTE_NONE, TRACE_NONE);
    break;
  case DOES_OMITTED:
    settle_running(sweep, location, ACCOUNT_UNKNOWN, NOTE_OMITTED, place);
    break;
  case DOES_READY:
    add_sum(sweep, thread, ACCOUNT_PROCESSORS, NOTE_NONE, TRACE_NONE, ticks);
    break;
  case DOES_BLOCKED:
    add_sum(sweep, thread, ACCOUNT_BLOCKED, note, place, ticks);
    book(sweep, ACCOUNT_BLOCKED, note, place, thread->counts == COUNTS_WAITING ? share * thread->weight : 0, location);
    if (thread->now.ran != TRACE_NONE)
      causes_name_code(sweep->causes, cause_of(sweep->causes, ACCOUNT_BLOCKED, note, place), thread->now.ran,
                       (fine_ticks)ticks << FINE_SHIFT);
    break;
  case DOES_START:
    thread->created_at =
        sweep->releases->created_at[location] != TRACE_NONE ? sweep->releases->created_at[location] : place;
    add_sum(sweep, thread, ACCOUNT_THREADS, NOTE_NONE, place, ticks);
    book(sweep, ACCOUNT_THREADS, NOTE_NONE, place, thread->counts == COUNTS_WAITING ? share * thread->weight : 0,
         location);
    break;
  case DOES_OUTSIDE:
    add_sum(sweep, thread, ACCOUNT_OUTSIDE, NOTE_NONE, place, ticks);
    break;
  case DOES_COLLECTION:
    add_sum(sweep, thread, ACCOUNT_COLLECTION, NOTE_NONE, place, ticks);
    break;
  case DOES_SPIN:
  case DOES_LIBRARY:
    settle_sampled(sweep, location);
    break;
  case DOES_WAIT:
    settle_wait(sweep, location);
    break;
  default:
    if (thread->late)
      settle_wake_up(sweep, location, &thread->late_woken, thread->late_region, false, NOTE_LATE);
    else if (thread->now.does == DOES_IDLE)
      add_sum(sweep, thread, ACCOUNT_THREADS, NOTE_IDLE, TRACE_NONE, ticks);
    break;
  }
  thread->since = sweep->now;
  thread->work_at = sweep->work;
  thread->share_at = sweep->share;
  thread->full_at = sweep->full;
}

/* Counting. */

/* The number of threads that count so. NULL: they are not counted. */
static inline uint64_t *counted_as(struct sweep *sweep, unsigned counts)
{
  switch (counts) {
  case COUNTS_RUNNING:
    return &sweep->running;
  case COUNTS_READY:
    return &sweep->ready;
  case COUNTS_WAITING:
    return &sweep->waiting;
  case COUNTS_OUTSIDE:
    return &sweep->outside;
  case COUNTS_COLLECTION:
    return &sweep->collecting;
  default:
    return NULL;
  }
}

void sweep_uncount(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  uint64_t *of = counted_as(sweep, thread->counts);
  if (of)
    *of -= thread->counts == COUNTS_WAITING ? thread->weight : 1;
  sweep->spinning -= thread->spins;
  sweep->ask_to_collect -= thread->asks_to_collect;
  if (thread->counts == COUNTS_RUNNING || thread->counts == COUNTS_READY) {
    *(thread->previous ? &sweep->threads[thread->previous - 1].next : &sweep->first[thread->counts]) = thread->next;
    if (thread->next)
      sweep->threads[thread->next - 1].previous = thread->previous;
  }
  thread->counts = COUNTS_NOT;
  thread->spins = thread->asks_to_collect = false;
}

/* A wait for threads that it created, or for what they do, has no demand while all of them live and none is idle. A
 * join stands for the ended ones, too. Idle workers wait for what their pool's thread waits for. */
static uint32_t weight_of_wait(const struct sweep *sweep, uint32_t location, const struct open_wait *wait)
{
  const struct swept_thread *thread = &sweep->threads[location];
  uint32_t waker = wait->record.waker;
  bool joins = wait->waits == FOR_END || wait->record.flags & WAIT_JOINS;
  bool by_member = (wait->waits == FOR_PERMIT || wait->waits == FOR_SIGNAL) && waker != TRACE_NONE &&
                   sweep->releases->creators[waker] == location;
  const struct swept_crew *crew = joins || by_member ? sweep_crew_joined(sweep, location, waker) : NULL;
  if (!crew || !(group_is_team(&crew->group) || crew->group.of_pool))
    return 1 + thread->idle;
  if (crew->group.ended == 0 && thread->idle == 0)
    return 0;
  return 1 + (joins && !crew->group.of_pool ? crew->group.ended : 0) + thread->idle;
}

static enum counts_as counts_of(const struct sweep *sweep, uint32_t location, uint32_t *weight, bool *spins)
{
  const struct swept_thread *thread = &sweep->threads[location];
  uint8_t service = sweep->releases->services[location];
  const struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
  *weight = 1;
  *spins = false;
  if (thread->late)
    return COUNTS_WAITING;
  switch (thread->now.does) {
  case DOES_WORK:
  case DOES_ALONE:
  case DOES_RUNTIME:
  case DOES_MEASUREMENT:
  case DOES_UNKNOWN:
  case DOES_OMITTED:
    return service == SERVICE_OF_JVM && !sweep->releases->switches ? COUNTS_NOT : COUNTS_RUNNING;
  case DOES_READY:
    return service == SERVICE_OF_JVM ? COUNTS_NOT : COUNTS_READY;
  case DOES_SPIN:
    *spins = true;
    return COUNTS_WAITING;
  case DOES_START:
  case DOES_BLOCKED:
  case DOES_LIBRARY:
    *weight = thread->now.does == DOES_BLOCKED ? 1 + thread->idle : 1;
    return service == NO_SERVICE ? COUNTS_WAITING : COUNTS_NOT;
  case DOES_OUTSIDE:
    return service == SERVICE_OF_JVM ? COUNTS_NOT : COUNTS_OUTSIDE;
  case DOES_COLLECTION:
    return COUNTS_COLLECTION;
  case DOES_WAIT:
    if (service == SERVICE_OF_JVM || (service == SERVICE_DAEMON && (!wait || wait->record.waker == TRACE_NONE)))
      return COUNTS_NOT;
    *weight = wait && !wait->released ? weight_of_wait(sweep, location, wait) : 1;
    if (*weight == 0)
      return COUNTS_NOT;
    *spins = thread->now.kernel == ON_PROCESSOR;
    return wait && wait->released && thread->now.kernel == ON_READY ? COUNTS_READY : COUNTS_WAITING;
  default:
    return COUNTS_NOT;
  }
}

void sweep_count(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  thread->counts = (uint8_t)counts_of(sweep, location, &thread->weight, &thread->spins);
  uint64_t *of = counted_as(sweep, thread->counts);
  if (of)
    *of += thread->counts == COUNTS_WAITING ? thread->weight : 1;
  sweep->spinning += thread->spins;
  thread->asks_to_collect = thread->counts == COUNTS_COLLECTION && thread->now.place != TRACE_NONE;
  sweep->ask_to_collect += thread->asks_to_collect;
  sweep->collect_at = thread->asks_to_collect ? thread->now.place : sweep->collect_at;
  if (thread->counts != COUNTS_RUNNING && thread->counts != COUNTS_READY)
    return;
  thread->previous = 0;
  thread->next = sweep->first[thread->counts];
  if (thread->next)
    sweep->threads[thread->next - 1].previous = location + 1;
  sweep->first[thread->counts] = location + 1;
}

void sweep_recount(struct sweep *sweep, uint32_t location)
{
  sweep_settle(sweep, location);
  sweep_uncount(sweep, location);
  sweep_count(sweep, location);
}

static void count_idle(struct sweep *sweep, uint32_t pool, bool more)
{
  sweep_settle(sweep, pool);
  sweep_uncount(sweep, pool);
  sweep->threads[pool].idle += more ? 1 : (uint32_t)-1;
  sweep_count(sweep, pool);
}

void sweep_look_idle(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  bool is_idle = thread->now.does == DOES_IDLE && !thread->late && thread->pool != TRACE_NONE;
  if (is_idle == thread->is_idle)
    return;
  thread->is_idle = is_idle;
  count_idle(sweep, thread->pool, is_idle);
}

void sweep_change_pool(struct sweep *sweep, uint32_t location, uint32_t pool)
{
  struct swept_thread *thread = &sweep->threads[location];
  if (thread->pool == pool)
    return;
  if (thread->is_idle)
    count_idle(sweep, thread->pool, false);
  thread->is_idle = false;
  thread->pool = pool;
  sweep_look_idle(sweep, location);
}

/* Time passes. */

/* Processors that neither run nor are waited for. A thread that is ready works alone as one that runs. */
static void book_left(struct sweep *sweep, fine_ticks left)
{
  uint32_t alone = sweep->first[COUNTS_RUNNING] ? sweep->first[COUNTS_RUNNING] : sweep->first[COUNTS_READY];
  uint32_t who = alone ? alone - 1 : TRACE_NONE;
  struct swept_thread *first = alone ? &sweep->threads[who] : NULL;
  uint32_t place = !first ? TRACE_NONE : first->now.does == DOES_WAIT ? first->work_place : first->now.place;
  if (first && first->now.does == DOES_WORK)
    first->alone += left;
  if (sweep->outside > 0 || !first)
    book(sweep, ACCOUNT_OUTSIDE, NOTE_NONE, TRACE_NONE, left, TRACE_NONE);
  else if (first->now.of_jvm)
    book(sweep, ACCOUNT_RUNTIME, NOTE_JVM, TRACE_NONE, left, who);
  else if (first->now.does == DOES_OMITTED)
    book(sweep, ACCOUNT_UNKNOWN, NOTE_REST, place, left, who);
  else if (is_pool_task(sweep, place))
    causes_book(sweep->causes, cause_of_pool(sweep, place), left, who);
  else if (!sweep->one_thread) {
    book(sweep, ACCOUNT_SERIAL, NOTE_NONE, place, left, who);
    causes_name_code(sweep->causes, cause_of(sweep->causes, ACCOUNT_SERIAL, NOTE_NONE, place), first->now.ran, left);
  } else
    book(sweep, ACCOUNT_THREADS, NOTE_NONE, place, left, who);
}

/* Ticks that are looked at. */
static void pass_time(struct sweep *sweep, uint64_t ticks)
{
  uint64_t running = sweep->running, idle = sweep->processors > running ? sweep->processors - running : 0;
  uint64_t unspun = idle > sweep->spinning ? idle - sweep->spinning : 0;
  uint64_t lacking = unspun < sweep->ready ? unspun : sweep->ready;
  fine_ticks fine = (fine_ticks)ticks << FINE_SHIFT;
  sweep->work += running <= sweep->processors ? fine : fine * sweep->processors / running;
  uint32_t lacks = sweep->first[COUNTS_READY] - 1;
  if (lacking > 0) {
    bool crowded = running + sweep->ready > sweep->processors;
    sweep->causes->lacked += fine * lacking;
    sweep->causes->crowded += crowded ? fine * lacking : 0;
    book(sweep, ACCOUNT_PROCESSORS, NOTE_NONE, sweep->threads[lacks].now.place, fine * lacking, lacks);
  }
  idle -= lacking;
  if (sweep->collecting > 0) {
    book(sweep, ACCOUNT_COLLECTION, NOTE_NONE, sweep->ask_to_collect > 0 ? sweep->collect_at : TRACE_NONE, fine * idle,
         TRACE_NONE);
    return;
  }
  fine_ticks left = fine * idle;
  if (sweep->waiting > 0 && idle > 0) {
    bool one_each = running > 0 && idle >= sweep->waiting;
    fine_ticks share = one_each ? fine : sweep->waiting == 1 ? fine * idle : fine * idle / sweep->waiting;
    sweep->share += share;
    left -= share * sweep->waiting;
    if (!one_each) { /* what rounding left */
      book(sweep, ACCOUNT_RUNTIME, NOTE_NONE, TRACE_NONE, left, TRACE_NONE);
      return;
    }
  }
  if (left > 0)
    book_left(sweep, left);
}

static void advance(struct sweep *sweep, uint64_t time)
{
  if (time <= sweep->now)
    return;
  uint64_t from = sweep->now > sweep->from ? sweep->now : sweep->from, to = time < sweep->to ? time : sweep->to;
  if (sweep->running + sweep->spinning >= sweep->processors && !sweep->paused)
    sweep->full += time - sweep->now;
  if (to > from && sweep->paused)
    sweep->causes->paused += to - from;
  else if (to > from)
    pass_time(sweep, to - from);
  sweep->now = time;
}

void sweep_advance(struct sweep *sweep, uint64_t time)
{
  uint64_t parts[] = {sweep->from, sweep->to};
  for (unsigned i = 0; sweep->selected && i < COUNT_OF(parts); i++)
    if (sweep->now < parts[i] && parts[i] <= time) {
      advance(sweep, parts[i]);
      selected_mark(sweep, i > 0);
    }
  advance(sweep, time);
}
