#include "otf2-convert/plan_clock.h"

#include "otf2-convert/say.h"

#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define NS             1000000000.0
#define SPAN_ENOUGH_NS 1000000u /* two anchors nearer than this calibrate badly */

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

static void later_of_chunks(struct process *process, struct anchor *last)
{
  for (uint32_t i = 0; i < process->raw.log_count; i++) {
    struct raw_log *log = &process->raw.logs[i];
    struct raw_place place = {0};
    struct raw_chunk chunk;
    bool bad = false;
    while (raw_log_next(log, &place, &chunk, &bad))
      if (chunk.anchor_ns > last->monotonic_ns && chunk.anchor_ticks > last->ticks) {
        last->ticks = chunk.anchor_ticks;
        last->monotonic_ns = chunk.anchor_ns;
      }
    raw_log_rest(log);
  }
}

/* Frequency of a process' ticks; 0 when it cannot be known. *span: how many ns apart the anchors were. */
static double calibrate(struct process *process, uint64_t *span)
{
  const struct process_info *info = &process->info;
  if (!info->clock_is_tsc) {
    *span = UINT64_MAX;
    return NS;
  }
  struct anchor first = info->first, last = info->last;
  if (info->anchors == 0)
    return 0;
  if (info->anchors == 1)
    later_of_chunks(process, &last);
  if (last.monotonic_ns - first.monotonic_ns < SPAN_ENOUGH_NS || last.monotonic_ns < first.monotonic_ns)
    anchor_now(process, &last);
  if (last.monotonic_ns <= first.monotonic_ns || last.ticks <= first.ticks)
    return 0;
  *span = last.monotonic_ns - first.monotonic_ns;
  double frequency = (double)(last.ticks - first.ticks) * NS / (double)*span;
  return frequency >= 1e5 && frequency <= 1e12 ? frequency : 0;
}

static bool same_clock(const struct process_info *a, const struct process_info *b)
{
  return a->clock_is_tsc == b->clock_is_tsc && a->boot_id != NULL && b->boot_id != NULL &&
         strcmp(a->boot_id, b->boot_id) == 0;
}

void plan_choose_clock(struct plan *plan)
{
  uint64_t longest = 0;
  double best = 0;
  bool one_clock = true;
  for (uint32_t i = 0; i < plan->process_count; i++) {
    struct process *process = &plan->processes[i];
    uint64_t span = 0;
    process->frequency = calibrate(process, &span);
    if (process->frequency != 0 && span > longest) {
      longest = span;
      best = process->frequency;
    }
    if (process->frequency == 0)
      say_note("raw/%s: its clock cannot be calibrated, durations are in unknown units", process->directory);
    one_clock = one_clock && (i == 0 || same_clock(&plan->processes[0].info, &process->info));
  }
  plan->resolution = one_clock && best != 0 ? (uint64_t)(best + 0.5) : 1000000000u;
  for (uint32_t i = 0; i < plan->process_count; i++) {
    struct process *process = &plan->processes[i];
    double frequency = process->frequency != 0 ? process->frequency : NS;
    if (one_clock && best != 0)
      process->frequency = best; /* they share it, so the longest measurement counts for all */
    process->keep_ticks = one_clock;
    process->ticks_zero = process->info.first.ticks;
    process->time_zero = process->info.first.realtime_ns;
    process->multiplier = (uint64_t)(NS * 4294967296.0 / frequency);
  }
}

uint64_t plan_realtime(const struct plan *plan, uint64_t time)
{
  const struct process *process = &plan->processes[0];
  if (!process->keep_ticks)
    return time;
  double ns = (double)(int64_t)(time - process->info.first.ticks) * NS / (double)plan->resolution;
  double realtime = (double)process->info.first.realtime_ns + ns;
  if (!(ns > -9e18 && ns < 9e18 && realtime > 0 && realtime < 9e18))
    return 0;
  return process->info.first.realtime_ns + (uint64_t)(int64_t)ns;
}
