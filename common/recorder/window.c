#include "common/recorder/window.h"

#include "common/profile/profile_updates.h"
#include "common/recorder/chunk.h"
#include "common/recorder/cpu_time_reading.h"
#include "common/recorder/interruption.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/own_record.h"
#include "common/recorder/recording.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What may be written from the first place on where no record may begin any more (`last`). First come a record that
 * begins before it, behind what make_room puts there, and a reading, with the stall of a fold behind it. Then, at the
 * thread's end, comes all that window_end writes, with the zero word that ends a window. own_record_put() and the unit
 * tests check it.
 */
#define GAP_WORDS   3u
#define BLOCK_WORDS 2u
#define NAME_WORDS  4u
#define END_WORDS   2u
#define NEEDS_WORDS 3u
#define SLACK_WORDS                                                                                                    \
  (GAP_WORDS + NEEDS_WORDS + BLOCK_WORDS + RECORDER_WORDS + GAP_WORDS + NAME_WORDS + CPU_AFFINITY_WORDS + END_WORDS +  \
   OWN_STALL_WORDS + 1u) /* and 2 readings */

static size_t slack(void)
{
  return SLACK_WORDS + 2 * reading_words();
}

static uint64_t *records_of(struct raw_header *window)
{
  return (uint64_t *)(window + 1);
}

void window_forget(struct recorder *self)
{
  self->newest = self->acquiring = self->stack = NULL;
  self->base = RECORDER_NO_BASE;
  self->lock = RECORDER_NO_LOCK;
  memset(self->entries, 0, RAW_ENTRIES * sizeof *self->entries);
}

/* Nearly all records are short. */
static inline unsigned words_of(uint64_t head)
{
  return raw_kind_of(head) >= RAW_SHORT ? 1 : raw_record_words(head);
}

/*
 * If a window is reused without writing its chunk, its thread-life records move to its start, so that a later chunk
 * contains them. At most so many words, so that they leave room in the pages of a new window.
 */
#define LIFE_WORDS 256u

/* Moves them there, while the window is nobody's. Returns how many words they have. */
static size_t keep_life(struct recorder *self)
{
  uint64_t *to = records_of(self->window), *first = to;
  unsigned words;
  for (uint64_t *at = first; at < self->cursor && (words = words_of(*at)) != 0; at += words)
    if (raw_is_of_life(*at) && (size_t)(to - first) + words <= LIFE_WORDS) {
      memmove(to, at, words * sizeof *at);
      to += words;
    }
  return (size_t)(to - first);
}

/* Moves what stays of an untraced window to its begin, likewise. */
static size_t keep(struct recorder *self)
{
  if (!self->keeps || !self->chosen)
    return keep_life(self);
  uint64_t *first = records_of(self->window), *at = first + self->window->used / sizeof *first;
  return (size_t)(at - first) + recording_config()->chosen->keep(self->chosen, at, self->cursor, at,
                                                                 (size_t)(self->last - at),
                                                                 &self->window->not_measured);
}

/* True if chosen constructs stay of what is recorded from now on. */
static void follow_choice(struct recorder *self)
{
  bool keeps = recording_config()->chosen && self->untraced && recording_keeps_thread(self->thread);
  if (keeps && !self->keeps)
    recording_config()->chosen->begin(&self->chosen, self->window->window_size, self->untraced_since);
  else if (!keeps && self->keeps && self->chosen)
    self->untraced_since = recording_config()->chosen->until(self->chosen);
  self->keeps = keeps;
}

/*
 * Hands the window to (thread, sequence). At every moment it is whole, or it belongs to nobody (raw_trace.h). The limit
 * is NULL meanwhile. A jump out of here leads to make_room, which begins the chunk again, with the sequence that is set
 * before the window belongs to nobody.
 */
