#include "analyzer/analyses/account/sweep.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
  WAKE_UP_US = 100, /* a longer wake-up lacked a processor */
  GAP_US = 10,      /* between two executions of a region */
  PENDING_MOST = 2  /* unresolved waits of a thread that a snapshot knows of: those that are innermost */
};

#define LATE UINT64_MAX /* in place of a wait: from a fork until the thread begins */

/* What a thread had done at some time. */
struct past {
  bool taken;
  uint32_t thread;
  size_t count;
  VECTOR(uint64_t) ticks; /* as the parts of the thread's sums */
  struct {
    uint64_t ordinal, ticks; /* of a wait whose causes were unknown then; ordinal UINT64_MAX: none */
  } pending[PENDING_MOST];
};

struct open_wait {
  uint64_t ordinal, start;
  uint8_t waits;
  bool known;    /* the record */
  bool demand;   /* it counts */
  bool released; /* from here on the thread wakes up */
  uint32_t region, team, instance, meeting;
  uint64_t object;
  uint64_t lock; /* its number in the archive; 0: unknown, or none */
  struct wait_record record;
  uint64_t woken;   /* ticks of its wake-up that were the runtime's */
  uint64_t pending; /* ticks of the thread that are not in its sums yet */
  fine_ticks lost;
  struct past waker;
  struct mix held; /* FOR_LOCK: what had been done under the lock */
  struct mix mix;  /* FOR_MEETING with tasks: of the part up to the last arrival */
};

struct swept_thread {
  struct activity now;
  uint64_t since;               /* ticks: settled up to here */
  fine_ticks work_at, share_at; /* the integrals there */
  uint64_t full_at;
  struct mix sums; /* parts are only added */
  uint64_t work;   /* ticks */
  VECTOR(struct open_wait) waits;
  struct release_reader *records;
  VECTOR(struct past *) watchers; /* those that have one of its unresolved waits */
  VECTOR(uint32_t) regions;       /* of its teams: the parallel regions; TRACE_NONE: unknown */
  VECTOR(uint64_t) works;         /* ... and its work when it began there */
  uint32_t created_at;            /* the place; TRACE_NONE: unknown */
  uint32_t weight;                /* with which it counts now */
  uint8_t counts;                 /* enum counts_as */
  bool spins, late, stopped;
  uint32_t late_region;
  uint64_t late_woken;     /* ticks that were the runtime's */
  uint32_t previous, next; /* of those that run: locations + 1 */
  /* As a creator of threads. */
  struct created_group group;
  struct mix ended; /* what those that ended have done */
  /* As a member of barriers of POSIX threads. */
  struct past met;
  uint64_t met_at; /* the object */
};

enum counts_as { COUNTS_NOT, COUNTS_RUNNING, COUNTS_READY, COUNTS_WAITING, COUNTS_OUTSIDE, COUNTS_COLLECTION };

struct swept_member {
  uint32_t instance, arrivals;
  struct past since; /* the last meeting, or the fork */
};

struct swept_team {
  uint32_t instance, in; /* in: members that have not left */
  uint32_t begun;
  uint64_t last_end; /* ticks: the last member left; 0: none */
  struct swept_member *members;
};

struct swept_lock {
  uint32_t waiting;
  uint32_t holder; /* TRACE_NONE: none */
  struct past since;
  struct mix held;
};

struct release_entry {
  uint64_t time, ordinal;
  uint32_t location;
};

struct sweep {
  const struct releases *releases;
  const struct trace *trace;
  struct causes *causes;
  struct grain *grain;
  struct error *error;
  uint32_t processors;
  bool one_thread;
  struct swept_thread *threads;
  struct swept_team *teams;
  struct hash locks; /* key -> index + 1 */
  VECTOR(struct swept_lock) lock_list;
  VECTOR(struct release_entry) heap; /* releases to come, the first one first */
  struct hash region_ends;           /* parallel region -> when the last team left it */
  uint64_t wake_up, gap;             /* ticks */
  uint64_t from, to;                 /* what is looked at */
  uint64_t now;
  /* How many count as what. */
  uint64_t running, ready, waiting, spinning, outside, collecting;
  uint32_t first_running; /* location + 1; 0: none */
  /* Integrals over the time that is looked at. */
  fine_ticks work;  /* of a processor, for each running thread */
  fine_ticks share; /* of lost processors, for each waiting one */
  uint64_t full;    /* ticks in which no processor was free; over all time */
  fine_ticks gap_serial;
  bool failed; /* no memory */
};

/* Sums and snapshots. */

static void past_free(struct past *past)
{
  vector_free(&past->ticks);
  past->taken = false;
}

static void unwatch(struct sweep *sweep, struct past *past)
{
  if (!past->taken)
    return;
  struct swept_thread *thread = &sweep->threads[past->thread];
  for (size_t i = 0; i < thread->watchers.count; i++)
    if (thread->watchers.items[i] == past)
      thread->watchers.items[i--] = thread->watchers.items[--thread->watchers.count];
  past->taken = false;
}

static void settle(struct sweep *sweep, uint32_t location);

