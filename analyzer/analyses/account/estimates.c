#include "analyzer/analyses/account/estimates.h"

#include "common/raw/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Omitted instances. */

/* Tasks of Java's pools: what making them takes is a part of the time of omitted ones, and nobody measured it. */
static bool is_pools(const struct trace *trace, uint32_t task)
{
  return trace->regions[task].paradigm != OTF2_PARADIGM_OPENMP;
}

/* Whether a recorded cause is at the construct of omitted instances. */
static bool is_alike(const struct grain *grain, const struct trace *trace, const struct cause *cause, uint32_t place)
{
  if (cause->place == TRACE_NONE || cause->ticks == 0 || cause->kind == ACCOUNT_UNKNOWN)
    return false;
  /* Sums of tasks have no waits. */
  if (trace->regions[place].role == OTF2_REGION_ROLE_TASK || trace->regions[place].role == OTF2_REGION_ROLE_TASK_UNTIED)
    return cause->place == place &&
           (cause->kind == ACCOUNT_WORK || (cause->kind == ACCOUNT_RUNTIME && is_pools(trace, place)));
  return cause->place == place || grain->within[cause->place] == place || grain_same_line(trace, cause->place, place);
}

/* Time of the instances has all causes there; what others lost meanwhile has no work. */
static void spread_omitted(const struct grain *grain, const struct trace *trace, struct causes *causes, size_t number)
{
  struct cause omitted = causes->list.items[number];
  struct mix mix = {0};
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    bool fits = omitted.note == NOTE_OMITTED || cause->kind != ACCOUNT_WORK;
    if (fits && is_alike(grain, trace, cause, omitted.place))
      mix_add(causes, &mix, (uint32_t)i, (uint64_t)(cause->ticks >> FINE_SHIFT));
  }
  if (mix.total == 0 && omitted.note == NOTE_REST)
    mix_add(causes, &mix, cause_of(causes, ACCOUNT_SERIAL, NOTE_NONE, omitted.place), 1);
  if (mix.total > 0) {
    causes->list.items[number].ticks = 0;
    for (size_t i = 0; i < mix.parts.count; i++) {
      struct cause *of = &causes->list.items[mix.parts.items[i].cause];
      if (of->kind == ACCOUNT_WORK)
        of->did += (uint64_t)((omitted.ticks >> FINE_SHIFT) * mix.parts.items[i].ticks / mix.total);
    }
    mix_book(causes, &mix, omitted.ticks, TRACE_NONE);
  }
  mix_free(&mix);
}

/* Costs of the runtime. */

struct runtime_costs {
  unsigned threads;          /* that measured at once */
  unsigned long task, chunk; /* ns: making a task, fetching a chunk of a loop; 0: not known, likewise below */
  unsigned long lock, mutex; /* ns: acquiring and releasing a free lock of the runtime, a free mutex */
};

/* The measured costs of a process; false: it has none, or they are another runtime's. */
static bool costs_of(const struct trace *trace, uint32_t process, struct runtime_costs *costs)
{
  const char *text = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_COSTS);
  const char *runtime = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_RUNTIME);
  char of[16];
  *costs = (struct runtime_costs){0};
  if (!text || sscanf(text, "%15s threads %u task %lu chunk %lu lock %lu mutex %lu", of, &costs->threads, &costs->task,
                      &costs->chunk, &costs->lock, &costs->mutex) < 4)
    return false;
  if (!runtime || (strcmp(of, "libgomp") == 0) != (strstr(runtime, "libgomp") != NULL))
    costs->task = costs->chunk = costs->lock = 0;
  return true;
}

/* Operations at a place, which lie inside of work that may be at another one. */
struct operations {
  enum account_note note;
  uint32_t place, work;
  uint64_t number;
};

/* Where a lock is waited for, at its line: all its acquisitions are synchronization then. TRACE_NONE: hardly ever. */
static uint32_t waited_at(const struct trace *trace, const struct causes *causes, uint32_t lock, fine_ticks cost)
{
  fine_ticks waits = 0;
  uint32_t at = TRACE_NONE;
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    if (cause->kind != ACCOUNT_SYNCHRONIZATION || cause->place == TRACE_NONE || cause->ticks == 0 ||
        (cause->place != lock && !grain_same_line(trace, cause->place, lock)))
      continue;
    waits += cause->ticks;
    at = cause->place;
  }
  return waits >= cost / 4 ? at : TRACE_NONE;
}

/* All threads measured a cost at once. It hardly falls with time between the operations: what one thread wrote last is
 * in its cache. */
