#include "otf2-convert/plan_clock.h"

#include "base/vector.h"
#include "otf2-convert/say.h"
#include "otf2-convert/tick_rate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define PLAN_CLOCK_NS   1000000000.0
#define SPAN_ENOUGH_NS  1000000u /* two anchors nearer than this calibrate badly */
#define CHUNKS_APART_NS 1000000u /* of a thread; more anchors add nothing */
#define SLEPT_NS        200000000.0

/* The clocks of this moment, if the process recorded on this machine since it was started. */
static bool anchor_now(const struct process *process, struct anchor *anchor)
{
#if defined(__x86_64__)
  if (process->same_boot && process->info.clock_is_tsc) {
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
      struct timespec now;
      uint64_t before = __rdtsc();
      clock_gettime(CLOCK_MONOTONIC, &now);
      uint64_t after = __rdtsc();
      if (after - before >= narrowest)
        continue;
      narrowest = after - before;
      anchor->ticks = before + narrowest / 2;
      anchor->monotonic_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    return true;
  }
#else
  (void)anchor;
#endif
  return false;
}

typedef VECTOR(struct anchor) anchor_list;

/* Without memory for all anchors, those before must do. */
static void plan_clock_add_anchor(anchor_list *anchors, struct anchor anchor)
{
  (void)vector_push(anchors, anchor);
}

/* Those of a thread's chunks, as far as they lie within the process. */
static void add_chunks(anchor_list *anchors, const struct raw_log *log, uint64_t begin_ns, uint64_t end_ns)
{
  struct raw_place place = {0};
  struct raw_chunk chunk;
  uint64_t last = begin_ns;
  while (raw_log_next(log, &place, &chunk))
    if (chunk.anchor_ns >= last + CHUNKS_APART_NS && chunk.anchor_ns <= end_ns) {
      plan_clock_add_anchor(anchors, (struct anchor){.ticks = chunk.anchor_ticks, .monotonic_ns = chunk.anchor_ns});
      last = chunk.anchor_ns;
    }
}

/* Whether the wall clock ran while CLOCK_MONOTONIC stood still: the machine was suspended, or its time was set. */
static bool may_have_slept(const struct process_info *info)
{
  double wall = (double)info->last.realtime_ns - (double)info->first.realtime_ns;
  double awake = (double)info->last.monotonic_ns - (double)info->first.monotonic_ns;
  return info->anchors > 1 && (wall - awake > SLEPT_NS || awake - wall > SLEPT_NS);
}

/* The frequency as it is now; 0: the process recorded elsewhere. */
static double frequency_now(const struct process *process)
{
  struct anchor begin, end;
  if (!anchor_now(process, &begin))
    return 0;
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  anchor_now(process, &end);
  return (double)(end.ticks - begin.ticks) * PLAN_CLOCK_NS / (double)(end.monotonic_ns - begin.monotonic_ns);
}

static void say_jumps(const struct process *process, const struct tick_rate *rate)
{
  if (rate->went_back)
    say_note("raw/%s: the clock went back, as when a machine is suspended: later events have no times",
             process->directory);
  else if (rate->jumps > 0)
    say_note("raw/%s: the clock jumped %.1f s ahead, as when a machine is suspended: the trace shows this time as the "
             "program's",
             process->directory, rate->jumped_ns / PLAN_CLOCK_NS);
}

/* Frequency of a process' ticks; 0 when it cannot be known. *span: over how many ns it was measured. */
static double calibrate(struct process *process, uint64_t *span)
{
  const struct process_info *info = &process->info;
  if (!info->clock_is_tsc) {
    *span = UINT64_MAX;
    return PLAN_CLOCK_NS;
  }
  if (info->anchors == 0 || (info->anchors > 1 && info->last.monotonic_ns < info->first.monotonic_ns))
    return 0;
  anchor_list anchors = {0};
  plan_clock_add_anchor(&anchors, info->first);
  for (uint32_t i = 0; i < process->raw.log_count; i++)
    add_chunks(&anchors, &process->raw.logs[i], info->first.monotonic_ns,
               info->anchors > 1 ? info->last.monotonic_ns : UINT64_MAX);
  struct anchor last = anchors.count > 0 ? anchors.items[anchors.count - 1] : info->first;
  if (info->anchors > 1)
    plan_clock_add_anchor(&anchors, last = info->last);
  if (last.monotonic_ns - info->first.monotonic_ns < SPAN_ENOUGH_NS && anchor_now(process, &last))
    plan_clock_add_anchor(&anchors, last);
  struct tick_rate rate = tick_rate_of(anchors.items, anchors.count, may_have_slept(info) ? frequency_now(process) : 0);
  vector_free(&anchors);
  say_jumps(process, &rate);
  *span = rate.span_ns;
  return rate.frequency;
}

static bool same_clock(const struct process_info *a, const struct process_info *b)
{
  return a->clock_is_tsc == b->clock_is_tsc && a->boot_id != NULL && b->boot_id != NULL &&
         strcmp(a->boot_id, b->boot_id) == 0;
}

uint64_t plan_clock_choose(struct process *processes, size_t count)
{
  uint64_t longest = 0;
  double best = 0;
  bool one_clock = true;
  for (size_t i = 0; i < count; i++) {
    struct process *process = &processes[i];
    uint64_t span = 0;
    process->frequency = calibrate(process, &span);
    if (process->frequency != 0 && span > longest) {
      longest = span;
      best = process->frequency;
    }
    if (process->frequency == 0)
      say_note("raw/%s: the clock cannot be calibrated: the unit of durations is unknown", process->directory);
    one_clock = one_clock && (i == 0 || same_clock(&processes[0].info, &process->info));
  }
  for (size_t i = 0; i < count; i++) {
    struct process *process = &processes[i];
    double frequency = process->frequency != 0 ? process->frequency : PLAN_CLOCK_NS;
    if (one_clock && best != 0)
      process->frequency = best; /* they share it, so the longest measurement counts for all */
    process->keep_ticks = one_clock;
    process->ticks_zero = process->info.first.ticks;
    process->time_zero = process->info.first.realtime_ns;
    process->multiplier = (uint64_t)(PLAN_CLOCK_NS * 4294967296.0 / frequency);
  }
  return one_clock && best != 0 ? (uint64_t)(best + 0.5) : 1000000000u;
}

uint64_t plan_clock_realtime(const struct process *first, uint64_t resolution, uint64_t time)
{
  if (!first->keep_ticks)
    return time;
  double ns = (double)(int64_t)(time - first->info.first.ticks) * PLAN_CLOCK_NS / (double)resolution;
  double realtime = (double)first->info.first.realtime_ns + ns;
  if (!(ns > -9e18 && ns < 9e18 && realtime > 0 && realtime < 9e18))
    return 0;
  return first->info.first.realtime_ns + (uint64_t)(int64_t)ns;
}