/* `past` stays where it is until unwatch(). */
static void take_past(struct sweep *sweep, uint32_t location, struct past *past)
{
  struct swept_thread *thread = &sweep->threads[location];
  unwatch(sweep, past);
  settle(sweep, location);
  past->taken = true;
  past->thread = location;
  past->count = thread->sums.parts.count;
  if (!vector_resize(&past->ticks, past->count)) {
    sweep->failed = true;
    past->count = 0;
  }
  for (size_t i = 0; i < past->count; i++)
    past->ticks.items[i] = thread->sums.parts.items[i].ticks;
  unsigned pending = 0;
  for (unsigned i = 0; i < PENDING_MOST; i++)
    past->pending[i].ordinal = UINT64_MAX;
  for (size_t i = thread->waits.count; i-- > 0 && pending < PENDING_MOST;) {
    const struct open_wait *wait = &thread->waits.items[i];
    if (wait->released || wait->pending == 0)
      continue;
    past->pending[pending].ordinal = wait->ordinal;
    past->pending[pending++].ticks = wait->pending;
  }
  if (pending > 0)
    sweep->failed |= !vector_push(&thread->watchers, past);
}

/* What waits mean while nobody knows yet what they are for. */
static uint32_t cause_of_open(struct sweep *sweep, const struct open_wait *wait)
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
  default:
    return cause_of(sweep->causes, ACCOUNT_UNKNOWN, NOTE_NONE, wait->region);
  }
}

/* Where a thread's own work goes in the loss of somebody else. */
struct own_work {
  enum account_kind kind;
  enum account_note note;
  uint32_t place;
  bool keeps_place; /* the place where it worked */
};

static uint32_t mapped(struct sweep *sweep, uint32_t cause, struct own_work own)
{
  struct cause of = sweep->causes->list.items[cause];
  if (of.kind != ACCOUNT_WORK)
    return cause;
  if (of.note == NOTE_ALONE)
    return cause_of(sweep->causes, ACCOUNT_SERIAL, NOTE_ALONE, of.place);
  return cause_of(sweep->causes, own.kind, own.note, own.keeps_place ? of.place : own.place);
}

/* Adds what a thread did since `past`, or since its begin: NULL. `without`: a wait of its own that is not counted. */
static void did(struct sweep *sweep, uint32_t location, const struct past *past, struct own_work own, uint64_t without,
                struct mix *mix)
{
  settle(sweep, location);
  struct swept_thread *thread = &sweep->threads[location];
  for (size_t i = 0; i < thread->sums.parts.count; i++) {
    uint64_t before = past && past->taken && i < past->ticks.count ? past->ticks.items[i] : 0;
    if (thread->sums.parts.items[i].ticks > before)
      mix_add(sweep->causes, mix, mapped(sweep, thread->sums.parts.items[i].cause, own),
              thread->sums.parts.items[i].ticks - before);
  }
  for (size_t i = 0; i < thread->waits.count; i++) {
    const struct open_wait *wait = &thread->waits.items[i];
    uint64_t before = 0;
    for (unsigned k = 0; past && past->taken && k < PENDING_MOST; k++)
      before = past->pending[k].ordinal == wait->ordinal ? past->pending[k].ticks : before;
    if (!wait->released && wait->ordinal != without && wait->pending > before)
      mix_add(sweep->causes, mix, cause_of_open(sweep, wait), wait->pending - before);
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
    wait->pending += ticks;
    wait->lost += thread->counts == COUNTS_WAITING ? share * thread->weight : 0;
    return;
  }
  bool lock = wait->waits == FOR_LOCK || wait->waits == FOR_MUTEX || wait->waits == FOR_PERMIT_LOCK;
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
  if (kind == ACCOUNT_WORK)
    thread->work += sweep->now - thread->since;
  if (thread->counts == COUNTS_RUNNING)
    book(sweep, kind, note, place, sweep->work - thread->work_at, location);
}

/* Books what a thread has done up to now. */
static void settle(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  uint64_t ticks = sweep->now - thread->since;
  uint32_t place = thread->now.place;
  bool of_jvm = sweep->releases->services[location] == SERVICE_OF_JVM;
  fine_ticks share = sweep->share - thread->share_at;
  if (ticks > 0) {
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
      settle_running(sweep, location, ACCOUNT_RUNTIME, NOTE_NONE, place);
      break;
    case DOES_MEASUREMENT:
      settle_running(sweep, location, ACCOUNT_MEASUREMENT, NOTE_NONE, TRACE_NONE);
      break;
    case DOES_UNKNOWN:
      settle_running(sweep, location, ACCOUNT_UNKNOWN, NOTE_NONE, TRACE_NONE);
      break;
    case DOES_READY:
      add_sum(sweep, thread, ACCOUNT_PROCESSORS, NOTE_NONE, TRACE_NONE, ticks);
      break;
    case DOES_BLOCKED:
      add_sum(sweep, thread, ACCOUNT_BLOCKED, NOTE_NONE, place, ticks);
      book(sweep, ACCOUNT_BLOCKED, NOTE_NONE, place, thread->counts == COUNTS_WAITING ? share * thread->weight : 0,
           location);
      break;
    case DOES_START:
      thread->created_at = place;
      add_sum(sweep, thread, ACCOUNT_THREADS, NOTE_NONE, place, ticks);
      book(sweep, ACCOUNT_THREADS, NOTE_NONE, place, thread->counts == COUNTS_WAITING ? share * thread->weight : 0,
           location);
      break;
    case DOES_OUTSIDE:
      add_sum(sweep, thread, ACCOUNT_OUTSIDE, NOTE_NONE, place, ticks);
      break;
    case DOES_COLLECTION:
      add_sum(sweep, thread, ACCOUNT_COLLECTION, NOTE_NONE, TRACE_NONE, ticks);
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
  }
  thread->since = sweep->now;
  thread->work_at = sweep->work;
  thread->share_at = sweep->share;
  thread->full_at = sweep->full;
}

