#include "common/recorder/recorder.h"

#include "common/recorder/interruption.h"
#include "common/recorder/recording.h"
#include "common/recorder/window.h"

#include <errno.h>
#include <string.h>

/*
 * Events that busy keeps from being recorded may come from a handler, which ends soon. Where so many came over so long
 * a time, the emit was left by a jump, and will never end. Longer where they are likely to come from handlers: the
 * handlers of a fast timer can keep a thread from going on.
 */
static const struct {
  uint32_t events, ns;
} busy_most[] = {[INTERRUPTION_DOUBTFUL] = {256, 20000000}, [INTERRUPTION_LIKELY] = {4096, 1000000000}};

__thread struct recorder *recorder_self;
/* The stack pointer of the attach that is under way on this thread; 0: none. */
static __thread uintptr_t attaching __attribute__((tls_model("initial-exec")));
/* The thread is in fork: what handlers of others report in the child, before ours, opens no recording there. */
static __thread bool forking __attribute__((tls_model("initial-exec")));
static void (*_Atomic at_thread_end[RECORDER_ENDINGS])(void); /* NULL: nothing */
static struct {
  void (*_Atomic begun)(struct recorder *); /* likewise */
  void (*_Atomic ends)(struct recorder *);
} watcher;

/* The thread has left the slot, and readers of the recording may still need its window. */
static void desert(struct recorder *self)
{
  if (atomic_exchange(&self->later, SLOT_DESERTED) == SLOT_RENEWED)
    recorder_slots_give_back(self);
}

/* The recording is no more: it has stopped, another one follows, or this is a child, where the slot is wiped. */
static void leave_slot(struct recorder *self)
{
  recorder_self = NULL;
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store(&self->busy, 0);
  if (atomic_load(&self->taken))
    desert(self);
}

