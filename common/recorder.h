/*
 * The recorder: one thread's window and log. recording.h has the recording of the process.
 *
 * A thread that is attached emits records into its window; a full window becomes a chunk of its log (raw_trace.h). Emit
 * never locks, never allocates, and makes no system call but when the window is full. It may be called from a signal
 * handler: an emit that interrupts an emit of the same thread is skipped and counted, it never waits for itself. A
 * handler may leave by siglongjmp: what it interrupted is then not recorded, and the thread goes on.
 *
 * Any thread may emit at any time; one that was not attached is attached by its first record. Nothing here fails
 * visibly: what can't be recorded is counted, and a reason is said once on stderr. Errno is kept.
 */
#ifndef HEDDLE_COMMON_RECORDER_H
#define HEDDLE_COMMON_RECORDER_H

#include "common/clock.h"
#include "common/raw_record.h"
#include "common/slots.h"

#include <stdbool.h>
#include <stddef.h>

/* The calling thread's recorder; NULL: not attached yet; RECORDER_NONE: it ended or could not be attached. */
extern __thread struct recorder *recorder_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define RECORDER_NONE ((struct recorder *)1)

/* The calling thread begins to fork, or has forked (in the child: before recorder_abandon). */
void recorder_fork(bool begins);
/* In a fork's child: lets go of the parent's windows. The next record calls reopen. */
void recorder_abandon(void);

/* Attaches the calling thread and records its beginning (type: ompt_thread_t or 0). */
void recorder_thread_begin(unsigned type);
/* Records the end of the calling thread, writes what it has, and gives its window back. */
void recorder_thread_end(void);
/* Writes the calling thread's unfinished window to its log. */
void recorder_flush(void);
/* A new id for a region or a task of the calling thread; RAW_ID_NONE when it has no recorder. */
uint64_t recorder_new_id(void);

/* Slow paths of emit; see there. */
struct recorder *recorder_attach(void);
struct recorder *recorder_turn(struct recorder *self);
bool recorder_turn_over(struct recorder *self);
bool recorder_is_interrupted(struct recorder *self, uintptr_t here);

/* Tells an emit from one that it interrupts: that one's is above (stacks grow downwards). */
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
 * a handler tells the emit that it interrupts by the stack pointer of the frame that fills and publishes the record.
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

/* Lets go of what recorder_enter gave. */
static inline void recorder_leave(struct recorder *self)
{
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&self->busy, 0, memory_order_relaxed);
}

/* Makes the record of n words at the cursor valid; all of it but the head is there. The thread stays busy. */
static inline void recorder_put(struct recorder *self, unsigned n, uint64_t head)
{
  uint64_t *at = self->cursor;
  at[n] = 0;
  __atomic_store_n(at, head, __ATOMIC_RELEASE);
  self->cursor = at + n;
  atomic_signal_fence(memory_order_seq_cst);
}

static inline void recorder_publish(struct recorder *self, unsigned n, uint64_t head)
{
  recorder_put(self, n, head);
  recorder_leave(self);
}

/*
 * Puts a record of 2 or 3 words, at a time that the caller took after recorder_enter; a short one, where there can be
 * one. A jump out of a handler may leave it at any line: an entry is only noted when its record is there, and
 * recorder_is_interrupted forgets the base.
 */
static inline __attribute__((always_inline)) void recorder_put_at(struct recorder *self, unsigned n, uint64_t head,
                                                                  uint64_t word, uint64_t now)
{
  uint64_t ticks = now - self->base, first = raw_entry_head(head);
  unsigned place = raw_entry_of(first, word);
  struct raw_entry *entry = &self->entries[place];
  bool has_short = raw_has_short(raw_kind_of(head));
  if (has_short) {
    self->base = now;
    if (__builtin_expect(entry->head == first && entry->word == word && ticks < RAW_SHORT_TICKS, 1)) {
      recorder_put(self, 1, raw_short(place, ticks) | (first != head ? RAW_SHORT_BOTH : 0));
      return;
    }
  }
  self->cursor[1] = now;
  self->cursor[2] = word; /* the place of the next head, where there are two words: it becomes zero again */
  recorder_put(self, n, head);
  if (has_short) {
    entry->head = first;
    entry->word = word;
  }
}