static void book_cost(const struct trace *trace, struct causes *causes, struct operations of, double cost)
{
  uint32_t from[] = {cause_of(causes, ACCOUNT_WORK, NOTE_NONE, of.work),
                     cause_of(causes, ACCOUNT_WORK, NOTE_ALONE, of.work)};
  uint32_t to = cause_of(causes, ACCOUNT_RUNTIME, of.note, of.place);
  if (causes->failed)
    return;
  double each = (double)(causes->list.items[from[0]].did + causes->list.items[from[1]].did) / (double)of.number;
  if (each <= 0)
    return;
  double part = cost < each ? cost / each : 1; /* also where a part of the time is looked at */
  fine_ticks moved[2];
  for (unsigned i = 0; i < 2; i++)
    moved[i] = (causes->list.items[from[i]].ticks >> 20) * (uint64_t)(part * (1 << 20));
  uint32_t at = of.note == NOTE_LOCKS ? waited_at(trace, causes, of.place, moved[0] + moved[1]) : TRACE_NONE;
  if (at != TRACE_NONE)
    to = cause_of(causes, ACCOUNT_SYNCHRONIZATION, NOTE_NONE, at);
  for (unsigned i = 0; i < 2 && !causes->failed; i++)
    grain_move(causes, from[i], to, moved[i]);
}

static void book_costs(const struct grain *grain, const struct trace *trace, struct causes *causes)
{
  struct runtime_costs costs;
  double ticks_per_ns = (double)trace->ticks_per_second / 1e9;
  bool known = false;
  for (uint32_t i = 0; i < trace->process_count && !known; i++)
    known = costs_of(trace, i, &costs);
  for (uint32_t i = 0; known && i < trace->region_count; i++) {
    const struct grain_region *of = &grain->regions[i];
    if (of->chunks > 0)
      book_cost(trace, causes, (struct operations){NOTE_CHUNKS, i, i, of->chunks}, (double)costs.chunk * ticks_per_ns);
    if (of->made > 0)
      book_cost(trace, causes, (struct operations){NOTE_MAKING, i, i, of->made}, (double)costs.task * ticks_per_ns);
  }
  for (size_t i = 0; known && i < grain->locks.room; i++) {
    const struct hash_entry *entry = &grain->locks.entries[i];
    uint32_t lock = (uint32_t)entry->key, work = (uint32_t)(entry->key >> 32) - 1;
    if (entry->used)
      book_cost(trace, causes, (struct operations){NOTE_LOCKS, lock, work, entry->value},
                (double)(trace->regions[lock].paradigm == OTF2_PARADIGM_PTHREAD ? costs.mutex : costs.lock) *
                    ticks_per_ns);
  }
}

/* Readings: work is what had a processor. The rest was not lost where more threads ran than there are processors. */
static void book_off(struct causes *causes, uint32_t place, const struct grain_region *of)
{
  uint32_t from[] = {cause_of(causes, ACCOUNT_WORK, NOTE_NONE, place),
                     cause_of(causes, ACCOUNT_WORK, NOTE_ALONE, place)};
  uint32_t ready = cause_of(causes, ACCOUNT_PROCESSORS, NOTE_NONE, place);
  uint32_t blocked = cause_of(causes, ACCOUNT_BLOCKED, NOTE_NONE, place);
  if (causes->failed)
    return;
  const struct cause *list = causes->list.items;
  uint64_t did = list[from[0]].did + list[from[1]].did, ran = did > of->off ? did - of->off : 0;
  fine_ticks booked = list[from[0]].ticks + list[from[1]].ticks, work = (fine_ticks)ran << FINE_SHIFT;
  double part = booked > work ? (double)(booked - work) / (double)booked : 0;
  double queued = of->off > 0 ? (double)of->ready / (double)of->off : 0;
  for (unsigned i = 0; i < 2; i++) {
    fine_ticks lost = (causes->list.items[from[i]].ticks >> 20) * (uint64_t)(part * (1 << 20));
    fine_ticks to_ready = (lost >> 20) * (uint64_t)((queued < 1 ? queued : 1) * (1 << 20));
    causes->list.items[from[i]].ticks -= lost;
    causes_book(causes, ready, to_ready, of->off_thread);
    causes_book(causes, blocked, lost - to_ready, of->off_thread);
  }
}

void estimates_apply(const struct grain *grain, const struct trace *trace, struct causes *causes)
{
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    if ((cause->note == NOTE_OMITTED || cause->note == NOTE_REST) && cause->place != TRACE_NONE && cause->ticks > 0)
      spread_omitted(grain, trace, causes, i);
  }
  for (uint32_t i = 0; i <= grain->outside; i++)
    if (grain->regions[i].off > 0)
      book_off(causes, i < grain->outside ? i : TRACE_NONE, &grain->regions[i]);
  book_costs(grain, trace, causes);
}
