#include "common/profile/live_profile.h"

#include "common/process/codes.h"
#include "common/profile/profile.h"
#include "common/profile/profile_fold.h"
#include "common/profile/profile_origin.h"
#include "common/recorder/chunk.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <string.h>
#include <sys/mman.h>

/* Where the acquisitions of a lock at one place are counted, in one construct. */
struct counted {
  uint64_t wait;
  const void *code; /* as the caller has it */
  uint64_t where;   /* where_of() */
  uint64_t *acquired, *held, *metric;
};

/* The profile of one slot's thread. It stays with the slot. */
struct live_profile {
  atomic_uint folding;
  struct recorder *place; /* whose window has the table; NULL: none */
  uint32_t thread;
  uint32_t sequence;    /* the chunk that was folded last, ... */
  uint64_t *folded;     /* ... up to here */
  uint64_t anchor;      /* that chunk's: it distinguishes a fork's child from its parent */
  uint64_t folds, kept; /* how many there were; recorder->stalled at the thread's begin */
  struct profile_fold fold;
  struct counted counted[PROFILE_LOCK_SUMS];
};

bool live_profile_begin(void)
{
  return profile_origins_begin();
}

static uint64_t *make_record(void *context, uint64_t head, unsigned words, uint64_t now, bool last)
{
  return profile_make_record(((struct live_profile *)context)->place, head, words, now, last);
}

