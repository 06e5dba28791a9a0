/*
 * The recorder: one thread's window and log. recording.h has the recording of the process.
 *
 * A thread that is attached emits records into its window; a full window becomes a chunk of its log (raw_trace.h). Emit
 * never locks, never allocates, and makes no system call but when the window is full, or a reading is due
 * (cpu_time_reading.h). It may be called from a signal handler. An emit that interrupts an emit of the same thread is
 * counted, not recorded; it never waits for itself. A handler may leave by siglongjmp: what it interrupted is then not
 * recorded, and the thread goes on.
 *
 * Any thread may emit at any time; one that was not attached is attached by its first record. Nothing here fails
 * visibly: what can't be recorded is counted, and a reason is said once on stderr. Errno is kept.
 */
#ifndef HEDDLE_COMMON_RECORDER_RECORDER_H
#define HEDDLE_COMMON_RECORDER_RECORDER_H

#include "common/profile/profile_updates.h"
#include "common/raw/raw_record.h"
#include "common/recorder/clock.h"
#include "common/recorder/cpu_time_reading.h"
#include "common/recorder/recorder_slots.h"

#include <stdbool.h>
#include <stddef.h>

/* The calling thread's recorder; NULL: not attached yet; RECORDER_NONE: it ended or could not be attached. */
extern __thread struct recorder *recorder_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define RECORDER_NONE ((struct recorder *)1)

/* The calling thread begins to fork, or has forked (in the child: before recorder_abandon). */
void recorder_fork(bool begins);
/* In a fork's child: lets go of the parent's windows. The next record calls reopen. */
void recorder_abandon(void);

/* The recording before has stopped, and lets go of the slot: so does who watches threads. */
void recorder_forget(struct recorder *slot);

/* Attaches the calling thread and records its beginning (type: ompt_thread_t or 0). */
void recorder_thread_begin(unsigned type);
/* Records the end of the calling thread, writes what it has, and gives its window back. */
void recorder_thread_end(void);
/* What each thread that records calls before its end, while it still records. At most RECORDER_ENDINGS. */
#define RECORDER_ENDINGS 2u
void recorder_at_thread_end(void (*ending)(void));
/* What is called for the calling thread once its recorder is made, and as it is released: it takes no lock, and emits
 * nothing. One; before the first record. */
void recorder_watch_threads(void (*begun)(struct recorder *recorder), void (*ends)(struct recorder *recorder));
/* Writes the calling thread's unfinished window to its log. */
void recorder_flush(void);
/* A new id for a region or a task of the calling thread; RAW_ID_NONE when it has no recorder. */
uint64_t recorder_new_id(void);

/*
 * Slow paths of emit. The emit functions do what their names say, in any state of the thread. recorder_put_whole is for
 * a thread that is busy, and lets go of it. The fast paths need nothing after a call of these, so they save no
 * registers.
 */
void recorder_emit_slowly(uint64_t head, uint64_t word);
void recorder_emit_new_slowly(uint64_t head, uint64_t high, uint64_t *id);
void recorder_emit_first_slowly(uint64_t head);
void recorder_emit_second_slowly(unsigned first, unsigned both, uint64_t head);
void recorder_put_whole(struct recorder *self, uint64_t head, uint64_t word, uint64_t now);
void recorder_put_after_reading(struct recorder *self, uint64_t head, uint64_t word, uint64_t now);
struct recorder *recorder_attach(void);
struct recorder *recorder_turn(struct recorder *self);
bool recorder_turn_over(struct recorder *self);
bool recorder_is_interrupted(struct recorder *self, uintptr_t here);

/* Distinguishes an emit from the emit that it interrupts, which is above (stacks grow downwards). */
static inline __attribute__((always_inline)) uintptr_t recorder_stack_pointer(void)
{
#if defined(__x86_64__)
  uintptr_t here;
  __asm__ volatile("mov %%rsp, %0" : "=r"(here));
  return here;
#elif defined(__aarch64__)
  uintptr_t here;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  return here;
#else
  return (uintptr_t)__builtin_frame_address(0);
#endif
}

/*
 * The calling thread's recorder, marked busy, with room for a record of up to RECORDER_WORDS words; or NULL. Inline, as
 * a handler recognizes the emit that it interrupts by the stack pointer of the frame that fills and publishes the
 * record.
 */
static inline __attribute__((always_inline)) struct recorder *recorder_enter(void)
{
  struct recorder *self = recorder_self;
  uintptr_t here = recorder_stack_pointer();
  if (__builtin_expect((uintptr_t)self <= (uintptr_t)RECORDER_NONE, 0)) {
    self = recorder_attach();
    if (!self)
      return NULL;
  }
  if (__builtin_expect(atomic_load_explicit(&self->busy, memory_order_relaxed) != 0, 0) &&
      recorder_is_interrupted(self, here))
    return NULL;
  /* A signal handler that emits between these lines finds the thread either free or busy, never half-way. */
  atomic_store_explicit(&self->busy, here, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(self->cursor >= atomic_load_explicit(&self->limit, memory_order_relaxed), 0))
    return recorder_turn(self);
  return self;
}