/* Counting. */

static void uncount(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  uint64_t *of[] = {NULL, &sweep->running, &sweep->ready, &sweep->waiting, &sweep->outside, &sweep->collecting};
  if (of[thread->counts])
    *of[thread->counts] -= thread->counts == COUNTS_WAITING ? thread->weight : 1;
  sweep->spinning -= thread->spins;
  if (thread->counts == COUNTS_RUNNING) {
    *(thread->previous ? &sweep->threads[thread->previous - 1].next : &sweep->first_running) = thread->next;
    if (thread->next)
      sweep->threads[thread->next - 1].previous = thread->previous;
  }
  thread->counts = COUNTS_NOT;
  thread->spins = false;
}

/* A wait for threads that it created stands for those that ended; it has no demand while all of them live. */
static uint32_t weight_of_wait(const struct swept_thread *thread, const struct open_wait *wait)
{
  if (wait->waits != FOR_END || thread->group.alive + thread->group.ended < 2)
    return 1;
  return thread->group.ended == 0 ? 0 : 1 + thread->group.ended;
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
    return COUNTS_RUNNING;
  case DOES_READY:
    return service == SERVICE_OF_JVM ? COUNTS_NOT : COUNTS_READY;
  case DOES_START:
  case DOES_BLOCKED:
    return service == NO_SERVICE ? COUNTS_WAITING : COUNTS_NOT;
  case DOES_OUTSIDE:
    return service == SERVICE_OF_JVM ? COUNTS_NOT : COUNTS_OUTSIDE;
  case DOES_COLLECTION:
    return COUNTS_COLLECTION;
  case DOES_WAIT:
    if (service == SERVICE_OF_JVM || (service == SERVICE_DAEMON && (!wait || wait->record.waker == TRACE_NONE)))
      return COUNTS_NOT;
    *weight = wait && !wait->released ? weight_of_wait(thread, wait) : 1;
    if (*weight == 0)
      return COUNTS_NOT;
    *spins = thread->now.kernel == ON_PROCESSOR;
    return wait && wait->released && thread->now.kernel == ON_READY ? COUNTS_READY : COUNTS_WAITING;
  default:
    return COUNTS_NOT;
  }
}

static void count(struct sweep *sweep, uint32_t location)
{
  struct swept_thread *thread = &sweep->threads[location];
  uint64_t *of[] = {NULL, &sweep->running, &sweep->ready, &sweep->waiting, &sweep->outside, &sweep->collecting};
  thread->counts = (uint8_t)counts_of(sweep, location, &thread->weight, &thread->spins);
  if (of[thread->counts])
    *of[thread->counts] += thread->counts == COUNTS_WAITING ? thread->weight : 1;
  sweep->spinning += thread->spins;
  if (thread->counts != COUNTS_RUNNING)
    return;
  thread->previous = 0;
  thread->next = sweep->first_running;
  if (thread->next)
    sweep->threads[thread->next - 1].previous = location + 1;
  sweep->first_running = location + 1;
}

static void recount(struct sweep *sweep, uint32_t location)
{
  settle(sweep, location);
  uncount(sweep, location);
  count(sweep, location);
}

/* Time passes. */

/* Processors that neither run nor are waited for. */
static void book_left(struct sweep *sweep, fine_ticks left)
{
  const struct swept_thread *first = sweep->first_running ? &sweep->threads[sweep->first_running - 1] : NULL;
  uint32_t who = sweep->first_running ? sweep->first_running - 1 : TRACE_NONE;
  if (sweep->outside > 0 || (!first && sweep->ready == 0))
    book(sweep, ACCOUNT_OUTSIDE, NOTE_NONE, TRACE_NONE, left, TRACE_NONE);
  else if (first && !sweep->one_thread)
    book(sweep, ACCOUNT_SERIAL, NOTE_NONE, first->now.place, left, who);
  else
    book(sweep, ACCOUNT_THREADS, NOTE_NONE, first ? first->now.place : TRACE_NONE, left, who);
}

