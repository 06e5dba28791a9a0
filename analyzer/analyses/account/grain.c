#include "analyzer/analyses/account/grain.h"

#include "analyzer/analyses/account/activity.h"

#include "analyzer/trace/states/state.h"

#include <stdlib.h>
#include <string.h>

enum {
  SMALL_REGION = 100, /* us of work of its longest thread */
  SMALL_TASK = 20,    /* us; likewise of a chunk */
  EXECUTIONS_LEAST = 10
};

bool grain_init(struct grain *grain, const struct trace *trace)
{
  size_t regions = (size_t)trace->region_count + 1;
  *grain = (struct grain){.outside = trace->region_count,
                          .regions = calloc(regions, sizeof *grain->regions),
                          .within = malloc(regions * sizeof *grain->within)};
  if (grain->within)
    memset(grain->within, 0xff, regions * sizeof *grain->within);
  return grain->regions && grain->within;
}

void grain_free(struct grain *grain)
{
  free(grain->regions);
  free(grain->within);
  hash_free(&grain->work);
  hash_free(&grain->locks);
}

void grain_add_work(struct grain *grain, uint32_t region, uint32_t location, uint64_t ticks)
{
  uint64_t key = (uint64_t)region << 32 | location, *known = hash_find(&grain->work, key);
  struct grain_region *of = &grain->regions[region];
  of->members++;
  of->work += ticks;
  if (known)
    *known += ticks;
  else if ((known = hash_add(&grain->work, key, ticks)) == NULL)
    grain->failed = true;
  if (known && *known > of->longest)
    of->longest = *known;
}

void grain_add_arrival(struct grain *grain, uint32_t barrier, uint32_t location, uint64_t ticks, bool counts)
{
  grain_add_work(grain, barrier, location, ticks);
  grain->regions[barrier].meets = true;
  grain->regions[barrier].executions += counts;
}

/* Kinds of loss that small constructs cause. */
static bool is_grains(const struct cause *cause)
{
  bool wakes = cause->note == NOTE_WAKE_UP || cause->note == NOTE_LATE;
  return cause->kind == ACCOUNT_RUNTIME || cause->kind == ACCOUNT_TASKS || cause->kind == ACCOUNT_IMBALANCE ||
         cause->kind == ACCOUNT_SERIAL || cause->kind == ACCOUNT_THREADS ||
         (cause->kind == ACCOUNT_PROCESSORS && wakes);
}

void grain_add_thread(struct grain *grain, uint32_t place, uint64_t ticks)
{
  struct grain_region *of = &grain->regions[place];
  of->threads = true;
  of->executions++;
  of->members++;
  of->work += ticks;
}

void grain_add_off(struct grain *grain, uint32_t place, uint32_t location, uint64_t off, uint64_t ready)
{
  struct grain_region *of = &grain->regions[place == TRACE_NONE ? grain->outside : place];
  of->off += off;
  of->ready += ready;
  of->off_thread = off > of->off_most ? location : of->off_thread;
  of->off_most = off > of->off_most ? off : of->off_most;
}

void grain_count(struct grain *grain, uint32_t region, unsigned step_kind, uint64_t number)
{
  struct grain_region *of = &grain->regions[region];
  *(step_kind == ACT_CHUNKS ? &of->chunks : step_kind == ACT_MADE ? &of->made : &of->omitted) += number;
}

void grain_count_locks(struct grain *grain, uint32_t place, uint32_t lock, uint64_t number)
{
  uint64_t key = (uint64_t)(place + 1) << 32 | lock, *known = hash_find(&grain->locks, key);
  if (known)
    *known += number;
  else if (!hash_add(&grain->locks, key, number))
    grain->failed = true;
}

bool grain_same_line(const struct trace *trace, uint32_t a, uint32_t b)
{
  const struct trace_region *one = &trace->regions[a], *other = &trace->regions[b];
  return one->line != 0 && one->line == other->line && strcmp(one->file, other->file) == 0;
}

/* Whether a cause's place is a parallel region, is in it, or at its line, as the barrier at its end. */
static bool is_at(const struct grain *grain, const struct trace *trace, const struct cause *cause, uint32_t region)
{
  return cause->place != TRACE_NONE &&
         (cause->place == region || grain->within[cause->place] == region ||
          (grain->within[cause->place] == TRACE_NONE && grain_same_line(trace, cause->place, region)));
}

/* Waits for the end of threads, and for threads that are not there. */
static bool is_of_threads(const struct trace *trace, const struct cause *cause)
{
  return cause->place != TRACE_NONE && (trace->regions[cause->place].role == OTF2_REGION_ROLE_THREAD_CREATE ||
                                        strstr(trace->regions[cause->place].name, "join") != NULL);
}

