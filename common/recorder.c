#include "common/recorder.h"

#include "common/chunk.h"
#include "common/diag.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS 65536u
/* Kept free at a window's end: the longest record of fixed length with its terminator, behind a GAP, STALL and NAME. */
#define SLACK_WORDS 16u

enum state { CLOSED, OPEN, PAUSED, STOPPED, FORKED };

__thread struct recorder *recorder_self;

static struct {
  struct recorder_config config;
  struct recorder *slots; /* SLOTS of them, reserved once; pages appear as slots are used */
  atomic_uint slots_used;
  atomic_uint threads;
  atomic_uint id_blocks;
  _Atomic enum state state;
  atomic_uint_fast64_t bytes;
  atomic_uint_fast64_t threads_lost, chunks_lost;
  atomic_int reason;
  atomic_bool limit_reached, said_write, said_window, said_limit;
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
  for (unsigned i = 1; i < n; i++)
    at[i] = words[i - 1];
  at[n] = 0;
  __atomic_store_n(at, head, __ATOMIC_RELEASE);
  self->cursor = at + n;
}

/* Hands the window to (thread, sequence). At every moment it is whole, or it belongs to nobody (raw_trace.h). */
static void begin_chunk(struct recorder *self, struct clock_anchor anchor)
{
  struct raw_header *window = self->window;
  __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
  window->used = 0;
  window->lost_after = 0;
  window->anchor_ticks = anchor.ticks;
  window->anchor_ns = anchor.monotonic_ns;
  __atomic_store_n(records_of(window), 0, __ATOMIC_RELEASE);
  __atomic_store_n(&window->owner, (uint64_t)self->thread << 32 | ++self->sequence, __ATOMIC_RELEASE);
  self->cursor = records_of(window);
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
  put(self, 4, raw_head(RAW_THREAD_NAME, 0, 0), words);
}

static void put_gap(struct recorder *self)
{
  uint64_t events = self->gap_events < RAW_VALUE_MASK ? self->gap_events : RAW_VALUE_MASK;
  put(self, 3, raw_head(RAW_GAP, self->gap_reason, events), (uint64_t[]){clock_ticks(), self->gap_begin});
  self->gap_begin = 0;
  self->gap_events = 0;
  self->window->lost_after = 0;
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
    diag_say("cannot write the trace in ", recording.config.directory, ": ", diag_reason(error),
             "; the program goes on, events are being lost and counted", NULL);
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
    diag_say("the trace has reached HEDDLE_MAX_SIZE; recording stops, the program goes on", NULL);
  return false;
}

/* Writes the window as a chunk. Returns 0, or an errno value: then it is still the window of this chunk. */
static int write_window(struct recorder *self)
{
  struct raw_header *window = self->window;
  window->used = (uint64_t)((char *)self->cursor - (char *)records_of(window));
  if (recording.config.before_chunk)
    recording.config.before_chunk();
  int error = chunk_write(recording.config.directory, self->thread, self->log_end, window);
  if (!error)
    self->log_end += sizeof *window + window->used;
  return error;
}

/* Turns a full window over. False: the size limit forbids it, so it stays as it is. */
static bool turn_over(struct recorder *self, uint64_t begin)
{
  uint64_t bytes = (uint64_t)((char *)self->cursor - (char *)self->window);
  if (!limit_allows(bytes)) {
    open_gap(self, RAW_GAP_LIMIT, begin, 1);
    if (self->window->lost_after < UINT32_MAX)
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
    return false;
  }
  if (state != OPEN)
    return false;
  if (force || self->cursor > self->last) {
    if (!turn_over(self, begin))
      return false;
  } else if (self->gap_begin) {
    put_gap(self);
  }
  restore_limit(self);
  return true;
}

