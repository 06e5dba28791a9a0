#include "pthread-layer/thread_self.h"

#include "common/process/reserved.h"
#include "pthread-layer/callers.h"
#include "pthread-layer/layer.h"
#include "pthread-layer/objects.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* A count below MUCH that makes way is added to `several`: else many places would fill the trace with counts. */
enum { SLOTS = 8192, MUCH = 64, NEARBY = 8, KEYS_AT_HAND = 32 };

__thread struct thread_self *thread_self;
__thread uint32_t thread_self_holds;
static __thread bool ended __attribute__((tls_model("initial-exec")));
static __thread bool made __attribute__((tls_model("initial-exec")));

static struct thread_self *slots;
static unsigned slot_count;
static atomic_uint recorder_slots_used; /* those with a number from here on were never taken */
static pthread_key_t key;
static bool has_key;

/* The last one of the destructors: what the others lock and release is counted. */
static void leave(void *round)
{
  static char rounds[PTHREAD_DESTRUCTOR_ITERATIONS];
  char *next_round = (char *)round + 1;
  if (next_round < rounds + PTHREAD_DESTRUCTOR_ITERATIONS - 1 && pthread_setspecific(key, next_round) == 0)
    return;
  struct thread_self *self = thread_self;
  ended = true;
  thread_self = NULL;
  thread_self_holds = 0;
  if (self)
    atomic_store(&self->taken, 0);
}

bool thread_self_begin(void)
{
  size_t room = address_space_for(SLOTS * sizeof *slots, ADDRESS_SPACE_WAITS) / sizeof *slots * sizeof *slots;
  void *map = room == 0 ? MAP_FAILED
                        : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return false;
  madvise(map, room, MADV_WIPEONFORK);
  slots = map;
  slot_count = (unsigned)(room / sizeof *slots);
  /* A key beyond those costs an allocation, which may be what is under way. */
  has_key = pthread_key_create(&key, leave) == 0 && key < KEYS_AT_HAND;
  return true;
}

static struct thread_self *take_slot(void)
{
  for (unsigned i = 0; i < slot_count; i++) {
    unsigned free = 0;
    if (atomic_load_explicit(&slots[i].taken, memory_order_relaxed) != 0 ||
        !atomic_compare_exchange_strong(&slots[i].taken, &free, 1))
      continue;
    memset((char *)&slots[i] + sizeof slots[i].taken, 0, sizeof slots[i] - sizeof slots[i].taken);
    unsigned used = atomic_load(&recorder_slots_used);
    while (used <= i && !atomic_compare_exchange_weak(&recorder_slots_used, &used, i + 1))
      ;
    return &slots[i];
  }
  return NULL;
}

/* The thread's; NULL: it ends, or there are too many. */
static struct thread_self *self_made(void)
{
  static char first;
  if (thread_self || ended || !has_key)
    return thread_self;
  thread_self = take_slot();
  if (thread_self)
    pthread_setspecific(key, &first);
  return thread_self;
}

static void record_count(const struct thread_self_count *entry, uint32_t count)
{
  layer_calls->count(entry->kind, thread_self_code(entry->kind, entry->code), entry->object, count);
}

static void make_way(struct thread_self *self, struct thread_self_count *entry)
{
  if (entry->kind == 0 || entry->count == 0)
    return;
  if (entry->count >= MUCH && layer_calls->records())
    record_count(entry, entry->count);
  else
    self->several[entry->kind] += entry->count;
}

static bool holds(const struct thread_self *self, uintptr_t object)
{
  for (uint32_t i = 0; i < self->held_count; i++)
    if (self->held[i] == object)
      return true;
  return false;
}

/* An acquisition without an entry: so each one comes here. */
static void record_one(unsigned kind, uintptr_t object, uintptr_t code)
{
  uintptr_t program = callers_code(code);
  unsigned lock = kind & RAW_PTHREAD_KIND;
  struct thread_self *self = program != 0 && layer_calls->ready() ? self_made() : NULL;
  if (!self)
    return;
  objects_record(lock, (const void *)object);
  if ((kind & RAW_PTHREAD_FAILED) != 0 || lock > RAW_PTHREAD_SPIN ||
      (lock == RAW_PTHREAD_MUTEX && holds(self, object))) {
    layer_calls->count(kind & (RAW_PTHREAD_KIND | RAW_PTHREAD_FAILED), program, object, 1);
    return;
  }
  layer_calls->acquired(kind, program, object);
  thread_self_hold(lock, object);
}