/* Ticks that are looked at. */
static void pass_time(struct sweep *sweep, uint64_t ticks)
{
  uint64_t running = sweep->running, idle = sweep->processors > running ? sweep->processors - running : 0;
  uint64_t unspun = idle > sweep->spinning ? idle - sweep->spinning : 0;
  uint64_t lacking = unspun < sweep->ready ? unspun : sweep->ready;
  fine_ticks fine = (fine_ticks)ticks << FINE_SHIFT;
  sweep->work += running <= sweep->processors ? fine : fine * sweep->processors / running;
  book(sweep, ACCOUNT_PROCESSORS, NOTE_NONE, TRACE_NONE, fine * lacking, TRACE_NONE);
  idle -= lacking;
  if (sweep->collecting > 0) {
    book(sweep, ACCOUNT_COLLECTION, NOTE_NONE, TRACE_NONE, fine * idle, TRACE_NONE);
    return;
  }
  fine_ticks left = fine * idle;
  if (sweep->waiting > 0 && idle > 0) {
    bool one_each = running > 0 && idle >= sweep->waiting;
    fine_ticks share = one_each ? fine : fine * idle / sweep->waiting;
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
  if (sweep->running + sweep->spinning >= sweep->processors)
    sweep->full += time - sweep->now;
  if (to > from)
    pass_time(sweep, to - from);
  sweep->now = time;
}

/* Releases to come. */

static bool earlier(const struct release_entry *a, const struct release_entry *b)
{
  return a->time != b->time ? a->time < b->time : a->location < b->location;
}

static void add_release(struct sweep *sweep, uint64_t time, uint32_t location, uint64_t ordinal)
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
static void look_again(struct sweep *sweep, uint32_t location, uint64_t ordinal, uint64_t after)
{
  add_release(sweep, sweep->now + (after ? after : 1), location, ordinal);
}

static struct open_wait *wait_by(struct sweep *sweep, uint32_t location, uint64_t ordinal)
{
  struct swept_thread *thread = &sweep->threads[location];
  for (size_t i = thread->waits.count; i-- > 0;)
    if (thread->waits.items[i].ordinal == ordinal)
      return &thread->waits.items[i];
  return NULL;
}

/* Locks whose holders are events. */

static struct swept_lock *lock_by(struct sweep *sweep, uint64_t key, bool add)
{
  uint64_t *known = key ? hash_find(&sweep->locks, key) : NULL;
  struct swept_lock fresh = {.holder = TRACE_NONE};
  if (known)
    return &sweep->lock_list.items[*known];
  if (!add || key == 0)
    return NULL;
  /* Snapshots are watched by address: none is taken while locks move. */
  for (size_t i = 0; sweep->lock_list.count == sweep->lock_list.room && i < sweep->lock_list.count; i++)
    if (sweep->lock_list.items[i].since.taken)
      unwatch(sweep, &sweep->lock_list.items[i].since);
  if (!hash_add(&sweep->locks, key, sweep->lock_list.count) || !vector_push(&sweep->lock_list, fresh)) {
    sweep->failed = true;
    return NULL;
  }
  return &sweep->lock_list.items[sweep->lock_list.count - 1];
}

static struct own_work as_synchronization(uint32_t region)
{
  return (struct own_work){ACCOUNT_SYNCHRONIZATION, NOTE_NONE, region, false};
}

/* What the holder did goes to the lock. Own work has no place there: it is where the wait is. */
static void close_hold(struct sweep *sweep, struct swept_lock *lock, bool goes_on)
{
  uint32_t holder = lock->holder;
  if (holder == TRACE_NONE)
    return;
  if (lock->since.taken)
    did(sweep, holder, &lock->since, as_synchronization(TRACE_NONE), UINT64_MAX, &lock->held);
  unwatch(sweep, &lock->since);
  if (goes_on)
    take_past(sweep, holder, &lock->since);
}

static void acquire_lock(struct sweep *sweep, uint32_t location, uint64_t key)
{
  struct swept_lock *lock = lock_by(sweep, key, true);
  if (!lock)
    return;
  lock->holder = location;
  unwatch(sweep, &lock->since);
  if (lock->waiting > 0)
    take_past(sweep, location, &lock->since);
}

static void release_swept_lock(struct sweep *sweep, uint64_t key)
{
  struct swept_lock *lock = lock_by(sweep, key, false);
  if (!lock)
    return;
  close_hold(sweep, lock, false);
  lock->holder = TRACE_NONE;
}

static void copy_mix(struct sweep *sweep, struct mix *to, const struct mix *from)
{
  mix_clear(to);
  for (size_t i = 0; i < from->parts.count; i++)
    mix_add(sweep->causes, to, from->parts.items[i].cause, from->parts.items[i].ticks);
}

/* Resolving. */

static void mix_of_lock(struct sweep *sweep, struct open_wait *wait, struct mix *mix)
{
  struct swept_lock *lock = lock_by(sweep, wait->object, false);
  uint64_t waited = sweep->now - wait->start;
  uint32_t own = cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, TRACE_NONE);
  uint32_t here = cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, wait->region);
  if (lock) {
    close_hold(sweep, lock, true);
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
  if (mix->total < waited)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_HOLDER_UNKNOWN, wait->region),
            waited - mix->total);
}

static void mix_of_join(struct sweep *sweep, uint32_t location, struct open_wait *wait, struct mix *mix)
{
  uint32_t waker = wait->record.waker;
  struct swept_thread *thread = &sweep->threads[location], *joined = &sweep->threads[waker];
  bool team = thread->group.alive + thread->group.ended > 1 && sweep->releases->creators[waker] == location;
  struct own_work own = {team ? ACCOUNT_IMBALANCE : ACCOUNT_SERIAL, team ? NOTE_JOIN : NOTE_NONE, TRACE_NONE, !team};
  uint32_t ended = thread->group.ended - (team && joined->stopped);
  if (team && ended > 0) {
    struct mix others = {0};
    did(sweep, waker, NULL, own, UINT64_MAX, mix);
    for (size_t i = 0; i < thread->ended.parts.count; i++) {
      struct cause_part part = thread->ended.parts.items[i];
      for (size_t k = 0; joined->stopped && k < joined->sums.parts.count; k++)
        if (joined->sums.parts.items[k].cause == part.cause)
          part.ticks -= joined->sums.parts.items[k].ticks < part.ticks ? joined->sums.parts.items[k].ticks : part.ticks;
      mix_add(sweep->causes, &others, mapped(sweep, part.cause, own), part.ticks / ended);
    }
    mix_subtract(sweep->causes, mix, &others);
    mix_free(&others);
  }
  if (mix->total == 0)
    did(sweep, waker, &wait->waker, own, UINT64_MAX, mix);
}