static void begin_chunk(struct recorder *self, struct clock_anchor anchor, uint32_t sequence)
{
  struct raw_header *window = self->window;
  self->sequence = sequence;
  __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
  window->used = 0;
  if (!recording_traces_thread(self->thread) && !self->untraced)
    self->untraced_since = anchor.ticks;
  self->untraced = !recording_traces_thread(self->thread);
  window->lost_after = self->untraced ? RAW_UNTRACED : 0;
  window->anchor_ticks = anchor.ticks;
  window->anchor_ns = anchor.monotonic_ns;
  __atomic_store_n(records_of(window), 0, __ATOMIC_RELEASE);
  self->cursor = records_of(window);
  window_forget(self);
  __atomic_store_n(&window->owner, (uint64_t)self->thread << 32 | sequence, __ATOMIC_RELEASE);
  self->block_told = false;
  follow_choice(self);
  if (self->keeps && self->chosen)
    recording_config()->chosen->begin_chunk(self->chosen);
}

/* The chunk that the window is; self->sequence may be the next one's, if a jump left the begin of it. */
static uint32_t sequence_of(const struct recorder *self)
{
  return (uint32_t)self->window->owner;
}

/*
 * Where a window is full. What is kept of chosen constructs may have several times as many words as it had, for the
 * gaps between. So the window is read in parts.
 */
static uint64_t *end_of(const struct recorder *self)
{
  const struct raw_header *window = self->window;
  uint64_t *end = (uint64_t *)((char *)(window + 1) + window->used + window->window_size / 16);
  return self->keeps && end < self->last ? end : self->last;
}

/* Allows emit again, unless recording was paused or stopped meanwhile (then the thread that did it sees our limit, or
 * we see it). A new thread gets room for one record: most threads that live a millisecond have no other one. */
static void restore_limit(struct recorder *self)
{
  uint64_t *end = self->introduced ? end_of(self) : self->cursor + 1;
  atomic_store(&self->limit, end < self->reach ? end : self->reach);
  if (recording_state() != RECORDING_OPEN || recording_traces_thread(self->thread) == self->untraced ||
      recording_keeps_thread(self->thread) != self->keeps || needs_now() != self->needs)
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
  own_record_put(self, NAME_WORDS, raw_head(RAW_THREAD_NAME, 0, 0), words);
}

static void put_bound(struct recorder *self)
{
  uint64_t head, words[CPU_AFFINITY_WORDS - 1];
  unsigned n = cpu_affinity_record(self, clock_ticks(), &head, words);
  if (n > 0)
    own_record_put(self, n, head, words);
}

/* Says who the thread is: before its second record, in each chunk, and at its end. Each of both is a system call. */
static void introduce(struct recorder *self)
{
  put_name(self);
  put_bound(self);
  self->introduced = true;
}

static void put_gap(struct recorder *self)
{
  uint64_t events = self->gap_events < RAW_VALUE_MASK ? self->gap_events : RAW_VALUE_MASK;
  own_record_put(self, GAP_WORDS, raw_head(RAW_GAP, self->gap_reason, events),
                 (uint64_t[]){clock_ticks(), self->gap_begin});
  self->gap_begin = 0;
  self->gap_events = 0;
  self->window->lost_after = self->untraced ? RAW_UNTRACED : 0;
}

/* Says what was lost up to now, or that the thread was kept from `begin` on. */
static void put_gap_or_stall(struct recorder *self, uint64_t begin)
{
  if (self->gap_begin)
    put_gap(self);
  else
    own_record_stall(self, begin, clock_ticks());
}