static inline __attribute__((always_inline)) void recorder_put_again(struct recorder *self, unsigned n, uint64_t head,
                                                                     uint64_t word)
{
  recorder_put_at(self, n, head, word, clock_ticks());
}

/* Records of 2, 3 and 4 words, at the present time. */
static inline __attribute__((always_inline)) void recorder_emit(unsigned kind, unsigned detail, uint64_t value)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  uint64_t head = raw_head(kind, detail, value);
  if (raw_has_short(kind)) {
    recorder_put_again(self, 2, head, 0);
  } else {
    self->cursor[1] = clock_ticks();
    recorder_put(self, 2, head);
  }
  recorder_leave(self);
}

static inline __attribute__((always_inline)) void recorder_emit3(unsigned kind, unsigned detail, uint64_t value,
                                                                 uint64_t word2)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  uint64_t head = raw_head(kind, detail, value);
  if (raw_has_short(kind)) {
    recorder_put_again(self, 3, head, word2);
  } else {
    self->cursor[1] = clock_ticks();
    self->cursor[2] = word2;
    recorder_put(self, 3, head);
  }
  recorder_leave(self);
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
 * Two callbacks that a runtime makes one right after the other become one record: recorder_emit_first emits SYNC_BEGIN
 * or WAIT_END, and recorder_emit_second changes it to `both`, if nothing was recorded in between and the detail is the
 * same. Otherwise it emits a record of its own. The time of both is that of the first.
 */
static inline __attribute__((always_inline)) void recorder_emit_first(unsigned kind, unsigned detail, uint64_t value)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  self->newest = self->cursor;
  self->newest_head = raw_head(kind, detail, value);
  recorder_put_again(self, 2, self->newest_head, 0);
  recorder_leave(self);
}

static inline __attribute__((always_inline)) void recorder_emit_second(unsigned first, unsigned both, unsigned kind,
                                                                       unsigned detail)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  uint64_t *newest = self->newest;
  if (newest && self->newest_head >> RAW_VALUE_BITS == raw_head(first, detail, 0) >> RAW_VALUE_BITS) {
    bool is_short = *newest >> 56 == RAW_SHORT;
    if (newest + (is_short ? 1 : 2) == self->cursor) {
      uint64_t head = is_short ? *newest | RAW_SHORT_BOTH : *newest ^ raw_head(first ^ both, 0, 0);
      __atomic_store_n(newest, head, __ATOMIC_RELEASE);
      self->newest = NULL;
      recorder_leave(self);
      return;
    }
  }
  recorder_put_again(self, 2, raw_head(kind, detail, 0), 0);
  recorder_leave(self);
}

/* A record of variable length: n elements of RAW_EXTRA words, at most RECORDER_MOST of them (the rest is left out). */
#define RECORDER_MOST 255u
void recorder_emit_list(unsigned kind, uint64_t value, unsigned n, const uint64_t (*elements)[RAW_EXTRA]);

/*
 * The same in two steps, for lists that are made in the window and take no room on the caller's stack: the thread's
 * recorder, marked busy, with room for n elements (at most RECORDER_MOST) where recorder_list says; or NULL. Then
 * recorder_publish_list with as many, or recorder_leave.
 */
static inline __attribute__((always_inline)) struct recorder *recorder_enter_list(unsigned n)
{
  struct recorder *self = recorder_enter();
  if (!self || self->cursor + 2 + n * RAW_EXTRA <= self->last || recorder_turn_over(self))
    return self;
  recorder_leave(self);
  return NULL;
}
void recorder_publish_list(struct recorder *self, unsigned kind, uint64_t value, unsigned n);

static inline uint64_t (*recorder_list(struct recorder *self))[RAW_EXTRA]
{
  return (uint64_t(*)[RAW_EXTRA])(self->cursor + 2);
}

#endif