static void mix_of_wait(struct sweep *sweep, uint32_t location, struct open_wait *wait, struct mix *mix)
{
  uint32_t waker = wait->record.waker;
  uint8_t waits = wait->waits;
  bool by_other = wait->known && waker != TRACE_NONE && waker != location;
  if (wait->known && wait->record.flags & WAIT_TIMES_OUT)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_BLOCKED, NOTE_NONE, wait->region), 1);
  else if (waits == FOR_TASKS)
    mix_add(sweep->causes, mix, cause_of(sweep->causes, ACCOUNT_TASKS, NOTE_NONE, wait->region), 1);
  else if (waits == FOR_LOCK)
    mix_of_lock(sweep, wait, mix);
  else if (waits == FOR_END && by_other)
    mix_of_join(sweep, location, wait, mix);
  else if ((waits == FOR_SIGNAL || waits == FOR_PERMIT) && by_other)
    did(sweep, waker, &wait->waker, (struct own_work){ACCOUNT_SERIAL, NOTE_NONE, TRACE_NONE, true}, UINT64_MAX, mix);
  else if ((waits == FOR_MUTEX || waits == FOR_OWNER || waits == FOR_PERMIT_LOCK) && by_other)
    did(sweep, waker, &wait->waker, as_synchronization(wait->region), UINT64_MAX, mix);
  if (mix->total > 0)
    return;
  bool never = wait->known && wait->record.flags & WAIT_NEVER_ENDS;
  mix_add(sweep->causes, mix,
          never ? cause_of(sweep->causes, ACCOUNT_FOREVER, NOTE_NONE, wait->region) : cause_of_open(sweep, wait), 1);
}

/* Those who remember a time within the wait hear what it was for. */
static void correct_pasts(struct sweep *sweep, struct swept_thread *thread, uint64_t ordinal, const struct mix *mix)
{
  for (size_t i = 0; i < thread->watchers.count; i++) {
    struct past *past = thread->watchers.items[i];
    bool more = false;
    for (unsigned k = 0; k < PENDING_MOST; k++) {
      if (past->pending[k].ordinal != ordinal) {
        more |= past->pending[k].ordinal != UINT64_MAX;
        continue;
      }
      struct mix parts = {0};
      mix_spread(sweep->causes, &parts, mix, past->pending[k].ticks);
      past->pending[k].ordinal = UINT64_MAX;
      if (!vector_resize(&past->ticks, thread->sums.parts.count))
        sweep->failed = true;
      for (size_t p = 0; p < parts.parts.count; p++)
        for (size_t s = 0; s < past->ticks.count; s++)
          if (thread->sums.parts.items[s].cause == parts.parts.items[p].cause)
            past->ticks.items[s] += parts.parts.items[p].ticks;
      mix_free(&parts);
    }
    if (!more)
      thread->watchers.items[i--] = thread->watchers.items[--thread->watchers.count];
  }
}

/* The wait's causes are known: what it lost is booked, and the thread wakes up from here. */
static void resolve_as(struct sweep *sweep, uint32_t location, struct open_wait *wait, const struct mix *mix)
{
  struct swept_thread *thread = &sweep->threads[location];
  mix_spread(sweep->causes, &thread->sums, mix, wait->pending);
  correct_pasts(sweep, thread, wait->ordinal, mix);
  mix_book(sweep->causes, mix, wait->lost, wait->record.waker == TRACE_NONE ? location : wait->record.waker);
  if (wait->lock != 0)
    causes_name_lock(sweep->causes, cause_of(sweep->causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, wait->region),
                     wait->lock, (uint64_t)(wait->lost >> FINE_SHIFT));
  wait->pending = 0;
  wait->lost = 0;
  wait->released = true;
  unwatch(sweep, &wait->waker);
  recount(sweep, location);
  if (wait->known && wait->record.end > sweep->now + sweep->wake_up)
    look_again(sweep, location, wait->ordinal, sweep->wake_up);
}

static void resolve(struct sweep *sweep, uint32_t location, struct open_wait *wait)
{
  struct mix mix = {0};
  settle(sweep, location);
  if (wait->waits == FOR_MEETING && wait->known && wait->record.detail) { /* tasks were left when all had arrived */
    uint64_t arrived = wait->record.detail > wait->start ? wait->record.detail - wait->start : 0;
    uint64_t waited = sweep->now - wait->start;
    arrived = arrived < waited ? arrived : waited;
    mix_spread(sweep->causes, &mix, &wait->mix, arrived);
    mix_add(sweep->causes, &mix, cause_of(sweep->causes, ACCOUNT_TASKS, NOTE_NONE, wait->region), waited - arrived);
  }
  if (mix.total == 0)
    mix_of_wait(sweep, location, wait, &mix);
  resolve_as(sweep, location, wait, &mix);
  mix_free(&mix);
}

/* A4: what the last one had more of than this one since they met last. */
static void resolve_meeting(struct sweep *sweep, uint32_t location, struct open_wait *wait, const struct past *since,
                            uint32_t last, const struct past *last_since)
{
  struct mix mix = {0}, mine = {0};
  struct own_work own = {ACCOUNT_IMBALANCE, NOTE_NONE, wait->region, false};
  settle(sweep, location);
  did(sweep, last, last_since, own, UINT64_MAX, &mix);
  did(sweep, location, since, own, wait->ordinal, &mine);
  mix_subtract(sweep->causes, &mix, &mine);
  if (mix.total == 0)
    mix_add(sweep->causes, &mix, cause_of_open(sweep, wait), 1);
  bool tasks = wait->known && wait->record.detail != 0 && wait->record.release > sweep->now;
  if (tasks)
    copy_mix(sweep, &wait->mix, &mix);
  else
    resolve_as(sweep, location, wait, &mix);
  mix_free(&mix);
  mix_free(&mine);
}