static bool turn(struct recorder *self, bool force)
{
  int kept = errno, cancel;
  /* The system calls of a turn would be cancellation points in the middle of the program's own construct. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  bool room = make_room(self, force);
  pthread_setcancelstate(cancel, NULL);
  errno = kept;
  return room;
}

bool recorder_turn(struct recorder *self)
{
  return turn(self, false);
}

/* The first free slot. Whoever changes `taken` from 0 to 1 has it; slots_used only says how far slots are in use. */
static struct recorder *take_slot(void)
{
  for (unsigned i = 0; i < SLOTS; i++) {
    struct recorder *slot = &recording.slots[i];
    unsigned is_free = 0;
    if (atomic_load_explicit(&slot->taken, memory_order_relaxed) ||
        !atomic_compare_exchange_strong(&slot->taken, &is_free, 1))
      continue;
    slot->slot = i;
    unsigned used = atomic_load(&recording.slots_used);
    while (used <= i && !atomic_compare_exchange_weak(&recording.slots_used, &used, i + 1))
      ;
    return slot;
  }
  return NULL;
}

static void say_window_lost(int error)
{
  count_loss(&recording.threads_lost, error);
  if (diag_first(&recording.said_window))
    diag_say("cannot record a thread in ", recording.config.directory, ": ", diag_reason(error),
             "; the program goes on without its events", NULL);
}

/* A slot with a window; NULL when there is none to be had. */
static struct recorder *take_window(void)
{
  struct recorder *self = take_slot();
  if (!self) {
    say_window_lost(EAGAIN);
    return NULL;
  }
  if (self->window)
    return self;
  const struct recorder_config *config = &recording.config;
  int error;
  self->window = chunk_map_window(config->directory, self->slot, config->window_size, config->ring_slots, &error);
  if (!self->window) {
    atomic_store(&self->taken, 0);
    say_window_lost(error);
    return NULL;
  }
  self->last = (uint64_t *)((char *)self->window + config->window_size) - SLACK_WORDS;
  return self;
}

/* The first record after a fork opens a recording of the child's own. */
static void reopen_after_fork(void)
{
  enum state forked = FORKED;
  if (atomic_compare_exchange_strong(&recording.state, &forked, CLOSED) &&
      !(recording.config.reopen && recording.config.reopen()))
    atomic_store(&recording.state, STOPPED);
}

static bool is_recording(void)
{
  enum state state = atomic_load(&recording.state);
  return state == OPEN || state == PAUSED;
}

static struct recorder *attach(unsigned type)
{
  struct clock_anchor begin = clock_anchor_take(1);
  reopen_after_fork();
  if (!is_recording() || atomic_load(&recording.limit_reached))
    return NULL;
  struct recorder *self = take_window();
  if (!self)
    return NULL;
  self->thread = atomic_fetch_add(&recording.threads, 1);
  self->sequence = 0;
  self->log_end = 0;
  self->window->skipped = 0;
  self->gap_begin = self->gap_events = 0;
  self->next_id = self->end_of_ids = 0;
  memcpy(self->name, recording.process_name, sizeof self->name);
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

static struct recorder *attach_as(unsigned type)
{
  int kept = errno, cancel;
  /* A signal handler that emits meanwhile must not attach this thread a second time. */
  recorder_self = RECORDER_NONE;
  atomic_signal_fence(memory_order_seq_cst);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  struct recorder *self = attach(type);
  pthread_setcancelstate(cancel, NULL);
  recorder_self = self ? self : is_recording() ? RECORDER_NONE : NULL;
  errno = kept;
  return self;
}

struct recorder *recorder_attach(void)
{
  return recorder_self == RECORDER_NONE ? NULL : attach_as(0);
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
  if (!is_recording())
    return;
  if (self->gap_begin)
    put_gap(self);
  put_name(self);
  put(self, 2, raw_head(RAW_THREAD_END, 0, 0), (uint64_t[]){clock_ticks()});
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
  int kept = errno, cancel;
  recorder_self = RECORDER_NONE;
  atomic_signal_fence(memory_order_seq_cst);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  detach(self);
  pthread_setcancelstate(cancel, NULL);
  errno = kept;
}

void recorder_flush(void)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  turn(self, true);
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&self->busy, 0, memory_order_relaxed);
}

uint64_t recorder_new_id(void)
{
  struct recorder *self = recorder_self;
  if ((uintptr_t)self <= (uintptr_t)RECORDER_NONE && !(self = recorder_attach()))
    return RAW_ID_NONE;
  if (self->next_id == self->end_of_ids) {
    uint64_t block = atomic_fetch_add(&recording.id_blocks, 1) + 1ull;
    if (block >> (RAW_VALUE_BITS - RAW_ID_BLOCK_SHIFT))
      return RAW_ID_NONE;
    self->next_id = block << RAW_ID_BLOCK_SHIFT;
    self->end_of_ids = (block + 1) << RAW_ID_BLOCK_SHIFT;
    recorder_emit(RAW_ID_BLOCK_TAKEN, 0, block);
  }
  return self->next_id++;
}

void recorder_emit_list(unsigned kind, uint64_t value, unsigned n, const uint64_t (*elements)[RAW_EXTRA])
{
  if (n > RECORDER_MOST)
    n = RECORDER_MOST;
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  unsigned words = 2 + n * RAW_EXTRA;
  if (self->cursor + words > self->last && !turn(self, true)) {
    atomic_store_explicit(&self->busy, 0, memory_order_relaxed);
    return;
  }
  self->cursor[1] = clock_ticks();
  memcpy(self->cursor + 2, elements, n * sizeof *elements);
  recorder_publish(self, words, raw_head(kind, n, value));
}

void recorder_open(const struct recorder_config *config, bool paused)
{
  recording.config = *config;
  if (!recording.slots) {
    void *slots = mmap(NULL, SLOTS * sizeof(struct recorder), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED) {
      diag_say("not enough memory to record; the program runs without", NULL);
      return;
    }
    recording.slots = slots;
  }
  memset(recording.process_name, 0, sizeof recording.process_name);
  prctl(PR_GET_NAME, recording.process_name);
  atomic_store(&recording.state, paused ? PAUSED : OPEN);
}

/* Makes every thread ask before its next record. */
static void take_limits_away(void)
{
  unsigned used = atomic_load(&recording.slots_used);
  for (unsigned i = 0; i < used; i++)
    atomic_store(&recording.slots[i].limit, NULL);
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

void recorder_stop(void)
{
  atomic_store(&recording.state, STOPPED);
  if (recording.slots)
    take_limits_away();
}

void recorder_abandon(void)
{
  unsigned used = atomic_load(&recording.slots_used);
  for (unsigned i = 0; i < used; i++)
    if (recording.slots[i].window)
      munmap(recording.slots[i].window, recording.config.window_size);
  if (recording.slots)
    munmap(recording.slots, SLOTS * sizeof(struct recorder));
  recorder_self = NULL;
  enum state state = atomic_load(&recording.state);
  struct recorder_config config = recording.config;
  memset(&recording, 0, sizeof recording);
  recording.config = config;
  atomic_store(&recording.state, state == OPEN || state == PAUSED ? FORKED : STOPPED);
}

struct recorder_losses recorder_losses(void)
{
  return (struct recorder_losses){.threads = atomic_load(&recording.threads_lost),
                                  .chunks = atomic_load(&recording.chunks_lost),
                                  .reason = atomic_load(&recording.reason),
                                  .limit_reached = atomic_load(&recording.limit_reached)};
}