/* Each chunk says whose the ids are: those before it may be missing. */
static void put_block(struct recorder *self)
{
  if (self->end_of_ids)
    own_record_put(self, BLOCK_WORDS, raw_head(RAW_ID_BLOCK_TAKEN, 0, (self->end_of_ids >> RAW_ID_BLOCK_SHIFT) - 1),
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

/* When what the thread has recorded last was no longer all that is measured. */
static uint64_t needs_left_at(const struct recorder *self, uint64_t now)
{
  uint64_t ended = needs_ended(needs_epoch(self->needs));
  return ended < now ? ended : now;
}

/* Nothing was measured meanwhile, also where the thread was not asked to record anything. */
static void open_gap_of_rest(struct recorder *self, uint64_t now)
{
  if (needs_paused_since(self->needs))
    open_gap(self, RAW_GAP_PAUSED, needs_left_at(self, now), 0);
}

/* Says what is recorded from now on, if that is something else than before. */
static void put_needs(struct recorder *self, uint64_t needs, uint64_t now)
{
  uint32_t told = needs_mask(self->needs) ? needs_mask(self->needs) : LIVE_NEED_ALL;
  if (needs_mask(needs) == 0)
    return;
  if (needs_mask(needs) != told)
    own_record_put(self, NEEDS_WORDS, raw_head(RAW_NEEDS, 0, needs_mask(needs)),
                   (uint64_t[]){clock_ticks(), needs_left_at(self, now)});
  self->needs = needs;
}

static void lose_chunk(struct recorder *self, int error)
{
  recording_lose_chunk(error);
  const struct raw_header *window = self->window;
  struct chunk_loss loss = chunk_loss(records_of(self->window), window->used / sizeof(uint64_t), window->anchor_ticks);
  open_gap(self, RAW_GAP_DISK, loss.since, loss.events);
}

/* Writes the window as a chunk. Returns 0, or an errno value: then it is still the window of this chunk. */
static int write_window(struct recorder *self)
{
  struct raw_header *window = self->window;
  window->used = (uint64_t)((char *)self->cursor - (char *)records_of(window));
  if (recording_config()->before_chunk)
    recording_config()->before_chunk();
  return chunk_write(self->thread, window);
}

static bool fold(struct recorder *self, bool ends)
{
  return !recording_config()->fold || recording_config()->fold(self, ends);
}

/* A chunk whose records count in the sums alone: the first one says whose they are. */
static bool is_folded_only(const struct recorder *self)
{
  return self->untraced || (recording_config()->sums_only && self->sequence > 1);
}

/*
 * Begins an untraced window, which was folded, again. If it is traced from now on, the time up to now is recorded as
 * not measured. The profile has measured this time, so the fold skips the gap. What it keeps of chosen constructs is
 * traced already. Its anchor is another one: who knows places of records in it sees that.
 */
static void begin_untraced_again(struct recorder *self, bool traced)
{
  struct raw_header *window = self->window;
  self->sequence = sequence_of(self);
  uint64_t owner = window->owner;
  __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
  size_t kept = keep(self);
  if (traced && self->keeps && self->chosen)
    self->untraced_since = recording_config()->chosen->until(self->chosen);
  self->keeps = self->keeps && !traced;
  self->cursor = records_of(window) + kept;
  __atomic_store_n(self->cursor, 0, __ATOMIC_RELEASE);
  window->used = self->keeps ? kept * sizeof *self->cursor : 0;
  window->anchor_ticks ^= 1;
  window_forget(self);
  self->untraced = !traced;
  window->lost_after = traced ? 0 : RAW_UNTRACED;
  if (traced)
    own_record_put(self, GAP_WORDS, raw_head(RAW_GAP, RAW_GAP_PAUSED, 0),
                   (uint64_t[]){clock_ticks(), self->untraced_since});
  recording_config()->skip(self);
  __atomic_store_n(&window->owner, owner, __ATOMIC_RELEASE);
  self->block_told = self->block_told && self->keeps; /* where constructs are kept, so is this */
}

/* Writes what the window keeps of chosen constructs as a chunk. False: the size limit forbids it. */
static bool write_kept(struct recorder *self)
{
  struct raw_header *window = self->window;
  if (!recording_limit_allows((uint64_t)((char *)self->cursor - (char *)window))) {
    if ((window->lost_after & RAW_LOST_MOST) < RAW_LOST_MOST)
      window->lost_after++;
    return false;
  }
  window->lost_after = 0;
  int error = write_window(self);
  if (error)
    lose_chunk(self, error);
  begin_chunk(self, clock_anchor_take(1), sequence_of(self) + 1);
  return true;
}

/* True if it is time to: no more is kept, or half the window is full. */
static bool is_kept_due(const struct recorder *self)
{
  return self->keeps && self->window->used > 0 &&
         (!recording_keeps_thread(self->thread) || self->window->used > self->window->window_size / 2);
}

void window_keep(struct recorder *self)
{
  if (!self->keeps || !self->untraced || !fold(self, false))
    return;
  begin_untraced_again(self, false);
  if (is_kept_due(self))
    write_kept(self);
  if (!self->block_told) /* the next record says so */
    atomic_store(&self->limit, NULL);
}

/* Begins the window again without a chunk of it. False: the recording has stopped. */
static bool fold_over(struct recorder *self, uint64_t begin)
{
  if (!fold(self, false))
    return false;
  if (recording_config()->before_chunk)
    recording_config()->before_chunk();
  if (self->untraced)
    begin_untraced_again(self, recording_traces_thread(self->thread));
  else
    begin_chunk(self, clock_anchor_take(1), sequence_of(self));
  if (self->untraced && is_kept_due(self) && !write_kept(self))
    return false;
  follow_choice(self);
  put_gap_or_stall(self, begin);
  return true;
}

/* Turns a full window over. False: the size limit forbids it, so it stays as it is. */
static bool turn_over(struct recorder *self, uint64_t begin)
{
  if (is_folded_only(self)) {
    bool good = fold_over(self, begin);
    self->stalled += clock_ticks() - begin;
    return good;
  }
  uint64_t bytes = (uint64_t)((char *)self->cursor - (char *)self->window);
  if (!recording_limit_allows(bytes)) {
    open_gap(self, RAW_GAP_LIMIT, begin, 1);
    if ((self->window->lost_after & RAW_LOST_MOST) < RAW_LOST_MOST)
      self->window->lost_after++;
    return false;
  }
  if (!fold(self, false))
    return false;
  int error = write_window(self);
  if (error)
    lose_chunk(self, error);
  begin_chunk(self, clock_anchor_take(1), sequence_of(self) + 1);
  if (self->window->ring_slots > 0) /* the chunk that had it may make way */
    self->bound = 0;
  introduce(self);
  put_gap_or_stall(self, begin);
  self->stalled += clock_ticks() - begin;
  return true;
}

/* The first pages of a new window are full: the thread needs the others, too. */
static void reach_further(struct recorder *self, uint64_t begin)
{
  chunk_populate(self->window, self->cursor);
  self->reach = self->last;
  put_gap_or_stall(self, begin);
}

/* Makes room for a record where the limit says there is none; force: although there is. */
static bool make_room(struct recorder *self, bool force)
{
  uint64_t begin = clock_ticks();
  enum recording_state state = recording_state();
  if (state == RECORDING_PAUSED) {
    open_gap(self, RAW_GAP_PAUSED, needs_paused_since(self->needs) ? needs_left_at(self, begin) : begin, 1);
    self->window->lost_after |= RAW_PAUSED_AFTER;
    live_poll();
    return false;
  }
  if (state != RECORDING_OPEN)
    return false;
  atomic_store_explicit(&self->limit, NULL, memory_order_relaxed);
  uint64_t needs = needs_now();
  if (needs != self->needs)
    open_gap_of_rest(self, begin);
  if (!self->window->owner) {
    begin_chunk(self, clock_anchor_take(1), self->sequence);
  } else if (!force && self->cursor >= self->reach && self->reach < self->last) {
    reach_further(self, begin);
  } else if (force || self->cursor >= end_of(self) || recording_traces_thread(self->thread) == self->untraced ||
             recording_keeps_thread(self->thread) != self->keeps) {
    if (!turn_over(self, begin))
      return false;
  } else if (self->gap_begin) {
    put_gap(self);
  }
  if (!self->introduced) {
    introduce(self);
    self->stalled += clock_ticks() - begin;
  }
  if (needs != self->needs)
    put_needs(self, needs, begin);
  if (!self->block_told)
    put_block(self);
  restore_limit(self);
  return true;
}

bool window_pauses(struct recorder *self)
{
  if (recording_state() != RECORDING_PAUSED || !self->gap_begin || !(self->window->lost_after & RAW_PAUSED_AFTER))
    return false;
  self->gap_events++;
  live_poll();
  return true;
}

bool window_turn(struct recorder *self, bool force)
{
  int kept = errno;
  interruption_hold();
  bool room = make_room(self, force);
  interruption_release();
  errno = kept;
  return room;
}

struct recorder *window_take(void)
{
  struct recorder *self = recorder_slots_take();
  if (!self) {
    recording_lose_thread(EAGAIN);
    return NULL;
  }
  const struct recording_config *config = recording_config();
  int error = 0;
  if (!self->window) {
    self->window = chunk_map_window(self->slot, config->window_size, config->ring_slots, &self->in_file, &error);
    if (self->window && !self->in_file)
      recording_lose_file(error);
    self->reach = NULL;
  }
  if (self->window && !self->entries && !(self->entries = chunk_map_entries()))
    error = ENOMEM;
  if (!self->window || !self->entries) {
    atomic_store(&self->taken, 0);
    recording_lose_thread(error);
    return NULL;
  }
  self->last = (uint64_t *)((char *)self->window + config->window_size) - slack();
  if (!self->reach)
    self->reach = (uint64_t *)((char *)self->window + CHUNK_POPULATED) - slack();
  return self;
}

/* A thread that begins while nothing is measured has a gap from its begin on, whatever it does. */
static void begin_needs(struct recorder *self)
{
  uint64_t needs = needs_now(), begin = clock_ticks();
  if (needs_mask(needs) != 0) {
    put_needs(self, needs, begin);
    return;
  }
  self->needs = needs;
  open_gap(self, RAW_GAP_PAUSED, begin, 0);
  self->window->lost_after |= RAW_PAUSED_AFTER;
}

void window_begin(struct recorder *self, unsigned type, struct clock_anchor begin)
{
  self->untraced = self->keeps = false;
  self->needs = (uint64_t)needs_epoch(needs_now()) << 32 | LIVE_NEED_ALL;
  begin_chunk(self, begin, 1);
  own_record_put(self, 2, raw_head(RAW_THREAD_BEGIN, type, (uint64_t)syscall(SYS_gettid)), (uint64_t[]){begin.ticks});
  self->introduced = type == RAW_THREAD_WORKER;
  if (self->introduced) { /* a runtime's thread has the name of its creator, until it gets its own */
    prctl(PR_GET_NAME, self->name);
    put_bound(self);
  }
  profile_updates_begin(self, begin.ticks);
  cpu_reading_begin(self, clock_ticks());
  put_gap_or_stall(self, begin.ticks);
  begin_needs(self);
  restore_limit(self);
}

bool window_end(struct recorder *self)
{
  open_gap_of_rest(self, clock_ticks());
  if (self->gap_begin)
    put_gap(self);
  else
    cpu_reading_put_last(self, clock_ticks());
  counters_end_thread(self);
  if (self->untraced && recording_goes_on()) {
    if (!fold(self, false))
      return false;
    begin_untraced_again(self, true);
  }
  introduce(self); /* behind the gap: a record within it would end the time that the gap covers */
  own_record_put(self, END_WORDS, raw_head(RAW_THREAD_END, 0, 0), (uint64_t[]){clock_ticks()});
  if (!recording_goes_on() || !fold(self, true) ||
      !recording_limit_allows((uint64_t)((char *)self->cursor - (char *)self->window)) || write_window(self))
    return false;
  __atomic_store_n(&self->window->owner, 0, __ATOMIC_RELEASE);
  atomic_store(&self->limit, NULL);
  atomic_store(&self->taken, 0);
  return true;
}
