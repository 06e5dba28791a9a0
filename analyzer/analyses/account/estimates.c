#include "analyzer/analyses/account/estimates.h"

#include "common/raw/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Omitted instances. */

/* Whether a recorded cause is at the construct of omitted instances. */
static bool is_alike(const struct grain *grain, const struct trace *trace, const struct cause *cause, uint32_t place)
{
  if (cause->place == TRACE_NONE || cause->ticks == 0 || cause->kind == ACCOUNT_UNKNOWN)
    return false;
  if (trace->regions[place].role == OTF2_REGION_ROLE_TASK || trace->regions[place].role == OTF2_REGION_ROLE_TASK_UNTIED)
    return cause->place == place && cause->kind == ACCOUNT_WORK; /* their sums have no waits */
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
  unsigned long task, chunk; /* ns: making a task, fetching a chunk of a loop */
};

/* The measured costs of a process; false: it has none, or they are another runtime's. */
static bool costs_of(const struct trace *trace, uint32_t process, struct runtime_costs *costs)
{
  const char *text = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_COSTS);
  const char *runtime = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_RUNTIME);
  char of[16];
  return text && runtime &&
         sscanf(text, "%15s threads %u task %lu chunk %lu", of, &costs->threads, &costs->task, &costs->chunk) == 4 &&
         costs->threads > 0 && (strcmp(of, "libgomp") == 0) == (strstr(runtime, "libgomp") != NULL);
}

/*
 * Ticks of one operation where a thread did one in `each` ticks. All threads measured it at once, one operation after
 * the other. With time between the operations they wait for each other less: at the least for themselves.
 */
static double cost_in(double measured, double each, uint32_t threads)
{
  if (each <= measured)
    return each;
  double least = measured / threads, cost = measured * measured / each;
  return cost > least ? cost : least;
}

static void book_cost(struct causes *causes, uint32_t place, enum account_note note, uint64_t number, double ns,
                      uint32_t threads, double ticks_per_ns)
{
  uint32_t from[] = {cause_of(causes, ACCOUNT_WORK, NOTE_NONE, place),
                     cause_of(causes, ACCOUNT_WORK, NOTE_ALONE, place)};
  uint32_t to = cause_of(causes, ACCOUNT_RUNTIME, note, place);
  if (causes->failed)
    return;
  double each = (double)(causes->list.items[from[0]].did + causes->list.items[from[1]].did) / (double)number;
  if (each <= 0)
    return;
  double part = cost_in(ns * ticks_per_ns, each, threads) / each; /* also where a part of the time is looked at */
  for (unsigned i = 0; i < 2; i++) {
    fine_ticks of = causes->list.items[from[i]].ticks;
    grain_move(causes, from[i], to, (of >> 20) * (uint64_t)(part * (1 << 20)));
  }
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
      book_cost(causes, i, NOTE_CHUNKS, of->chunks, costs.chunk, costs.threads, ticks_per_ns);
    if (of->made > 0)
      book_cost(causes, i, NOTE_MAKING, of->made, costs.task, costs.threads, ticks_per_ns);
  }
}

void estimates_apply(const struct grain *grain, const struct trace *trace, struct causes *causes)
{
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    if ((cause->note == NOTE_OMITTED || cause->note == NOTE_REST) && cause->place != TRACE_NONE && cause->ticks > 0)
      spread_omitted(grain, trace, causes, i);
  }
  book_costs(grain, trace, causes);
}
