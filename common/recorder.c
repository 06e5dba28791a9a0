#include "common/recorder.h"

#include "common/chunk.h"
#include "common/diag.h"
#include "common/interruption.h"
#include "common/process_dir.h"
#include "common/slots.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What may be written from the first place on where no record may begin any more (`last`): a record that begins before
 * it, behind what make_room puts there, and then, at the thread's end, all that detach writes, with the zero word that
 * ends a window. put() and the unit tests check it.
 */
#define GAP_WORDS   3u
#define BLOCK_WORDS 2u
#define NAME_WORDS  4u
#define END_WORDS   2u
#define SLACK_WORDS (GAP_WORDS + BLOCK_WORDS + RECORDER_WORDS + GAP_WORDS + NAME_WORDS + END_WORDS + 1u)

/* Events that busy keeps from being recorded may come from a handler, which ends soon. Where so many came over so long
 * a time, the emit was left by a jump, and will never end. */
#define BUSY_EVENTS 256u
#define BUSY_NS     20000000u
/* The longest that a thread of a fork's child waits for the one that opens the child's recording. */
#define OPENING_NS 5000000000u

enum state { CLOSED, OPEN, PAUSED, STOPPED, FORKED, OPENING };

__thread struct recorder *recorder_self;
/* The stack pointer of the attach that is under way on this thread; 0: none. */
static __thread uintptr_t attaching __attribute__((tls_model("initial-exec")));
/* The thread is in fork: what handlers of others tell in the child, before ours, opens no recording there. */
static __thread bool forking __attribute__((tls_model("initial-exec")));

static struct {
  struct recorder_config config;
  _Atomic uint64_t *lost; /* events, in a file; NULL: count them here, as in children */
  atomic_uint threads;
  atomic_uint id_blocks;
  _Atomic enum state state;
  atomic_uint_fast64_t bytes;
  atomic_uint_fast64_t threads_lost, chunks_lost, events_lost;
  atomic_int reason;
  atomic_bool limit_reached, said_write, said_window, said_memory, said_limit;
  char process_name[16];
} recording;

static uint64_t *records_of(struct raw_header *window)
{
  return (uint64_t *)(window + 1);
}

/* A record written by the recorder itself, inside a turn: the thread is busy and there is room. */
static void put(struct recorder *self, unsigned n, uint64_t head, const uint64_t *words)
{
  uint64_t *at = self->cursor;
  if (at + n >= self->last + SLACK_WORDS) { /* never; but a word beyond the window would be the program's */
    self->window->skipped++;
    return;
  }
  for (unsigned i = 1; i < n; i++)
    at[i] = words[i - 1];
  at[n] = 0;
  __atomic_store_n(at, head, __ATOMIC_RELEASE);
  self->cursor = at + n;
}

/*
 * Hands the window to (thread, sequence). At every moment it is whole, or it belongs to nobody (raw_trace.h). The limit
 * is NULL meanwhile: a jump out of here leads to make_room, which begins the chunk again.
 */
static void begin_chunk(struct recorder *self, struct clock_anchor anchor)
{
  struct raw_header *window = self->window;
  __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
  window->used = 0;
  window->lost_after = 0;
  window->anchor_ticks = anchor.ticks;
  window->anchor_ns = anchor.monotonic_ns;
  __atomic_store_n(records_of(window), 0, __ATOMIC_RELEASE);
  self->cursor = records_of(window);
  self->newest = NULL;
  self->base = RECORDER_NO_BASE;
  memset(self->entries, 0, RAW_ENTRIES * sizeof *self->entries);
  __atomic_store_n(&window->owner, (uint64_t)self->thread << 32 | ++self->sequence, __ATOMIC_RELEASE);
  self->block_told = false;
}

/* Allows emit again, unless recording was paused or stopped meanwhile (then whoever did it sees our limit, or we see
 * it). */
static void restore_limit(struct recorder *self)
{
  atomic_store(&self->limit, self->last);
  if (atomic_load(&recording.state) != OPEN)
    atomic_store(&self->limit, NULL);
}

static void put_name(struct recorder *self)
{
  char name[17] = {0};
  if (prctl(PR_GET_NAME, name) != 0 || !memcmp(name, self->name, sizeof self->name))
    return;
  memcpy(self->name, name, sizeof self->name);
  uint64_t words[3] = {clock_ticks()};
  memcpy(words + 1, name, 16);
  put(self, NAME_WORDS, raw_head(RAW_THREAD_NAME, 0, 0), words);
}