/* Follows a call that is made while the thread is busy. In a tail call the stack pointer would rise above `busy`; a
 * handler would assume that a jump left the emit that it interrupts. */
#define RECORDER_NO_TAIL_CALL() __asm__ volatile("")

/* Lets go of what recorder_enter gave. A thread that sees this (recording_restart.h) sees all that the thread has
 * done. */
static inline void recorder_leave(struct recorder *self)
{
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&self->busy, 0, memory_order_release);
}

/*
 * The same where nothing is in the way, which is nearly always; NULL: ask recorder_enter. Only for machines whose clock
 * is one instruction.
 */
static inline __attribute__((always_inline)) struct recorder *recorder_ready(void)
{
#if defined(__x86_64__)
  struct recorder *self = recorder_self;
  uintptr_t here = recorder_stack_pointer();
  if (__builtin_expect((uintptr_t)self <= (uintptr_t)RECORDER_NONE || !clock_is_tsc, 0) ||
      __builtin_expect(atomic_load_explicit(&self->busy, memory_order_relaxed) != 0, 0))
    return NULL;
  atomic_store_explicit(&self->busy, here, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(self->cursor < atomic_load_explicit(&self->limit, memory_order_relaxed), 1))
    return self;
  recorder_leave(self);
#endif
  return NULL;
}

/* Makes the record of n words at the cursor valid; all of it but the head is there. The thread stays busy. */
static inline __attribute__((always_inline)) void recorder_put(struct recorder *self, unsigned n, uint64_t head)
{
  uint64_t *at = self->cursor;
  at[n] = 0;
  __atomic_store_n(at, head, __ATOMIC_RELEASE);
  self->cursor = at + n;
  atomic_signal_fence(memory_order_seq_cst);
}

/* After the record of a kind that has short ones was put: what follows may mean it. */
static inline void recorder_note(struct recorder *self, uint64_t head, uint64_t word, uint64_t now)
{
  unsigned kind = raw_kind_of(head);
  self->entries[raw_entry_number(head, word)] =
      raw_moves(head, word) ? raw_moving_entry(head, word) : (struct raw_entry){raw_entry_head(head), word};
  self->base = now;
  if (kind == RAW_MUTEX_ACQUIRE || kind == RAW_MUTEX_ACQUIRED)
    self->lock = raw_lock_of(head);
}

/* Makes the record of n words at the cursor valid, its time among them, and lets go. */
static inline __attribute__((always_inline)) void recorder_publish(struct recorder *self, unsigned n, uint64_t head)
{
  uint64_t *at = self->cursor;
  recorder_put(self, n, head);
  if (raw_has_short(raw_kind_of(head)))
    recorder_note(self, head, n > 2 ? at[2] : 0, at[1]);
  recorder_leave(self);
}

/* Puts the short record of a kind with a part that moves, if there is its entry. */
static inline __attribute__((always_inline)) bool recorder_put_moved(struct recorder *self, uint64_t head,
                                                                     uint64_t word, uint64_t now)
{
  struct raw_entry is = raw_moving_entry(head, word);
  unsigned place = raw_entry_of(is.head, 0);
  struct raw_entry *entry = &self->entries[place];
  uint64_t ticks = now - self->base, step = raw_step(raw_kind_of(head), entry->word, is.word);
  if (__builtin_expect(entry->head != is.head || step >= RAW_NO_STEP || ticks >= RAW_MOVED_TICKS, 0))
    return false;
  if (raw_kind_of(head) == RAW_MUTEX_ACQUIRE) {
    self->acquiring = self->cursor;
    self->lock = raw_lock_of(head);
  }
  recorder_put(self, 1, raw_short_moved(place, step, ticks));
  entry->word = is.word;
  self->base = now;
  return true;
}

/* ACQUIRED or RELEASED of the lock that was acquired last. ACQUIRED may become part of the record before. */
static inline __attribute__((always_inline)) void recorder_put_lock(struct recorder *self, uint64_t head, uint64_t now)
{
  uint64_t ticks = now - self->base, *acquiring = self->acquiring;
  if (raw_kind_of(head) == RAW_MUTEX_ACQUIRED && acquiring && acquiring + 1 == self->cursor &&
      (*acquiring & (RAW_MOVED_TICKS - 1)) < RAW_ACQUIRED_TICKS && ticks < RAW_ACQUIRED_WAITING)
    __atomic_store_n(acquiring, raw_short_acquired(*acquiring, ticks), __ATOMIC_RELEASE);
  else
    recorder_put(self, 1, raw_short_lock(raw_kind_of(head) == RAW_MUTEX_RELEASED, ticks));
  self->acquiring = NULL;
  self->base = now;
}

