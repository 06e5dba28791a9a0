#include "common/recorder/recording.h"

#include "base/count_of.h"
#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/raw/live_control.h"
#include "common/recorder/chunk.h"
#include "common/recorder/clock.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recorder_slots.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>

/* The longest that a thread of a fork's child waits for the thread that opens the child's recording. */
#define OPENING_NS 5000000000u

static struct {
  struct recording_config config;
  _Atomic uint64_t *lost; /* events, in a file; NULL: count them here, as in children */
  atomic_uint threads;
  atomic_uint id_blocks;
  _Atomic enum recording_state state;
  atomic_uint_fast64_t bytes;
  atomic_uint_fast64_t threads_lost, chunks_lost, events_lost;
  atomic_int reason;
  atomic_bool untraced;
  atomic_bool chooses; /* only `chosen` are traced */
  _Atomic uint64_t chosen[LIVE_THREADS / 64];
  atomic_bool constructs;    /* only chosen ones are traced */
  atomic_bool paused;        /* of its own accord it measures nothing */
  _Atomic uint32_t observed; /* LIVE_NEED_...: what observers need */
  atomic_bool limit_reached, said_write, said_window, said_memory, said_limit;
  atomic_uint entered; /* threads between recording_enter and _leave */
  char process_name[16];
} recording;

enum recording_state recording_state(void)
{
  return atomic_load(&recording.state);
}

const struct recording_config *recording_config(void)
{
  return &recording.config;
}

bool recording_goes_on(void)
{
  enum recording_state state = atomic_load(&recording.state);
  return state == RECORDING_OPEN || state == RECORDING_PAUSED;
}

bool recording_takes_threads(void)
{
  return recording_goes_on() && !atomic_load(&recording.limit_reached);
}

bool recording_enter(void)
{
  if (atomic_load(&recording.state) == RECORDING_STOPPED) /* a thread that waits for others to leave does not wait for
                                                             us */
    return false;
  atomic_fetch_add(&recording.entered, 1);
  if (atomic_load(&recording.state) != RECORDING_STOPPED)
    return true;
  recording_leave();
  return false;
}

void recording_leave(void)
{
  atomic_fetch_sub(&recording.entered, 1);
}

bool recording_is_entered(void)
{
  return atomic_load(&recording.entered) != 0;
}

uint32_t recording_new_thread(void)
{
  return atomic_fetch_add(&recording.threads, 1);
}

uint64_t recording_new_id_block(void)
{
  return atomic_fetch_add(&recording.id_blocks, 1) + 1ull;
}

const char *recording_process_name(void)
{
  return recording.process_name;
}

/* Counts one thing that is lost; the first reason of all is kept. */
static void count_loss(atomic_uint_fast64_t *lost, int error)
{
  int none = 0;
  atomic_compare_exchange_strong(&recording.reason, &none, error);
  atomic_fetch_add(lost, 1);
}

void recording_lose_chunk(int error)
{
  count_loss(&recording.chunks_lost, error);
  if (diag_first(&recording.said_write))
    diag_say("cannot write the trace in ", process_dir_path(), ": ", diag_reason(error),
             "; the program continues, lost events are counted", NULL);
}

void recording_lose_thread(int error)
{
  count_loss(&recording.threads_lost, error);
  if (diag_first(&recording.said_window))
    diag_say("cannot record a thread in ", process_dir_path(), ": ", diag_reason(error),
             "; the program continues, this thread's events are not recorded", NULL);
}

void recording_lose_file(int error)
{
  if (diag_first(&recording.said_memory))
    diag_say("cannot create a window in ", process_dir_path(), ": ", diag_reason(error),
             "; each thread's newest events are in memory only, and are lost if the program is killed", NULL);
}

void recording_lose_event(void)
{
  enum recording_state state = atomic_load_explicit(&recording.state, memory_order_relaxed);
  if ((state != RECORDING_OPEN && state != RECORDING_OPENING && state != RECORDING_FORKED) || !recording_enter())
    return;
  if (recording_is_ours() && recording.lost)
    atomic_fetch_add(recording.lost, 1);
  else
    atomic_fetch_add(&recording.events_lost, 1);
  recording_leave();
}

bool recording_limit_allows(uint64_t bytes)
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

bool recording_start_leaving(void)
{
  enum recording_state state = atomic_load(&recording.state);
  return !recording_is_ours() && (state == RECORDING_OPEN || state == RECORDING_PAUSED) &&
         atomic_compare_exchange_strong(&recording.state, &state, RECORDING_OPENING);
}