static void put_gap(struct recorder *self)
{
  uint64_t events = self->gap_events < RAW_VALUE_MASK ? self->gap_events : RAW_VALUE_MASK;
  put(self, GAP_WORDS, raw_head(RAW_GAP, self->gap_reason, events), (uint64_t[]){clock_ticks(), self->gap_begin});
  self->gap_begin = 0;
  self->gap_events = 0;
  self->window->lost_after = 0;
}

/* Each chunk says whose the ids are: those before it may be missing. */
static void put_block(struct recorder *self)
{
  if (self->end_of_ids)
    put(self, BLOCK_WORDS, raw_head(RAW_ID_BLOCK_TAKEN, 0, (self->end_of_ids >> RAW_ID_BLOCK_SHIFT) - 1),
        (uint64_t[]){clock_ticks()});
  self->block_told = true;
}

static void open_gap(struct recorder *self, unsigned reason, uint64_t begin, uint64_t events)
{
  if (!self->gap_begin) {
    self->gap_begin = begin;
    self->gap_reason = reason;
  }
  self->gap_events += events;
}

/* Counts one thing that is lost; the first reason of all is kept. */
static void count_loss(atomic_uint_fast64_t *lost, int error)
{
  int none = 0;
  atomic_compare_exchange_strong(&recording.reason, &none, error);
  atomic_fetch_add(lost, 1);
}

static void lose_chunk(struct recorder *self, int error)
{
  count_loss(&recording.chunks_lost, error);
  const struct raw_header *window = self->window;
  struct chunk_loss loss = chunk_loss(records_of(self->window), window->used / sizeof(uint64_t), window->anchor_ticks);
  open_gap(self, RAW_GAP_DISK, loss.since, loss.events);
  if (diag_first(&recording.said_write))
    diag_say("cannot write the trace in ", process_dir_path(), ": ", diag_reason(error),
             "; the program continues, lost events are counted", NULL);
}

static bool limit_allows(uint64_t bytes)
{
  uint64_t most = recording.config.max_size;
  if (!most || recording.config.ring_slots)
    return true;
  if (!atomic_load(&recording.limit_reached)) {
    if (atomic_fetch_add(&recording.bytes, bytes) + bytes <= most)
      return true;
    atomic_store(&recording.limit_reached, true);
  }
  if (diag_first(&recording.said_limit))
    diag_say("the trace has reached HEDDLE_MAX_SIZE; recording stops, the program continues", NULL);
  return false;
}

/* Writes the window as a chunk. Returns 0, or an errno value: then it is still the window of this chunk. */
static int write_window(struct recorder *self)
{
  struct raw_header *window = self->window;
  window->used = (uint64_t)((char *)self->cursor - (char *)records_of(window));
  if (recording.config.before_chunk)
    recording.config.before_chunk();
  return chunk_write(self->thread, window);
}

/* Turns a full window over. False: the size limit forbids it, so it stays as it is. */
static bool turn_over(struct recorder *self, uint64_t begin)
{
  uint64_t bytes = (uint64_t)((char *)self->cursor - (char *)self->window);
  if (!limit_allows(bytes)) {
    open_gap(self, RAW_GAP_LIMIT, begin, 1);
    if ((self->window->lost_after & ~RAW_PAUSED_AFTER) < RAW_PAUSED_AFTER - 1)
      self->window->lost_after++;
    return false;
  }
  int error = write_window(self);
  if (error)
    lose_chunk(self, error);
  begin_chunk(self, clock_anchor_take(1));
  put_name(self);
  if (self->gap_begin)
    put_gap(self);
  else
    put(self, 3, raw_head(RAW_STALL, 0, 0), (uint64_t[]){clock_ticks(), begin});
  return true;
}

/* Makes room for a record where the limit says there is none; force: although there is. */
static bool make_room(struct recorder *self, bool force)
{
  uint64_t begin = clock_ticks();
  enum state state = atomic_load(&recording.state);
  if (state == PAUSED) {
    open_gap(self, RAW_GAP_PAUSED, begin, 1);
    self->window->lost_after |= RAW_PAUSED_AFTER;
    return false;
  }
  if (state != OPEN)
    return false;
  atomic_store_explicit(&self->limit, NULL, memory_order_relaxed);
  if (!self->window->owner) {
    begin_chunk(self, clock_anchor_take(1));
  } else if (force || self->cursor >= self->last) {
    if (!turn_over(self, begin))
      return false;
  } else if (self->gap_begin) {
    put_gap(self);
  }
  if (!self->block_told)
    put_block(self);
  restore_limit(self);
  return true;
}