static void release_due(struct sweep *sweep, uint64_t time)
{
  while (sweep->heap.count > 0 && sweep->heap.items[0].time <= time) {
    struct release_entry entry = take_release(sweep);
    advance(sweep, entry.time);
    struct open_wait *wait = wait_by(sweep, entry.location, entry.ordinal);
    if (wait && !wait->released) {
      resolve(sweep, entry.location, wait);
    } else if (wait || (entry.ordinal == LATE && sweep->threads[entry.location].late)) {
      settle(sweep, entry.location);
      uint64_t woken = wait ? wait->woken : sweep->threads[entry.location].late_woken;
      if (woken < sweep->wake_up)
        look_again(sweep, entry.location, entry.ordinal, sweep->wake_up - woken);
    }
  }
}

/* Actions. */

static struct swept_member *member_of(struct sweep *sweep, uint32_t team, uint32_t location)
{
  uint32_t rank = team == TRACE_NONE ? TRACE_NONE : trace_team_rank(&sweep->trace->teams[team], location);
  return rank == TRACE_NONE || !sweep->teams[team].members ? NULL : &sweep->teams[team].members[rank];
}

/* The last one arrives: all waits of the meeting are resolved, and the next interval begins. */
static void meet(struct sweep *sweep, uint32_t location, const struct open_wait *own)
{
  const struct trace_team *of = &sweep->trace->teams[own->team];
  struct swept_team *team = &sweep->teams[own->team];
  uint32_t instance = own->instance, meeting = own->meeting;
  struct swept_member *last = member_of(sweep, own->team, location);
  for (uint32_t rank = 0; last && rank < of->size; rank++) {
    uint32_t other = of->members[rank];
    struct swept_thread *thread = &sweep->threads[other];
    for (size_t i = thread->waits.count; other != location && i-- > 0;) {
      struct open_wait *wait = &thread->waits.items[i];
      if (wait->waits != FOR_MEETING || wait->team != own->team || wait->instance != instance ||
          wait->meeting != meeting || wait->released)
        continue;
      resolve_meeting(sweep, other, wait, &team->members[rank].since, location, &last->since);
      break;
    }
  }
  for (uint32_t rank = 0; rank < of->size; rank++)
    if (team->members[rank].instance == instance)
      take_past(sweep, of->members[rank], &team->members[rank].since);
}

static void meet_at_object(struct sweep *sweep, uint32_t location, uint64_t object)
{
  struct swept_thread *last = &sweep->threads[location];
  const struct past *last_since = last->met_at == object ? &last->met : NULL;
  for (uint32_t other = 0; other < sweep->trace->location_count; other++) {
    struct swept_thread *thread = &sweep->threads[other];
    struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
    if (other == location || !wait || wait->waits != FOR_OBJECT_MEETING || wait->object != object || wait->released)
      continue;
    resolve_meeting(sweep, other, wait, thread->met_at == object ? &thread->met : NULL, location, last_since);
    thread->met_at = 0; /* taken below */
  }
  for (uint32_t other = 0; other < sweep->trace->location_count; other++) {
    struct swept_thread *thread = &sweep->threads[other];
    const struct open_wait *wait = thread->waits.count ? &thread->waits.items[thread->waits.count - 1] : NULL;
    if (!wait || wait->waits != FOR_OBJECT_MEETING || wait->object != object)
      continue;
    take_past(sweep, other, &thread->met);
    thread->met_at = object;
  }
}

static void begin_swept_wait(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  struct open_wait wait = {.ordinal = step->ordinal,
                           .start = step->time,
                           .waits = step->waits,
                           .region = step->region,
                           .team = step->team,
                           .object = step->number,
                           .lock = step->lock};
  wait.known = release_reader_take(thread->records, step->ordinal, &wait.record);
  if (!wait.known)
    wait.record = (struct wait_record){.ordinal = step->ordinal, .waker = TRACE_NONE, .release = UINT64_MAX};
  if (step->region != TRACE_NONE && thread->regions.count > 0)
    sweep->grain->within[step->region] = thread->regions.items[thread->regions.count - 1];
  struct swept_member *member = step->waits == FOR_MEETING ? member_of(sweep, step->team, location) : NULL;
  if (member) {
    wait.instance = member->instance;
    wait.meeting = member->arrivals++;
  } else if (step->waits == FOR_MEETING) {
    wait.team = TRACE_NONE;
  }
  /* Snapshots of the waker are watched by address: waits that are open move with this one. */
  for (size_t i = 0; thread->waits.count == thread->waits.room && i < thread->waits.count; i++)
    if (thread->waits.items[i].waker.taken) {
      struct past kept = thread->waits.items[i].waker;
      unwatch(sweep, &thread->waits.items[i].waker);
      kept.taken = true;
      thread->waits.items[i].waker = kept; /* its pending parts stay as they are */
    }
  if (!vector_push(&thread->waits, wait)) {
    sweep->failed = true;
    return;
  }
  struct open_wait *open = &thread->waits.items[thread->waits.count - 1];
  bool meets = wait.waits == FOR_MEETING || wait.waits == FOR_OBJECT_MEETING;
  if (wait.waits == FOR_LOCK && wait.known && wait.record.detail) {
    open->object = wait.record.detail;
    open->lock = (uint32_t)wait.record.detail;
    struct swept_lock *lock = lock_by(sweep, open->object, true);
    if (lock) {
      lock->waiting++;
      if (lock->since.taken)
        close_hold(sweep, lock, true);
      else if (lock->holder != TRACE_NONE)
        take_past(sweep, lock->holder, &lock->since);
      copy_mix(sweep, &open->held, &lock->held);
    }
  } else if (!meets && wait.known && wait.record.waker != TRACE_NONE && wait.record.waker != location) {
    take_past(sweep, wait.record.waker, &open->waker);
  }
  if (wait.known && wait.record.waker == location && meets) {
    if (wait.waits == FOR_MEETING && wait.team != TRACE_NONE)
      meet(sweep, location, open);
    else if (wait.waits == FOR_OBJECT_MEETING)
      meet_at_object(sweep, location, wait.object);
  }
  if (wait.known && wait.record.release < wait.record.end &&
      (!meets || wait.record.detail || wait.record.waker == location))
    add_release(sweep, wait.record.release, location, wait.ordinal);
}