void recording_reopen(void)
{
  uint64_t since = clock_monotonic_ns();
  for (;;) {
    enum recording_state state = RECORDING_FORKED;
    if (atomic_compare_exchange_strong(&recording.state, &state, RECORDING_OPENING)) {
      if (!(recording.config.reopen && recording.config.reopen()))
        atomic_store(&recording.state, RECORDING_STOPPED);
      return;
    }
    /* Who leaves the parent's recording has it forked for a moment before it opens the child's: any may. */
    if (state != RECORDING_OPENING || clock_monotonic_ns() - since >= OPENING_NS)
      return;
    sched_yield();
  }
}

void recording_open(const struct recording_config *config, bool paused)
{
  recording.config = *config;
  if (!recorder_slots_reserve()) {
    diag_say("not enough memory to record; the program continues and is not recorded", NULL);
    return;
  }
  recording.lost = process_dir_counter();
  if (recording.lost) /* what other threads and handlers lost until now */
    atomic_fetch_add(recording.lost, atomic_exchange(&recording.events_lost, 0));
  memset(recording.process_name, 0, sizeof recording.process_name);
  prctl(PR_GET_NAME, recording.process_name);
  atomic_store(&recording.untraced, config->skip != NULL);
  atomic_store(&recording.paused, paused);
  atomic_store(&recording.observed, 0);
  atomic_store(&recording.chooses, false);
  atomic_store(&recording.constructs, false);
  needs_set(paused ? 0 : LIVE_NEED_ALL);
  atomic_store(&recording.state, paused ? RECORDING_PAUSED : RECORDING_OPEN);
}

/* Makes every thread ask before its next record. */
static void take_limits_away(void)
{
  unsigned used = recorder_slots_used();
  for (unsigned i = 0; i < used; i++)
    atomic_store(&recorder_slots_at(i)->limit, NULL);
}

static void (*_Atomic pauses_watcher)(void);
static void (*_Atomic needs_watchers[2])(void); /* of OpenMP's tool and of Java's agent */

void recording_watch_pauses(void (*changed)(void))
{
  atomic_store(&pauses_watcher, changed);
}

void recording_watch_needs(void (*changed)(void))
{
  for (size_t i = 0; i < COUNT_OF(needs_watchers); i++) {
    void (*there)(void) = NULL;
    if (atomic_compare_exchange_strong(&needs_watchers[i], &there, changed) || there == changed)
      return;
  }
}

static void tell(void (*_Atomic *watcher)(void))
{
  void (*changed)(void) = atomic_load(watcher);
  if (changed)
    changed();
}

void recording_report_needs(void)
{
  for (size_t i = 0; i < COUNT_OF(needs_watchers); i++)
    tell(&needs_watchers[i]);
}

/* A trace has all or nothing: its readers take what is not there for what did not happen. */
static uint32_t needed(void)
{
  if (!atomic_load(&recording.paused))
    return LIVE_NEED_ALL;
  return recording_traces() ? 0 : atomic_load(&recording.observed);
}

/* Brings the needs and the state up to date. Several threads may: each goes on until nothing has changed. */
static void follow_needs(void)
{
  uint32_t mask;
  do {
    if (!recording_goes_on())
      return;
    mask = needed();
    enum recording_state from = mask ? RECORDING_PAUSED : RECORDING_OPEN, to = mask ? RECORDING_OPEN : RECORDING_PAUSED;
    bool changed = needs_set(mask), switched = atomic_compare_exchange_strong(&recording.state, &from, to);
    if (changed || switched)
      take_limits_away();
    if (switched)
      tell(&pauses_watcher);
    if (changed)
      recording_report_needs();
  } while (mask != needed());
}

void recording_pause(void)
{
  atomic_store(&recording.paused, true);
  follow_needs();
}

void recording_resume(void)
{
  atomic_store(&recording.paused, false);
  follow_needs();
}

bool recording_measures(void)
{
  return !atomic_load(&recording.paused);
}

void recording_observe(uint32_t needs)
{
  if (recording.config.skip && atomic_exchange(&recording.observed, needs) != needs)
    follow_needs();
}

bool recording_traces(void)
{
  return !atomic_load(&recording.untraced);
}

void recording_choose_threads(const uint64_t *chosen)
{
  for (unsigned i = 0; chosen && i < LIVE_THREADS / 64; i++)
    atomic_store(&recording.chosen[i], __atomic_load_n(&chosen[i], __ATOMIC_RELAXED));
  if (atomic_exchange(&recording.chooses, chosen != NULL) || chosen)
    take_limits_away();
}

static struct {
  _Atomic uint64_t list[LIVE_CODES];
  _Atomic uint32_t count;
} filter_codes; /* while they change, some of both lists count */

void filter_codes_set(const uint64_t *codes, uint32_t count)
{
  if (count > LIVE_CODES)
    count = LIVE_CODES;
  for (uint32_t i = 0; i < count; i++)
    atomic_store_explicit(&filter_codes.list[i], __atomic_load_n(&codes[i], __ATOMIC_RELAXED), memory_order_relaxed);
  atomic_store(&filter_codes.count, count);
}