static bool turn(struct recorder *self, bool force)
{
  int kept = errno;
  interruption_hold();
  bool room = make_room(self, force);
  interruption_release();
  errno = kept;
  return room;
}

struct recorder *recorder_turn(struct recorder *self)
{
  if (!self->window) {
    uintptr_t here = atomic_load(&self->busy);
    atomic_store(&self->busy, 0);
    recorder_self = NULL;
    self = recorder_attach();
    if (!self)
      return NULL;
    atomic_store_explicit(&self->busy, here, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (self->cursor < atomic_load(&self->limit))
      return self;
  }
  if (turn(self, false))
    return self;
  recorder_leave(self);
  return NULL;
}

/*
 * The thread is busy. True: with an emit that this one interrupts, so this one is skipped and counted. False: the emit
 * was left by a jump (siglongjmp, cancellation), its record will never be.
 */
bool recorder_is_interrupted(struct recorder *self, uintptr_t here)
{
  uint64_t now = clock_monotonic_ns();
  int kept = errno;
  bool below = interruption_is_below(here, atomic_load_explicit(&self->busy, memory_order_relaxed));
  errno = kept;
  if (self->busy_at != self->cursor || !self->busy_events) { /* another emit than last time */
    self->busy_at = self->cursor;
    self->busy_since = now;
    self->busy_events = 0;
  }
  self->busy_events++;
  if (!below || (self->busy_events > BUSY_EVENTS && now - self->busy_since > BUSY_NS)) {
    self->busy_events = 0;
    self->base = RECORDER_NO_BASE;
    self->newest = NULL;
    interruption_forget();
    return false;
  }
  self->window->skipped++;
  return true;
}

static void say_window_lost(int error)
{
  count_loss(&recording.threads_lost, error);
  if (diag_first(&recording.said_window))
    diag_say("cannot record a thread in ", process_dir_path(), ": ", diag_reason(error),
             "; the program continues, this thread's events are not recorded", NULL);
}

/* A slot with a window; NULL when there is none to be had. */
static struct recorder *take_window(void)
{
  struct recorder *self = slots_take();
  if (!self) {
    say_window_lost(EAGAIN);
    return NULL;
  }
  const struct recorder_config *config = &recording.config;
  int error = 0;
  if (!self->window) {
    self->window = chunk_map_window(self->slot, config->window_size, config->ring_slots, &self->in_file, &error);
    if (self->window && !self->in_file && diag_first(&recording.said_memory))
      diag_say("cannot create a window in ", process_dir_path(), ": ", diag_reason(error),
               "; each thread's newest events are in memory only, and are lost if the program is killed", NULL);
  }
  if (self->window && !self->entries && !(self->entries = chunk_map_entries()))
    error = ENOMEM;
  if (!self->window || !self->entries) {
    atomic_store(&self->taken, 0);
    say_window_lost(error);
    return NULL;
  }
  self->last = (uint64_t *)((char *)self->window + config->window_size) - SLACK_WORDS;
  return self;
}

/* This may be a child of which no fork handler told: then all that is the parent's is left, by the first thread. */
static void leave_parent(void)
{
  enum state state = atomic_load(&recording.state);
  if (recorder_is_ours() || (state != OPEN && state != PAUSED) ||
      !atomic_compare_exchange_strong(&recording.state, &state, OPENING))
    return;
  if (recording.config.forked)
    recording.config.forked();
  else
    recorder_abandon();
}

/*
 * The first record after a fork opens a recording of the child's own. Other threads wait for it, but not without end: a
 * handler may have jumped out of it.
 */
static void reopen_after_fork(void)
{
  enum state forked = FORKED;
  if (atomic_compare_exchange_strong(&recording.state, &forked, OPENING)) {
    if (!(recording.config.reopen && recording.config.reopen()))
      atomic_store(&recording.state, STOPPED);
    return;
  }
  uint64_t since = clock_monotonic_ns();
  while (atomic_load(&recording.state) == OPENING && clock_monotonic_ns() - since < OPENING_NS)
    sched_yield();
}

static bool is_recording(void)
{
  enum state state = atomic_load(&recording.state);
  return state == OPEN || state == PAUSED;
}

static struct recorder *attach(unsigned type)
{
  struct clock_anchor begin = clock_anchor_take(1);
  leave_parent();
  reopen_after_fork();
  if (!is_recording() || atomic_load(&recording.limit_reached))
    return NULL;
  struct recorder *self = take_window();
  if (!self)
    return NULL;
  self->thread = atomic_fetch_add(&recording.threads, 1);
  self->sequence = 0;
  self->window->skipped = 0;
  self->gap_begin = self->gap_events = 0;
  self->next_id = self->end_of_ids = 0;
  memcpy(self->name, recording.process_name, sizeof self->name);
  self->busy_events = 0;
  begin_chunk(self, begin);
  put(self, 2, raw_head(RAW_THREAD_BEGIN, type, (uint64_t)syscall(SYS_gettid)), (uint64_t[]){begin.ticks});
  if (type == RAW_THREAD_WORKER) /* a runtime's thread has the name of the one that created it, until it gets its own */
    prctl(PR_GET_NAME, self->name);
  else
    put_name(self);
  put(self, 3, raw_head(RAW_STALL, 0, 0), (uint64_t[]){clock_ticks(), begin.ticks});
  atomic_store(&self->busy, 0);
  restore_limit(self);
  return self;
}

void recorder_lose_event(void)
{
  enum state state = atomic_load_explicit(&recording.state, memory_order_relaxed);
  if (state != OPEN && state != OPENING && state != FORKED)
    return;
  if (recording.lost && recorder_is_ours())
    atomic_fetch_add(recording.lost, 1);
  else
    atomic_fetch_add(&recording.events_lost, 1);
}

void recorder_fork(bool begins)
{
  forking = begins;
}

static struct recorder *attach_as(unsigned type)
{
  if (forking && !recorder_is_ours())
    return NULL;
  int kept = errno;
  /* A signal handler that emits meanwhile must not attach this thread a second time. */
  uintptr_t here = recorder_stack_pointer();
  if (attaching && interruption_is_below(here, attaching)) {
    recorder_lose_event();
    errno = kept;
    return NULL;
  }
  if (attaching)
    interruption_forget();
  attaching = here;
  atomic_signal_fence(memory_order_seq_cst);
  interruption_hold();
  struct recorder *self = attach(type);
  interruption_release();
  recorder_self = self ? self : is_recording() ? RECORDER_NONE : NULL;
  if (!self)
    recorder_lose_event();
  atomic_signal_fence(memory_order_seq_cst);
  attaching = 0;
  errno = kept;
  return self;
}

struct recorder *recorder_attach(void)
{
  if (recorder_self != RECORDER_NONE)
    return attach_as(0);
  recorder_lose_event();
  return NULL;
}

void recorder_thread_begin(unsigned type)
{
  /* A thread that ended for the runtime may begin anew; one that recorded before it began keeps its recorder. */
  if ((uintptr_t)recorder_self <= (uintptr_t)RECORDER_NONE)
    attach_as(type);
}

/* Writes what the thread has, and frees its slot. A window that can't be written stays the thread's: it is not lost. */
static void detach(struct recorder *self)
{
  if (!is_recording() || !self->window) /* wiped: a child in which the thread has recorded nothing */
    return;
  if (self->gap_begin)
    put_gap(self);
  put_name(self);
  put(self, END_WORDS, raw_head(RAW_THREAD_END, 0, 0), (uint64_t[]){clock_ticks()});
  if (!is_recording() || !limit_allows((uint64_t)((char *)self->cursor - (char *)self->window)) || write_window(self))
    return;
  __atomic_store_n(&self->window->owner, 0, __ATOMIC_RELEASE);
  atomic_store(&self->limit, NULL);
  atomic_store(&self->taken, 0);
}

void recorder_thread_end(void)
{
  struct recorder *self = recorder_self;
  if ((uintptr_t)self <= (uintptr_t)RECORDER_NONE)
    return;
  int kept = errno;
  recorder_self = RECORDER_NONE;
  atomic_signal_fence(memory_order_seq_cst);
  interruption_hold();
  detach(self);
  interruption_release();
  errno = kept;
}

void recorder_flush(void)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  turn(self, true);
  recorder_leave(self);
}