static struct live_profile *make(struct recorder *recorder)
{
  if (recorder->beside)
    return recorder->beside;
  void *map = mmap(NULL, sizeof *recorder->beside, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return NULL;
  madvise(map, sizeof *recorder->beside, MADV_DONTFORK);
  return recorder->beside = map;
}

/* A slot whose window is the table's; NULL: there is no room. */
static struct recorder *take_place(void)
{
  const struct recording_config *config = recording_config();
  struct recorder *place = recorder_slots_take();
  int error;
  if (place && !place->window)
    place->window = chunk_map_window(place->slot, config->window_size, config->ring_slots, &place->in_file, &error);
  if (place && !place->window) {
    atomic_store(&place->taken, 0);
    place = NULL;
  }
  return place;
}

/* Begins the table of the recorder's thread, whose first chunk is the one at hand. */
static bool begin(struct live_profile *beside, const struct recorder *recorder)
{
  if (!beside->place && !(beside->place = take_place()))
    return false;
  struct recorder *place = beside->place;
  struct raw_header *window = place->window;
  beside->thread = recorder->thread;
  beside->sequence = 0;
  beside->folds = 0;
  beside->kept = recorder->stalled;
  memset(&beside->fold, 0, offsetof(struct profile_fold, entries));
  memset(beside->counted, 0, sizeof beside->counted);
  beside->fold.table.make = make_record;
  beside->fold.table.context = beside;
  __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
  window->used = window->not_measured = 0;
  window->lost_after = 0;
  window->anchor_ticks = recorder->window->anchor_ticks;
  window->anchor_ns = recorder->window->anchor_ns;
  place->thread = RAW_PROFILE_OF | recorder->thread;
  place->cursor = (uint64_t *)(window + 1);
  place->last = (uint64_t *)((char *)window + window->window_size) - 1;
  *place->cursor = 0;
  __atomic_store_n(&window->owner, (uint64_t)place->thread << 32 | 1, __ATOMIC_RELEASE);
  return profile_table_begin(&beside->fold.table, window->anchor_ticks);
}

/* Writes the table; then its slot is free. A table that can't be written stays in its window. */
static void end(struct live_profile *beside)
{
  struct recorder *place = beside->place;
  struct raw_header *window = place->window;
  window->used = (uint64_t)((char *)place->cursor - (char *)(window + 1));
  if (chunk_write(place->thread, window) == 0) {
    __atomic_store_n(&window->owner, 0, __ATOMIC_RELEASE);
    atomic_store(&place->taken, 0);
  }
  beside->place = NULL;
  beside->folded = NULL; /* of the next thread nothing is */
}

/* The chunk that the window holds begins, or begins again, and is folded from `from` on. */
static void begin_chunk(struct live_profile *beside, const struct recorder *recorder, uint64_t *from)
{
  beside->sequence = recorder->sequence;
  beside->anchor = recorder->window->anchor_ticks;
  beside->folded = from;
  profile_fold_chunk(&beside->fold);
}

static void fold_window(struct live_profile *beside, const struct recorder *recorder, uint64_t *to)
{
  struct profile_table *table = &beside->fold.table;
  if (recorder->sequence != beside->sequence || recorder->window->anchor_ticks != beside->anchor)
    begin_chunk(beside, recorder, (uint64_t *)(recorder->window + 1));
  profile_fold(&beside->fold, beside->folded, to);
  beside->folded = to;
  if (beside->fold.base > table->last)
    profile_table_book(table, beside->fold.base);
}

/* What measuring has taken of the thread, but for this fold. */
static void tell_cost(struct live_profile *beside, const struct recorder *recorder)
{
  struct profile_table *table = &beside->fold.table;
  uint64_t *words = profile_metric(table, RAW_METRIC_COST, 0, 0, 0, 0, table->last);
  if (!words)
    return;
  __atomic_store_n(&words[RAW_METRIC_COUNT], ++beside->folds, __ATOMIC_RELAXED);
  __atomic_store_n(&words[RAW_METRIC_TICKS], recorder->stalled - beside->kept, __ATOMIC_RELAXED);
  __atomic_store_n(&words[RAW_METRIC_SUM], recorder->window->not_measured, __ATOMIC_RELAXED);
  __atomic_store_n(&words[RAW_METRIC_LAST], table->refused, __ATOMIC_RELAXED);
}

/* False: recording has stopped, and another thread folds for that; else `folding` is the caller's to take back. While
 * recording goes on nobody else folds: a jump out of a handler has left the thread's own turn. */
static bool take_turn(struct live_profile *beside)
{
  return !atomic_exchange(&beside->folding, 1) || recording_goes_on();
}

bool live_profile_fold(struct recorder *recorder, bool ends)
{
  struct live_profile *beside = make(recorder);
  if (!beside)
    return true;
  if (!take_turn(beside))
    return false;
  bool owned = recorder->window->owner != 0;
  if (owned && ((beside->place && beside->thread == recorder->thread) || begin(beside, recorder))) {
    bool stopped = !recording_goes_on(); /* another thread may be writing there */
    uint64_t *first = (uint64_t *)(recorder->window + 1);
    fold_window(beside, recorder, stopped ? first + chunk_used(recorder->window) / sizeof *first : recorder->cursor);
    tell_cost(beside, recorder);
    if (ends)
      end(beside);
  }
  atomic_store(&beside->folding, 0);
  return true;
}

/* True if the table has all that the thread has recorded: then it knows the construct that the thread is in. */
static inline bool is_up_to_date(const struct live_profile *beside, const struct recorder *self)
{
  return beside && beside->folded == self->cursor && beside->sequence == self->sequence;
}

static inline uint64_t where_of(const struct profile_table *table, unsigned kind)
{
  return (uint64_t)table->begun << 32 | table->stack.open[table->stack.depth - 1].row << 8 | kind;
}

static inline struct counted *counted_at(struct live_profile *beside, uint64_t wait, const void *code)
{
  return &beside->counted[lock_sums_place(wait, (uintptr_t)code)];
}

/* For a lock that was not counted there before, or after a record came. place: of `code`. NULL: there is no table.
 */
static struct counted *look_up(struct recorder *self, unsigned kind, uint64_t wait, const void *code, uint64_t place)
{
  struct profile_lock_sums sums;
  self->newest = self->acquiring = NULL; /* what is folded no longer changes */
  if (!live_profile_fold(self, false) || !is_up_to_date(self->beside, self))
    return NULL;
  struct live_profile *beside = self->beside;
  struct profile_table *table = &beside->fold.table;
  if (!take_turn(beside))
    return NULL;
  lock_sums_look_up(table, &sums, kind, wait, place != 0 ? place : profile_top(table)->code, table->last);
  struct counted *counted = counted_at(beside, wait, code);
  *counted = (struct counted){.wait = wait,
                              .code = code,
                              .where = where_of(table, kind),
                              .acquired = &table->row[sums.acquire.row].words[RAW_ROW_EXECUTIONS],
                              .held = &table->row[sums.hold.row].words[RAW_ROW_EXECUTIONS],
                              .metric = sums.metric ? &sums.metric[RAW_METRIC_COUNT] : &table->refused};
  atomic_store(&beside->folding, 0);
  return counted;
}

static inline void count(const struct counted *counted, bool again)
{
  profile_count(counted->acquired, 1);
  if (!again)
    profile_count(counted->held, 1);
  profile_count(counted->metric, 1);
}

static __attribute__((noinline)) void count_slowly(unsigned kind, uint64_t wait, const void *code, bool again)
{
  uint64_t place = profile_fold_place(codes_of((uintptr_t)code));
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  uint64_t begin = clock_ticks();
  const struct counted *counted = look_up(self, kind, wait, code, place);
  if (counted)
    count(counted, again);
  self->stalled += clock_ticks() - begin;
  recorder_leave(self);
}

void live_profile_count_lock(unsigned kind, uint64_t wait, const void *code, bool again)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  struct live_profile *beside = self->beside;
  const struct counted *counted = is_up_to_date(beside, self) ? counted_at(beside, wait, code) : NULL;
  bool known = counted && counted->wait == wait && counted->code == code &&
               counted->where == where_of(&beside->fold.table, kind);
  if (__builtin_expect(known, 1))
    count(counted, again);
  recorder_leave(self);
  if (__builtin_expect(!known, 0))
    count_slowly(kind, wait, code, again);
}

void live_profile_restart(struct recorder *recorder)
{
  if (!recorder->beside)
    return;
  recorder->beside->place = NULL;
  recorder->beside->folded = NULL;
}

void live_profile_skip(struct recorder *recorder)
{
  if (recorder->beside)
    begin_chunk(recorder->beside, recorder, recorder->cursor);
}