bool filter_codes_have(uint64_t code)
{
  uint32_t count = atomic_load_explicit(&filter_codes.count, memory_order_relaxed);
  for (uint32_t i = 0; i < count && code != 0; i++)
    if (atomic_load_explicit(&filter_codes.list[i], memory_order_relaxed) == code)
      return true;
  return false;
}

void recording_choose_constructs(const uint64_t *codes, uint32_t count)
{
  if (codes)
    filter_codes_set(codes, count);
  if (atomic_exchange(&recording.constructs, codes != NULL) != (codes != NULL))
    take_limits_away();
}

static bool is_traced(uint32_t thread)
{
  if (!recording_traces() || !atomic_load_explicit(&recording.chooses, memory_order_relaxed))
    return recording_traces();
  return thread < LIVE_THREADS && (atomic_load(&recording.chosen[thread / 64]) >> thread % 64 & 1) != 0;
}

bool recording_traces_thread(uint32_t thread)
{
  return is_traced(thread) && !atomic_load_explicit(&recording.constructs, memory_order_relaxed);
}

bool recording_keeps_thread(uint32_t thread)
{
  return recording.config.chosen && is_traced(thread) &&
         atomic_load_explicit(&recording.constructs, memory_order_relaxed);
}

void recording_trace(bool on)
{
  if (!recording.config.skip || atomic_exchange(&recording.untraced, !on) != on)
    return;
  take_limits_away();
  follow_needs();
}

bool recording_is_ours(void)
{
  return recorder_slots_are_ours();
}

/* Windows that no file has are written by the thread that ends the recording; their threads have stopped, or will see
 * it. */
static void write_windows_in_memory(void)
{
  unsigned used = recorder_slots_used();
  for (unsigned i = 0; i < used; i++) {
    struct recorder *slot = recorder_slots_at(i);
    if (!slot->window || slot->in_file || !slot->window->owner)
      continue;
    slot->window->used = chunk_used(slot->window);
    int error = chunk_write(slot->thread, slot->window);
    if (error)
      count_loss(&recording.chunks_lost, error);
  }
}

/* Profiles get what their threads have recorded since the last turn. */
static void fold_windows(void)
{
  unsigned used = recording.config.fold ? recorder_slots_used() : 0;
  for (unsigned i = 0; i < used; i++) {
    struct recorder *slot = recorder_slots_at(i);
    if (slot->window && slot->window->owner && !(slot->window->owner >> 32 & RAW_PROFILE_OF))
      recording.config.fold(slot, false);
  }
}

/* Threads that were at rest have recorded nothing since, and so could not say that. */
static void tell_of_rests(void)
{
  unsigned used = recorder_slots_used();
  for (unsigned i = 0; i < used; i++) {
    const struct recorder *slot = recorder_slots_at(i);
    if (slot->window && slot->window->owner && !(slot->window->owner >> 32 & RAW_PROFILE_OF) &&
        needs_paused_since(slot->needs))
      slot->window->lost_after |= RAW_PAUSED_AFTER;
  }
}

void recording_stop(void)
{
  atomic_store(&recording.state, RECORDING_STOPPED);
  take_limits_away();
  if (needs_mask(needs_now()) == 0)
    tell_of_rests();
  fold_windows();
  write_windows_in_memory();
}

/* Other threads of the child may wait for the state meanwhile, and count what they lose: both stay as they are. */
void recording_forget_parent(void)
{
  enum recording_state state = atomic_load(&recording.state);
  if (state != RECORDING_OPENING) /* those were lost in the parent */
    atomic_store(&recording.events_lost, 0);
  recording.lost = NULL;
  atomic_store(&recording.threads, 0);
  atomic_store(&recording.id_blocks, 0);
  atomic_store(&recording.bytes, 0);
  atomic_store(&recording.threads_lost, 0);
  atomic_store(&recording.chunks_lost, 0);
  atomic_store(&recording.reason, 0);
  atomic_store(&recording.limit_reached, false);
  atomic_store(&recording.said_write, false);
  atomic_store(&recording.said_window, false);
  atomic_store(&recording.said_memory, false);
  atomic_store(&recording.said_limit, false);
  memset(recording.process_name, 0, sizeof recording.process_name);
  atomic_store(&recording.state, state == RECORDING_STOPPED ? RECORDING_STOPPED : RECORDING_FORKED);
}

struct recording_losses recording_losses(void)
{
  return (struct recording_losses){.threads = atomic_load(&recording.threads_lost),
                                   .chunks = atomic_load(&recording.chunks_lost),
                                   .events = atomic_load(&recording.events_lost),
                                   .events_in_file = recording.lost ? atomic_load(recording.lost) : 0,
                                   .reason = atomic_load(&recording.reason),
                                   .limit_reached = atomic_load(&recording.limit_reached)};
}