static void end_swept_wait(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  struct open_wait *wait = wait_by(sweep, location, step->ordinal);
  if (!wait)
    return;
  if (!wait->released)
    resolve(sweep, location, wait);
  wait = wait_by(sweep, location, step->ordinal);
  unwatch(sweep, &wait->waker);
  past_free(&wait->waker);
  mix_free(&wait->held);
  mix_free(&wait->mix);
  size_t at = (size_t)(wait - thread->waits.items);
  for (size_t i = at + 1; i < thread->waits.count; i++) {
    bool watched = thread->waits.items[i].waker.taken;
    struct past kept = thread->waits.items[i].waker;
    unwatch(sweep, &thread->waits.items[i].waker);
    kept.taken = watched;
    thread->waits.items[i - 1] = thread->waits.items[i];
    thread->waits.items[i - 1].waker = kept;
  }
  thread->waits.count--;
}

static void fork_team(struct sweep *sweep, uint32_t number, uint32_t region)
{
  struct swept_team *team = &sweep->teams[number];
  const struct trace_team *of = &sweep->trace->teams[number];
  team->instance++;
  team->begun = team->in = 0;
  if (region != TRACE_NONE) {
    sweep->grain->regions[region].executions++;
    const uint64_t *ended = hash_find(&sweep->region_ends, region);
    (void)ended;
  }
  for (uint32_t rank = 0; rank < of->size; rank++) {
    uint32_t location = of->members[rank];
    struct swept_thread *thread = &sweep->threads[location];
    take_past(sweep, location, &team->members[rank].since);
    if (thread->late || thread->stopped || (thread->now.does != DOES_IDLE && thread->now.does != DOES_NOTHING))
      continue;
    thread->late = true;
    thread->late_region = region;
    thread->late_woken = 0;
    look_again(sweep, location, LATE, sweep->wake_up);
    recount(sweep, location);
  }
}

static void begin_swept_team(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  sweep->failed |= !vector_push(&thread->regions, step->region) || !vector_push(&thread->works, thread->work);
  if (step->team == TRACE_NONE)
    return;
  struct swept_team *team = &sweep->teams[step->team];
  if (!team->members)
    team->members = calloc((size_t)sweep->trace->teams[step->team].size + 1, sizeof *team->members);
  sweep->failed |= !team->members;
  struct swept_member *member = member_of(sweep, step->team, location);
  if (!member)
    return;
  if (team->begun == 0 || member->instance == team->instance)
    fork_team(sweep, step->team, step->region);
  member->instance = team->instance;
  member->arrivals = 0;
  team->begun++;
  team->in++;
}

/* Members that never began are late no longer. */
static void join_team(struct sweep *sweep, uint32_t number)
{
  const struct trace_team *of = &sweep->trace->teams[number];
  for (uint32_t rank = 0; rank < of->size; rank++) {
    struct swept_thread *thread = &sweep->threads[of->members[rank]];
    if (!thread->late || sweep->teams[number].members[rank].instance == sweep->teams[number].instance)
      continue;
    settle(sweep, of->members[rank]);
    thread->late = false;
    recount(sweep, of->members[rank]);
  }
  sweep->teams[number].begun = 0;
}

static void end_swept_team(struct sweep *sweep, uint32_t location, const struct account_step *step)
{
  struct swept_thread *thread = &sweep->threads[location];
  if (thread->regions.count > 0) {
    uint32_t region = thread->regions.items[--thread->regions.count];
    uint64_t work = thread->work - thread->works.items[--thread->works.count];
    if (region != TRACE_NONE)
      grain_add_work(sweep->grain, region, location, work);
  }
  struct swept_member *member = member_of(sweep, step->team, location);
  if (!member || member->instance != sweep->teams[step->team].instance)
    return;
  struct swept_team *team = &sweep->teams[step->team];
  team->in -= team->in > 0;
  if (team->in == 0)
    join_team(sweep, step->team);
}

static void begin_swept_thread(struct sweep *sweep, uint32_t location)
{
  uint32_t creator = sweep->releases->creators[location];
  if (creator == TRACE_NONE)
    return;
  struct swept_thread *of = &sweep->threads[creator];
  if (of->group.alive == 0) {
    of->group.ended = 0;
    mix_clear(&of->ended);
  }
  of->group.alive++;
  recount(sweep, creator);
}

static void stop_swept_thread(struct sweep *sweep, uint32_t location)
{
  uint32_t creator = sweep->releases->creators[location];
  struct swept_thread *thread = &sweep->threads[location];
  thread->stopped = true;
  if (thread->created_at != TRACE_NONE)
    grain_add_thread(sweep->grain, thread->created_at, thread->work);
  if (creator == TRACE_NONE)
    return;
  struct swept_thread *of = &sweep->threads[creator];
  settle(sweep, creator);
  of->group.alive -= of->group.alive > 0;
  of->group.ended++;
  for (size_t i = 0; i < thread->sums.parts.count; i++)
    mix_add(sweep->causes, &of->ended, thread->sums.parts.items[i].cause, thread->sums.parts.items[i].ticks);
  recount(sweep, creator);
}

