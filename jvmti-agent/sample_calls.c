#include "jvmti-agent/sample_calls.h"

#include "common/budget/mix.h"
#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

struct node {
  struct sample_call call;
  atomic_bool whole; /* set last */
};

/* Numbers of calls by their contents; open addressing, at most half full. A node is whole before its number is here. */
static struct {
  struct node *nodes;
  _Atomic uint32_t *table;
  uint32_t end, mask;
  _Atomic uint32_t next;
} sample_calls_state = {.next = RAW_CALL_FIRST};

static void *reserve(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

bool sample_calls_open(uint32_t most)
{
  uint32_t size = 4;
  while (size < 2 * (most + RAW_CALL_FIRST))
    size *= 2;
  sample_calls_state.end = most + RAW_CALL_FIRST;
  sample_calls_state.mask = size - 1;
  sample_calls_state.nodes = reserve(sample_calls_state.end * sizeof *sample_calls_state.nodes);
  sample_calls_state.table = reserve(size * sizeof *sample_calls_state.table);
  return sample_calls_state.nodes && sample_calls_state.table;
}

/* A node of its own for a call. 0: there is no room. */
static uint32_t make(const struct sample_call *call)
{
  if (atomic_load(&sample_calls_state.next) >=
      sample_calls_state.end) /* the counter does not run on, into numbers that are taken */
    return 0;
  uint32_t number = atomic_fetch_add(&sample_calls_state.next, 1);
  if (number >= sample_calls_state.end)
    return 0;
  sample_calls_state.nodes[number].call = *call;
  atomic_store_explicit(&sample_calls_state.nodes[number].whole, true, memory_order_release);
  return number;
}

static uint32_t begin_of(const struct sample_call *call)
{
  uint64_t place = (uint64_t)(uint32_t)call->bytecode << 32 | call->caller;
  uint64_t hash = ((uintptr_t)call->method ^ mix_upper(place)) * 0xd6e8feb86659fd93ull;
  return (uint32_t)(hash >> 32) & sample_calls_state.mask;
}

static bool is_same(uint32_t number, const struct sample_call *call)
{
  const struct sample_call *other = &sample_calls_state.nodes[number].call;
  return other->method == call->method && other->bytecode == call->bytecode && other->caller == call->caller;
}

/* The number of a call, which is made if there is none. Two threads may make one at the same time: the later number is
 * nobody's. */
static uint32_t sample_calls_number_of(const struct sample_call *call)
{
  uint32_t made = 0;
  for (uint32_t at = begin_of(call);; at = (at + 1) & sample_calls_state.mask) {
    uint32_t number = atomic_load_explicit(&sample_calls_state.table[at], memory_order_acquire);
    if (number == 0) {
      if (made == 0 && (made = make(call)) == 0)
        return 0;
      if (atomic_compare_exchange_strong(&sample_calls_state.table[at], &number, made))
        return made;
    }
    if (is_same(number, call))
      return number;
  }
}

uint32_t sample_calls_add(const struct call_frame *innermost, uint32_t count, bool cut)
{
  uint32_t number = cut ? RAW_CALL_CUT : 0;
  for (uint32_t i = count; i-- > 0;) {
    const struct call_frame *frame = &innermost[i];
    number = sample_calls_number_of(
        &(struct sample_call){.method = frame->method, .bytecode = frame->bytecode, .caller = number});
    if (number == 0)
      return 0;
  }
  return number;
}

uint32_t sample_calls_end(void)
{
  uint32_t next = atomic_load(&sample_calls_state.next);
  return next < sample_calls_state.end ? next : sample_calls_state.end;
}

bool sample_calls_get(uint32_t number, struct sample_call *call)
{
  if (number < RAW_CALL_FIRST || number >= sample_calls_state.end ||
      !atomic_load_explicit(&sample_calls_state.nodes[number].whole, memory_order_acquire))
    return false;
  *call = sample_calls_state.nodes[number].call;
  return true;
}

/* True if the slot belongs to this call; takes a free slot. */
static bool is_of(struct live_sampled *place, uint64_t who)
{
  uint64_t now = __atomic_load_n(&place->who, __ATOMIC_RELAXED);
  return now == who ||
         (now == 0 && (__atomic_compare_exchange_n(&place->who, &now, who, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                       now == who));
}

void sample_table_add(struct live_samples *samples, uint32_t thread, uint32_t call)
{
  if (thread >= LIVE_THREADS)
    return;
  uint64_t who = (uint64_t)thread << 32 | call, *count = &samples->without_room[thread];
  for (uint32_t i = 0; call != 0 && i < LIVE_SAMPLED_NEAR; i++) {
    struct live_sampled *place = &samples->places[live_sampled_at(who, i)];
    if (!is_of(place, who))
      continue;
    count = &place->count;
    break;
  }
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static struct {
  _Atomic(struct live_samples *) file; /* NULL: there is none */
  struct live_samples *before;         /* of the recording before: a handler may have been late */
} sample_counts_state;

void sample_counts_offer(void)
{
  live_offer(LIVE_NEED_SAMPLES);
}

void sample_counts_withdraw(void)
{
  live_withdraw(LIVE_NEED_SAMPLES);
}

void sample_counts_open(void)
{
  int error;
  bool live = recording_config()->skip != NULL; /* else nobody can ask */
  if (sample_counts_state.before)
    munmap(sample_counts_state.before, sizeof *sample_counts_state.before);
  sample_counts_state.before = atomic_exchange(&sample_counts_state.file, NULL);
  if (live)
    atomic_store(&sample_counts_state.file, process_dir_map(LIVE_SAMPLES_FILE, sizeof(struct live_samples), &error));
  if (atomic_load(&sample_counts_state.file))
    return;
  sample_counts_withdraw();
  if (live)
    diag_say("cannot create ", process_dir_path(), "/" LIVE_SAMPLES_FILE ": ", diag_reason(error),
             ": `heddle live` does not show samples", NULL);
}

bool sample_counts_wanted(void)
{
  return atomic_load(&sample_counts_state.file) && recording_goes_on() &&
         (needs_have(LIVE_NEED_ALL) || live_asks(LIVE_NEED_SAMPLES));
}

void sample_counts_add(uint32_t thread, uint32_t call)
{
  struct live_samples *file = atomic_load(&sample_counts_state.file);
  if (file)
    sample_table_add(file, thread, call);
}