uint64_t recorder_new_id(void)
{
  struct recorder *self = recorder_self;
  if ((uintptr_t)self <= (uintptr_t)RECORDER_NONE && !(self = recorder_attach()))
    return RAW_ID_NONE;
  if (!self->window) { /* wiped: a child */
    recorder_self = NULL;
    if (!(self = recorder_attach()))
      return RAW_ID_NONE;
  }
  if (self->next_id == self->end_of_ids) {
    uint64_t block = atomic_fetch_add(&recording.id_blocks, 1) + 1ull;
    if (block >> (RAW_VALUE_BITS - RAW_ID_BLOCK_SHIFT))
      return RAW_ID_NONE;
    self->next_id = block << RAW_ID_BLOCK_SHIFT;
    self->end_of_ids = (block + 1) << RAW_ID_BLOCK_SHIFT;
    self->block_told = false;
    atomic_store(&self->limit, NULL); /* the next record says so before */
  }
  return self->next_id++;
}

bool recorder_turn_over(struct recorder *self)
{
  return turn(self, true);
}

void recorder_publish_list(struct recorder *self, unsigned kind, uint64_t value, unsigned n)
{
  self->cursor[1] = clock_ticks();
  recorder_publish(self, 2 + n * RAW_EXTRA, raw_head(kind, n, value));
}