void grain_move(struct causes *causes, uint32_t from, uint32_t to, fine_ticks ticks)
{
  struct cause *cause = &causes->list.items[from];
  ticks = ticks < cause->ticks ? ticks : cause->ticks;
  causes->list.items[to].ticks += ticks;
  cause->ticks -= ticks;
}

static void move(struct causes *causes, uint32_t from, uint32_t to)
{
  grain_move(causes, from, to, causes->list.items[from].ticks);
}

static void apply_region(struct grain *grain, const struct trace *trace, uint32_t region, struct causes *causes,
                         struct account *account, fine_ticks *most)
{
  const struct grain_region *of = &grain->regions[region];
  fine_ticks lost = of->gap_work + of->gap_lost, uneven = 0, work = 0;
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    if (cause->kind == ACCOUNT_WORK && !of->threads && is_at(grain, trace, cause, region))
      work += cause->ticks;
    if (!is_grains(cause) || !(is_at(grain, trace, cause, region) || (of->threads && is_of_threads(trace, cause))))
      continue;
    lost += cause->ticks;
    uneven += cause->kind == ACCOUNT_IMBALANCE ? cause->ticks : 0;
  }
  uint64_t ticks_per_us = trace->ticks_per_second / 1000000 ? trace->ticks_per_second / 1000000 : 1;
  uint64_t each = of->threads ? of->work / of->members : of->longest / of->executions;
  if (of->executions < EXECUTIONS_LEAST || each >= SMALL_REGION * ticks_per_us ||
      lost * 10 <= (of->threads ? (fine_ticks)of->work << FINE_SHIFT : work))
    return;
  uint32_t to = cause_of(causes, ACCOUNT_GRAIN, of->threads ? NOTE_JOIN : NOTE_NONE, region);
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    if (i != to && is_grains(cause) &&
        (is_at(grain, trace, cause, region) || (of->threads && is_of_threads(trace, cause))) &&
        !(cause->kind == ACCOUNT_IMBALANCE && 2 * uneven > lost))
      move(causes, (uint32_t)i, to);
  }
  grain_move(causes, cause_of(causes, ACCOUNT_WORK, NOTE_NONE, of->gap_place), to, of->gap_work);
  grain_move(causes, cause_of(causes, ACCOUNT_SERIAL, NOTE_NONE, of->gap_place), to, of->gap_lost);
  if (causes->list.items[to].ticks > *most) {
    *most = causes->list.items[to].ticks;
    account->executions = of->executions + of->omitted;
    account->grain_ticks = (double)of->work / (double)(of->members ? of->members : 1);
  }
}

static bool is_task(const struct trace *trace, uint32_t place)
{
  return place != TRACE_NONE && (trace->regions[place].role == OTF2_REGION_ROLE_TASK ||
                                 trace->regions[place].role == OTF2_REGION_ROLE_TASK_UNTIED);
}

/* Whether a cause lies where tasks are made, executed or waited for: at the line of a task, too. */
static bool at_task(const struct grain *grain, const struct trace *trace, const struct cause *cause, uint32_t task)
{
  if (cause->kind == ACCOUNT_TASKS || cause->note == NOTE_MAKING || cause->note == NOTE_TASKS ||
      is_task(trace, cause->place))
    return true;
  if (cause->place == TRACE_NONE || task == TRACE_NONE)
    return false;
  if (cause->kind == ACCOUNT_SERIAL && grain->regions[cause->place].made > 0)
    return true; /* a thread makes tasks while others wait for them */
  return grain_same_line(trace, cause->place, task);
}