/*
 * Puts the short record of a kind that has some. False: it must be a whole one. A jump out of a handler may leave this
 * at any line: recorder_is_interrupted forgets what short records build on.
 */
static inline __attribute__((always_inline)) bool recorder_put_short(struct recorder *self, uint64_t head,
                                                                     uint64_t word, uint64_t now)
{
  unsigned kind = raw_kind_of(head);
  if (raw_moves(head, word))
    return recorder_put_moved(self, head, word, now);
  if ((kind == RAW_MUTEX_ACQUIRED || kind == RAW_MUTEX_RELEASED) && self->lock == raw_lock_of(head) &&
      now - self->base < RAW_LOCK_TICKS) {
    recorder_put_lock(self, head, now);
    return true;
  }
  uint64_t ticks = now - self->base, first = raw_entry_head(head);
  unsigned place = raw_entry_of(first, word);
  const struct raw_entry *entry = &self->entries[place];
  if (__builtin_expect(entry->head != first || entry->word != word || ticks >= RAW_SHORT_TICKS, 0))
    return false;
  if (kind == RAW_MUTEX_ACQUIRE || kind == RAW_MUTEX_ACQUIRED)
    self->lock = raw_lock_of(head);
  recorder_put(self, 1, raw_short(place, ticks) | (first != head ? RAW_SHORT_BOTH : 0));
  self->base = now;
  return true;
}

/* Puts a record of 2 or 3 words, at a time that the caller took after recorder_enter. The thread stays busy. */
static inline __attribute__((always_inline)) void recorder_put_at(struct recorder *self, unsigned n, uint64_t head,
                                                                  uint64_t word, uint64_t now)
{
  bool has_short = raw_has_short(raw_kind_of(head));
  if (has_short && recorder_put_short(self, head, word, now))
    return;
  self->cursor[1] = now;
  self->cursor[2] = word; /* the place of the next head, where there are two words: it stays zero */
  recorder_put(self, n, head);
  if (has_short)
    recorder_note(self, head, word, now);
}

/* For callers that put records at times of their own: a reading at `now`, if one is due (cpu_time_reading.h). */
static inline void recorder_read_if_due(struct recorder *self, uint64_t now)
{
  if (__builtin_expect(now >= self->due, 0)) {
    cpu_reading_put(self, now);
    profile_update(self, 0, now);
  }
}

/* The same, once a record was put at `now` that begins a wait. */
static inline void recorder_fold_if_due(struct recorder *self, uint64_t head, uint64_t now)
{
  if (__builtin_expect(now >= self->due_waiting, 0))
    profile_update(self, head, now);
}

/* Puts a record of `words` words, 2 or 3, into the window of a thread that is busy, and lets go. */
static inline __attribute__((always_inline)) void recorder_put_and_leave(struct recorder *self, unsigned words,
                                                                         uint64_t head, uint64_t word, uint64_t now)
{
  if (__builtin_expect(now >= (profile_update_waits(head) ? self->due_waiting : self->due), 0)) {
    recorder_put_after_reading(self, head, word, now);
    RECORDER_NO_TAIL_CALL();
    return;
  }
  if (raw_has_short(raw_kind_of(head))) {
    if (!recorder_put_short(self, head, word, now)) {
      recorder_put_whole(self, head, word, now);
      RECORDER_NO_TAIL_CALL();
      return;
    }
  } else {
    self->cursor[1] = now;
    self->cursor[2] = word; /* the place of the next head, where there are two words: it stays zero */
    recorder_put(self, words, head);
  }
  recorder_leave(self);
}

/* Records of 2, 3 and 4 words, at the present time. */
static inline __attribute__((always_inline)) void recorder_emit(unsigned kind, unsigned detail, uint64_t value)
{
  struct recorder *self = recorder_ready();
  if (__builtin_expect(self != NULL, 1))
    recorder_put_and_leave(self, 2, raw_head(kind, detail, value), 0, clock_tsc());
  else
    recorder_emit_slowly(raw_head(kind, detail, value), 0);
}

static inline __attribute__((always_inline)) void recorder_emit3(unsigned kind, unsigned detail, uint64_t value,
                                                                 uint64_t word2)
{
  struct recorder *self = recorder_ready();
  if (__builtin_expect(self != NULL, 1))
    recorder_put_and_leave(self, 3, raw_head(kind, detail, value), word2, clock_tsc());
  else
    recorder_emit_slowly(raw_head(kind, detail, value), word2);
}