void recorder_emit_list(unsigned kind, uint64_t value, unsigned n, const uint64_t (*elements)[RAW_EXTRA])
{
  if (n > RECORDER_MOST)
    n = RECORDER_MOST;
  struct recorder *self = recorder_enter_list(n);
  if (!self)
    return;
  memcpy(recorder_list(self), elements, n * sizeof *elements);
  recorder_publish_list(self, kind, value, n);
}

void recorder_open(const struct recorder_config *config, bool paused)
{
  recording.config = *config;
  if (!slots_reserve()) {
    diag_say("not enough memory to record; the program continues and is not recorded", NULL);
    return;
  }
  recording.lost = process_dir_counter();
  if (recording.lost) /* what other threads and handlers lost until now */
    atomic_fetch_add(recording.lost, atomic_exchange(&recording.events_lost, 0));
  memset(recording.process_name, 0, sizeof recording.process_name);
  prctl(PR_GET_NAME, recording.process_name);
  atomic_store(&recording.state, paused ? PAUSED : OPEN);
}

/* Makes every thread ask before its next record. */
static void take_limits_away(void)
{
  unsigned used = slots_used();
  for (unsigned i = 0; i < used; i++)
    atomic_store(&slots_at(i)->limit, NULL);
}

void recorder_pause(void)
{
  enum state open = OPEN;
  if (atomic_compare_exchange_strong(&recording.state, &open, PAUSED))
    take_limits_away();
}

void recorder_resume(void)
{
  enum state paused = PAUSED;
  atomic_compare_exchange_strong(&recording.state, &paused, OPEN);
}

bool recorder_is_ours(void)
{
  return slots_are_ours();
}

/* Windows that no file has are written by whoever ends the recording; their threads have stopped, or will see it. */
static void write_windows_in_memory(void)
{
  unsigned used = slots_used();
  for (unsigned i = 0; i < used; i++) {
    struct recorder *slot = slots_at(i);
    if (!slot->window || slot->in_file || !slot->window->owner)
      continue;
    slot->window->used = chunk_used(slot->window);
    int error = chunk_write(slot->thread, slot->window);
    if (error)
      count_loss(&recording.chunks_lost, error);
  }
}

void recorder_stop(void)
{
  atomic_store(&recording.state, STOPPED);
  take_limits_away();
  write_windows_in_memory();
}

void recorder_abandon(void)
{
  enum state state = atomic_load(&recording.state);
  if (state == CLOSED)
    return;
  slots_leave();
  recorder_self = NULL;
  attaching = 0;
  struct recorder_config config = recording.config;
  uint64_t lost = state == OPENING ? atomic_load(&recording.events_lost) : 0; /* here, not in the parent */
  memset(&recording, 0, sizeof recording);
  recording.config = config;
  atomic_store(&recording.events_lost, lost);
  atomic_store(&recording.state, state == STOPPED ? STOPPED : FORKED);
}

struct recorder_losses recorder_losses(void)
{
  return (struct recorder_losses){.threads = atomic_load(&recording.threads_lost),
                                  .chunks = atomic_load(&recording.chunks_lost),
                                  .events = atomic_load(&recording.events_lost),
                                  .events_in_file = recording.lost ? atomic_load(recording.lost) : 0,
                                  .reason = atomic_load(&recording.reason),
                                  .limit_reached = atomic_load(&recording.limit_reached)};
}