static void apply_tasks(struct grain *grain, const struct trace *trace, struct causes *causes, struct account *account,
                        fine_ticks *most)
{
  fine_ticks lost = 0, work = 0, largest = 0;
  uint32_t place = TRACE_NONE;
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    if ((cause->kind != ACCOUNT_WORK && cause->note != NOTE_MAKING) || !is_task(trace, cause->place))
      continue;
    work += cause->kind == ACCOUNT_WORK ? cause->ticks : 0;
    place = cause->ticks > largest ? cause->place : place;
    largest = cause->ticks > largest ? cause->ticks : largest;
  }
  for (size_t i = 0; i < causes->list.count; i++)
    lost += is_grains(&causes->list.items[i]) && at_task(grain, trace, &causes->list.items[i], place)
                ? causes->list.items[i].ticks
                : 0;
  uint64_t ticks_per_us = trace->ticks_per_second / 1000000 ? trace->ticks_per_second / 1000000 : 1;
  uint64_t each = grain->tasks ? (uint64_t)(work >> FINE_SHIFT) / grain->tasks : 0;
  uint64_t lost_each = grain->tasks ? (uint64_t)(lost >> FINE_SHIFT) / grain->tasks : 0;
  if (grain->tasks <= 2 * EXECUTIONS_LEAST || each >= SMALL_TASK * ticks_per_us || each >= 10 * lost_each)
    return;
  uint32_t to = cause_of(causes, ACCOUNT_GRAIN, NOTE_TASKS, place);
  for (size_t i = 0; i < causes->list.count; i++)
    if (i != to && is_grains(&causes->list.items[i]) && at_task(grain, trace, &causes->list.items[i], place))
      move(causes, (uint32_t)i, to);
  if (causes->list.items[to].ticks > *most) {
    *most = causes->list.items[to].ticks;
    account->executions = grain->tasks;
    account->grain_ticks = (double)each;
  }
}

/* The runtime's part of barriers with little work between them. How uneven this is, and who was alone, stays. */
static void apply_barrier(const struct grain *grain, const struct trace *trace, uint32_t barrier, struct causes *causes,
                          struct account *account, fine_ticks *most)
{
  const struct grain_region *of = &grain->regions[barrier];
  uint64_t ticks_per_us = trace->ticks_per_second / 1000000 ? trace->ticks_per_second / 1000000 : 1;
  fine_ticks lost = 0;
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    bool runtime = cause->kind == ACCOUNT_RUNTIME || (cause->kind == ACCOUNT_PROCESSORS && is_grains(cause));
    lost += runtime && cause->place == barrier ? cause->ticks : 0;
  }
  if (of->executions < EXECUTIONS_LEAST || of->longest / of->executions >= SMALL_REGION * ticks_per_us ||
      lost * 10 <= (fine_ticks)of->work << FINE_SHIFT)
    return;
  uint32_t to = cause_of(causes, ACCOUNT_GRAIN, NOTE_MEETING, barrier);
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    bool runtime = cause->kind == ACCOUNT_RUNTIME || (cause->kind == ACCOUNT_PROCESSORS && is_grains(cause));
    if (runtime && cause->place == barrier)
      move(causes, (uint32_t)i, to);
  }
  if (causes->list.items[to].ticks > *most) {
    *most = causes->list.items[to].ticks;
    account->executions = of->executions;
    account->grain_ticks = (double)of->work / (double)of->members;
  }
}

/* What fetching chunks took is grain if they are small. */
static void apply_chunks(const struct grain *grain, const struct trace *trace, uint32_t region, struct causes *causes,
                         struct account *account, fine_ticks *most)
{
  uint32_t fetching = cause_of(causes, ACCOUNT_RUNTIME, NOTE_CHUNKS, region);
  uint32_t to = cause_of(causes, ACCOUNT_GRAIN, NOTE_CHUNKS, region);
  fine_ticks lost = causes->list.items[fetching].ticks, work = 0;
  for (unsigned note = NOTE_NONE; note <= NOTE_ALONE; note++) {
    uint32_t own = cause_of(causes, ACCOUNT_WORK, (enum account_note)note, region); /* the list may move */
    work += causes->list.items[own].ticks;
  }
  uint64_t chunks = grain->regions[region].chunks;
  uint64_t ticks_per_us = trace->ticks_per_second / 1000000 ? trace->ticks_per_second / 1000000 : 1;
  uint64_t each = (uint64_t)(work >> FINE_SHIFT) / chunks;
  if (chunks < EXECUTIONS_LEAST || each >= SMALL_TASK * ticks_per_us || lost * 10 <= work)
    return;
  move(causes, fetching, to);
  if (causes->list.items[to].ticks > *most) {
    *most = causes->list.items[to].ticks;
    account->executions = chunks;
    account->grain_ticks = (double)each;
  }
}

void grain_apply(struct grain *grain, const struct trace *trace, struct causes *causes, struct account *account)
{
  fine_ticks most = 0;
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (grain->regions[i].executions > 0 && !grain->regions[i].meets)
      apply_region(grain, trace, i, causes, account, &most);
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (grain->regions[i].chunks > 0)
      apply_chunks(grain, trace, i, causes, account, &most);
  apply_tasks(grain, trace, causes, account, &most);
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (grain->regions[i].executions > 0 && grain->regions[i].meets)
      apply_barrier(grain, trace, i, causes, account, &most);
}