struct recorder *recorder_turn(struct recorder *self)
{
  if (!__atomic_load_n(&self->window, __ATOMIC_ACQUIRE)) {
    uintptr_t here = atomic_load(&self->busy);
    leave_slot(self);
    self = recorder_attach();
    if (!self)
      return NULL;
    atomic_store_explicit(&self->busy, here, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (self->cursor < atomic_load(&self->limit))
      return self;
  }
  if (recording_state() == RECORDING_STOPPED) {
    leave_slot(self);
    return NULL;
  }
  if (!window_pauses(self) && window_turn(self, false))
    return self;
  recorder_leave(self);
  return NULL;
}

/*
 * The thread is busy. True: with an emit that this one interrupts, so this one is counted, not recorded. False: the
 * emit was left by a jump (siglongjmp, cancellation), its record will never be.
 */
bool recorder_is_interrupted(struct recorder *self, uintptr_t here)
{
  uint64_t now = clock_monotonic_ns();
  int kept = errno;
  enum interruption found = interruption_between(here, atomic_load_explicit(&self->busy, memory_order_relaxed));
  errno = kept;
  if (self->busy_at != self->cursor || !self->busy_events) { /* another emit than last time */
    self->busy_at = self->cursor;
    self->busy_since = now;
    self->busy_events = 0;
  }
  self->busy_events++;
  if (found == INTERRUPTION_NONE ||
      (self->busy_events > busy_most[found].events && now - self->busy_since > busy_most[found].ns)) {
    self->busy_events = 0;
    window_forget(self);
    interruption_forget();
    return false;
  }
  struct raw_header *window = __atomic_load_n(&self->window, __ATOMIC_ACQUIRE);
  if (window)
    window->not_measured++;
  return true;
}

/* This may be a child that no fork handler reported: then its first thread leaves all that is the parent's. */
static void leave_parent(void)
{
  if (!recording_start_leaving())
    return;
  if (recording_config()->forked)
    recording_config()->forked();
  else
    recorder_abandon();
}

static struct recorder *attach(unsigned type)
{
  struct clock_anchor begin = clock_anchor_take(1);
  leave_parent();
  recording_reopen();
  if (!recording_takes_threads())
    return NULL;
  struct recorder *self = window_take();
  if (!self)
    return NULL;
  self->thread = recording_new_thread();
  self->sequence = 0;
  self->window->not_measured = 0;
  self->gap_begin = self->gap_events = self->stalled = 0;
  self->next_id = self->end_of_ids = 0;
  memcpy(self->name, recording_process_name(), sizeof self->name);
  self->bound = 0;
  self->busy_events = 0;
  atomic_store(&self->busy, 0);
  window_begin(self, type, begin);
  void (*begun)(struct recorder *) = atomic_load(&watcher.begun);
  if (begun)
    begun(self);
  return self;
}

void recorder_fork(bool begins)
{
  forking = begins;
}

static struct recorder *attach_as(unsigned type)
{
  if (forking && !recording_is_ours())
    return NULL;
  int kept = errno;
  /* A signal handler that emits meanwhile must not attach this thread a second time. */
  uintptr_t here = recorder_stack_pointer();
  if (attaching && interruption_between(here, attaching) != INTERRUPTION_NONE) {
    recording_lose_event();
    errno = kept;
    return NULL;
  }
  if (attaching)
    interruption_forget();
  attaching = here;
  atomic_signal_fence(memory_order_seq_cst);
  interruption_hold();
  bool entered = recording_enter();
  struct recorder *self = entered ? attach(type) : NULL;
  if (entered)
    recording_leave();
  interruption_release();
  recorder_self = self ? self : recording_goes_on() ? RECORDER_NONE : NULL;
  if (!self)
    recording_lose_event();
  atomic_signal_fence(memory_order_seq_cst);
  attaching = 0;
  errno = kept;
  return self;
}

struct recorder *recorder_attach(void)
{
  if (recorder_self != RECORDER_NONE)
    return attach_as(0);
  recording_lose_event();
  return NULL;
}

void recorder_thread_begin(unsigned type)
{
  /* A thread that ended for the runtime may begin anew; one that recorded before it began keeps its recorder. */
  if ((uintptr_t)recorder_self <= (uintptr_t)RECORDER_NONE)
    attach_as(type);
}

void recorder_at_thread_end(void (*ending)(void))
{
  for (unsigned i = 0; i < RECORDER_ENDINGS; i++) {
    void (*none)(void) = NULL;
    if (atomic_compare_exchange_strong(&at_thread_end[i], &none, ending) || none == ending)
      return;
  }
}

void recorder_watch_threads(void (*begun)(struct recorder *), void (*ends)(struct recorder *))
{
  atomic_store(&watcher.begun, begun);
  atomic_store(&watcher.ends, ends);
}

static void watch_end(struct recorder *self)
{
  void (*ends)(struct recorder *) = atomic_load(&watcher.ends);
  if (ends)
    ends(self);
}

void recorder_thread_end(void)
{
  for (unsigned i = 0; i < RECORDER_ENDINGS; i++) {
    void (*ending)(void) = atomic_load(&at_thread_end[i]);
    if (ending && (uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE)
      ending();
  }
  struct recorder *self = recorder_self;
  if ((uintptr_t)self <= (uintptr_t)RECORDER_NONE)
    return;
  int kept = errno;
  recorder_self = RECORDER_NONE;
  atomic_signal_fence(memory_order_seq_cst);
  interruption_hold();
  watch_end(self);
  bool entered = recording_enter(), is_free = false;
  if (entered && recording_goes_on() && self->window) /* none: a child in which the thread has recorded nothing */
    is_free = window_end(self);
  if (!is_free)
    desert(self);
  if (entered)
    recording_leave();
  interruption_release();
  errno = kept;
}

void recorder_flush(void)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  window_turn(self, true);
  recorder_leave(self);
}

uint64_t recorder_new_id(void)
{
  struct recorder *self = recorder_self;
  if ((uintptr_t)self <= (uintptr_t)RECORDER_NONE && !(self = recorder_attach()))
    return RAW_ID_NONE;
  if (!__atomic_load_n(&self->window, __ATOMIC_ACQUIRE)) { /* wiped: a child; or the recording begins anew */
    leave_slot(self);
    if (!(self = recorder_attach()))
      return RAW_ID_NONE;
  }
  if (self->next_id == self->end_of_ids) {
    uint64_t block = recording_new_id_block();
    if (block >> (RAW_VALUE_BITS - RAW_ID_BLOCK_SHIFT))
      return RAW_ID_NONE;
    self->next_id = block << RAW_ID_BLOCK_SHIFT;
    self->end_of_ids = (block + 1) << RAW_ID_BLOCK_SHIFT;
    self->block_told = false;
    atomic_store(&self->limit, NULL); /* the next record says so before */
  }
  return self->next_id++;
}

static void put_whole(struct recorder *self, uint64_t head, uint64_t word, uint64_t now)
{
  self->cursor[1] = now;
  self->cursor[2] = word; /* the place of the next head, where there are two words: it becomes zero again */
  recorder_put(self, raw_words_of_kind[raw_kind_of(head)], head);
  if (raw_has_short(raw_kind_of(head)))
    recorder_note(self, head, word, now);
}

void recorder_put_whole(struct recorder *self, uint64_t head, uint64_t word, uint64_t now)
{
  put_whole(self, head, word, now);
  recorder_leave(self);
}

/* The reading comes before the record: what the thread did up to it has ended. */
void recorder_put_after_reading(struct recorder *self, uint64_t head, uint64_t word, uint64_t now)
{
  bool first = self->newest == self->cursor; /* recorder_emit_first: it is the next record */
  cpu_reading_put(self, now);
  if (first)
    self->newest = self->cursor;
  if (!raw_has_short(raw_kind_of(head)) || !recorder_put_short(self, head, word, now))
    put_whole(self, head, word, now);
  if (profile_update(self, head, now))
    window_keep(self);
  recorder_leave(self);
}

static inline __attribute__((always_inline)) void put(struct recorder *self, uint64_t head, uint64_t word)
{
  recorder_put_and_leave(self, raw_words_of_kind[raw_kind_of(head)], head, word, clock_ticks());
}

/*
 * While nothing is measured, records that say which thread it is are taken nevertheless, for observers: it says so
 * once. The caller's recorder, busy, with room for so many words; NULL: this is not so.
 */
static struct recorder *enter_paused(uint64_t head, unsigned words)
{
  struct recorder *self = recorder_self;
  if (!raw_is_of_life(head) || recording_state() != RECORDING_PAUSED || (uintptr_t)self <= (uintptr_t)RECORDER_NONE ||
      atomic_load(&self->busy) != 0)
    return NULL;
  atomic_store_explicit(&self->busy, recorder_stack_pointer(), memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  const struct raw_header *window = __atomic_load_n(&self->window, __ATOMIC_ACQUIRE); /* it stays while we are busy */
  if (recording_state() == RECORDING_PAUSED && window && window->owner != 0 && self->cursor + words <= self->last)
    return self;
  recorder_leave(self);
  return NULL;
}

void recorder_emit_slowly(uint64_t head, uint64_t word)
{
  struct recorder *self = recorder_enter();
  if (self)
    put(self, head, word);
  else if ((self = enter_paused(head, RECORDER_WORDS)) != NULL)
    recorder_put_whole(self, head, word, clock_ticks());
}

void recorder_emit_new_slowly(uint64_t head, uint64_t high, uint64_t *id)
{
  *id = recorder_new_id();
  recorder_emit_slowly(head, high | *id);
}

void recorder_emit_first_slowly(uint64_t head)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  self->newest = self->cursor;
  self->newest_head = head;
  put(self, head, 0);
}

void recorder_emit_second_slowly(unsigned first, unsigned both, uint64_t head)
{
  struct recorder *self = recorder_enter();
  if (self && recorder_join(self, first, both, raw_detail_of(head)))
    recorder_leave(self);
  else if (self)
    put(self, head, 0);
}

bool recorder_turn_over(struct recorder *self)
{
  return window_turn(self, true);
}

void recorder_put_list(struct recorder *self, unsigned kind, uint64_t value, unsigned n)
{
  self->cursor[1] = clock_ticks();
  recorder_publish(self, 2 + n * RAW_EXTRA, raw_head(kind, n, value));
}

void recorder_emit_list(unsigned kind, uint64_t value, unsigned n, const uint64_t (*elements)[RAW_EXTRA])
{
  if (n > RECORDER_MOST)
    n = RECORDER_MOST;
  struct recorder *self = recorder_enter_list(n);
  if (!self && !(self = enter_paused(raw_head(kind, n, value), 2 + n * RAW_EXTRA)))
    return;
  memcpy(recorder_list(self), elements, n * sizeof *elements);
  recorder_publish_list(self, kind, value, n);
}

void recorder_forget(struct recorder *slot)
{
  watch_end(slot);
}

void recorder_abandon(void)
{
  if (recording_state() == RECORDING_CLOSED)
    return;
  recorder_slots_leave();
  counters_leave();
  recorder_self = NULL;
  attaching = 0;
  recording_forget_parent();
}
