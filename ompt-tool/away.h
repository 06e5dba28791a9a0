/*
 * Callbacks taken away: where even the callbacks of what is left out cost more than the budget allows, whole parallel
 * regions are executed without them, and nothing inside is seen. One of so many regions of a place is recorded, and
 * stands for the unseen ones before it: weights of what is inside it are estimates then (RAW_WEIGHT).
 *
 * A call site of the runtime tests a bit and then calls a pointer. So a callback may go only while no thread can be at
 * one of its call sites. That holds where the only root begins a region outside of all others:
 *   - Other threads are workers, who wait for the next region. Each has executed its last lock, task, chunk and
 *     work-sharing construct before it arrived at the last barrier, and that barrier waits for all tasks. What a worker
 *     does from there on are ends of barriers and of implicit tasks: callbacks of those, of regions and of threads
 * stay.
 *   - Tasks of the serial part are executed when they are created, by the same thread. But one with an event (detach)
 *     is completed by any thread, at any time, even by one that OpenMP does not know: after the first such task outside
 *     of what is unseen, callbacks stay for ever. Those of an unseen region are complete at its end.
 *   - Tasks of hidden helper threads (target nowait) belong to a root of their own, which begins before they do.
 *   - Where a thread has a mutex, callbacks stay: its release could be unseen. One that is acquired unseen and released
 *     later is a release without an acquisition, which the converter drops.
 *   - A task around the region, even an undeferred one, may have an event: there callbacks stay.
 * A callback may be put back at any time: the pointer is stored first, the bit after it. At the region's end they all
 * come back. Where a second root begins, that thread puts them back before it does anything else, and they stay for
 * ever; then ends come from the region whose begins were not seen, which are dropped (away_is_gone).
 *
 * Callbacks that nobody needs (common/needs.h) go at such a begin of a region, too, and stay away until somebody needs
 * them; a program that begins without needs has none. There a mutex and what is inside do not matter, for nothing of
 * that is recorded. Those of the ends that a worker may still be in stay, unless there never was a worker; and that of
 * task_schedule, for a task with an event may have been created where nothing was seen. The runtime then calls them,
 * and they return at once. A runtime that reads each pointer once lets all of them go at any time
 * (EXTENSION_CALLBACKS_GO).
 */
#ifndef HEDDLE_OMPT_TOOL_AWAY_H
#define HEDDLE_OMPT_TOOL_AWAY_H

#include "common/left_out.h"
#include "ompt-tool/callbacks.h"
#include "ompt-tool/skip.h"

/* When a callback may go, at the begin of a region outside of all others. */
enum away_class {
  AWAY_NEVER,
  AWAY_ENDS,  /* without needs, if there never was a worker */
  AWAY_OUTER, /* without needs */
  AWAY_INNER, /* also where the region is unseen */
  AWAY_TASKS  /* only where the region is unseen */
};
enum away_class away_class(ompt_callbacks_t event);

struct away_callback {
  ompt_callbacks_t event;
  ompt_callback_t callback;
  uint32_t groups; /* of which one needs it (common/needs.h); 0: it stays */
};
#define AWAY_CALLBACKS 32u /* at most */

/* Once, before the first callback: a list that stays, and of which nothing is registered yet: registers what is needed.
 * unseen: regions may be unseen; anytime: callbacks may go at any time; lookup: of the runtime. Without this call all
 * callbacks stay. */
struct away_runtime {
  ompt_set_callback_t set_callback;
  ompt_function_lookup_t lookup;
  bool unseen, anytime;
};
void away_start(struct away_runtime runtime, const struct away_callback *callbacks, size_t count);
/* The runtime ends, or there may be a task with an event: from now on all callbacks stay as they are. Any thread. */
void away_stop(void);

/* An initial thread begins, before it does anything else. */
void away_begin_root(void);

/* A thread begins that is no initial one. */
void away_begin_other(void);
/* A region begins: what nobody needs goes, if it may. Any thread. */
void away_drop_unneeded(void);

/* The thread is at a barrier, or ends: it may have mutexes that it releases in the next region. */
void away_note_held(struct skip *skip, uint32_t held);
static inline void away_tell_held(struct skip *skip)
{
  if (__builtin_expect(skip->wait_count + skip->held != skip->told, 0))
    away_note_held(skip, skip->wait_count + skip->held);
}

/* In the data word of a region that is left out, or inside of such a one. */
#define AWAY_UNSEEN (1ull << 62) /* nothing inside is counted */
#define AWAY_GONE   (1ull << 61) /* and there were no callbacks when it began */

/*
 * The thread begins a region, whose frame is on top, and of which `row` has decided. task: in which it is. Returns
 * which of the two it is. Where callbacks have to stay, a region that the choice made unseen is not counted either:
 * else what is seen would not be chosen at random. Any thread.
 */
uint64_t away_begin_region(const struct skip *skip, struct budget_row *row, bool recorded, const ompt_data_t *task);
/* The thread has left a region. Any thread. */
void away_end_region(const struct skip *skip);

/* Which of the two the region is in which the thread is. */
static inline uint64_t away_state(struct skip *skip)
{
  return skip_top(skip)->mute == SKIP_ALL ? skip_team(skip)->id & (AWAY_UNSEEN | AWAY_GONE) : 0;
}

static inline bool away_is_unseen(struct skip *skip)
{
  return away_state(skip) != 0;
}

/* Whether ends may come whose begins did not. */
static inline bool away_is_gone(struct skip *skip)
{
  return (away_state(skip) & AWAY_GONE) != 0;
}

/* So many regions the recorded one stands for that is under way: itself, and unseen ones. */
extern _Atomic uint32_t away_regions __attribute__((visibility("hidden")));

/* The next record of a kind stands for so many instances that were seen. */
static inline void away_emit_weight(unsigned kind, uint32_t weight)
{
  uint64_t regions = atomic_load_explicit(&away_regions, memory_order_relaxed);
  if (__builtin_expect(regions > 1, 0))
    recorder_emit(RAW_WEIGHT, kind | RAW_WEIGHT_ESTIMATE, regions << RAW_WEIGHT_REGIONS | weight);
  else
    left_out_emit_weight(kind, weight);
}

#endif