static bool sweep_take(void *context, uint32_t location, const struct account_step *step)
{
  struct sweep *sweep = context;
  struct swept_thread *thread = &sweep->threads[location];
  release_due(sweep, step->time);
  advance(sweep, step->time);
  settle(sweep, location);
  uncount(sweep, location);
  if (step->kind == ACT_WAIT_END)
    end_swept_wait(sweep, location, step);
  if (step->kind == ACT_TEAM_BEGIN)
    thread->late = false;
  thread->now = step->kind == ACT_STOP ? (struct activity){DOES_NOTHING, 0, TRACE_NONE} : step->now;
  switch (step->kind) {
  case ACT_BEGIN:
    begin_swept_thread(sweep, location);
    break;
  case ACT_WAIT:
    begin_swept_wait(sweep, location, step);
    break;
  case ACT_ACQUIRE:
    acquire_lock(sweep, location, step->number);
    break;
  case ACT_RELEASE:
    release_swept_lock(sweep, step->number);
    break;
  case ACT_TEAM_BEGIN:
    begin_swept_team(sweep, location, step);
    break;
  case ACT_TEAM_END:
    end_swept_team(sweep, location, step);
    break;
  case ACT_TASK_DONE:
    sweep->grain->tasks++;
    break;
  case ACT_STOP:
    stop_swept_thread(sweep, location);
    break;
  default:
    break;
  }
  uncount(sweep, location);
  count(sweep, location);
  return !sweep->failed && !sweep->causes->failed && !sweep->grain->failed;
}

static void sweep_free(struct sweep *sweep)
{
  for (uint32_t i = 0; sweep->threads && i < sweep->trace->location_count; i++) {
    struct swept_thread *thread = &sweep->threads[i];
    for (size_t k = 0; k < thread->waits.count; k++) {
      past_free(&thread->waits.items[k].waker);
      mix_free(&thread->waits.items[k].held);
      mix_free(&thread->waits.items[k].mix);
    }
    vector_free(&thread->waits);
    vector_free(&thread->watchers);
    vector_free(&thread->regions);
    vector_free(&thread->works);
    mix_free(&thread->sums);
    mix_free(&thread->ended);
    past_free(&thread->met);
    release_reader_close(thread->records);
  }
  for (uint32_t i = 0; sweep->teams && i < sweep->trace->team_count; i++) {
    for (uint32_t k = 0; sweep->teams[i].members && k < sweep->trace->teams[i].size; k++)
      past_free(&sweep->teams[i].members[k].since);
    free(sweep->teams[i].members);
  }
  for (size_t i = 0; i < sweep->lock_list.count; i++) {
    past_free(&sweep->lock_list.items[i].since);
    mix_free(&sweep->lock_list.items[i].held);
  }
  free(sweep->threads);
  free(sweep->teams);
  vector_free(&sweep->lock_list);
  vector_free(&sweep->heap);
  hash_free(&sweep->locks);
  hash_free(&sweep->region_ends);
}

bool sweep_book(const struct releases *releases, uint32_t processors, bool one_thread, struct pool *pool,
                struct causes *causes, struct grain *grain, struct error *error)
{
  const struct trace *trace = releases->trace;
  uint64_t us = trace->ticks_per_second / 1000000 ? trace->ticks_per_second / 1000000 : 1;
  bool timed = trace->restriction.timed;
  struct sweep sweep = {.releases = releases,
                        .trace = trace,
                        .causes = causes,
                        .grain = grain,
                        .error = error,
                        .processors = processors,
                        .one_thread = one_thread,
                        .wake_up = WAKE_UP_US * us,
                        .gap = GAP_US * us,
                        .from = timed && trace->restriction.from > releases->begin ? trace->restriction.from
                                                                                   : releases->begin,
                        .to = timed && trace->restriction.to < releases->end ? trace->restriction.to : releases->end,
                        .now = releases->begin};
  sweep.threads = calloc((size_t)trace->location_count + 1, sizeof *sweep.threads);
  sweep.teams = calloc((size_t)trace->team_count + 1, sizeof *sweep.teams);
  bool good = sweep.threads && sweep.teams;
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    sweep.threads[i].since = sweep.now;
    sweep.threads[i].created_at = TRACE_NONE;
    good = (sweep.threads[i].records = release_reader_open(releases, i)) != NULL;
  }
  good = good || error_set(error, "%s: out of memory", trace->anchor);
  struct activity_pass pass = {trace, releases->meanings, sweep_take, &sweep};
  struct subscriber subscriber = {.context = &pass};
  const struct subscriber *list = &subscriber;
  activity_subscribe(NULL, &subscriber);
  good = good && pass_in_order(trace, pool, &list, 1, error);
  if (good) {
    release_due(&sweep, releases->end);
    advance(&sweep, releases->end);
    for (uint32_t i = 0; i < trace->location_count; i++)
      settle(&sweep, i);
    good = (!sweep.failed && !causes->failed && !grain->failed) || error_set(error, "%s: out of memory", trace->anchor);
  } else if (sweep.failed || causes->failed || grain->failed) {
    error_set(error, "%s: out of memory", trace->anchor);
  }
  sweep_free(&sweep);
  return good;
}