/* The same with a new id of the calling thread (recorder_new_id), which becomes *id, in word 2; high: its other bits.
 */
static inline __attribute__((always_inline)) void recorder_emit_new(unsigned kind, unsigned detail, uint64_t value,
                                                                    uint64_t high, uint64_t *id)
{
  struct recorder *self = recorder_ready();
  if (__builtin_expect(self && self->next_id != self->end_of_ids, 1)) {
    uint64_t new_id = self->next_id++;
    *id = new_id;
    recorder_put_and_leave(self, 3, raw_head(kind, detail, value), high | new_id, clock_tsc());
    return;
  }
  if (self)
    recorder_leave(self);
  recorder_emit_new_slowly(raw_head(kind, detail, value), high, id);
}

static inline void recorder_emit4(unsigned kind, unsigned detail, uint64_t value, uint64_t word2, uint64_t word3)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  self->cursor[1] = clock_ticks();
  self->cursor[2] = word2;
  self->cursor[3] = word3;
  recorder_publish(self, 4, raw_head(kind, detail, value));
}

/*
 * Two callbacks that a runtime makes one right after the other become one record. recorder_emit_first emits SYNC_BEGIN
 * or WAIT_END. recorder_emit_second changes it to `both`, if nothing was recorded in between and the detail is the
 * same. Otherwise it emits a record of its own. The time of both is the time of the first.
 */
static inline __attribute__((always_inline)) void recorder_emit_first(unsigned kind, unsigned detail, uint64_t value)
{
  struct recorder *self = recorder_ready();
  uint64_t head = raw_head(kind, detail, value);
  if (__builtin_expect(!self, 0)) {
    recorder_emit_first_slowly(head);
    return;
  }
  self->newest = self->cursor;
  self->newest_head = head;
  recorder_put_and_leave(self, 2, head, 0, clock_tsc());
}

/* Makes the newest record one of both kinds, where it can be. */
static inline __attribute__((always_inline)) bool recorder_join(struct recorder *self, unsigned first, unsigned both,
                                                                unsigned detail)
{
  uint64_t *newest = self->newest;
  if (!newest || self->newest_head >> RAW_VALUE_BITS != raw_head(first, detail, 0) >> RAW_VALUE_BITS)
    return false;
  bool is_short = *newest >> 56 == RAW_SHORT;
  if (newest + (is_short ? 1 : 2) != self->cursor)
    return false;
  uint64_t head = is_short ? *newest | RAW_SHORT_BOTH : *newest ^ raw_head(first ^ both, 0, 0);
  __atomic_store_n(newest, head, __ATOMIC_RELEASE);
  self->newest = NULL;
  return true;
}

static inline __attribute__((always_inline)) void recorder_emit_second(unsigned first, unsigned both, unsigned kind,
                                                                       unsigned detail)
{
  struct recorder *self = recorder_ready();
  if (__builtin_expect(!self, 0))
    recorder_emit_second_slowly(first, both, raw_head(kind, detail, 0));
  else if (__builtin_expect(recorder_join(self, first, both, detail), 1))
    recorder_leave(self);
  else
    recorder_put_and_leave(self, 2, raw_head(kind, detail, 0), 0, clock_tsc());
}

/* A record of variable length: n elements of RAW_EXTRA words, at most RECORDER_MOST of them (the rest is lost). */
#define RECORDER_MOST 255u
void recorder_emit_list(unsigned kind, uint64_t value, unsigned n, const uint64_t (*elements)[RAW_EXTRA]);

/*
 * The same in two steps, for lists that are made in the window and take no room on the caller's stack.
 * recorder_enter_list returns the thread's recorder, marked busy, or NULL. It has room for n elements (at most
 * RECORDER_MOST), where recorder_list says. Then recorder_publish_list with as many, or recorder_leave.
 */
static inline __attribute__((always_inline)) struct recorder *recorder_enter_list(unsigned n)
{
  struct recorder *self = recorder_enter();
  if (!self || self->cursor + 2 + n * RAW_EXTRA <= self->last || recorder_turn_over(self))
    return self;
  recorder_leave(self);
  return NULL;
}
void recorder_put_list(struct recorder *self, unsigned kind, uint64_t value, unsigned n);

static inline __attribute__((always_inline)) void recorder_publish_list(struct recorder *self, unsigned kind,
                                                                        uint64_t value, unsigned n)
{
  recorder_put_list(self, kind, value, n);
  RECORDER_NO_TAIL_CALL();
}

static inline uint64_t (*recorder_list(struct recorder *self))[RAW_EXTRA]
{
  return (uint64_t(*)[RAW_EXTRA])(self->cursor + 2);
}

#endif