/* The entry of the object and the code, else one with no count, else the first, of the entries from their place on. */
static struct thread_self_count *entry_of(struct thread_self *self, uintptr_t object, uintptr_t counted)
{
  unsigned place = thread_self_place(object, counted);
  struct thread_self_count *empty = NULL;
  for (unsigned i = 0; i < NEARBY; i++) {
    struct thread_self_count *entry = &self->counts[(place + i) % THREAD_SELF_COUNTS];
    if (entry->object == object && entry->code == counted)
      return entry;
    if (!empty && entry->count == 0)
      empty = entry;
  }
  return empty ? empty : &self->counts[place];
}

void thread_self_count_slowly(unsigned kind, uintptr_t object, uintptr_t code)
{
  if (layer_all) {
    record_one(kind, object, code);
    return;
  }
  struct thread_self *self = self_made();
  if (!self)
    return;
  uintptr_t counted = thread_self_code(kind, code);
  struct thread_self_count *entry = entry_of(self, object, counted);
  if (entry->object == object && entry->code == counted) {
    entry->count++;
    return;
  }
  make_way(self, entry);
  entry->count = 1;
  entry->object = object;
  entry->code = counted;
  entry->kind = callers_kind(code) == CALLER_RUNTIME ? 0 : (uint8_t)kind;
}

static void record_entry(struct thread_self_count *entry)
{
  uint32_t count = __atomic_exchange_n(&entry->count, 0, __ATOMIC_RELAXED);
  if (entry->kind != 0 && count != 0)
    record_count(entry, count);
}

void thread_self_record_counts(uintptr_t object)
{
  struct thread_self *self = thread_self;
  for (unsigned i = 0; self && i < THREAD_SELF_COUNTS; i++)
    if (self->counts[i].object == object)
      record_entry(&self->counts[i]);
}

static void record_all(struct thread_self *self)
{
  for (unsigned i = 0; i < THREAD_SELF_COUNTS; i++)
    record_entry(&self->counts[i]);
  for (unsigned kind = 0; kind < THREAD_SELF_KINDS; kind++) {
    uint64_t count = __atomic_exchange_n(&self->several[kind], 0, __ATOMIC_RELAXED);
    if (count != 0)
      layer_calls->count(kind, 0, 0, count);
  }
}

void thread_self_hold(unsigned kind, uintptr_t object)
{
  struct thread_self *self = self_made();
  if (!self || (kind == RAW_PTHREAD_MUTEX && holds(self, object))) /* which is a recursive one */
    return;
  if (self->held_count == THREAD_SELF_HELD) {
    layer_calls->released(self->held_kinds[0], self->held[0]); /* for the trace */
    self->held_count--;
    memmove(self->held, self->held + 1, self->held_count * sizeof *self->held);
    memmove(self->held_kinds, self->held_kinds + 1, self->held_count);
  }
  self->held[self->held_count] = object;
  self->held_kinds[self->held_count] = (uint8_t)kind;
  thread_self_holds = ++self->held_count;
}

/* Releases the last acquisition, where the thread got an object several times. */
void thread_self_release(uintptr_t object)
{
  struct thread_self *self = thread_self;
  uint32_t at = self ? self->held_count : 0;
  while (at > 0 && self->held[at - 1] != object)
    at--;
  if (at == 0)
    return;
  unsigned kind = self->held_kinds[at - 1];
  uint32_t behind = --self->held_count - (at - 1);
  memmove(self->held + at - 1, self->held + at, behind * sizeof *self->held);
  memmove(self->held_kinds + at - 1, self->held_kinds + at, behind);
  thread_self_holds = self->held_count;
  layer_calls->released(kind, object);
}

void thread_self_made(void)
{
  made = true;
}

void thread_self_forget(void)
{
  thread_self = NULL;
  thread_self_holds = 0;
  made = false;
}

void thread_self_end(void)
{
  if (thread_self)
    record_all(thread_self);
  if (made && waiting_for((uintptr_t)pthread_self()))
    layer_calls->wake(RAW_PTHREAD_END, 0, (uintptr_t)pthread_self());
}

void thread_self_end_all(void)
{
  if (!layer_calls->records())
    return;
  unsigned used = atomic_load(&recorder_slots_used);
  for (unsigned i = 0; i < used; i++)
    if (atomic_load(&slots[i].taken) != 0)
      record_all(&slots[i]);
}
